//! Luding & McNamara (1998), simulated with the event-driven engine.
//!
//! Grains have a radius of 1 mm. Gases begin as lattices, mix for some collisions per grain without loss, and are
//! scaled to 444 collisions per grain and second, the rate of the paper. Theories are mean fields and runs are
//! finite, so tolerances are those of statistics: three standard deviations where they can be reckoned.

use super::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use crate::error::Result;
use crate::hard::gas::Gas;
use crate::hard::{
    Face, FaceShape, HardEngine, HardError, HardModel, Hit, Leaving, StartingGrain, Tally,
};
use crate::laws::hard_sphere::CollisionRule;
use crate::laws::tc::{
    Bouncing, Dimensions, cooling, critical_restitution, elastic_collisions, elastic_energy_factor,
    elastic_particles, excess_pressure,
};
use crate::render::{Colour, Curve, Plot, Style};
use glam::DVec3;

pub(super) fn studies() -> Vec<Study> {
    vec![
        ball(),
        gas(Dimensions::Two),
        gas(Dimensions::Three),
        durations(),
        cooling_slowly(Dimensions::Two),
        cooling_slowly(Dimensions::Three),
        sizes(),
        contact_durations(),
        collapse(),
    ]
}

/// Collisions of a grain per second at the start, as in section 6.
const RATE: f64 = 444.0;

/// The fraction of section 6.
const FRACTION: f64 = 0.227;

const RADIUS: f64 = 1e-3;

/// A gas that has forgotten its lattice, and whose grains know when they last collided.
fn mixed(
    dimensions: Dimensions,
    particles: usize,
    fraction: f64,
    mixing: u64,
) -> Result<HardEngine> {
    let gas = Gas {
        dimensions,
        particles,
        fraction,
        radius: RADIUS,
        seed: 1,
    };
    Ok(gas.mixed(mixing, RATE)?)
}

/// The same, losing energy from now on, with the TC rule.
fn lossy(mixed: &HardEngine, restitution: f64, contact_duration: f64) -> HardEngine {
    let mut engine = mixed.clone();
    engine.lose(restitution, contact_duration);
    engine
}

fn curve(label: impl Into<String>, points: Vec<[f64; 2]>, style: Style, category: usize) -> Curve {
    Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(category),
    }
}

// ---- the bouncing ball ------------------------------------------------------------------------------

/// v₁ (m/s), r, `t_c` (s).
const BALLS: [[f64; 3]; 3] = [[1.0, 0.9, 1e-3], [2.0, 0.5, 1e-2], [1.0, 0.99, 1e-4]];
const GRAVITY: f64 = 9.81;
/// Elastic bounces that are watched.
const WATCHED: u32 = 200;

fn ball() -> Study {
    let flights = Tolerance::relative(1e-9, "rounding of f64, added up over up to 759 flights");
    let short = Tolerance::relative(
        1e-6,
        "rounding of f64 in flights of 1e-4 s that follow 20 s of others",
    );
    let sampled = Tolerance::relative(1e-3, "means over 1000 instants of each bounce");
    let checks = BALLS.iter().flat_map(|&[speed, r, t_c]| {
        let ball = Bouncing {
            speed,
            restitution: r,
            gravity: GRAVITY,
        };
        let period = ball.static_period(t_c);
        #[allow(clippy::cast_precision_loss, reason = "hundreds of bounces")]
        let rows: [(&str, &str, f64, Tolerance); 6] = [
            (
                "n",
                "bounces that lose energy, n_s (7)",
                ball.impacts_until_static(t_c) as f64,
                Tolerance::EXACT,
            ),
            (
                "static",
                "when the first bounce loses none, t_s (9), s",
                ball.static_time(t_c),
                flights,
            ),
            (
                "period",
                "time between bounces from then on, s",
                period,
                short,
            ),
            ("force", "mean force on the floor, in weights", 1.0, short),
            ("height", "mean height over g t_n²/12", 1.0, sampled),
            (
                "energy",
                "mean kinetic energy over m (g t_n)²/24",
                1.0,
                sampled,
            ),
        ];
        rows.map(|(name, quantity, expected, tolerance)| {
            Check::new(
                format!("{r}/{name}"),
                format!("{quantity}, r = {r}"),
                expected,
                tolerance,
            )
        })
    });
    Study {
        name: "luding-ball",
        source: "Luding & McNamara, section 4.2, (5)–(12), Fig. 2",
        summary: "A hard ball on a floor, from its first impact to the quasi-static limit: it bounces without \
                  loss, and the floor carries its weight. On the event-driven engine.",
        engines: Engines::Cpu,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for [speed, r, t_c] in BALLS {
                values.extend(bounce(speed, r, t_c)?);
            }
            Ok(Measured {
                values,
                figures: vec![ball_figure()?],
            })
        }),
    }
}

fn ball_on_floor(speed: f64, restitution: f64, contact_duration: f64) -> HardEngine {
    let model = HardModel {
        dimensions: Dimensions::Three,
        lower: DVec3::new(-0.5, -0.5, 0.0),
        upper: DVec3::new(0.5, 0.5, 2.0),
        periodic: [false; 3],
        leaving: Leaving::Stop,
        gravity: DVec3::NEG_Z * GRAVITY,
        contact_duration,
        faces: vec![Face {
            shape: FaceShape::Plane {
                point: DVec3::ZERO,
                normal: DVec3::Z,
                motion: None,
            },
            material: 0,
        }],
        rules: vec![CollisionRule::Smooth { restitution }],
        materials: 1,
    };
    let ball = StartingGrain {
        position: DVec3::Z * RADIUS,
        velocity: DVec3::NEG_Z * speed,
        spin: DVec3::ZERO,
        radius: RADIUS,
        mass: 1.0,
        material: 0,
        fixed: false,
    };
    HardEngine::new(model, &[ball])
}

/// Bounces with loss, `t_s`, period, force in weights, and means of height and energy over what (11), (12) say.
fn bounce(speed: f64, restitution: f64, contact_duration: f64) -> Result<[f64; 6]> {
    let mut engine = ball_on_floor(speed, restitution, contact_duration);
    let mut lossy = 0.0;
    let (mut first, mut impulses) = (f64::NAN, DVec3::ZERO);
    while let Some(bounce) = engine.next_collision(100.0)? {
        debug_assert_eq!(bounce.hit, Hit::Face(0));
        if bounce.elastic {
            (first, impulses) = (bounce.time, engine.tally().face_impulses[0]);
            break;
        }
        lossy += 1.0;
    }
    let mut last = first;
    for _ in 0..WATCHED {
        last = engine
            .next_collision(100.0)?
            .map_or(f64::NAN, |bounce| bounce.time);
    }
    let period = (last - first) / f64::from(WATCHED);
    let force = (engine.tally().face_impulses[0] - impulses).length() / (last - first);
    let samples = 1000;
    let (mut height, mut energy) = (0.0, 0.0);
    for k in 0..samples {
        // In the middle of each part of one flight.
        engine.run_until(last + period * (f64::from(k) + 0.5) / f64::from(samples))?;
        let now = engine.measure();
        energy += now.kinetic / f64::from(samples);
        let lowest = GRAVITY * RADIUS;
        height += (now.potential - lowest) / GRAVITY / f64::from(samples);
    }
    Ok([
        lossy,
        first,
        period,
        force / GRAVITY,
        height / (GRAVITY * period * period / 12.0),
        energy / ((GRAVITY * period).powi(2) / 24.0),
    ])
}

fn ball_figure() -> Result<Figure> {
    let cases = [
        ("t_c = 10⁻¹ s", 0.1),
        ("t_c = 10⁻² s", 1e-2),
        ("t_c = 10⁻³ s", 1e-3),
    ];
    let mut curves = Vec::new();
    for (k, (label, t_c)) in cases.into_iter().enumerate().rev() {
        let mut engine = ball_on_floor(1.0, 0.8, t_c);
        let mut points = Vec::new();
        for sample in 1..=1200 {
            engine.run_until(1e-3 * f64::from(sample))?;
            let height = engine.measure().potential / GRAVITY - RADIUS;
            points.push([1e-3 * f64::from(sample), 1e3 * height]);
        }
        curves.push(curve(label, points, Style::Line, k));
    }
    Ok(Figure {
        name: "luding-ball",
        caption: "A ball with restitution 0.8 dropped onto a floor, for three contact durations: once flights are \
                  shorter than t_c it bounces for ever (Fig. 2)."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "A hard ball comes to its quasi-static limit".into(),
            subtitle: "first impact at 1 m/s, restitution 0.8".into(),
            x_label: "time (s)".into(),
            y_label: "height (mm)".into(),
            curves,
            log_x: false,
            log_y: false,
        }),
    })
}

// ---- elastic gases --------------------------------------------------------------------------------------

/// Fractions, and how far the theory may be off there: pressure and collision rate.
const DISKS: [[f64; 2]; 8] = [
    [0.05, 0.015],
    [0.1, 0.015],
    [0.2, 0.015],
    [0.3, 0.015],
    [0.4, 0.015],
    [0.5, 0.015],
    [0.6, 0.025],
    [0.65, 0.04],
];
const SPHERES: [[f64; 2]; 6] = [
    [0.05, 0.015],
    [0.1, 0.015],
    [0.2, 0.015],
    [0.3, 0.015],
    [0.4, 0.015],
    [0.45, 0.02],
];

/// What one gas gave.
struct GasRun {
    excess_pressure: f64,
    rate: f64,
    particles: f64,
    collisions: f64,
    energy: f64,
}

/// Duration of contacts in the gases of Figs. 3–7, s: short against 1/444 s.
const SHORT: f64 = 2e-5;

#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn gas_run(mixed: &HardEngine, t_c: f64, collisions: u64, samples: u32) -> Result<GasRun> {
    let mut engine = lossy(mixed, 1.0, t_c);
    let count = engine.particles() as f64;
    let (begun, before): (f64, Tally) = (engine.time(), engine.tally().clone());
    let duration = 2.0 * collisions as f64 / (count * RATE);
    let (mut particles, mut energy) = (0.0, 0.0);
    for sample in 1..=samples {
        engine.run_until(begun + duration * f64::from(sample) / f64::from(samples))?;
        let now = engine.measure();
        particles += now.elastic_particles as f64 / count / f64::from(samples);
        energy += now.pseudo_elastic / now.kinetic / f64::from(samples);
    }
    let now = engine.measure();
    let dimensions = engine.model().dimensions.count();
    let virial = engine.mean_stress(&now, begun, &before);
    let pressure = -(virial.x_axis.x + virial.y_axis.y + virial.z_axis.z) / dimensions;
    // PV = ΣT + …: of N grains without drift, N − 1 are free to move.
    let ideal = now.temperature(dimensions) * count;
    let tally = engine.tally();
    let happened = (tally.collisions - before.collisions) as f64;
    let elastic = (tally.elastic_collisions - before.elastic_collisions) as f64;
    Ok(GasRun {
        excess_pressure: pressure * engine.volume() / ideal - 1.0,
        rate: 2.0 * happened / (count * (now.time - begun)),
        particles,
        collisions: elastic / happened,
        energy,
    })
}

fn gas(dimensions: Dimensions) -> Study {
    let flat = dimensions == Dimensions::Two;
    let fractions: &'static [[f64; 2]] = if flat { &DISKS } else { &SPHERES };
    let mut checks = Vec::new();
    for &[nu, theory] in fractions {
        checks.push(Check::new(
            format!("{nu}/pressure"),
            format!("PV/NT − 1, ν = {nu}"),
            excess_pressure(dimensions, nu, 1.0),
            Tolerance::relative(
                theory,
                "1 % (three standard deviations) for 2e5 collisions of about 1000 grains; the theory itself is off \
                 by 0.5 %, near freezing by more",
            ),
        ));
        checks.push(Check::new(
            format!("{nu}/rate"),
            format!("collisions per grain over Enskog's rate, ν = {nu}"),
            1.0,
            Tolerance::absolute(theory, "as the pressure, which is proportional to it"),
        ));
        checks.push(Check::new(
            format!("{nu}/particles"),
            format!("grains that collided within t_c, over n_e (20), ν = {nu}"),
            1.0,
            Tolerance::absolute(
                0.04 + theory,
                "some 1e4 of them: 3 %; (20) takes every grain for equally fast",
            ),
        ));
        checks.push(Check::new(
            format!("{nu}/collisions"),
            format!("elastic collisions over c_e (21), ν = {nu}"),
            1.0,
            Tolerance::absolute(
                0.1 + theory,
                "a mean field that the paper finds to be 5 % off; some 3e3 of them: 5 %",
            ),
        ));
        checks.push(Check::new(
            format!("{nu}/energy"),
            format!("(E_e/E)/n_e for a short t_c, ν = {nu}"),
            elastic_energy_factor(dimensions),
            Tolerance::relative(0.05, "energies of some 1e4 grains: 3 %; t_c is not quite 0"),
        ));
    }
    Study {
        name: if flat {
            "luding-gas-disks"
        } else {
            "luding-gas-spheres"
        },
        source: if flat {
            "Luding & McNamara, (15)–(21), Figs. 3, 4, 6 and 7"
        } else {
            "Luding & McNamara, (15)–(21) in three dimensions; Carnahan & Starling"
        },
        summary: if flat {
            "An elastic gas of 960 disks on the event-driven engine: equation of state, Enskog's rate, and the parts \
             of grains, collisions and energy that the TC rule would make elastic."
        } else {
            "An elastic gas of 864 spheres on the event-driven engine, as for disks."
        },
        engines: Engines::Cpu,
        quick: false,
        checks,
        measure: Box::new(move |_| measure_gas(dimensions, fractions)),
    }
}

fn measure_gas(dimensions: Dimensions, fractions: &[[f64; 2]]) -> Result<Measured> {
    let flat = dimensions == Dimensions::Two;
    let particles = if flat { 960 } else { 864 };
    let mut values = Vec::new();
    let (mut pressures, mut factors) = (Vec::new(), [Vec::new(), Vec::new(), Vec::new()]);
    for &[nu, _] in fractions {
        let gas = mixed(dimensions, particles, nu, 100)?;
        let run = gas_run(&gas, SHORT, 200_000, 1500)?;
        let found = [
            run.particles / elastic_particles(SHORT, RATE),
            run.collisions / elastic_collisions(SHORT, RATE),
            run.energy / run.particles,
        ];
        values.extend([
            run.excess_pressure,
            run.rate / RATE,
            found[0],
            found[1],
            found[2],
        ]);
        pressures.push([nu, run.excess_pressure]);
        for (points, value) in factors.iter_mut().zip(found) {
            points.push([nu, value]);
        }
    }
    let last = fractions.last().map_or(0.5, |row| row[0]);
    let theory = (1..=100).map(|k| 0.01 * f64::from(k) * last);
    let theory: Vec<_> = theory
        .map(|nu| [nu, excess_pressure(dimensions, nu, 1.0)])
        .collect();
    let shape = if flat { "disks" } else { "spheres" };
    let factor = elastic_energy_factor(dimensions);
    let level = |y: f64| vec![[0.0, y], [last, y]];
    let [q_n, q_c, q_e] = factors;
    Ok(Measured {
        values,
        figures: vec![
            Figure {
                name: if flat {
                    "luding-pressure-disks"
                } else {
                    "luding-pressure-spheres"
                },
                caption: format!("Reduced pressure of an elastic gas of {shape} (Fig. 3)."),
                drawing: Drawing::Plot(Plot {
                    title: format!("Pressure of an elastic gas of {shape}"),
                    subtitle: "event-driven runs and the equation of state".into(),
                    x_label: "ν".into(),
                    y_label: "PV/NT − 1".into(),
                    curves: vec![
                        curve(
                            if flat {
                                "2νg, (16), (17)"
                            } else {
                                "4νg, Carnahan & Starling"
                            },
                            theory,
                            Style::Line,
                            0,
                        ),
                        curve("simulated", pressures, Style::Points, 1),
                    ],
                    log_x: false,
                    log_y: true,
                }),
            },
            Figure {
                name: if flat {
                    "luding-quality-disks"
                } else {
                    "luding-quality-spheres"
                },
                caption: format!(
                    "Parts of grains, collisions and energy that the TC rule makes elastic, over their mean field \
                     (Figs. 5 to 7): {shape}, t_c = 2·10⁻⁵ s."
                ),
                drawing: Drawing::Plot(Plot {
                    title: format!("What the TC rule makes elastic, over theory: {shape}"),
                    subtitle: "grains that collided just now have more than their share of the energy: fast ones collide more often".into(),
                    x_label: "ν".into(),
                    y_label: "simulated over mean field".into(),
                    curves: vec![
                        curve("", level(1.0), Style::ThinLine, 7),
                        curve("theory of E_e", level(factor), Style::Dashed, 2),
                        curve("N_e/N over (20)", q_n, Style::Points, 0),
                        curve("C_e/C over (21)", q_c, Style::Points, 1),
                        curve("E_e/E over N_e/N", q_e, Style::Points, 2),
                    ],
                    log_x: false,
                    log_y: false,
                }),
            },
        ],
    })
}

/// `t_c` (s), collisions, samples: enough for a thousand elastic ones where they are rare.
const DURATIONS: [(f64, u64, u32); 5] = [
    (1e-7, 1_500_000, 30_000),
    (1e-6, 500_000, 10_000),
    (1e-5, 200_000, 2_000),
    (1e-4, 100_000, 500),
    (1e-3, 100_000, 500),
];

fn durations() -> Study {
    let checks = DURATIONS.iter().flat_map(|&(t_c, collisions, samples)| {
        #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        let expected = [
            elastic_particles(t_c, RATE) * 960.0 * f64::from(samples),
            elastic_collisions(t_c, RATE) * collisions as f64,
        ];
        let [grains, hits] = expected.map(|count| 3.0 / count.sqrt());
        [
            Check::new(
                format!("{t_c}/particles"),
                format!("grains that collided within t_c = {t_c} s, over n_e (20)"),
                1.0,
                Tolerance::absolute(0.03 + grains, "3 % for a mean field, and three standard deviations of a count"),
            ),
            Check::new(
                format!("{t_c}/collisions"),
                format!("elastic collisions for t_c = {t_c} s, over c_e (21)"),
                1.0,
                Tolerance::absolute(
                    0.1 + hits,
                    "a mean field that the paper finds to be 5 % off, and three standard deviations of a count",
                ),
            ),
        ]
    });
    Study {
        name: "luding-durations",
        source: "Luding & McNamara, (20), (21), Fig. 5",
        summary: "Parts of grains and collisions that the TC rule makes elastic, for contact durations over four \
                  decades: 960 elastic disks at ν = 0.25, on the event-driven engine.",
        engines: Engines::Cpu,
        quick: false,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let gas = mixed(Dimensions::Two, 960, 0.25, 100)?;
            let mut values = Vec::new();
            let (mut grains, mut hits) = (Vec::new(), Vec::new());
            for (t_c, collisions, samples) in DURATIONS {
                let run = gas_run(&gas, t_c, collisions, samples)?;
                values.push(run.particles / elastic_particles(t_c, RATE));
                values.push(run.collisions / elastic_collisions(t_c, RATE));
                grains.push([t_c, run.particles]);
                hits.push([t_c, run.collisions]);
            }
            let theory = |of: fn(f64, f64) -> f64| {
                let times = (0..=80).map(|k| 10_f64.powf(-7.0 + 0.05 * f64::from(k)));
                times.map(|t_c| [t_c, of(t_c, RATE)]).collect::<Vec<_>>()
            };
            Ok(Measured {
                values,
                figures: vec![Figure {
                    name: "luding-durations",
                    caption:
                        "Elastic grains and collisions against the duration of contacts (Fig. 5)."
                            .into(),
                    drawing: Drawing::Plot(Plot {
                        title: "How many grains and collisions are elastic".into(),
                        subtitle: "960 disks, ν = 0.25, 444 collisions per grain and second".into(),
                        x_label: "t_c (s)".into(),
                        y_label: "part".into(),
                        curves: vec![
                            curve("n_e (20)", theory(elastic_particles), Style::Line, 0),
                            curve("c_e (21)", theory(elastic_collisions), Style::Line, 1),
                            curve("N_e/N", grains, Style::Points, 0),
                            curve("C_e/C", hits, Style::Points, 1),
                        ],
                        log_x: true,
                        log_y: true,
                    }),
                }],
            })
        }),
    }
}

// ---- gases that cool ---------------------------------------------------------------------------------------

/// T and collisions per grain of a cooling gas at each τ.
fn cool(engine: &mut HardEngine, taus: &[f64]) -> Result<Vec<[f64; 2]>> {
    let (begun, before) = (engine.time(), engine.tally().collisions);
    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    let state = |engine: &HardEngine| {
        let hits = 2.0 * (engine.tally().collisions - before) as f64;
        (engine.measure().kinetic, hits / engine.particles() as f64)
    };
    let (start, _) = state(engine);
    let mut course = Vec::new();
    for tau in taus {
        engine.run_until(begun + tau / RATE)?;
        let (kinetic, hits) = state(engine);
        course.push([kinetic / start, hits]);
    }
    Ok(course)
}

/// Instants for a figure, evenly on a logarithmic scale.
fn instants(last: f64) -> Vec<f64> {
    (0..=40)
        .map(|k| 0.1 * (10.0 * last).powf(f64::from(k) / 40.0))
        .collect()
}

fn course(taus: &[f64], course: &[[f64; 2]]) -> Vec<[f64; 2]> {
    taus.iter()
        .zip(course)
        .map(|(&tau, &[energy, _])| [tau, energy])
        .collect()
}

fn haff(dimensions: Dimensions, restitution: f64, taus: &[f64]) -> Vec<[f64; 2]> {
    taus.iter()
        .map(|&tau| [tau, cooling(dimensions, restitution, tau)])
        .collect()
}

fn cooling_plot(title: &str, subtitle: &str, curves: Vec<Curve>) -> Drawing {
    Drawing::Plot(Plot {
        title: title.into(),
        subtitle: subtitle.into(),
        x_label: "τ".into(),
        y_label: "T".into(),
        curves,
        log_x: true,
        log_y: true,
    })
}

const HOMOGENEOUS: [f64; 4] = [10.0, 50.0, 200.0, 1000.0];

fn cooling_slowly(dimensions: Dimensions) -> Study {
    let flat = dimensions == Dimensions::Two;
    let fraction = if flat { FRACTION } else { 0.1 };
    let checks = HOMOGENEOUS.map(|tau| {
        Check::new(
            format!("{tau}"),
            format!("T at τ = {tau} over (23), r = 0.99"),
            1.0,
            Tolerance::absolute(
                0.06,
                "Enskog's rate is off by 1 %, which T doubles; the scatter of some 1500 grains",
            ),
        )
    });
    Study {
        name: if flat {
            "luding-haff-disks"
        } else {
            "luding-haff-spheres"
        },
        source: if flat {
            "Luding & McNamara, (23), Fig. 15"
        } else {
            "Haff's law with Enskog's rate in three dimensions"
        },
        summary: if flat {
            "1435 disks, ν = 0.227, t_c = 10⁻⁵ s, cool homogeneously at r = 0.99; for smaller restitution they cool \
             more slowly than (23). On the event-driven engine."
        } else {
            "1372 spheres, ν = 0.1, cool homogeneously at r = 0.99. On the event-driven engine."
        },
        engines: Engines::Cpu,
        quick: true,
        checks: checks.to_vec(),
        measure: Box::new(move |_| {
            let particles = if flat { 1435 } else { 1372 };
            let gas = mixed(dimensions, particles, fraction, 50)?;
            let found = cool(&mut lossy(&gas, 0.99, 1e-5), &HOMOGENEOUS)?;
            let ratios = HOMOGENEOUS
                .iter()
                .zip(&found)
                .map(|(&tau, [energy, _])| energy / cooling(dimensions, 0.99, tau));
            let taus = instants(1000.0);
            let shown: &[f64] = if flat {
                &[0.99, 0.9, 0.6, 0.2]
            } else {
                &[0.99, 0.9, 0.8]
            };
            let mut curves = Vec::new();
            for (k, &r) in shown.iter().enumerate() {
                let run = cool(&mut lossy(&gas, r, 1e-5), &taus)?;
                curves.push(curve("", haff(dimensions, r, &taus), Style::Dashed, k));
                curves.push(curve(
                    format!("r = {r}"),
                    course(&taus, &run),
                    Style::Line,
                    k,
                ));
            }
            Ok(Measured {
                values: ratios.collect(),
                figures: vec![Figure {
                    name: if flat { "luding-haff-disks" } else { "luding-haff-spheres" },
                    caption: "Energy of a cooling gas for several coefficients of restitution; broken lines: Haff's \
                              law, (23) (Fig. 15)."
                        .into(),
                    drawing: cooling_plot(
                        "Cooling of a gas of hard grains",
                        "lines: simulated, t_c = 10⁻⁵ s; broken: Haff's law",
                        curves,
                    ),
                }],
            })
        }),
    }
}

/// Numbers of disks of Figs. 8 and 9 that fit here; the largest, 97 776, is `examples/scenes/clusters.toml`.
const SIZES: [usize; 5] = [42, 378, 1435, 5740, 22960];

/// Until when, in times between collisions at the start.
const LATE: f64 = 500.0;

fn sizes() -> Study {
    let mut checks = Vec::new();
    for n in [1435, 5740, 22960] {
        for tau in [1.0, 3.0] {
            checks.push(Check::new(
                format!("{n}/{tau}"),
                format!("T at τ = {tau} over (23), {n} disks"),
                1.0,
                Tolerance::absolute(
                    0.15,
                    "the paper sees agreement for τ < 5 on a logarithmic axis; from the first collisions on, grains that \
                     are about to collide approach more slowly than molecular chaos says",
                ),
            ));
        }
    }
    checks.push(Check::new(
        "42/late",
        "42 disks are within a factor of 3 of (23) at τ = 500 (1: yes)",
        1.0,
        Tolerance::EXACT,
    ));
    for n in [1435, 5740, 22960] {
        checks.push(Check::new(
            format!("{n}/late"),
            format!("{n} disks have over 3 times the energy of (23) at τ = 500 (1: yes)"),
            1.0,
            Tolerance::EXACT,
        ));
    }
    checks.push(Check::new(
        "size",
        "T of 1435 disks over that of 22960 at τ = 50: no matter the size until clusters fill the box",
        1.0,
        Tolerance::absolute(0.25, "the scatter of clusters, of which there are a few dozen"),
    ));
    Study {
        name: "luding-clusters",
        source: "Luding & McNamara, section 6.1, Figs. 8 and 9",
        summary: "Disks with r = 0.4, ν = 0.227, t_c = 10⁻⁵ s: the homogeneous state breaks down, all the more so \
                  the larger the system. On the event-driven engine; 97 776 disks are a scene.",
        engines: Engines::Cpu,
        quick: false,
        checks,
        measure: Box::new(|_| {
            let mut taus = instants(LATE);
            taus.extend([1.0, 3.0, 50.0]);
            taus.sort_by(f64::total_cmp);
            let mut runs = Vec::new();
            for n in SIZES {
                let gas = mixed(Dimensions::Two, n, FRACTION, 50)?;
                runs.push(cool(&mut lossy(&gas, 0.4, 1e-5), &taus)?);
            }
            let at = |run: usize, tau: f64| {
                let place = taus.iter().position(|&t| (t - tau).abs() < 1e-9 * tau);
                place.map_or(f64::NAN, |k| runs[run][k][0])
            };
            let over = |run: usize, tau: f64| at(run, tau) / cooling(Dimensions::Two, 0.4, tau);
            let yes = |is: bool| f64::from(u8::from(is));
            let mut values = Vec::new();
            for run in [2, 3, 4] {
                values.extend([1.0, 3.0].map(|tau| over(run, tau)));
            }
            let near = over(0, LATE);
            values.push(yes(near < 3.0 && near > 1.0 / 3.0));
            values.extend([2, 3, 4].map(|run| yes(over(run, LATE) > 3.0)));
            values.push(at(2, 50.0) / at(4, 50.0));
            let mut curves = vec![Curve {
                colour: Colour::INK,
                ..curve("(23)", haff(Dimensions::Two, 0.4, &taus), Style::Dashed, 0)
            }];
            for (k, (n, run)) in SIZES.iter().zip(&runs).enumerate() {
                curves.push(curve(
                    format!("N = {n}"),
                    course(&taus, run),
                    Style::Line,
                    k,
                ));
            }
            Ok(Measured {
                values,
                figures: vec![Figure {
                    name: "luding-clusters",
                    caption:
                        "Energy of cooling disks for several sizes of the system, r = 0.4 (Fig. 8)."
                            .into(),
                    drawing: cooling_plot(
                        "The homogeneous state breaks down",
                        "disks, r = 0.4, ν = 0.227, t_c = 10⁻⁵ s",
                        curves,
                    ),
                }],
            })
        }),
    }
}

/// Contact durations of Figs. 12 to 14, s.
const CONTACT_DURATIONS: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-12];

/// Haff's law with the TC rule in mean field: the part exp(−2 κ √T) of the collisions loses energy, κ = `t_c`/`t_E(0)`.
fn hindered_cooling(restitution: f64, kappa: f64, tau: f64) -> f64 {
    // Euler's steps are short enough: halving them changes T by less than 1e-4.
    let steps = 20_000;
    let step = tau / f64::from(steps);
    let loss = 0.5 * (1.0 - restitution * restitution);
    let mut energy: f64 = 1.0;
    for _ in 0..steps {
        let root = energy.sqrt();
        energy -= step * loss * energy * root * (-2.0 * kappa * root).exp();
    }
    energy
}

fn contact_durations() -> Study {
    let mut checks = Vec::new();
    for t_c in [1e-2, 1e-3, 1e-4] {
        for tau in [2.0, 4.0] {
            checks.push(Check::new(
                format!("{t_c}/{tau}"),
                format!("T at τ = {tau} for t_c = {t_c} s, over Haff's law with c_e (21)"),
                1.0,
                Tolerance::absolute(0.1, "a mean field, whose c_e is 5 to 10 % off, and velocities that are not Maxwell's"),
            ));
        }
    }
    checks.push(Check::new(
        "short",
        "T at τ = 100 for t_c = 10⁻⁶ s over that for 10⁻⁸ s: short ones make no difference",
        1.0,
        Tolerance::absolute(
            0.3,
            "the scatter of one run of 1435 disks with a few clusters",
        ),
    ));
    checks.push(Check::new(
        "shortest",
        "T at τ = 100 for t_c = 10⁻¹² s over that for 10⁻⁸ s",
        1.0,
        Tolerance::absolute(
            0.3,
            "the scatter of one run of 1435 disks with a few clusters",
        ),
    ));
    checks.push(Check::new(
        "collisions",
        "more collisions for t_c = 10⁻⁸ s than for 10⁻⁴ s (1: yes)",
        1.0,
        Tolerance::EXACT,
    ));
    Study {
        name: "luding-contact",
        source: "Luding & McNamara, section 6.2, Figs. 12 and 13",
        summary: "1435 disks with r = 0.4, ν = 0.227 for contact durations from 10⁻² to 10⁻¹² s: long ones hinder \
                  cooling as (21) says, short ones change only how often clusters collide. On the event-driven engine.",
        engines: Engines::Cpu,
        quick: false,
        checks,
        measure: Box::new(|_| {
            let gas = mixed(Dimensions::Two, 1435, FRACTION, 50)?;
            let mut taus = instants(100.0);
            taus.extend([2.0, 4.0]);
            taus.sort_by(f64::total_cmp);
            let mut runs = Vec::new();
            for t_c in CONTACT_DURATIONS {
                runs.push(cool(&mut lossy(&gas, 0.4, t_c), &taus)?);
            }
            let at = |run: usize, tau: f64| {
                let place = taus.iter().position(|&t| (t - tau).abs() < 1e-9 * tau);
                place.map_or(f64::NAN, |k| runs[run][k][0])
            };
            let mut values = Vec::new();
            for (run, t_c) in [1e-2, 1e-3, 1e-4].into_iter().enumerate() {
                values.extend(
                    [2.0, 4.0].map(|tau| at(run, tau) / hindered_cooling(0.4, t_c * RATE, tau)),
                );
            }
            values.push(at(3, 100.0) / at(4, 100.0));
            values.push(at(5, 100.0) / at(4, 100.0));
            let hits = |run: usize| runs[run].last().map_or(0.0, |row| row[1]);
            values.push(f64::from(u8::from(hits(4) > hits(2))));
            let mut curves = vec![Curve {
                colour: Colour::INK,
                ..curve("(23)", haff(Dimensions::Two, 0.4, &taus), Style::Dashed, 0)
            }];
            let mut by_collisions = Vec::new();
            let powers = ["10⁻²", "10⁻³", "10⁻⁴", "10⁻⁶", "10⁻⁸", "10⁻¹²"];
            for (k, (power, run)) in powers.iter().zip(&runs).enumerate() {
                let label = format!("t_c = {power} s");
                curves.push(curve(label.clone(), course(&taus, run), Style::Line, k));
                // Each collision counted once.
                let points = run
                    .iter()
                    .map(|&[energy, hits]| [0.5 * hits, energy])
                    .collect();
                by_collisions.push(curve(label, points, Style::Line, k));
            }
            let mut second = cooling_plot(
                "Energy against collisions",
                "disks, r = 0.4, ν = 0.227",
                by_collisions,
            );
            if let Drawing::Plot(plot) = &mut second {
                plot.x_label = "collisions over grains".into();
            }
            Ok(Measured {
                values,
                figures: vec![
                    Figure {
                        name: "luding-contact",
                        caption: "Energy of cooling disks for several contact durations, r = 0.4 (Fig. 12).".into(),
                        drawing: cooling_plot("Long contacts hinder cooling", "disks, r = 0.4, ν = 0.227", curves),
                    },
                    Figure {
                        name: "luding-contact-collisions",
                        caption: "The same runs against the number of collisions per disk (Fig. 13).".into(),
                        drawing: second,
                    },
                ],
            })
        }),
    }
}

/// Number of disks, restitution well below and well above `r_c` (22).
const COLLAPSING: [(usize, f64, f64); 3] = [(42, 0.1, 0.6), (378, 0.4, 0.9), (1435, 0.6, 0.95)];
/// Collisions of a disk until which a gas that can collapse has, and events for each.
const PATIENCE: u64 = 400;
const EVENTS_PER_COLLISION: u64 = 3;

fn collapse() -> Study {
    let checks = COLLAPSING.iter().flat_map(|&(n, below, above)| {
        #[allow(clippy::cast_precision_loss, reason = "a small number")]
        let critical = critical_restitution(n as f64, FRACTION);
        [(below, 1.0, "collapse"), (above, 0.0, "do not collapse")].map(|(r, expected, verb)| {
            Check::new(
                format!("{n}/{r}"),
                format!("{n} disks {verb} at r = {r}; r_c = {critical:.3} (22)"),
                expected,
                Tolerance::EXACT,
            )
        })
    });
    Study {
        name: "luding-collapse",
        source: "Luding & McNamara, (22)",
        summary: "Disks at ν = 0.227 without the TC rule: below r_c(N) their collisions become infinitely frequent \
                  within 400 collisions per disk, which the event-driven engine detects; above it they do not.",
        engines: Engines::Cpu,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for (n, below, above) in COLLAPSING {
                let gas = mixed(Dimensions::Two, n, FRACTION, 50)?;
                for r in [below, above] {
                    let mut engine = lossy(&gas, r, 0.0);
                    // Disks may end in lanes that never meet again: events, not collisions, end the run.
                    let most = EVENTS_PER_COLLISION * PATIENCE * n as u64;
                    values.push(match engine.run_events(f64::INFINITY, most) {
                        Ok(_) => 0.0,
                        Err(HardError::Collapse(_)) => 1.0,
                        Err(error) => return Err(error.into()),
                    });
                }
            }
            Ok(Measured::values(values))
        }),
    }
}
