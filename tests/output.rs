//! Frames, series and checkpoints: what is written is what is read, whatever happens in between.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "common/sample.rs"]
mod sample;

use glam::DVec3;
use lahar::Error;
use lahar::output::*;
use sample::{FACES, scene, varied_state};
use std::fs;
use std::path::Path;
use tempfile::tempdir;

mod vtp {
    use super::*;

    /// A `.vtp` file with appended raw data, taken apart by string search alone.
    struct File {
        header: String,
        data: Vec<u8>,
    }

    impl File {
        fn read(path: &Path) -> Self {
            let bytes = fs::read(path).unwrap();
            let mark = b"<AppendedData encoding=\"raw\">\n_";
            let at = bytes.windows(mark.len()).position(|w| w == mark).unwrap();
            let end = b"\n</AppendedData>\n</VTKFile>\n";
            assert!(bytes.ends_with(end));
            Self {
                header: String::from_utf8(bytes[..at].to_vec()).unwrap(),
                data: bytes[at + mark.len()..bytes.len() - end.len()].to_vec(),
            }
        }

        fn attribute<'a>(line: &'a str, name: &str) -> &'a str {
            let (_, rest) = line.split_once(&format!(" {name}=\"")).unwrap();
            rest.split_once('"').unwrap().0
        }

        /// Type and bytes of the array `name` within the element `<tag>`.
        fn array(&self, tag: &str, name: &str) -> (&str, &[u8]) {
            let (_, section) = self.header.split_once(&format!("<{tag}>")).unwrap();
            let (section, _) = section.split_once(&format!("</{tag}>")).unwrap();
            let line = section
                .lines()
                .find(|line| line.contains(&format!("Name=\"{name}\"")))
                .unwrap();
            let offset: usize = Self::attribute(line, "offset").parse().unwrap();
            let length = u64::from_le_bytes(self.data[offset..offset + 8].try_into().unwrap());
            let length = usize::try_from(length).unwrap();
            let bytes = &self.data[offset + 8..offset + 8 + length];
            (Self::attribute(line, "type"), bytes)
        }

        fn f64s(&self, tag: &str, name: &str) -> Vec<f64> {
            let (kind, bytes) = self.array(tag, name);
            let chunks = |n: usize| bytes.chunks_exact(n);
            match kind {
                "Float64" => chunks(8)
                    .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
                    .collect(),
                "Float32" => chunks(4)
                    .map(|b| f32::from_le_bytes(b.try_into().unwrap()).into())
                    .collect(),
                _ => panic!("{name} is {kind}"),
            }
        }

        fn integers(&self, tag: &str, name: &str) -> Vec<u64> {
            let (kind, bytes) = self.array(tag, name);
            let size = match kind {
                "UInt8" => 1,
                "UInt16" => 2,
                "UInt32" => 4,
                "Int64" | "UInt64" => 8,
                _ => panic!("{name} is {kind}"),
            };
            let number = |b: &[u8]| {
                b.iter()
                    .rev()
                    .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
            };
            bytes.chunks_exact(size).map(number).collect()
        }
    }

    #[test]
    fn particles_read_back_equal() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("frame.vtp");
        let state = varied_state(250);
        write_vtp(&path, &state.view()).unwrap();
        let file = File::read(&path);
        let particles = &state.particles;
        let flat =
            |vectors: &[DVec3]| -> Vec<f64> { vectors.iter().flat_map(|v| v.to_array()).collect() };
        let single = |vectors: &[DVec3]| -> Vec<f64> {
            let components = vectors.iter().flat_map(|v| v.as_vec3().to_array());
            components.map(f64::from).collect()
        };
        assert!(
            file.header
                .contains("NumberOfPoints=\"12\" NumberOfVerts=\"12\"")
        );
        assert_eq!(file.f64s("FieldData", "TimeValue"), [0.25]);
        assert_eq!(file.integers("FieldData", "step"), [250]);
        let positions: Vec<DVec3> = (0..12).map(|i| state.position(i)).collect();
        assert_eq!(file.f64s("Points", "position"), flat(&positions));
        assert_eq!(file.f64s("PointData", "radius"), particles.radius);
        assert_eq!(
            file.f64s("PointData", "velocity"),
            single(&particles.velocity)
        );
        assert_eq!(file.f64s("PointData", "spin"), single(&particles.spin));
        assert_eq!(
            file.f64s("PointData", "acceleration"),
            single(&particles.acceleration)
        );
        let ids: Vec<u64> = particles.id.iter().map(|&x| x.into()).collect();
        assert_eq!(file.integers("PointData", "id"), ids);
        let materials: Vec<u64> = particles.material.iter().map(|&x| x.into()).collect();
        assert_eq!(file.integers("PointData", "material"), materials);
        let fixed: Vec<u64> = particles.fixed.iter().map(|&x| x.into()).collect();
        assert_eq!(file.integers("PointData", "fixed"), fixed);
        // Contacts 1–4, 1–7 and 7–wall; ids are 1, 4, 7, … 34.
        let mut counts = [0; 12];
        counts[..3].copy_from_slice(&[2, 1, 2]);
        assert_eq!(file.integers("PointData", "coordination"), counts);
        let points: Vec<u64> = (0..12).collect();
        assert_eq!(file.integers("Verts", "connectivity"), points);
        let ends: Vec<u64> = (1..=12).collect();
        assert_eq!(file.integers("Verts", "offsets"), ends);
    }

    #[test]
    fn no_particles_are_a_valid_frame() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("frame.vtp");
        write_vtp(&path, &sample::state(&[]).view()).unwrap();
        assert!(File::read(&path).f64s("Points", "position").is_empty());
    }

    #[test]
    fn walls_lie_on_their_surfaces() {
        const ROUNDING: f64 = 1e-12;
        // A chord of 1/96 of a circle of radius 0.4 m leaves it by r (1 − cos(π/96)); its corners not.
        let directory = tempdir().unwrap();
        let path = directory.path().join("walls.vtp");
        write_walls(&path, &scene()).unwrap();
        let file = File::read(&path);
        let points: Vec<DVec3> = file
            .f64s("Points", "position")
            .chunks_exact(3)
            .map(DVec3::from_slice)
            .collect();
        let faces = file.integers("CellData", "face");
        let ends = file.integers("Polys", "offsets");
        assert_eq!(faces.len(), ends.len());
        assert_eq!(file.integers("CellData", "material"), vec![1; faces.len()]);
        let mut start = 0;
        let mut area = [0.0; FACES];
        for (face, end) in faces.iter().zip(ends) {
            let (face, end) = (
                usize::try_from(*face).unwrap(),
                usize::try_from(end).unwrap(),
            );
            let polygon = &points[start..end];
            start = end;
            let middle = DVec3::splat(0.5);
            for &p in polygon {
                let off = match face {
                    0 => p.z,
                    1 => p.x - 0.1,
                    2 => p.x - 0.9,
                    3 => p.y - 0.1,
                    4 => p.y - 0.9,
                    5 => p.z - 0.1,
                    6 => (p - middle).with_x(0.0).length() - 0.4,
                    7 => (p - middle).length() - 0.1,
                    8 => (p - middle).with_z(0.0).length() - (p.z - 0.2),
                    _ => panic!("face {face}"),
                };
                assert!(off.abs() < ROUNDING, "face {face}: {p} is off by {off}");
            }
            let doubled: DVec3 = (0..polygon.len())
                .map(|i| polygon[i].cross(polygon[(i + 1) % polygon.len()]))
                .sum();
            area[face] += 0.5 * doubled.length();
        }
        let pi = std::f64::consts::PI;
        let side = 0.64;
        let want = [
            1.0,
            side,
            side,
            side,
            side,
            side,
            2.0 * pi * 0.4,
            4.0 * pi * 0.01,
            pi * 0.2 * 0.2 * 2.0_f64.sqrt(),
        ];
        // Polygons inscribed in a circle of 96 pieces lose 7·10⁻⁴ of an area of double curvature.
        for face in 0..FACES {
            let error = area[face] / want[face] - 1.0;
            assert!((-2e-3..1e-9).contains(&error), "face {face}: {error}");
        }
    }
}

mod pvd {
    use super::*;

    #[test]
    fn a_resumed_collection_equals_an_uninterrupted_one() {
        let directory = tempdir().unwrap();
        let (whole, resumed) = (
            directory.path().join("a.pvd"),
            directory.path().join("b.pvd"),
        );
        let name = |i: u32| format!("frame & \"<{i}>.vtp");
        let mut pvd = Pvd::create(&whole).unwrap();
        for i in 0..10 {
            pvd.push(0.1 * f64::from(i), &name(i)).unwrap();
        }
        let mut pvd = Pvd::create(&resumed).unwrap();
        for i in 0..7 {
            pvd.push(0.1 * f64::from(i), &name(i)).unwrap();
        }
        let mut pvd = Pvd::resume(&resumed, 0.1 * 4.0).unwrap();
        assert_eq!(pvd.len(), 5);
        for i in 5..10 {
            pvd.push(0.1 * f64::from(i), &name(i)).unwrap();
        }
        assert_eq!(fs::read(&whole).unwrap(), fs::read(&resumed).unwrap());
    }

    #[test]
    fn the_same_time_is_listed_once() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("a.pvd");
        let mut pvd = Pvd::create(&path).unwrap();
        pvd.push(0.5, "old.vtp").unwrap();
        pvd.push(0.5, "new.vtp").unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("new.vtp") && !text.contains("old.vtp"),
            "{text}"
        );
    }

    #[test]
    fn another_file_is_refused() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("a.pvd");
        fs::write(&path, "time,step\n").unwrap();
        assert!(matches!(Pvd::resume(&path, 0.0), Err(Error::Io { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "time,step\n");
    }
}

mod series {
    use super::*;

    fn totals(state: &lahar::state::State) -> lahar::state::Totals {
        lahar::state::Totals::of(&state.view(), &scene().materials)
    }

    #[test]
    fn rows_read_back_to_the_same_bits() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("series.csv");
        let mut writer = SeriesWriter::create(&path, &scene()).unwrap();
        let mut states: Vec<_> = (0..20).map(|i| varied_state(10 * i)).collect();
        states[3].ledger.kinetic = 5e-324;
        states[3].ledger.potential = -0.0;
        states[3].ledger.lost_normal = 1.797e308;
        for state in &states {
            writer.write_row(&totals(state)).unwrap();
        }
        let series = read_series(&path).unwrap();
        assert_eq!(series.rows.len(), states.len());
        assert_eq!(series.columns.len(), 22 + 3 * FACES);
        assert_eq!(series.columns[22], "force_floor_x");
        assert_eq!(series.columns[25], "force_tray_xmin_x");
        assert_eq!(*series.columns.last().unwrap(), "force_funnel_z");
        for (row, state) in states.iter().enumerate() {
            let at = |name: &str| series.column(name).unwrap()[row].to_bits();
            assert_eq!(at("time"), state.time().to_bits());
            assert_eq!(at("step"), (state.step as f64).to_bits());
            assert_eq!(at("particles"), 12_f64.to_bits());
            assert_eq!(at("contacts"), 3_f64.to_bits());
            assert_eq!(at("coordination"), state.coordination_number().to_bits());
            assert_eq!(at("kinetic"), state.ledger.kinetic.to_bits());
            assert_eq!(at("potential"), state.ledger.potential.to_bits());
            assert_eq!(at("lost_normal"), state.ledger.lost_normal.to_bits());
            assert_eq!(at("lost_rolling"), state.ledger.lost_rolling.to_bits());
            assert_eq!(at("gained_mindlin"), state.ledger.gained_mindlin.to_bits());
            assert_eq!(at("removed_energy"), state.ledger.removed.to_bits());
            assert_eq!(at("balance_error"), state.ledger.balance_error().to_bits());
            assert_eq!(at("removed"), 24_f64.to_bits());
            assert_eq!(at("force_tray_zmin_y"), state.wall_forces[5].y.to_bits());
        }
    }

    #[test]
    fn momentum_is_mass_times_velocity() {
        const ROUNDING: f64 = 1e-12;
        let directory = tempdir().unwrap();
        let path = directory.path().join("series.csv");
        let velocity = DVec3::new(1.0, -2.0, 3.0);
        let mut state = sample::state(&[(DVec3::splat(0.5), 0.1, velocity); 2]);
        state.particles.material[1] = 1;
        let mut writer = SeriesWriter::create(&path, &scene()).unwrap();
        writer.write_row(&totals(&state)).unwrap();
        let series = read_series(&path).unwrap();
        let mass = 4.0 / 3.0 * std::f64::consts::PI * 1e-3 * (2500.0 + 7800.0);
        for (name, want) in [
            ("momentum_x", mass),
            ("momentum_y", -2.0 * mass),
            ("momentum_z", 3.0 * mass),
        ] {
            let got = series.column(name).unwrap()[0];
            assert!((got / want - 1.0).abs() < ROUNDING, "{name}: {got}, {want}");
        }
    }

    #[test]
    fn a_resumed_series_equals_an_uninterrupted_one_byte_for_byte() {
        let directory = tempdir().unwrap();
        let (whole, resumed) = (
            directory.path().join("a.csv"),
            directory.path().join("b.csv"),
        );
        let rows = |writer: &mut SeriesWriter, range: std::ops::Range<u32>| {
            for i in range {
                writer.write_row(&totals(&varied_state(10 * i))).unwrap();
            }
        };
        rows(&mut SeriesWriter::create(&whole, &scene()).unwrap(), 0..20);
        // Killed in the middle of row 13; the last checkpoint was at step 90, as was row 9.
        for torn in ["", "0.", "0.13,130,12,\u{fffd}"] {
            rows(
                &mut SeriesWriter::create(&resumed, &scene()).unwrap(),
                0..13,
            );
            let mut bytes = fs::read(&resumed).unwrap();
            bytes.extend_from_slice(torn.as_bytes());
            fs::write(&resumed, bytes).unwrap();
            let mut writer = SeriesWriter::resume(&resumed, &scene(), 90).unwrap();
            rows(&mut writer, 10..20);
            assert_eq!(fs::read(&whole).unwrap(), fs::read(&resumed).unwrap());
        }
    }

    #[test]
    fn a_series_of_another_scene_is_refused_and_left_alone() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("series.csv");
        SeriesWriter::create(&path, &scene()).unwrap();
        let before = fs::read(&path).unwrap();
        let mut other = scene();
        other.walls.pop();
        let refused = SeriesWriter::resume(&path, &other, 0).unwrap_err();
        assert!(refused.to_string().contains("columns"), "{refused}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn what_is_no_number_is_named_with_its_line() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("series.csv");
        for (text, part) in [
            ("a,b\n1,2\n3,x\n", "line 3: \"x\""),
            ("a,b\n1,2,3\n", "line 2: 3 fields"),
            ("", "no header"),
        ] {
            fs::write(&path, text).unwrap();
            let error = read_series(&path).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}

mod checkpoint {
    use super::*;
    use lahar::position::Grid;
    use lahar::state::*;
    use proptest::prelude::*;

    fn message(result: lahar::Result<State>) -> String {
        match result {
            Err(Error::Checkpoint { message, .. }) => message,
            other => panic!("expected a checkpoint error, got {other:?}"),
        }
    }

    /// Writes bytes with the checksum that belongs to them.
    fn write_signed(path: &Path, body: &[u8]) {
        let mut bytes = body.to_vec();
        bytes.extend_from_slice(&crc32fast::hash(body).to_le_bytes());
        fs::write(path, bytes).unwrap();
    }

    #[test]
    fn the_fingerprint_is_fnv_1a() {
        // Published values: http://www.isthe.com/chongo/tech/comp/fnv/
        assert_eq!(fingerprint(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fingerprint(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("checkpoint");
        write_checkpoint(&path, &varied_state(7).view(), 42).unwrap();
        let good = fs::read(&path).unwrap();
        for index in 0..good.len() {
            let mut bad = good.clone();
            bad[index] ^= 1 << (index % 8);
            fs::write(&path, &bad).unwrap();
            message(read_checkpoint(&path, 42));
        }
    }

    #[test]
    fn every_truncation_is_noticed() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("checkpoint");
        write_checkpoint(&path, &varied_state(7).view(), 42).unwrap();
        let good = fs::read(&path).unwrap();
        for length in 0..good.len() {
            fs::write(&path, &good[..length]).unwrap();
            message(read_checkpoint(&path, 42));
        }
        let mut longer = good.clone();
        longer.push(0);
        fs::write(&path, longer).unwrap();
        message(read_checkpoint(&path, 42));
    }

    #[test]
    fn messages_say_what_to_do() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("checkpoint");
        write_checkpoint(&path, &varied_state(7).view(), 42).unwrap();
        let good = fs::read(&path).unwrap();

        let other = message(read_checkpoint(&path, 43));
        assert!(
            other.contains("another scene") && other.contains("start a new run"),
            "{other}"
        );

        let mut newer = good.clone();
        newer[8] = 99;
        fs::write(&path, newer).unwrap();
        let newer = message(read_checkpoint(&path, 42));
        assert!(
            newer.contains("version 99") && newer.contains("the lahar that wrote it"),
            "{newer}"
        );

        fs::write(&path, "time,step\n0,0\n").unwrap();
        let foreign = message(read_checkpoint(&path, 42));
        assert!(foreign.contains("not a lahar checkpoint"), "{foreign}");

        fs::write(&path, &good[..good.len() / 2]).unwrap();
        let cut = message(read_checkpoint(&path, 42));
        assert!(
            cut.contains("cut short") && cut.contains("a copy of it"),
            "{cut}"
        );

        let missing = read_checkpoint(directory.path().join("none"), 42).unwrap_err();
        assert!(matches!(missing, Error::Io { .. }));
    }

    /// Lengths are lies here, but the checksum is right: nothing is allocated on their word.
    #[test]
    fn absurd_lengths_are_refused_even_with_a_right_checksum() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("checkpoint");
        write_checkpoint(&path, &varied_state(7).view(), 42).unwrap();
        let good = fs::read(&path).unwrap();
        let body = &good[..good.len() - 4];
        let mut at = 20;
        let mut sections = 0;
        while at < body.len() {
            let length = u64::from_le_bytes(body[at + 4..at + 12].try_into().unwrap());
            for lie in [
                u64::MAX,
                u64::MAX / 2,
                1 << 40,
                length + 1,
                length.wrapping_sub(1),
                0,
            ] {
                let mut bad = body.to_vec();
                bad[at + 4..at + 12].copy_from_slice(&lie.to_le_bytes());
                write_signed(&path, &bad);
                message(read_checkpoint(&path, 42));
            }
            // A run without a fluid ends before that section.
            if &body[at..at + 4] != b"FLUI" {
                write_signed(&path, &body[..at]);
                message(read_checkpoint(&path, 42));
            }
            at += 12 + usize::try_from(length).unwrap();
            sections += 1;
        }
        assert_eq!(sections, 16);
        write_signed(&path, body);
        assert!(read_checkpoint(&path, 42).is_ok());
    }

    #[test]
    fn the_old_checkpoint_survives_half_a_new_one() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("checkpoint");
        let other = directory.path().join("other");
        write_checkpoint(&path, &varied_state(1).view(), 42).unwrap();
        write_checkpoint(&other, &varied_state(2).view(), 42).unwrap();
        let new = fs::read(&other).unwrap();
        for length in [0, 1, new.len() / 2, new.len() - 1, new.len()] {
            fs::write(directory.path().join("checkpoint.tmp"), &new[..length]).unwrap();
            assert_eq!(read_checkpoint(&path, 42).unwrap(), varied_state(1));
        }
        write_checkpoint(&path, &varied_state(3).view(), 42).unwrap();
        assert_eq!(read_checkpoint(&path, 42).unwrap(), varied_state(3));
    }

    const CHILD: &str = "LAHAR_TEST_WRITE_CHECKPOINTS_TO";

    /// Not a test of its own: the process that the next test kills.
    #[test]
    fn writes_until_killed() {
        if let Some(path) = std::env::var_os(CHILD) {
            for step in 0.. {
                write_checkpoint(&path, &varied_state(step).view(), 42).unwrap();
            }
        }
    }

    #[test]
    fn a_killed_process_leaves_a_whole_checkpoint() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("checkpoint");
        write_checkpoint(&path, &varied_state(0).view(), 42).unwrap();
        for pause in [5, 20, 37, 50, 63] {
            let mut child = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "checkpoint::writes_until_killed"])
                .env(CHILD, &path)
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(std::time::Duration::from_millis(pause));
            child.kill().unwrap();
            child.wait().unwrap();
            let state = read_checkpoint(&path, 42).unwrap();
            assert_eq!(state, varied_state(u32::try_from(state.step).unwrap()));
        }
    }

    /// Any number but NaN: signed zeros, denormals and infinities included.
    fn number() -> impl Strategy<Value = f64> {
        use proptest::num::f64::{INFINITE, NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
        POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO | INFINITE
    }

    fn vector() -> impl Strategy<Value = DVec3> {
        [number(), number(), number()].prop_map(DVec3::from_array)
    }

    fn vectors(count: usize) -> impl Strategy<Value = Vec<DVec3>> {
        prop::collection::vec(vector(), count)
    }

    fn particles() -> impl Strategy<Value = ParticleState> {
        (0_usize..20).prop_flat_map(|n| {
            let first = (
                prop::collection::vec(any::<u32>(), n),
                prop::collection::vec(any::<[i64; 3]>(), n),
                [vectors(n), vectors(n), vectors(n), vectors(n), vectors(n)],
            );
            let second = (
                prop::collection::vec(number(), n),
                prop::collection::vec(any::<u16>(), n),
                prop::collection::vec(any::<bool>(), n),
            );
            (first, second).prop_map(|((id, units, vectors), (radius, material, fixed))| {
                let [
                    remainder,
                    velocity,
                    spin,
                    acceleration,
                    angular_acceleration,
                ] = vectors;
                ParticleState {
                    id,
                    units,
                    remainder,
                    velocity,
                    spin,
                    acceleration,
                    angular_acceleration,
                    radius,
                    material,
                    fixed,
                }
            })
        })
    }

    fn contact() -> impl Strategy<Value = ContactState> {
        (any::<[u32; 2]>(), vector(), vector(), vector(), vector()).prop_map(
            |([first, second], spring, rolling, numbers, more)| ContactState {
                first,
                second,
                spring,
                rolling,
                adaptive: [numbers.x, numbers.y],
                overlap: numbers.z,
                normal_force: more.x,
                root_overlap: more.y,
            },
        )
    }

    fn ledger() -> impl Strategy<Value = Ledger> {
        prop::collection::vec(number(), 24).prop_map(|x| Ledger {
            kinetic: x[0],
            rotational: x[1],
            potential: x[2],
            elastic_normal: x[3],
            elastic_tangential: x[4],
            elastic_rolling: x[5],
            lost_normal: x[6],
            lost_tangential: x[7],
            lost_friction: x[8],
            lost_rolling: x[9],
            gained_mindlin: x[10],
            lost_drag: x[20],
            lost_film: x[21],
            pending_fluid: [x[22], x[23]],
            removed: x[11],
            initial: x[12],
            scale: x[19],
            crossed: x[13],
            pending: [x[14], x[15], x[16], x[17], x[18]],
        })
    }

    fn grid() -> impl Strategy<Value = Grid> {
        (
            vector(),
            number(),
            any::<[u32; 3]>(),
            any::<[u32; 3]>(),
            any::<[bool; 3]>(),
            any::<[i64; 3]>(),
        )
            .prop_map(|(origin, unit, cells, cell_units, periodic, size)| Grid {
                origin,
                unit,
                cells,
                cell_units,
                periodic,
                size,
            })
    }

    fn state() -> impl Strategy<Value = State> {
        (
            any::<[u64; 2]>(),
            number(),
            grid(),
            particles(),
            prop::collection::vec(contact(), 0..20),
            ledger(),
            (0_usize..8).prop_flat_map(vectors),
        )
            .prop_map(
                |(
                    [step, removed],
                    time_step,
                    grid,
                    mut particles,
                    mut contacts,
                    ledger,
                    wall_forces,
                )| {
                    // Ids ascend, and contacts are those of particles that exist, in order.
                    let count = u32::try_from(particles.len()).unwrap();
                    particles.id = (0..count).map(|rank| 3 * rank + 1).collect();
                    contacts.truncate(if count == 0 { 0 } else { 20 });
                    for (k, contact) in (0..).zip(&mut contacts) {
                        contact.first =
                            particles.id[(k * count as usize / 20).min(count as usize - 1)];
                    }
                    State {
                        step,
                        time_step,
                        grid,
                        particles,
                        contacts,
                        ledger,
                        wall_forces,
                        removed,
                    }
                },
            )
    }

    proptest! {
        // Each case waits for the disk.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_state_survives_to_the_bit(state in state(), scene in any::<u64>()) {
            let directory = tempdir().unwrap();
            let path = directory.path().join("checkpoint");
            write_checkpoint(&path, &state.view(), scene).unwrap();
            let read = read_checkpoint(&path, scene).unwrap();
            // As text, because 0 == −0.
            prop_assert_eq!(format!("{:?}", read), format!("{:?}", state));
        }

        #[test]
        fn any_bytes_are_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let directory = tempdir().unwrap();
            let path = directory.path().join("checkpoint");
            let mut body = b"LAHARCKP\x01\0\0\0".to_vec();
            body.extend_from_slice(&bytes);
            write_signed(&path, &body);
            let scene = body.get(12..20).map_or(0, |b| u64::from_le_bytes(b.try_into().unwrap()));
            prop_assert!(read_checkpoint(&path, scene).is_err());
        }
    }
}

/// Every write to `/dev/full` fails like one to a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = Path::new("/dev/full");
    let state = varied_state(1);
    let results = [
        write_vtp(full, &state.view()),
        write_walls(full, &scene()),
        write_checkpoint(full, &state.view(), 1),
        Pvd::create(full).map(drop),
        SeriesWriter::create(full, &scene()).map(drop),
    ];
    for result in results {
        match result {
            Err(Error::Io { source, path, .. }) => {
                assert_eq!(source.kind(), std::io::ErrorKind::StorageFull);
                assert_eq!(path, full);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_missing_directory_is_an_error_that_names_the_file() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("none").join("frame.vtp");
    let error = write_vtp(&path, &varied_state(1).view())
        .unwrap_err()
        .to_string();
    assert!(error.contains("could not write frame"), "{error}");
    assert!(error.contains("frame.vtp:"), "{error}");
}
