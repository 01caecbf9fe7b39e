//! Section 6.2 of Ray, Kempe & Fröhlich: a hundred grains fall on a rough floor.

use crate::error::Result;
use crate::laws::material::sphere_mass;
use crate::render::{Colour, Curve, Picture, Plot, Style};
use crate::scene::{AdaptiveInverse, ContactLaws, NormalLaw, Pair, Particle, Scene, TangentialLaw};
use crate::state::State;
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use glam::DVec3;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Side of the box, m; it is periodic along x and z.
const SIDE: f64 = 1.5;
/// Diameter of a grain, m.
const DIAMETER: f64 = 0.1154;
/// Density of a grain, kg/m³.
const DENSITY: f64 = 1200.0;
/// Acceleration of gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Time step, s, and number of steps.
const TIME_STEP: f64 = 5e-4;
const STEPS: u64 = 5000;
/// Steps between two looks at the energies.
const EVERY: u64 = 25;
/// Steps in a contact: the paper does not say; ten is what its method is made for.
const STEPS_PER_CONTACT: f64 = 10.0;
/// Grains of a row, and rows, of the fixed layer: 13 × 15 = 195.
const LAYER: [u32; 2] = [13, 15];
/// Grains that fall.
const FALLING: usize = 100;

/// The bed with restitution `e`.
pub(super) fn study(e: f64) -> Study {
    let chaos = Tolerance::absolute(
        0.03,
        "grains that collide dozens of times forget their start, as in a billiard: only means are alike",
    );
    let rests = e < 0.9;
    let (name, summary) = if rests {
        (
            "ray-bed-070",
            "100 grains fall on a hexagonal layer of 195 fixed ones, e = 0.70 (case 2), with the direct \
             inverse of the paper, (51)–(54), the iterative one, and lahar's. Energies over the total energy at the start; the zero of the \
             potential energy is the floor of the box.",
        )
    } else {
        (
            "ray-bed-095",
            "100 grains fall on a hexagonal layer of 195 fixed ones, e = 0.95 (case 1), with the direct \
             inverse of the paper, (51)–(54), the iterative one, and lahar's. Energies over the total energy at the start; the zero of the \
             potential energy is the floor of the box.",
        )
    };
    let kinetic = if rests {
        Check::new(
            "kinetic",
            "kinetic energy at t = 2.5 s over total energy at the start",
            0.0,
            Tolerance::absolute(2e-3, "the paper says zero, by a figure"),
        )
    } else {
        Check::new(
            "kinetic",
            "kinetic energy at t = 2.5 s over total energy at the start",
            0.179,
            Tolerance::absolute(
                0.035,
                "mean over 24 other random starts, which scatter by 0.0117: three standard deviations of one start",
            ),
        )
    };
    Study {
        name,
        source: "Ray, Kempe & Fröhlich, section 6.2, Figs. 3 and 4",
        summary,
        engines: Engines::All,
        quick: false,
        checks: vec![
            kinetic.on_devices(chaos),
            Check::new(
                "rise",
                "largest rise of the total energy above its lowest value before",
                0.0,
                Tolerance::absolute(
                    1e-6,
                    "nothing gives energy back: rounding alone may let it rise",
                ),
            )
            .on_devices(Tolerance::absolute(
                1e-4,
                "energies of f32 velocities; other impacts",
            )),
            Check::new(
                "methods",
                "mean difference of the total energy, (51)–(54) against iteration",
                0.0,
                Tolerance::absolute(0.02, "the paper sees no significant difference in a figure"),
            )
            .on_devices(chaos),
            Check::new(
                "lahar",
                "mean difference of the total energy, lahar's inverse against iteration",
                0.0,
                Tolerance::absolute(0.02, "as between the paper's two"),
            )
            .on_processor("on a device the iteration is replaced by lahar's inverse, to which this would compare itself"),
        ],
        measure: Box::new(move |bench| measure(bench, e)),
    }
}

pub(super) fn scene(e: f64, inverse: AdaptiveInverse) -> Result<Scene> {
    let radius = 0.5 * DIAMETER;
    let [columns, rows] = LAYER;
    let layer = (0..rows).flat_map(|row| {
        (0..columns).map(move |column| {
            let shift = 0.25 + 0.5 * f64::from(row % 2);
            let x = (f64::from(column) + shift) * SIDE / f64::from(columns);
            let z = (f64::from(row) + 0.5) * SIDE / f64::from(rows);
            Particle {
                fixed: true,
                ..Particle::new(DVec3::new(x, radius, z), radius, 0)
            }
        })
    });
    Scene::builder()
        .title(format!("{FALLING} grains fall on a rough floor, e = {e}"))
        // Room above: in case 1 a grain that others hit from below rises beyond the box of the paper.
        .domain(DVec3::ZERO, DVec3::new(SIDE, 2.0 * SIDE, SIDE))
        .periodic([true, false, true])
        .gravity(DVec3::NEG_Y * GRAVITY)
        .end_time(TIME_STEP * STEPS as f64)
        .time_step(TIME_STEP)
        .force_step(true)
        .contact(ContactLaws {
            normal: NormalLaw::HertzAdaptive,
            tangential: TangentialLaw::None,
            contact_time: Some(STEPS_PER_CONTACT * TIME_STEP),
            inverse,
            ..ContactLaws::default()
        })
        .material("grain", DENSITY, None, 0.3)
        .pair(Pair {
            restitution: Some(e),
            ..Pair::new(0, 0)
        })
        .particles(layer)
        .particles(falling().map(|position| Particle::new(position, radius, 0)))
        .build()
}

/// Random places in [0.1, 1.4] × [0.3, 1.2] × [0.1, 1.4] that do not overlap; always the same ones.
fn falling() -> impl Iterator<Item = DVec3> {
    let mut random = Pcg64::seed_from_u64(2015);
    // Written out, because distributions of a library may change with its version.
    let mut fraction = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut places: Vec<DVec3> = Vec::new();
    while places.len() < FALLING {
        let place = DVec3::new(
            0.1 + 1.3 * fraction(),
            0.3 + 0.9 * fraction(),
            0.1 + 1.3 * fraction(),
        );
        if places.iter().all(|other| other.distance(place) > DIAMETER) {
            places.push(place);
        }
    }
    places.into_iter()
}

/// Potential, kinetic and spring energy of the grains that move, as fractions of the total at the start.
struct History {
    times: Vec<f64>,
    energies: Vec<[f64; 3]>,
    ends: [State; 2],
}

impl History {
    fn total(&self, k: usize) -> f64 {
        self.energies[k].iter().sum()
    }

    fn curve(&self, which: usize) -> Vec<[f64; 2]> {
        self.times
            .iter()
            .zip(&self.energies)
            .map(|(&time, energies)| [time, energies[which]])
            .collect()
    }
}

fn run(bench: &dyn Bench, scene: &Scene) -> Result<History> {
    let mut engine = bench.simulate(scene)?;
    let start = engine.state()?;
    let mass = sphere_mass(DENSITY, 0.5 * DIAMETER);
    let energies = |state: &State| {
        let moving = (0..state.particles.len()).filter(|&k| !state.particles.fixed[k]);
        let (mut potential, mut kinetic) = (0.0, 0.0);
        for k in moving {
            potential += mass * GRAVITY * state.position(k).y;
            kinetic += 0.5 * mass * state.particles.velocity[k].length_squared();
        }
        [potential, kinetic, state.ledger.elastic_normal]
    };
    let initial: f64 = energies(&start).iter().sum();
    let mut history = History {
        times: vec![0.0],
        energies: vec![energies(&start).map(|x| x / initial)],
        ends: [start.clone(), start],
    };
    for _ in 0..STEPS / EVERY {
        engine.run(EVERY)?;
        let state = engine.state()?;
        history.times.push(state.time());
        history.energies.push(energies(&state).map(|x| x / initial));
        history.ends[1] = state;
    }
    Ok(history)
}

fn measure(bench: &dyn Bench, e: f64) -> Result<Measured> {
    let scenes = [
        scene(e, AdaptiveInverse::DirectPaper)?,
        scene(e, AdaptiveInverse::Iterative)?,
        scene(e, AdaptiveInverse::Direct)?,
    ];
    let [direct, iterative, lahar] = [
        run(bench, &scenes[0])?,
        run(bench, &scenes[1])?,
        run(bench, &scenes[2])?,
    ];
    let samples = direct.times.len();
    let mut lowest = f64::INFINITY;
    let rise = (0..samples).fold(0.0_f64, |rise, k| {
        lowest = lowest.min(direct.total(k));
        rise.max(direct.total(k) - lowest)
    });
    let difference = |history: &History| {
        let apart = (0..samples).map(|k| (history.total(k) - iterative.total(k)).abs());
        apart.sum::<f64>() / samples as f64
    };
    let values = vec![
        direct.energies[samples - 1][1],
        rise,
        difference(&direct),
        difference(&lahar),
    ];
    Ok(Measured {
        values,
        figures: figures(e, &scenes[0], &direct, &iterative),
    })
}

fn figures(e: f64, scene: &Scene, direct: &History, iterative: &History) -> Vec<Figure> {
    let names = ["potential", "kinetic", "spring"];
    let mut curves = Vec::new();
    for (which, name) in names.into_iter().enumerate() {
        let colour = Colour::of_category(which);
        curves.push(Curve {
            label: format!("{name}, direct"),
            points: direct.curve(which),
            style: Style::Line,
            colour,
        });
        curves.push(Curve {
            label: format!("{name}, iterative"),
            points: iterative.curve(which),
            style: Style::Dashed,
            colour: colour.mix(Colour::INK, 0.4),
        });
    }
    let (case, name) = if e < 0.9 {
        (2, "ray-bed-070-energy")
    } else {
        (1, "ray-bed-095-energy")
    };
    let letter = if e < 0.9 { 'b' } else { 'a' };
    let mut figures = vec![Figure {
        name,
        caption: format!(
            "Fig. 4{letter} of the paper: fractions of energy for e = {e}, with the direct inverse of the paper \
             and the iterative one."
        ),
        drawing: Drawing::Plot(Plot {
            title: format!("Fractions of energy, case {case}: e = {e}"),
            subtitle: format!("Ray, Kempe & Fröhlich, Fig. 4{letter}"),
            x_label: "time in s".into(),
            y_label: "energy over total energy at the start".into(),
            curves,
            ..Plot::default()
        }),
    }];
    if case == 1 {
        let captions = [
            ("ray-bed-start", "Fig. 3a: the grains at t = 0."),
            (
                "ray-bed-end",
                "Fig. 3b: the grains at t = 2.5 s, coloured by speed from 0 to 2 m/s.",
            ),
        ];
        for ((name, caption), state) in captions.into_iter().zip(&direct.ends) {
            let picture = Picture {
                width: 900,
                height: 675,
                range: Some([0.0, 2.0]),
                ..Picture::default()
            };
            figures.push(Figure {
                name,
                caption: caption.into(),
                drawing: Drawing::Picture(picture.render(state, scene)),
            });
        }
    }
    figures
}
