//! Costa, Boersma, Westerweel & Breugem (2015): linear contacts of a chosen duration, dry.

use super::bench::{STEPS, head_on, materials};
use super::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use crate::collide::{Collision, Step};
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::laws::material::{sphere_mass, tangential_reduced_mass};
use crate::laws::stretched::{
    stepped_tangential_coefficients, stretched_contact_time_limit, stretched_normal_coefficients,
    stretched_tangential_coefficients,
};
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{ContactLaws, NormalLaw, Pair, Particle, Scene, TangentialLaw, WallShape};
use glam::DVec3;

pub(super) fn studies() -> Vec<Study> {
    let mut studies = vec![coefficients(), regimes(), steps_per_contact()];
    studies.extend(MATERIALS.iter().map(oblique));
    studies.extend([saturation(), rotation(), stretching(), weight()]);
    studies
}

/// Diameter of the spheres of Table IV, m.
const DIAMETER: f64 = 2.5e-3;

/// A sphere of Table IV on a wall, dry.
struct Sphere {
    name: &'static str,
    source: &'static str,
    figure: &'static str,
    density: f64,
    e_n: f64,
    e_t: f64,
    friction: f64,
    /// `Ψ_in` and `Ψ_out`: solutions per phase of stick and slip, switching times to 26 digits; friction
    /// only where the normal force repels.
    exact: [[f64; 2]; 12],
}

const MATERIALS: [Sphere; 2] = [
    Sphere {
        name: "costa-steel",
        source: "Costa et al., Table IV, Fig. 11a, steel",
        figure: "costa-steel",
        density: 7800.0,
        e_n: 0.97,
        e_t: 0.34,
        friction: 0.11,
        exact: [
            [0.05, -0.017_052_146_792_414_315],
            [0.1, -0.034_046_446_043_233_04],
            [0.2, -0.068_036_508_001_824_29],
            [0.3, -0.102_028_135_435_987_16],
            [0.4, -0.135_798_066_628_336_04],
            [0.5, -0.163_478_098_461_604_33],
            [0.55, -0.168_372_057_499_554_58],
            [0.6, -0.155_411_271_102_896_26],
            [0.7, -0.058_520_214_551_953_484],
            [0.8, 0.041_479_785_448_046_515],
            [1.0, 0.241_479_785_448_046_52],
            [1.5, 0.741_479_785_448_046_5],
        ],
    },
    Sphere {
        name: "costa-glass",
        source: "Costa et al., Table IV, Fig. 11a, glass",
        figure: "costa-glass",
        density: 2540.0,
        e_n: 0.97,
        e_t: 0.39,
        friction: 0.10,
        exact: [
            [0.05, -0.019_554_728_591_194_32],
            [0.1, -0.039_048_080_712_522_33],
            [0.2, -0.078_036_802_535_819_81],
            [0.3, -0.117_027_594_963_019_11],
            [0.4, -0.154_803_914_177_370_8],
            [0.45, -0.169_016_193_992_102_55],
            [0.5, -0.171_778_222_527_007_56],
            [0.55, -0.139_563_831_410_866_8],
            [0.6, -0.089_563_831_410_866_81],
            [0.8, 0.110_436_168_589_133_2],
            [1.0, 0.310_436_168_589_133_2],
            [1.5, 0.810_436_168_589_133_1],
        ],
    },
];

/// Collision time `T_n` = `T_t`, s, where it does not matter.
const CONTACT_TIME: f64 = 1e-4;

/// 1 + 1/K² of a solid sphere.
const SLIP_RATIO: f64 = 3.5;

impl Sphere {
    /// An impact with this slip per normal speed, which is 1 m/s.
    fn impact(&self, slip: f64) -> Collision {
        let pair = Pair {
            restitution: Some(self.e_n),
            tangential_restitution: Some(self.e_t),
            friction: self.friction,
            ..Pair::new(0, 1)
        };
        let mut collision = head_on(NormalLaw::LinearStretched, pair);
        collision.laws.tangential = TangentialLaw::Linear;
        collision.laws.contact_time = Some(CONTACT_TIME);
        Collision {
            radius: [0.5 * DIAMETER; 2],
            material: materials([self.density; 2]),
            wall: true,
            angle: slip.atan(),
            speed: slip.hypot(1.0),
            ..collision
        }
    }

    /// Walton's two lines (9a), (9b).
    fn walton(&self, slip: f64) -> f64 {
        (slip - self.friction * SLIP_RATIO * (1.0 + self.e_n)).max(-self.e_t * slip)
    }
}

fn coefficients() -> Study {
    let steel = &MATERIALS[0];
    let check = |name: &str, quantity: &str, expected: f64| {
        Check::new(name, quantity, expected, Tolerance::ROUNDING)
    };
    Study {
        name: "costa-coefficients",
        source: "Costa et al., (4), (5), (18), (25), (26)",
        summary: "Stiffness and damping from restitution and collision time, for steel on a wall.",
        engines: Engines::None,
        quick: true,
        checks: vec![
            check("kn", "k_n (NΔt)²/m (18)", 9.870_532_164_409_955),
            check("eta-n", "η_n NΔt/m (18)", 0.060_918_414_969_417_09),
            check("kt", "k_t (NΔt)²/m (25)", 3.152_409_910_445_365),
            check("eta-t", "η_t NΔt/m (25)", 0.616_462_663_641_102_8),
        ],
        measure: Box::new(|_| {
            let end = ContactEnd::Overlap;
            let (kn, eta_n) = stretched_normal_coefficients(1.0, steel.e_n, 1.0, end);
            let mass = tangential_reduced_mass(1.0);
            let (kt, eta_t) = stretched_tangential_coefficients(mass, steel.e_t, 1.0);
            Ok(Measured::values([kn, eta_n, kt, eta_t]))
        }),
    }
}

/// ψ = κΨ/μ before and after the impact of an elastic sphere with κ = `k_t/k_n` = 2(1 − ν)/(2 − ν), ν =
/// 0.22: linear spring and slider beside the exact normal motion, 5·10⁶ and 2·10⁷ steps, which agree to
/// the last digit but one. Full slip from 4χ − 1 = 5.1348 on.
const REGIMES: [[f64; 2]; 10] = [
    [0.5, 0.266_916_1],
    [1.0, 0.277_448_212],
    [2.0, -0.628_953_808],
    [3.0, -1.285_731_114],
    [4.2, -1.481_193_923],
    [4.7, -1.319_696_978],
    [5.0, -1.122_254_670],
    [5.3, -0.834_831_461],
    [6.0, -0.134_831_461],
    [8.0, 1.865_168_539],
];

fn regimes() -> Study {
    const POISSON: f64 = 0.22;
    let ratio = 2.0 * (1.0 - POISSON) / (2.0 - POISSON);
    // (5): χ = (1 + 1/K²) κ/2.
    let chi = 0.5 * SLIP_RATIO * ratio;
    let checks = REGIMES.map(|[psi, expected]| {
        let tolerance = if psi > 4.0 * chi - 1.0 {
            Tolerance::absolute(5e-6, "full slip: second order at 500 steps in the contact")
        } else {
            Tolerance::absolute(
                2e-4,
                "stick begins and ends within a step: first order at 500 steps in the contact",
            )
        };
        let check = Check::new(
            format!("{psi}"),
            format!("ψ_out at ψ_in = {psi}, ν = {POISSON}"),
            expected,
            tolerance,
        )
        .on_devices(Tolerance::absolute(2e-5, "f32, in units of μ/κ of the speed"));
        if psi == 4.2 || psi == 4.7 || psi == 5.0 {
            check.erratum(format!(
                "the caption of Fig. 2 has full slip from 4χ − 1 ≈ 4.2 on instead of {:.3}, which gives {:.6}",
                4.0 * chi - 1.0,
                psi - 4.0 * chi
            ))
        } else {
            check
        }
    });
    Study {
        name: "costa-regimes",
        source: "Costa et al., (4), (5), Fig. 2",
        summary: "Three regimes of an elastic oblique impact: it begins with stick up to ψ = 1, slips, sticks and \
                  slips up to 4χ − 1, and slips throughout beyond, ψ_out = ψ_in − 4χ.",
        engines: Engines::All,
        quick: true,
        checks: checks.to_vec(),
        measure: Box::new(move |bench| {
            let friction = 0.1;
            let mut points = Vec::new();
            for [psi, _] in REGIMES {
                let slip = psi * friction / ratio;
                let pair = Pair {
                    stiffness: Some(1e6),
                    restitution: Some(1.0),
                    tangential_stiffness: Some(1e6 * ratio),
                    friction,
                    ..Pair::new(0, 1)
                };
                let mut collision = head_on(NormalLaw::Linear, pair);
                collision.laws.tangential = TangentialLaw::Linear;
                let outcome = bench.collide(&Collision {
                    wall: true,
                    angle: slip.atan(),
                    speed: slip.hypot(1.0),
                    ..collision
                })?;
                points.push([psi, outcome.psi_out * ratio / friction]);
            }
            let curve = |label: &str, points: Vec<[f64; 2]>, style: Style, colour: usize| Curve {
                label: label.into(),
                points,
                style,
                colour: Colour::of_category(colour),
            };
            let line = |from: f64| vec![[from, from - 4.0 * chi], [8.0, 8.0 - 4.0 * chi]];
            let figure = Figure {
                name: "costa-regimes",
                caption: "Rebound against incidence of an elastic sphere, ν = 0.22 (Fig. 2): the line of full \
                          slip begins at 4χ − 1 = 5.135, not at 4.2."
                    .into(),
                drawing: Drawing::Plot(Plot {
                    title: "Stick and slip of an elastic impact".into(),
                    subtitle: "Costa et al., Fig. 2".into(),
                    x_label: "ψ in".into(),
                    y_label: "ψ out".into(),
                    curves: vec![
                        curve("exact", REGIMES.to_vec(), Style::ThinLine, 2),
                        curve("full slip", line(4.0 * chi - 1.0), Style::Line, 1),
                        curve("from 4.2 on", line(4.2), Style::Dashed, 3),
                        curve("lahar", points.clone(), Style::Points, 0),
                    ],
                    ..Plot::default()
                }),
            };
            Ok(Measured {
                values: points.iter().map(|point| point[1]).collect(),
                figures: vec![figure],
            })
        }),
    }
}

/// Steps in a contact.
const RESOLUTIONS: [f64; 5] = [8.0, 10.0, 20.0, 50.0, 100.0];

/// Where in a step the spheres touch: a contact may begin anywhere.
const PHASES: [f64; 8] = [0.05, 0.175, 0.3, 0.425, 0.55, 0.675, 0.8, 0.925];

fn steps_per_contact() -> Study {
    let steel = &MATERIALS[0];
    let checks = RESOLUTIONS.into_iter().flat_map(|n| {
        let n2 = n * n;
        let normal = Tolerance::absolute(
            0.02 / n2 + 50.0 / (n2 * n2),
            "0.02/N² + 50/N⁴: hardly any second order so near e_n = 1, and the next even one at few steps",
        );
        let tangential = Tolerance::absolute(
            1.6 / n2,
            "second order, 1.6/N²: the slip of the first, partial step is taken as it was at touch",
        );
        [
            Check::new(
                format!("{n}/normal"),
                format!("e_n with N = {n} steps in the contact, furthest off of 8 moments of touch"),
                steel.e_n,
                normal,
            ),
            Check::new(
                format!("{n}/tangential"),
                format!("e_t with N = {n} steps in the contact, no slip, furthest off of 8 moments of touch"),
                steel.e_t,
                tangential,
            ),
        ]
    });
    Study {
        name: "costa-steps",
        source: "Costa et al., (16)–(19), (24)–(26)",
        summary: "Both restitutions come out as they went in however few steps the contact is stretched over. Touch \
                  falls anywhere within a step; what is shown is the worst. k_t and η_t are those with which the leapfrog, rather \
                  than the continuous motion, has the wanted solution, and a dashpot acts up to the moment at which \
                  the contact ends. (In the paper N counts steps of the flow, each of which is 50 steps of the spheres.) \
                  For e_t friction is made so strong that nothing slips, and e_n = 1, for an attractive end \
                  of the contact carries no friction.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for n in RESOLUTIONS {
                let impact = |slip: f64, phase: f64| Collision {
                    step: Step::PerContact(n),
                    phase,
                    ..steel.impact(slip)
                };
                let worst = |wanted: f64, found: Vec<f64>| {
                    let off = |x: &f64| (x - wanted).abs();
                    found.into_iter().max_by(|a, b| off(a).total_cmp(&off(b)))
                };
                let mut normal = Vec::new();
                let mut tangential = Vec::new();
                for phase in PHASES {
                    normal.push(bench.collide(&impact(0.0, phase))?.restitution);
                    let mut sticking = impact(0.1, phase);
                    sticking.pair.friction = 1e4;
                    sticking.pair.restitution = Some(1.0);
                    let outcome = bench.collide(&sticking)?;
                    tangential.push(-outcome.psi_out / outcome.psi_in);
                }
                values.extend(worst(steel.e_n, normal));
                values.extend(worst(steel.e_t, tangential));
            }
            Ok(Measured::values(values))
        }),
    }
}

fn oblique(sphere: &'static Sphere) -> Study {
    let tolerance = Tolerance::absolute(
        2e-4,
        "stick begins and ends within a step: first order at 500 steps in the contact",
    );
    let device = Tolerance::absolute(2e-6, Tolerance::DEVICE.reason);
    let mut checks: Vec<Check> = sphere
        .exact
        .iter()
        .map(|&[slip, expected]| {
            Check::new(
                format!("{slip}"),
                format!("Ψ_out at Ψ_in = {slip}"),
                expected,
                tolerance,
            )
            .on_devices(device)
        })
        .collect();
    checks.push(
        Check::new(
            "walton/slip",
            "Ψ_out less Walton's line (9b) at Ψ_in = 1.5",
            0.0,
            Tolerance::absolute(
                1e-3,
                "no friction while a damped contact attracts at its end, 0.6 % of its duration",
            ),
        )
        .on_devices(device),
    );
    checks.push(
        Check::new(
            "walton/stick",
            "Ψ_out less Walton's line (9a) at Ψ_in = 0.3",
            0.0,
            Tolerance::absolute(
                1e-3,
                "brief slip where the normal force vanishes, at either end",
            ),
        )
        .on_devices(device),
    );
    let [slip, out] = sphere.exact[11];
    let spin = (out - slip) * 2.5 / 3.5;
    checks.push(
        Check::new(
            "spin",
            "R ω over the normal speed before, after Ψ_in = 1.5",
            spin,
            Tolerance::absolute(1e-7, "full slip: second order at 500 steps in the contact"),
        )
        .erratum(format!(
            "(42) prints T/(ρ_p I_p) for the angular acceleration, though I_p contains ρ_p: {:.3e}",
            spin / sphere.density
        ))
        .on_devices(device),
    );
    Study {
        name: sphere.name,
        source: sphere.source,
        summary: "Oblique impacts with spring, dashpot and slider, against the exact solution of the \
                  model and Walton's lines of stick and slip.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(|bench| measure_oblique(sphere, bench)),
    }
}

fn measure_oblique(sphere: &Sphere, bench: &dyn Bench) -> Result<Measured> {
    let mut points = Vec::new();
    let mut spin = f64::NAN;
    for [slip, _] in sphere.exact {
        let outcome = bench.collide(&sphere.impact(slip))?;
        points.push([slip, outcome.psi_out]);
        // Of the last, in full slip; the normal speed is 1 m/s.
        spin = outcome.spin[0].z * 0.5 * DIAMETER;
    }
    let beside_walton = |wanted: f64| {
        let found = points.iter().find(|point| point[0] == wanted);
        found.map_or(f64::NAN, |&[slip, out]| out - sphere.walton(slip))
    };
    let mut values: Vec<f64> = points.iter().map(|point| point[1]).collect();
    values.extend([beside_walton(1.5), beside_walton(0.3), spin]);
    let slips = (0..=150).map(|k| 0.01 * f64::from(k));
    let curve = |label: &str, points: Vec<[f64; 2]>, style: Style, colour: Colour| Curve {
        label: label.into(),
        points,
        style,
        colour,
    };
    let [blue, orange] = [0, 1].map(Colour::of_category);
    let walton = slips.map(|slip| [slip, sphere.walton(slip)]).collect();
    let figure = Figure {
        name: sphere.figure,
        caption: format!(
            "Rebound against incidence, {}: Walton's lines (9), the exact solution of the soft model, \
             and lahar. The paper plots ψ = 2(1−ν)Ψ/((2−ν)μ), for which Table IV lacks ν.",
            sphere.source.trim_start_matches("Costa et al., ")
        ),
        drawing: Drawing::Plot(Plot {
            title: "Oblique impact on a wall, dry".into(),
            subtitle: sphere.source.into(),
            x_label: "Ψ_in, slip over normal speed".into(),
            y_label: "Ψ_out".into(),
            curves: vec![
                curve("Walton (9)", walton, Style::Dashed, orange),
                curve("exact", sphere.exact.to_vec(), Style::ThinLine, Colour::INK),
                curve("lahar", points, Style::Points, blue),
            ],
            ..Plot::default()
        }),
    };
    Ok(Measured {
        values,
        figures: vec![figure],
    })
}

fn saturation() -> Study {
    let steel = &MATERIALS[0];
    Study {
        name: "costa-saturation",
        source: "Costa et al., (28)",
        summary: "While the contact slides, spring and dashpot together give the Coulomb force: \
                  |k_t ξ + η_t u_t| = μ|F_n|. Steel at Ψ = 1.5, through the middle half of the contact.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "force",
                "largest deviation of |k_t ξ + η_t u_t| from μ|F_n|, over it",
                0.0,
                Tolerance::absolute(
                    5e-5,
                    "ξ is kept half a step ahead, and taken back along the slip: second order at 500 steps",
                ),
            )
            .erratum("the condition of (28) must be read with the force before it is capped")
            .on_devices(Tolerance::absolute(1e-4, "f32 springs")),
        ],
        measure: Box::new(|bench| {
            let step = CONTACT_TIME / STEPS;
            let collision = Collision {
                step: Step::Seconds(step),
                ..steel.impact(1.5)
            };
            let scene = collision.scene(step)?;
            let mut engine = bench.start(&scene, step)?;
            let mass = sphere_mass(steel.density, 0.5 * DIAMETER);
            let (kn, eta_n) =
                stretched_normal_coefficients(mass, steel.e_n, CONTACT_TIME, ContactEnd::Overlap);
            let (kt, eta_t) = stepped_tangential_coefficients(
                tangential_reduced_mass(mass),
                steel.e_t,
                CONTACT_TIME,
                step,
            );
            let mut worst = 0.0_f64;
            for look in 0..6 {
                engine.run(if look == 0 { 125 } else { 50 })?;
                let state = engine.state()?;
                let Some(contact) = state.contacts.first() else {
                    return Ok(Measured::values([f64::NAN]));
                };
                let (velocity, spin) = (state.particles.velocity[0], state.particles.spin[0]);
                let slip = velocity - velocity.x * DVec3::X + 0.5 * DIAMETER * spin.cross(DVec3::X);
                let spring = contact.spring - 0.5 * step * slip;
                let force = (kt * spring + eta_t * slip).length();
                let limit = steel.friction * (kn * contact.overlap + eta_n * velocity.x);
                worst = worst.max((force / limit - 1.0).abs());
            }
            Ok(Measured::values([worst]))
        }),
    }
}

/// Velocity of the first sphere (m/s) and its spin (rad/s) after a soft oblique impact: integration by
/// Runge & Kutta in the plane, where the spring is one number along the turning tangent, to 11 digits.
const TURNED: [f64; 3] = [0.051_944_261_37, 0.651_907_876_58, -27.442_221_405];

fn rotation() -> Study {
    let tolerance = Tolerance::relative(
        5e-3,
        "first order at 500 steps: friction is not corrected for the part of a step in which a contact ends",
    );
    let device = Tolerance::relative(
        1e-5,
        "f32 spins and springs: a torque of one sign is rounded at each of 500 steps",
    );
    let checked = |name: &str, quantity: &str, expected: f64| {
        Check::new(name, quantity, expected, tolerance).on_devices(device)
    };
    Study {
        name: "costa-rotation",
        source: "Costa et al., (27)",
        summary: "Two soft spheres meet at 45° and turn about each other by 0.2 rad while they touch: the \
                  tangential spring has to turn with them. Linear springs, no slip, no damping.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            checked(
                "along",
                "velocity of sphere 1 along the first normal, m/s",
                TURNED[0],
            ),
            checked("across", "velocity of sphere 1 across it, m/s", TURNED[1]),
            checked("spin", "spin of sphere 1, rad/s", TURNED[2]),
        ],
        measure: Box::new(|bench| {
            let pair = Pair {
                stiffness: Some(1500.0),
                restitution: Some(1.0),
                tangential_stiffness: Some(1000.0),
                friction: 1e4,
                ..Pair::new(0, 1)
            };
            let mut collision = head_on(NormalLaw::Linear, pair);
            collision.laws.tangential = TangentialLaw::Linear;
            collision.angle = std::f64::consts::FRAC_PI_4;
            let outcome = bench.collide(&collision)?;
            Ok(Measured::values([
                outcome.velocity[0].x,
                outcome.velocity[0].y,
                outcome.spin[0].z,
            ]))
        }),
    }
}

/// Collision times over a decade, s.
const STRETCHED: [f64; 4] = [1e-4, 2e-4, 5e-4, 1e-3];

/// Largest overlap over D `T_n/T_n*` with (20) as printed: `e_n^x/e^x`, x = arcsin(π/a)/π.
fn euler_for_restitution(e_n: f64) -> f64 {
    let pi = std::f64::consts::PI;
    let x = (pi / e_n.ln().hypot(pi)).asin() / pi;
    (e_n.ln() * x - x).exp()
}

fn stretching() -> Study {
    let steel = &MATERIALS[0];
    let checks = STRETCHED.into_iter().flat_map(|time| {
        [
            Check::new(
                format!("{time}/restitution"),
                format!("e_n with T_n = {time} s"),
                steel.e_n,
                Tolerance::STEPPED,
            ),
            Check::new(
                format!("{time}/slip"),
                format!("Ψ_out at Ψ_in = 0.5 with T_n = {time} s"),
                -0.163_478_098_461_604_33,
                Tolerance::absolute(2e-4, "first order at 500 steps in the contact"),
            )
            .on_devices(Tolerance::absolute(2e-6, Tolerance::DEVICE.reason)),
            Check::new(
                format!("{time}/overlap"),
                format!("largest overlap over D T_n/T_n* (20) with T_n = {time} s"),
                1.0,
                Tolerance::STEPPED,
            )
            .erratum(format!(
                "(20) prints Euler's number where e_n belongs, with which it is {:.6}",
                euler_for_restitution(steel.e_n)
            )),
        ]
    });
    Study {
        name: "costa-stretching",
        source: "Costa et al., (20)",
        summary: "The same rebound, whatever the collision time is stretched to; only the overlap grows.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for time in STRETCHED {
                let mut collision = steel.impact(0.5);
                collision.laws.contact_time = Some(time);
                let outcome = bench.collide(&collision)?;
                let limit = stretched_contact_time_limit(DIAMETER, 1.0, steel.e_n);
                values.extend([
                    outcome.restitution,
                    outcome.psi_out,
                    outcome.max_overlap / (DIAMETER * time / limit),
                ]);
            }
            Ok(Measured::values(values))
        }),
    }
}

fn weight() -> Study {
    const TIME: f64 = 2e-3;
    const RESTITUTION: f64 = 0.5;
    Study {
        name: "costa-weight",
        source: "Costa et al., (21)",
        summary: "A sphere that rests on a wall overlaps it by its weight over k_n: the other limit to \
                  stretching, here without buoyancy.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "overlap",
                "overlap at rest over D (T_n/T_n*)²",
                1.0,
                Tolerance::relative(1e-6, "what is left of the motion after 100 collision times"),
            )
            .erratum(format!(
                "the line before (21) lacks the mass of the sphere, without which the overlap is {:.0} times that",
                1.0 / sphere_mass(7800.0, 0.5 * DIAMETER)
            )),
        ],
        measure: Box::new(|bench| {
            let gravity = 9.81;
            let radius = 0.5 * DIAMETER;
            let steps = 50.0;
            let scene = Scene::builder()
                .domain(DVec3::splat(-0.01), DVec3::splat(0.01))
                .gravity(DVec3::NEG_Z * gravity)
                .end_time(100.0 * TIME)
                .time_step(TIME / steps)
                .contact(ContactLaws {
                    normal: NormalLaw::LinearStretched,
                    tangential: TangentialLaw::None,
                    contact_time: Some(TIME),
                    ..ContactLaws::default()
                })
                .material("steel", 7800.0, None, 0.3)
                .pair(Pair {
                    restitution: Some(RESTITUTION),
                    ..Pair::new(0, 0)
                })
                .particle(Particle::new(DVec3::Z * radius, radius, 0))
                .wall(
                    "floor",
                    0,
                    WallShape::Plane {
                        point: DVec3::ZERO,
                        normal: DVec3::Z,
                    },
                )
                .build()?;
            let mut engine = bench.simulate(&scene)?;
            engine.run(5000)?;
            let state = engine.state()?;
            let overlap = state.contacts.first().map_or(f64::NAN, |c| c.overlap);
            // (21): D (T/T*)² with T*² = D a²/g.
            let a_square = std::f64::consts::PI.powi(2) + RESTITUTION.ln().powi(2);
            Ok(Measured::values([
                overlap / (gravity * TIME * TIME / a_square)
            ]))
        }),
    }
}
