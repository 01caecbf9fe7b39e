//! Pictures and plots: right size, right place, right colour, and the same every time.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests; pixel coordinates"
)]

#[path = "common/sample.rs"]
mod sample;

use glam::DVec3;
use lahar::output::{Series, series};
use lahar::render::*;
use lahar::state::State;

const MIDDLE: DVec3 = DVec3::splat(0.5);

/// A scene without walls.
fn open_scene() -> lahar::scene::Scene {
    let mut scene = sample::scene();
    scene.walls.clear();
    scene
}

fn plain(size: usize) -> Picture {
    Picture {
        width: size,
        height: size,
        annotated: false,
        colour_by: ColourBy::Radius,
        range: Some([0.0, 1.0]),
        ..Picture::default()
    }
}

/// Amounts of light of a colour.
fn linear(colour: Colour) -> [f64; 3] {
    [colour.r, colour.g, colour.b].map(|byte| (f64::from(byte) / 255.0).powf(2.2))
}

/// How far a colour is from grey: the backdrop and the walls are nearly grey.
fn saturation(colour: Colour) -> u8 {
    let [r, g, b] = [colour.r, colour.g, colour.b];
    r.max(g).max(b) - r.min(g).min(b)
}

mod picture {
    use super::*;

    #[test]
    fn a_sphere_fills_the_frame_and_is_round() {
        const SIZE: usize = 400;
        // One pixel of anti-aliased rim on either side.
        const TOLERANCE: f64 = 1.5;
        let state = sample::state(&[(MIDDLE, 0.2, DVec3::ZERO)]);
        let canvas = plain(SIZE).render(&state, &open_scene());
        // The margin is 3 % of the height on each side.
        let want = 0.47 * SIZE as f64;
        for angle in 0..12 {
            let (sin, cos) = (f64::from(angle) * std::f64::consts::FRAC_PI_6).sin_cos();
            let is_sphere = |distance: f64| {
                let x = (SIZE as f64 / 2.0 + distance * cos) as usize;
                let y = (SIZE as f64 / 2.0 + distance * sin) as usize;
                saturation(canvas.pixel(x, y).unwrap()) > 40
            };
            assert!(is_sphere(want - TOLERANCE), "too small at {angle}");
            assert!(!is_sphere(want + TOLERANCE), "too large at {angle}");
        }
    }

    #[test]
    fn a_sphere_has_the_colour_of_its_value() {
        // Light has no colour: it scales the three channels alike, but for a little gloss.
        const GLOSS: f64 = 0.12;
        for radius in [0.05, 0.2, 0.45, 0.7, 0.95] {
            let state = sample::state(&[(MIDDLE, radius, DVec3::ZERO)]);
            let canvas = plain(120).render(&state, &open_scene());
            let got = linear(canvas.pixel(60, 60).unwrap());
            let want = linear(Colour::of_value(radius));
            let brightest = |c: [f64; 3]| c[0].max(c[1]).max(c[2]);
            for channel in 0..3 {
                let (got, want) = (
                    got[channel] / brightest(got),
                    want[channel] / brightest(want),
                );
                assert!((got - want).abs() < GLOSS, "radius {radius}: {got}, {want}");
            }
        }
    }

    #[test]
    fn the_nearer_sphere_hides_the_farther() {
        // The eye is towards −y and above; with z up, azimuth −90 and elevation 0 it is at −y.
        let picture = Picture {
            azimuth: -90.0,
            elevation: 0.0,
            colour_by: ColourBy::Material,
            ..plain(100)
        };
        let (near, far) = (MIDDLE - 0.3 * DVec3::Y, MIDDLE + 0.3 * DVec3::Y);
        // Whichever is drawn first.
        for (centers, materials) in [([near, far], [0, 1]), ([far, near], [1, 0])] {
            let mut state = sample::state(&centers.map(|center| (center, 0.1, DVec3::ZERO)));
            state.particles.material = materials.to_vec();
            let canvas = picture.render(&state, &open_scene());
            let pixel = canvas.pixel(50, 50).unwrap();
            assert!(pixel.b > pixel.r, "the near one is blue: {pixel:?}");
        }
    }

    #[test]
    fn up_is_against_gravity() {
        let mut scene = open_scene();
        let picture = Picture {
            colour_by: ColourBy::Height,
            range: None,
            ..plain(200)
        };
        for gravity in [DVec3::NEG_Z, DVec3::NEG_Y, DVec3::X, DVec3::ONE] {
            scene.gravity = gravity;
            let up = -gravity.normalize();
            let state = sample::state(&[
                (MIDDLE + 0.3 * up, 0.05, DVec3::ZERO),
                (MIDDLE - 0.3 * up, 0.05, DVec3::ZERO),
            ]);
            let canvas = picture.render(&state, &scene);
            let column = |rows: std::ops::Range<usize>| {
                let pixels = rows.map(|y| canvas.pixel(100, y).unwrap());
                pixels.max_by_key(|p| saturation(*p)).unwrap()
            };
            let (above, below) = (column(0..100), column(100..200));
            // High is yellow, low is violet.
            assert!(
                above.g > above.b && below.b > below.g,
                "{above:?} {below:?}"
            );
        }
    }

    #[test]
    fn the_same_state_gives_the_same_bytes_on_any_number_of_threads() {
        let spheres: Vec<_> = (0..500)
            .map(|i| {
                let x = f64::from(i);
                let at = DVec3::new((x * 0.37).sin(), (x * 0.71).cos(), (x * 0.13).sin());
                (0.5 + 0.3 * at, 0.02, at)
            })
            .collect();
        let state = sample::state(&spheres);
        let scene = sample::scene();
        let png = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let picture = Picture {
                width: 320,
                height: 240,
                ..Picture::default()
            };
            pool.install(|| picture.render(&state, &scene).to_png().unwrap())
        };
        let once = png(1);
        assert_eq!(once, png(1));
        assert_eq!(once, png(3));
    }

    #[test]
    fn odd_states_and_sizes_are_drawn_without_panic() {
        let scene = sample::scene();
        let empty = sample::state(&[]);
        let mut wild = sample::varied_state(3);
        wild.particles.velocity[0] = DVec3::NAN;
        wild.particles.velocity[1] = DVec3::INFINITY;
        let huge = sample::state(&[(MIDDLE, 40.0, DVec3::ZERO), (MIDDLE, 1e-9, DVec3::ZERO)]);
        let mut weightless = scene.clone();
        weightless.gravity = DVec3::ZERO;
        for state in [&empty, &wild, &huge] {
            for scene in [&scene, &weightless, &open_scene()] {
                for [width, height] in [[1, 1], [3, 200], [200, 3], [64, 48]] {
                    for colour_by in [
                        ColourBy::Speed,
                        ColourBy::Height,
                        ColourBy::Radius,
                        ColourBy::Material,
                        ColourBy::Coordination,
                    ] {
                        let picture = Picture {
                            width,
                            height,
                            colour_by,
                            samples: usize::from(width != 3),
                            ..Picture::default()
                        };
                        let canvas = picture.render(state, scene);
                        assert_eq!([canvas.width(), canvas.height()], [width, height]);
                    }
                }
            }
        }
    }

    #[test]
    fn a_floor_is_seen_from_above_and_shadowed_by_grains() {
        let mut scene = sample::scene();
        scene.walls.truncate(1);
        let picture = Picture {
            frame: Some([DVec3::ZERO, DVec3::ONE]),
            // Yellow, which is far from grey in any light.
            range: Some([0.0, 0.25]),
            ..plain(200)
        };
        let bright = |state: &State| {
            let canvas = picture.render(state, &scene);
            let rows = (0..200).flat_map(|y| (0..200).map(move |x| (x, y)));
            let grey = rows
                .map(|(x, y)| canvas.pixel(x, y).unwrap())
                .filter(|p| saturation(*p) < 16);
            let mut levels: Vec<u8> = grey.map(|p| p.g).collect();
            levels.sort_unstable();
            // Pixels on the rim of the ball mix to grey too; a shadow is larger than that.
            levels[300]
        };
        let empty = bright(&sample::state(&[]));
        let ball = (DVec3::new(0.5, 0.5, 0.25), 0.25, DVec3::ZERO);
        let shadowed = bright(&sample::state(&[ball]));
        assert!(empty > 200, "{empty}");
        assert!(shadowed < empty - 25, "{shadowed}, {empty}");
    }

    #[test]
    fn a_png_file_holds_the_pixels() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("picture.png");
        let state = sample::state(&[(MIDDLE, 0.2, DVec3::ZERO)]);
        let canvas = plain(50).render(&state, &open_scene());
        canvas.write_png(&path).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!([info.width, info.height], [50, 50]);
        for (index, pixel) in bytes.chunks_exact(3).enumerate() {
            let colour = canvas.pixel(index % 50, index / 50).unwrap();
            assert_eq!(pixel, [colour.r, colour.g, colour.b]);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let full = plain(50).write_png("/dev/full", &sample::state(&[]), &open_scene());
        assert!(matches!(full, Err(lahar::Error::Io { .. })), "{full:?}");
    }
}

mod plot {
    use super::*;

    const RED: Colour = Colour::new(255, 0, 0);

    fn plot(points: Vec<[f64; 2]>, style: Style) -> Plot {
        Plot {
            title: "Title".into(),
            subtitle: "subtitle".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            curves: vec![Curve {
                label: "curve".into(),
                points,
                style,
                colour: RED,
            }],
            ..Plot::default()
        }
    }

    /// All pixels of exactly the colour of the curve.
    fn red(canvas: &Canvas) -> Vec<[usize; 2]> {
        (0..canvas.width())
            .flat_map(|x| (0..canvas.height()).map(move |y| [x, y]))
            .filter(|&[x, y]| canvas.pixel(x, y) == Some(RED))
            .collect()
    }

    #[test]
    fn a_rising_line_rises_and_is_straight() {
        let canvas = plot(vec![[0.0, 0.0], [1.0, 1.0]], Style::Line).draw(1000, 620);
        let red = red(&canvas);
        let (first, last) = (red[0], *red.last().unwrap());
        assert!(last[0] - first[0] > 700, "{first:?} {last:?}");
        assert!(first[1] - last[1] > 350, "{first:?} {last:?}");
        for [x, y] in &red {
            let t = (x - first[0]) as f64 / (last[0] - first[0]) as f64;
            let on_line = first[1] as f64 - t * (first[1] - last[1]) as f64;
            assert!((*y as f64 - on_line).abs() < 3.0, "{x} {y}");
        }
    }

    #[test]
    fn a_power_law_is_straight_on_logarithmic_axes() {
        let points = (0..=40).map(|i| 10_f64.powf(f64::from(i) / 10.0));
        let mut power = plot(points.map(|x| [x, x * x]).collect(), Style::Line);
        (power.log_x, power.log_y) = (true, true);
        let red = red(&power.draw(1000, 620));
        let (first, last) = (red[0], *red.last().unwrap());
        for [x, y] in &red {
            let t = (x - first[0]) as f64 / (last[0] - first[0]) as f64;
            let on_line = first[1] as f64 - t * (first[1] - last[1]) as f64;
            assert!((*y as f64 - on_line).abs() < 3.0, "{x} {y}");
        }
    }

    #[test]
    fn a_value_that_is_no_number_leaves_a_gap() {
        let points = vec![
            [0.0, 0.5],
            [0.4, 0.5],
            [0.5, f64::NAN],
            [0.6, 0.5],
            [1.0, 0.6],
        ];
        let red = red(&plot(points, Style::Line).draw(1000, 620));
        let (left, right) = (red[0][0], red.last().unwrap()[0]);
        let gap = |t: f64| {
            let x = left as f64 + t * (right - left) as f64;
            !red.iter().any(|p| (p[0] as f64 - x).abs() < 1.0)
        };
        assert!(gap(0.45) && gap(0.55));
        assert!(!gap(0.2) && !gap(0.8));
    }

    #[test]
    fn odd_data_are_drawn_without_panic() {
        for style in [Style::Line, Style::ThinLine, Style::Dashed, Style::Points] {
            for points in [
                vec![],
                vec![[0.0, 0.0]],
                vec![[1.0, 5.0], [1.0, 5.0]],
                vec![[f64::NAN, 1.0], [f64::INFINITY, 2.0]],
                vec![[-1e300, 1e300], [1e300, -1e300]],
                vec![[0.0, 1e-320], [1.0, 2e-320]],
            ] {
                for log in [false, true] {
                    let mut odd = plot(points.clone(), style);
                    (odd.log_x, odd.log_y) = (log, log);
                    odd.draw(300, 200);
                    odd.draw(1, 1);
                }
            }
        }
    }

    #[test]
    fn the_energy_plot_shows_what_there_is() {
        let names: Vec<String> = series::COLUMNS.map(str::to_owned).to_vec();
        let row = |time: f64, kinetic: f64, potential: f64, lost_normal: f64| {
            let mut row = vec![0.0; names.len()];
            let mut set = |name: &str, value: f64| {
                row[names.iter().position(|n| n == name).unwrap()] = value;
            };
            set("time", time);
            set("kinetic", kinetic);
            set("potential", potential);
            set("lost_normal", lost_normal);
            set("balance_error", 2e-9 * time);
            row
        };
        let rows = vec![
            row(0.0, 0.0, 7.004, 0.0),
            row(1.0, 3e-3, 7.001, 0.0),
            row(2.0, 0.0, 7.0, 4e-3),
        ];
        let plot = energy_plot(&Series {
            columns: names.clone(),
            rows,
        });
        let labels: Vec<&str> = plot.curves.iter().map(|c| c.label.as_str()).collect();
        assert_eq!(labels, ["total", "kinetic", "potential", "normal damping"]);
        assert_eq!(plot.y_label, "energy (mJ)");
        assert_eq!(
            plot.subtitle,
            "Balance off by at most 1.0·10⁻⁶ of the energy in play"
        );
        for point in &plot.curves[0].points {
            assert!((point[1] - 4.0).abs() < 1e-9, "{point:?}");
        }
        assert!((plot.curves[2].points[1][1] - 1.0).abs() < 1e-9);
        assert!(plot.curves[2].points[2][1].abs() < 1e-9);
        energy_plot(&Series::default()).draw(300, 200);
    }
}
