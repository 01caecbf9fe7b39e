//! Costa, Boersma, Westerweel & Breugem (2015), section III: the film between grains in a fluid.
//!
//! The fluid is at rest and its flow is not resolved: a grain feels its own drag, added mass and buoyancy,
//! and the film between surfaces that come close.

use super::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use crate::engine::Engine;
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::laws::fluid::{
    added_mass, reynolds_number, schiller_naumann_factor, stokes_drag, stokes_relaxation_time,
    stokes_terminal_velocity,
};
use crate::laws::linear::{linear_damping_ratio_from_restitution, linear_restitution};
use crate::laws::lubrication::{
    Film, film_amplification, film_between, film_damping, film_impulse, film_restitution,
    film_speed_at_touch, impact_stokes_number,
};
use crate::laws::material::sphere_mass;
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{
    ContactLaws, DragLaw, FilmGaps, Fluid, Lubrication, NormalLaw, Pair, Particle, Scene,
    SceneBuilder, TangentialLaw, WallShape,
};
use crate::state::State;
use glam::DVec3;
use std::f64::consts::PI;

pub(super) fn studies() -> Vec<Study> {
    vec![
        amplification(),
        film_force(),
        approach(),
        rebound(),
        settling(),
    ]
}

/// ε, `λ_pw` (33), `λ_pp` (32), and the exact factors of Brenner's and of the bispherical series.
const FACTORS: [[f64; 5]; 4] = [
    [
        1e-4,
        10_001.842_111_933_16,
        5_004.144_702_508_498,
        10_002.813_408_565_09,
        5_005.490_301_903_233,
    ],
    [
        1e-3,
        1_001.381_879_996_524,
        503.108_859_933_860_46,
        1_002.353_326_880_582_4,
        504.454_632_086_660_24,
    ],
    [
        0.01,
        100.923_226_975_381_43,
        52.074_793_639_151_42,
        101.896_172_324_613_49,
        53.422_293_653_915_43,
    ],
    [
        0.05,
        20.606_279_150_600_212,
        11.356_103_805_974_888,
        21.585_820_436_986_154,
        12.711_288_169_778_893,
    ],
];

/// O(1) terms that (32), (33) leave out; they cancel in (34).
const CONSTANTS: [f64; 2] = [0.971_28, 1.345_58];

fn amplification() -> Study {
    let mut checks = Vec::new();
    for [gap, wall, pair, exact_wall, exact_pair] in FACTORS {
        let close = Tolerance::absolute(
            0.2 * gap + 5e-6,
            "0.2 ε, the next term of the expansion, and half of the last digit of the constant",
        );
        checks.push(Check::new(
            format!("{gap}/wall"),
            format!("λ_pw (33) at ε = {gap}"),
            wall,
            Tolerance::ROUNDING,
        ));
        checks.push(
            Check::new(format!("{gap}/pair"), format!("λ_pp (32) per relative velocity at ε = {gap}"), 0.5 * pair, Tolerance::ROUNDING)
                .erratum("(32) is per half the relative velocity u_ij: with u_ij the film is twice too strong"),
        );
        checks.push(Check::new(
            format!("{gap}/exact-wall"),
            format!("λ_pw + 0.97128 at ε = {gap}, against Brenner's series"),
            exact_wall,
            close,
        ));
        checks.push(Check::new(
            format!("{gap}/exact-pair"),
            format!("2 λ_pp + 1.34558 at ε = {gap}, against the bispherical series"),
            exact_pair,
            close,
        ));
    }
    Study {
        name: "costa-amplification",
        source: "Costa et al., (32), (33), Fig. 5",
        summary: "Amplification of Stokes' drag by the film in the gap, against the exact solutions of the \
                  flow. About the law, for radii of 1.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for [gap, ..] in FACTORS {
                let [wall, pair] = [f64::INFINITY, 1.0]
                    .map(|other| film_amplification(film_between(1.0, other, 0.1, 1e-5), gap));
                values.extend([wall, pair, wall + CONSTANTS[0], 2.0 * pair + CONSTANTS[1]]);
            }
            Ok(Measured {
                values,
                figures: vec![amplification_figure()],
            })
        }),
    }
}

/// ε and the exact factors of Brenner's series for a wall and of the bispherical series for two spheres,
/// the latter per velocity of each.
const EXACT: [[f64; 3]; 13] = [
    [1e-4, 10_002.813_408_565_09, 5_005.490_301_903_233],
    [1e-3, 1_002.353_326_880_582_4, 504.454_632_086_660_24],
    [2e-3, 502.215_127_216_003_34, 254.143_203_608_027_82],
    [5e-3, 202.033_038_681_163_8, 103.732_202_038_697_25],
    [0.01, 101.896_172_324_613_49, 53.422_293_653_915_43],
    [0.02, 51.760_733_604_639_434, 28.114_022_193_234_348],
    [0.025, 41.717_597_216_174_71, 23.015_316_981_494_642],
    [0.05, 21.585_820_436_986_154, 12.711_288_169_778_893],
    [0.075, 14.844_259_544_108_688, 9.202_684_765_166_143],
    [0.1, 11.459_157_203_409_557, 7.413_297_606_556_766],
    [0.2, 6.340_886_692_110_01, 4.625_543_140_251_000_6],
    [0.5, 3.205_390_315_352_628, 2.772_418_679_559_134],
    [1.0, 2.125_535_566_760_040_4, 2.038_654_643_922_900_5],
];

/// Fig. 5.
fn amplification_figure() -> Figure {
    let law = |label: &str, other: f64, factor: f64, added: f64, style: Style, colour: usize| {
        let film = film_between(1.0, other, 0.1, 1e-5);
        Curve {
            label: label.into(),
            points: (0..=100)
                .map(|k| 10_f64.powf(-4.0 + 0.04 * f64::from(k)))
                .map(|gap| [gap, factor * film_amplification(film, gap) + added])
                .collect(),
            style,
            colour: Colour::of_category(colour),
        }
    };
    let exact = |label: &str, column: usize, colour: usize| Curve {
        label: label.into(),
        points: EXACT.map(|row| [row[0], row[column]]).to_vec(),
        style: Style::Points,
        colour: Colour::of_category(colour),
    };
    let wall = f64::INFINITY;
    Figure {
        name: "costa-amplification",
        caption: "Amplification of Stokes' drag against the gap (Fig. 5): (33) before a wall and (32) between \
                  two spheres, per velocity of each; the same with the constants that cancel in (34); and \
                  the exact solutions of the flow."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "Amplification of the drag by the film".into(),
            subtitle: "Costa et al., (32), (33), Fig. 5".into(),
            x_label: "gap over radius".into(),
            y_label: "amplification".into(),
            curves: vec![
                law("wall (33)", wall, 1.0, 0.0, Style::Dashed, 0),
                law("wall (33) + 0.971", wall, 1.0, CONSTANTS[0], Style::Line, 0),
                exact("wall, exact", 1, 0),
                law("pair (32)", 1.0, 2.0, 0.0, Style::Dashed, 1),
                law("pair (32) + 1.346", 1.0, 2.0, CONSTANTS[1], Style::Line, 1),
                exact("pair, exact", 2, 1),
            ],
            log_x: true,
            log_y: true,
        }),
    }
}

/// A film of Table I, on the steel sphere of this file.
#[derive(Clone, Copy)]
struct WetCase {
    name: &'static str,
    wall: bool,
    gaps: FilmGaps,
    /// ∫Λ dε from touch to `ε_Δx`, of a pair with the factor (32) per velocity of each grain: what C is in
    /// v/v₀ = 1 − C/St.
    impulse: f64,
}

/// The resolutions of Table I, and a smooth pair.
const FILMS: [WetCase; 3] = [
    WetCase {
        name: "wall-16",
        wall: true,
        gaps: FilmGaps {
            resolved: 0.075,
            roughness: 1e-3,
        },
        impulse: 4.332_008_319_606_54,
    },
    WetCase {
        name: "wall-32",
        wall: true,
        gaps: FilmGaps {
            resolved: 0.05,
            roughness: 1e-3,
        },
        impulse: 3.921_674_602_501_274_5,
    },
    WetCase {
        name: "pair-16",
        wall: false,
        gaps: FilmGaps {
            resolved: 0.025,
            roughness: 1e-5,
        },
        impulse: 3.923_215_120_198_926_7,
    },
];

/// Steel sphere: radius in m, density in kg/m³.
const RADIUS: f64 = 2.5e-3;
const DENSITY: f64 = 7800.0;

/// Speed of approach, m/s.
const SPEED: f64 = 0.1;

impl WetCase {
    /// Radius of the partner, m.
    fn other(&self) -> f64 {
        if self.wall { f64::INFINITY } else { RADIUS }
    }

    fn film(&self) -> Film {
        film_between(
            RADIUS,
            self.other(),
            self.gaps.resolved,
            self.gaps.roughness,
        )
    }

    fn reduced_mass(&self) -> f64 {
        sphere_mass(DENSITY, RADIUS) * if self.wall { 1.0 } else { 0.5 }
    }

    /// Viscosity at which the sphere has a Stokes number at [`SPEED`], Pa s.
    fn viscosity(&self, stokes: f64) -> f64 {
        impact_stokes_number(DENSITY, SPEED, 2.0 * RADIUS, stokes)
    }

    /// A sphere that approaches a wall, or another sphere, from a gap (m) at [`SPEED`], in a fluid that
    /// acts through its films alone.
    fn scene(&self, stokes: f64, gap: f64, pair: Pair) -> SceneBuilder {
        let fluid = Fluid {
            buoyancy: false,
            drag: DragLaw::None,
            added_mass: false,
            lubrication: Lubrication {
                grains: Some(self.gaps),
                walls: Some(self.gaps),
            },
            ..Fluid::new(LIQUID, self.viscosity(stokes))
        };
        let room = DVec3::splat(20.0 * RADIUS);
        let mut builder = Scene::builder()
            .domain(-room, room)
            .contact(ContactLaws {
                normal: NormalLaw::Linear,
                tangential: TangentialLaw::None,
                ..ContactLaws::default()
            })
            .material("sphere", DENSITY, None, 0.3)
            .material("wall", DENSITY, None, 0.3)
            .fluid(fluid)
            .end_time(1.0);
        for materials in [[0, 0], [0, 1], [1, 1]] {
            builder = builder.pair(Pair { materials, ..pair });
        }
        let grain = |z: f64, speed: f64| Particle {
            velocity: DVec3::Z * speed,
            ..Particle::new(DVec3::Z * z, RADIUS, 0)
        };
        if self.wall {
            let floor = WallShape::Plane {
                point: DVec3::ZERO,
                normal: DVec3::Z,
            };
            builder
                .wall("floor", 1, floor)
                .particle(grain(RADIUS + gap, -SPEED))
        } else {
            let z = RADIUS + 0.5 * gap;
            builder
                .particle(grain(z, -0.5 * SPEED))
                .particle(grain(-z, 0.5 * SPEED))
        }
    }

    /// Gap in m and rate of approach in m/s.
    fn seen(&self, state: &State) -> [f64; 2] {
        let (z, v) = (state.position(0).z, state.particles.velocity[0].z);
        if self.wall {
            [z - RADIUS, -v]
        } else {
            let apart = z - state.position(1).z;
            [apart - 2.0 * RADIUS, state.particles.velocity[1].z - v]
        }
    }
}

fn film_force() -> Study {
    let mut checks = Vec::new();
    for case in FILMS {
        let name = case.name;
        for (place, gap) in [
            ("at the roughness", case.gaps.roughness),
            ("at half the resolved gap", 0.5 * case.gaps.resolved),
        ] {
            let film = case.film();
            let damping = film_damping(film, case.viscosity(50.0), gap * film.length);
            checks.push(Check::new(
                format!("{name}/{gap}"),
                format!("film force {place} over 6πμRu, {name}"),
                damping / (6.0 * PI * case.viscosity(50.0) * RADIUS),
                Tolerance::relative(
                    1e-7,
                    "the gap is known to a few units of positions, 1e-9 radii",
                ),
            ));
        }
        checks.push(Check::new(
            format!("{name}/rough"),
            format!("film force at half the roughness over that at the roughness, {name}"),
            1.0,
            Tolerance::relative(1e-7, "the same gap to a few units of positions"),
        ));
        let spring = Tolerance::absolute(
            1e-9,
            "the spring of the contact, so soft that it pushes with next to nothing",
        );
        checks.push(
            Check::new(
                format!("{name}/overlap"),
                format!("force in contact over the film force at the roughness, {name}"),
                0.0,
                spring,
            )
            .on_devices(spring),
        );
    }
    Study {
        name: "costa-film",
        source: "Costa et al., (34), Table I",
        summary: "Force of the film on a sphere that approaches a wall or another sphere: it grows until the \
                  gap is as narrow as the surfaces are rough, and ends at touch. The film is all that \
                  is known of the fluid; its flow is not resolved.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for case in FILMS {
                let unit = 6.0 * PI * case.viscosity(50.0) * RADIUS * SPEED;
                let force = |gap: f64| -> Result<f64> {
                    let pair = soft(case.reduced_mass(), 1e9 * WATCHED);
                    let scene = case.scene(50.0, gap * RADIUS, pair).build()?;
                    let state = bench.start(&scene, WATCHED)?.state()?;
                    Ok(state.particles.acceleration[0].z * sphere_mass(DENSITY, RADIUS))
                };
                let rough = force(case.gaps.roughness)?;
                values.extend([
                    rough / unit,
                    force(0.5 * case.gaps.resolved)? / unit,
                    force(0.5 * case.gaps.roughness)? / rough,
                    force(-1e-6)? / rough,
                ]);
            }
            Ok(Measured::values(values))
        }),
    }
}

/// A step that is short against any film of this file, s.
const WATCHED: f64 = 1e-7;

/// A spring that lasts so long (s) that what it does within a few steps is nothing.
fn soft(mass: f64, contact_time: f64) -> Pair {
    Pair {
        stiffness: Some(mass * (PI / contact_time).powi(2)),
        damping: Some(0.0),
        ..Pair::new(0, 1)
    }
}

/// Steps in which the film would be crossed at the speed of entering.
const CROSSING_STEPS: f64 = 400.0;

/// Steps between two looks.
const LOOK: u64 = 20;

/// Runs a scene through the film until the surfaces touch: the last rate over [`SPEED`], and gaps and rates
/// on the way.
fn through(
    case: &WetCase,
    engine: &mut dyn Engine,
    most_steps: u64,
) -> Result<(f64, Vec<[f64; 2]>)> {
    let mut path = Vec::new();
    for _ in 0..most_steps / LOOK {
        engine.run(LOOK)?;
        let [gap, rate] = case.seen(&engine.state()?);
        if gap < -SPEED * WATCHED {
            return Ok((rate / SPEED, path));
        }
        path.push([gap / RADIUS, rate / SPEED]);
    }
    Ok((0.0, path))
}

fn approach() -> Study {
    let stokes = 50.0;
    let mut checks = Vec::new();
    for case in FILMS {
        let name = case.name;
        let factor = if case.wall { 1.0 } else { 0.5 };
        checks.push(Check::new(
            format!("{name}/impulse"),
            format!("C = ∫Λ dε by the law, {name}"),
            factor * case.impulse,
            Tolerance::relative(1e-11, "rounding of f64, with cancellation"),
        ));
        let reached = 1.0 - case.impulse / stokes;
        let touch = Check::new(
            format!("{name}/touch"),
            format!("v/v₀ = 1 − C/St at touch for St = {stokes}, {name}"),
            reached,
            Tolerance::relative(
                1e-6,
                "kicks of the film meet end to end: only the soft spring of the contact, a few steps old, acts besides",
            ),
        );
        checks.push(if case.wall {
            touch
        } else {
            touch.erratum(format!(
                "with (32) as printed and u_ij, {:.6}",
                1.0 - 2.0 * case.impulse / stokes
            ))
        });
        checks.push(
            Check::new(
                format!("{name}/stopped"),
                format!("v/v₀ at the end for St = 2 < C, {name}"),
                0.0,
                Tolerance::absolute(1e-15, "the gap closes ever more slowly, but does not close"),
            )
            .on_devices(Tolerance::absolute(1e-9, "both have come to rest")),
        );
    }
    Study {
        name: "costa-approach",
        source: "Costa et al., (34), Table I",
        summary: "A sphere approaches a wall or another sphere and only the film acts: v/v₀ = 1 − C/St, with \
                  saturation below the roughness, and no touch where St < C.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(move |bench| {
            let mut values = Vec::new();
            let mut curves = Vec::new();
            for (k, case) in FILMS.iter().enumerate() {
                let film = case.film();
                let width = film.resolved * film.length;
                let step = width / (SPEED * CROSSING_STEPS);
                let pair = soft(case.reduced_mass(), 1e5 * step);
                let scene = case.scene(stokes, 1.1 * width, pair).build()?;
                let mut engine = bench.start(&scene, step)?;
                let (touch, path) = through(case, engine.as_mut(), 2000)?;
                let scene = case.scene(2.0, 1.1 * width, pair).build()?;
                let mut engine = bench.start(&scene, step)?;
                engine.run(2500)?;
                let [_, rate] = case.seen(&engine.state()?);
                values.extend([
                    film_impulse(film, 1.0, width, width) / (6.0 * PI * RADIUS * RADIUS),
                    touch,
                    rate / SPEED,
                ]);
                curves.push(Curve {
                    label: format!("{}, lahar", case.name),
                    points: path
                        .iter()
                        .copied()
                        .filter(|point| point[0] > 0.0)
                        .collect(),
                    style: Style::Points,
                    colour: Colour::of_category(k),
                });
                let entered = case.reduced_mass() * SPEED;
                let viscosity = case.viscosity(stokes);
                curves.push(Curve {
                    label: format!("{}, 1 − C/St", case.name),
                    points: (0..=100)
                        .map(|i| width * (1.1 - f64::from(i) * 0.011))
                        .map(|gap| {
                            let taken =
                                film_impulse(film, viscosity, 1.1 * width, 1.1 * width - gap);
                            [gap / RADIUS, 1.0 - taken / entered]
                        })
                        .collect(),
                    style: Style::Line,
                    colour: Colour::of_category(k),
                });
            }
            let figure = Figure {
                name: "costa-approach",
                caption: "Speed of a sphere in the film before a wall, or before another sphere, against the \
                          gap: engine and closed form."
                    .into(),
                drawing: Drawing::Plot(Plot {
                    title: "Approach through a film, St = 50".into(),
                    subtitle: "Costa et al., (34), Table I".into(),
                    x_label: "gap over radius".into(),
                    y_label: "v/v0".into(),
                    curves,
                    ..Plot::default()
                }),
            };
            Ok(Measured {
                values,
                figures: vec![figure],
            })
        }),
    }
}

/// Dry restitution of steel on glass.
const DRY: f64 = 0.97;

/// Stokes numbers of the bounces; the four of Table II, 29 to 742, among them.
const WET: [f64; 9] = [5.0, 8.0, 10.0, 20.0, 29.0, 100.0, 152.0, 742.0, 1000.0];

/// Density of the liquid, kg/m³.
const LIQUID: f64 = 1000.0;

/// Steps in the contact of a bounce.
const CONTACT_STEPS: f64 = 100.3;

/// What the liquid does besides its film.
#[derive(Clone, Copy, PartialEq)]
enum Flow {
    /// Nothing.
    None,
    /// Stokes' drag and added mass, which stand for the flow.
    DragAndMass,
}

impl Flow {
    /// Mass that moves (kg) and drag per speed (N s/m) of a sphere before a wall.
    fn mass_and_drag(self, case: &WetCase, stokes: f64) -> [f64; 2] {
        match self {
            Self::None => [case.reduced_mass(), 0.0],
            Self::DragAndMass => [
                case.reduced_mass() + added_mass(LIQUID, RADIUS),
                stokes_drag(case.viscosity(stokes), RADIUS),
            ],
        }
    }
}

/// Contact of a bounce: stiffness (N/m) and damping (N s/m) for the restitution [`DRY`] in air. It lasts a
/// fifth of the time that the film is crossed in.
fn bounce_contact(case: &WetCase) -> [f64; 2] {
    let film = case.film();
    let contact_time = 0.2 * film.resolved * film.length / SPEED;
    let ratio = linear_damping_ratio_from_restitution(DRY, ContactEnd::Overlap);
    let frequency = PI / (contact_time * (1.0 - ratio * ratio).sqrt());
    let mass = case.reduced_mass();
    [mass * frequency * frequency, 2.0 * ratio * mass * frequency]
}

/// Restitution of a bounce by its closed form, from 1.1 widths of the film to one width: impulses of film and
/// drag depend on the way alone, and in contact the drag adds to the dashpot.
fn closed_bounce(case: &WetCase, stokes: f64, flow: Flow) -> f64 {
    let film = case.film();
    let width = film.resolved * film.length;
    let [mass, drag] = flow.mass_and_drag(case, stokes);
    let taken = film_impulse(film, case.viscosity(stokes), width, width);
    let touch = SPEED - (taken + drag * 1.1 * width) / mass;
    let [stiffness, damping] = bounce_contact(case);
    let ratio = (damping + drag) / (2.0 * (stiffness * mass).sqrt());
    let leaves = touch.max(0.0) * linear_restitution(ratio, ContactEnd::Overlap);
    ((leaves - (taken + drag * width) / mass) / SPEED).max(0.0)
}

/// Restitution of a bounce off a wall through the film, in and out.
#[allow(clippy::cast_possible_truncation, reason = "some hundred steps")]
fn bounce(bench: &dyn Bench, case: &WetCase, stokes: f64, flow: Flow) -> Result<f64> {
    let film = case.film();
    let width = film.resolved * film.length;
    let mass = case.reduced_mass();
    let [moving, drag] = flow.mass_and_drag(case, stokes);
    let relaxation = mass / film_damping(film, case.viscosity(stokes), 0.0);
    let contact_time = 0.2 * width / SPEED;
    let step = (contact_time / CONTACT_STEPS).min(0.1 * relaxation);
    let [stiffness, damping] = bounce_contact(case);
    let pair = Pair {
        stiffness: Some(stiffness),
        damping: Some(damping),
        ..Pair::new(0, 1)
    };
    let mut scene = case.scene(stokes, 1.1 * width, pair).build()?;
    if let Some(fluid) = scene.fluid.as_mut()
        && flow == Flow::DragAndMass
    {
        fluid.drag = DragLaw::Stokes;
        fluid.added_mass = true;
    }
    let mut engine = bench.start(&scene, step)?;
    // In, and out again at the slowest speed that counts as a rebound.
    let look = width / (4.0 * SPEED * step);
    for _ in 0..400 {
        engine.run(look.ceil() as u64)?;
        let [gap, rate] = case.seen(&engine.state()?);
        if gap > width && rate < 0.0 {
            // Back to where the film ends: outside of it the drag alone slows the sphere.
            return Ok((drag / moving * (gap - width) - rate) / SPEED);
        }
        if rate.abs() < 1e-6 * SPEED {
            break;
        }
    }
    Ok(0.0)
}

fn rebound() -> Study {
    let case = FILMS[0];
    let closed = move |stokes: f64| {
        film_restitution(
            DRY,
            film_speed_at_touch(case.film(), RADIUS, f64::INFINITY, stokes),
        )
    };
    let with_flow = move |stokes: f64| closed_bounce(&case, stokes, Flow::DragAndMass);
    let mut checks: Vec<Check> = WET
        .iter()
        .map(|&stokes| {
            Check::new(
                format!("{stokes}"),
                format!("e at St = {stokes}"),
                closed(stokes),
                Tolerance::absolute(1e-5, "second order in the step, 100 in the contact"),
            )
        })
        .collect();
    checks.extend(WET.map(|stokes| {
        Check::new(
            format!("{stokes}/flow"),
            format!("e at St = {stokes}, with Stokes' drag and added mass"),
            with_flow(stokes),
            Tolerance::absolute(1e-5, "second order in the step, 100 in the contact"),
        )
    }));
    checks.push(Check::new(
        "none",
        "St below which nothing rebounds, C (1 + e_d)/e_d, from e at St = 10 and 20; experiments: about 10",
        case.impulse * (1.0 + DRY) / DRY,
        Tolerance::relative(2e-5, "second order in the step, 100 in the contact"),
    ));
    checks.push(Check::new(
        "dry",
        "e over e_d at St = 1000",
        1.0,
        Tolerance::absolute(0.01, "experiments: dry from 500 to 1000 on"),
    ));
    Study {
        name: "costa-wet",
        source: "Costa et al., (34), Table II, Fig. 9",
        summary: "Restitution in a liquid against the Stokes number, in its shape: the film alone, in and \
                  out, around a contact of e = 0.97, and with Stokes' drag and added mass besides. The paper \
                  resolves the flow around the sphere, which this does not.",
        engines: Engines::All,
        quick: false,
        checks,
        measure: Box::new(move |bench| {
            let mut values = Vec::new();
            for stokes in WET {
                values.push(bounce(bench, &case, stokes, Flow::None)?);
            }
            for stokes in WET {
                values.push(bounce(bench, &case, stokes, Flow::DragAndMass)?);
            }
            let [points, flow_points] = [0, WET.len()].map(|from| {
                let found = WET.iter().zip(&values[from..]);
                found
                    .map(|(&stokes, &e)| [stokes, e / DRY])
                    .collect::<Vec<[f64; 2]>>()
            });
            // e = a − b/St, by (34): the line through two of them meets zero at b/a.
            let [[s, e], [t, f]] = [points[2], points[3]];
            let b = (f - e) / (1.0 / s - 1.0 / t);
            values.extend([b / (e + b / s), points[WET.len() - 1][1]]);
            let line = |label: &str, style: Style, colour: usize, e: &dyn Fn(f64) -> f64| Curve {
                label: label.into(),
                points: (0..=120)
                    .map(|k| 10_f64.powf(0.5 + 0.025 * f64::from(k)))
                    .map(|stokes| [stokes, e(stokes)])
                    .collect(),
                style,
                colour: Colour::of_category(colour),
            };
            let figure = Figure {
                name: "costa-wet",
                caption: "Restitution in a liquid over that in air against the Stokes number: the film \
                          alone, for a sphere and a wall, the film with Stokes' drag and added mass, and \
                          exp(−35/St), a common fit of experiments."
                    .into(),
                drawing: Drawing::Plot(Plot {
                    title: "Wet restitution against the Stokes number".into(),
                    subtitle: "Costa et al., (34), Fig. 9".into(),
                    x_label: "St".into(),
                    y_label: "e/e_d".into(),
                    curves: vec![
                        Curve {
                            label: "film alone, lahar".into(),
                            points,
                            style: Style::Points,
                            colour: Colour::of_category(0),
                        },
                        Curve {
                            label: "with drag and added mass, lahar".into(),
                            points: flow_points,
                            style: Style::Points,
                            colour: Colour::of_category(2),
                        },
                        line("film alone, closed form", Style::Line, 0, &|s| closed(s) / DRY),
                        line("with drag and added mass, closed form", Style::Line, 2, &|s| {
                            with_flow(s) / DRY
                        }),
                        line("exp(−35/St)", Style::Dashed, 1, &|s| (-35.0 / s).exp()),
                    ],
                    log_x: true,
                    ..Plot::default()
                }),
            };
            Ok(Measured {
                values,
                figures: vec![figure],
            })
        }),
    }
}

/// Glass bead in water, and a light one: radius in m, density and that of the fluid in kg/m³, viscosity
/// in Pa s, gravity in m/s².
const BEAD: f64 = 5e-4;
const GLASS: f64 = 2500.0;
const LIGHT: f64 = 500.0;
const WATER: f64 = 1000.0;
const SYRUP: f64 = 0.2;
const GRAVITY: f64 = 9.81;

/// One bead at rest in a fluid.
fn immersed(density: f64, fluid: Fluid) -> Result<Scene> {
    let room = DVec3::splat(2000.0 * BEAD);
    Scene::builder()
        .domain(-room, room)
        .gravity(DVec3::NEG_Z * GRAVITY)
        .material("bead", density, None, 0.3)
        .pair(Pair {
            stiffness: Some(1.0),
            damping: Some(0.0),
            ..Pair::new(0, 0)
        })
        .contact(ContactLaws {
            normal: NormalLaw::Linear,
            tangential: TangentialLaw::None,
            ..ContactLaws::default()
        })
        .particle(Particle::new(DVec3::ZERO, BEAD, 0))
        .fluid(fluid)
        .end_time(1.0)
        .build()
}

/// Where the drag of Schiller and Naumann balances the weight, by fixed point, m/s.
fn terminal_velocity(density: f64, viscosity: f64) -> f64 {
    let stokes = stokes_terminal_velocity(density - WATER, GRAVITY, BEAD, viscosity);
    let mut speed = stokes.abs();
    for _ in 0..200 {
        let factor = schiller_naumann_factor(reynolds_number(WATER, viscosity, BEAD, speed));
        // Half way: the factor grows with the speed.
        speed = 0.5 * (speed + stokes.abs() / factor);
    }
    -speed.copysign(stokes)
}

fn settling() -> Study {
    let stopped = Tolerance::relative(1e-9, "twenty-five relaxation times: e⁻²⁵ is left");
    let second = Tolerance::relative(1e-4, "second order in the step, 100 in the relaxation time");
    let device = Tolerance::relative(2e-6, "f32 velocities and forces");
    let exact = Tolerance::relative(1e-12, "rounding of f64");
    let stokes = |density: f64| -stokes_terminal_velocity(density - WATER, GRAVITY, BEAD, SYRUP);
    let ratio = WATER / GLASS;
    let lifted = -GRAVITY * (1.0 - ratio);
    let light = WATER / LIGHT;
    let grown = 1.0 - (-1f64).exp();
    let checks = vec![
        Check::new(
            "weight",
            "acceleration at the start, no fluid force but buoyancy, m/s²",
            lifted,
            exact,
        ),
        Check::new(
            "added",
            "the same with added mass, (1 − ρ/ρ_p)/(1 + ρ/2ρ_p) g, m/s²",
            lifted / (1.0 + 0.5 * ratio),
            exact,
        ),
        Check::new(
            "rise",
            "the same of a bead of half the density: it rises, m/s²",
            -GRAVITY * (1.0 - light) / (1.0 + 0.5 * light),
            exact,
        ),
        Check::new(
            "stokes",
            "terminal velocity by Stokes' drag, m/s",
            stokes(GLASS),
            stopped,
        ),
        Check::new(
            "naumann",
            "terminal velocity in water by Schiller & Naumann, Re = 146, m/s",
            terminal_velocity(GLASS, 1e-3),
            stopped,
        ),
        Check::new(
            "light",
            "terminal velocity of the light bead in water, rising, m/s",
            terminal_velocity(LIGHT, 1e-3),
            stopped,
        ),
        Check::new("relaxation", "v/v_t after (ρ_p + ½ρ) d²/18μ", grown, second),
        Check::new(
            "relaxation-without",
            "v/v_t after ρ_p d²/18μ, without added mass",
            grown,
            second,
        ),
    ];
    let checks = checks.into_iter().map(|check| check.on_devices(device));
    Study {
        name: "costa-still-fluid",
        source: "Costa et al., (36), without the flow; Schiller & Naumann (1933)",
        summary: "A bead in a fluid at rest: buoyancy, added mass, terminal velocity and the time in which it \
                  is reached. The drag stands for the flow, which is not resolved.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|bench| {
            let quiet = |viscosity| Fluid {
                drag: DragLaw::None,
                added_mass: false,
                ..Fluid::new(WATER, viscosity)
            };
            let mut values = Vec::new();
            let heavy = Fluid {
                added_mass: true,
                ..quiet(SYRUP)
            };
            for (density, fluid) in [(GLASS, quiet(SYRUP)), (GLASS, heavy), (LIGHT, heavy)] {
                let state = bench.start(&immersed(density, fluid)?, 1e-6)?.state()?;
                values.push(state.particles.acceleration[0].z);
            }
            let stokes = Fluid {
                drag: DragLaw::Stokes,
                ..heavy
            };
            let naumann = Fluid {
                drag: DragLaw::SchillerNaumann,
                ..Fluid::new(WATER, 1e-3)
            };
            for (density, fluid) in [(GLASS, stokes), (GLASS, naumann), (LIGHT, naumann)] {
                let time = stokes_relaxation_time(density, WATER, BEAD, fluid.viscosity);
                // With the factor of the drag the bead is faster than that.
                let speed = if fluid.drag == DragLaw::Stokes {
                    0.0
                } else {
                    terminal_velocity(density, fluid.viscosity).abs()
                };
                let reynolds = reynolds_number(WATER, fluid.viscosity, BEAD, speed);
                let time = time / schiller_naumann_factor(reynolds);
                let mut engine = bench.start(&immersed(density, fluid)?, time / 40.0)?;
                engine.run(40 * 25)?;
                values.push(engine.state()?.particles.velocity[0].z);
            }
            for (fluid, of_fluid) in [
                (stokes, WATER),
                (
                    Fluid {
                        added_mass: false,
                        ..stokes
                    },
                    0.0,
                ),
            ] {
                let time = stokes_relaxation_time(GLASS, of_fluid, BEAD, SYRUP);
                let mut engine = bench.start(&immersed(GLASS, fluid)?, time / 100.0)?;
                engine.run(100)?;
                let state = engine.state()?;
                let terminal = -stokes_terminal_velocity(GLASS - WATER, GRAVITY, BEAD, SYRUP);
                values.push(state.particles.velocity[0].z / terminal);
            }
            Ok(Measured::values(values))
        }),
    }
}
