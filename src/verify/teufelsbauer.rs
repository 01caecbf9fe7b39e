//! Teufelsbauer, Hübl & Wu (2009): the linear spring and dashpot, and the mass that belongs in it.

use super::bench::{duration, head_on, materials};
use super::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use crate::collide::{Collision, Outcome, Sample};
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::laws::linear::{
    linear_contact_time, linear_damping, linear_damping_ratio,
    linear_damping_ratio_from_restitution, linear_max_overlap, linear_motion, linear_restitution,
};
use crate::laws::material::{reduced, sphere_volume};
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{NormalLaw, Pair};

pub(super) fn studies() -> Vec<Study> {
    let mut studies: Vec<Study> = CASES.iter().map(case_study).collect();
    studies.push(closed_forms());
    studies
}

/// One of the case studies of section 5, SI units.
struct CaseStudy {
    name: &'static str,
    source: &'static str,
    summary: &'static str,
    figures: [&'static str; 2],
    masses: [f64; 2],
    stiffnesses: [f64; 2],
    ratio: f64,
    gravity: f64,
}

/// Approach speed of all of them, m/s (the paper counts overlaps as negative and writes −2).
const SPEED: f64 = 2.0;

/// Radius of the spheres, m: the paper does not say, and it does not matter.
const RADIUS: f64 = 0.1;

const CASES: [CaseStudy; 3] = [
    CaseStudy {
        name: "teufelsbauer-case1",
        source: "Teufelsbauer, Hübl & Wu, case study 1, Figs. 3 and 4",
        summary: "Equal spheres, α = 0.5, no gravity. With the reduced mass in c = 2α√(m k) the \
                  collision is the closed form; with the arithmetic mean (12), as PFC had it, the real \
                  damping ratio of the pair is √2 times larger.",
        figures: ["teufelsbauer-case1-force", "teufelsbauer-case1-overlap"],
        masses: [5.0, 5.0],
        stiffnesses: [1e4, 1e4],
        ratio: 0.5,
        gravity: 0.0,
    },
    CaseStudy {
        name: "teufelsbauer-case2",
        source: "Teufelsbauer, Hübl & Wu, case study 2, Figs. 5 and 6",
        summary: "Equal spheres, α = 2: over-damped. While attraction is kept they never separate; where \
                  it is cut they do.",
        figures: ["teufelsbauer-case2-force", "teufelsbauer-case2-overlap"],
        masses: [5.0, 5.0],
        stiffnesses: [1e4, 1e4],
        ratio: 2.0,
        gravity: 0.0,
    },
    CaseStudy {
        name: "teufelsbauer-case3",
        source: "Teufelsbauer, Hübl & Wu, case study 3, Figs. 7 and 8",
        summary: "Unequal spheres, α = 0.4, in gravity. Gravity accelerates both alike and drops out of \
                  the overlap, so the closed form holds; section 3 of the paper says that it does not.",
        figures: ["teufelsbauer-case3-force", "teufelsbauer-case3-overlap"],
        masses: [5.0, 15.0],
        stiffnesses: [1e5, 1e6],
        ratio: 0.4,
        gravity: 9.81,
    },
];

/// Which mass is put in c = 2α√(m k).
#[derive(Clone, Copy)]
enum Mass {
    Reduced,
    ArithmeticMean,
}

impl CaseStudy {
    fn stiffness(&self) -> f64 {
        reduced(self.stiffnesses[0], self.stiffnesses[1])
    }

    fn reduced_mass(&self) -> f64 {
        reduced(self.masses[0], self.masses[1])
    }

    fn damping(&self, mass: Mass) -> f64 {
        let mass = match mass {
            Mass::Reduced => self.reduced_mass(),
            Mass::ArithmeticMean => 0.5 * (self.masses[0] + self.masses[1]),
        };
        linear_damping(self.ratio, self.stiffness(), mass)
    }

    /// Damping ratio that the pair really has.
    fn true_ratio(&self, mass: Mass) -> f64 {
        linear_damping_ratio(self.damping(mass), self.stiffness(), self.reduced_mass())
    }

    fn collision(&self, mass: Mass) -> Collision {
        let pair = Pair {
            stiffness: Some(self.stiffness()),
            damping: Some(self.damping(mass)),
            ..Pair::new(0, 1)
        };
        Collision {
            radius: [RADIUS; 2],
            material: materials(self.masses.map(|mass| mass / sphere_volume(RADIUS))),
            speed: SPEED,
            gravity: self.gravity,
            ..head_on(NormalLaw::Linear, pair)
        }
    }

    /// Overlap and force at a time since first touch, by (7a), (7b) and the force law.
    fn exact(&self, mass: Mass, time: f64) -> [f64; 2] {
        let ratio = self.true_ratio(mass);
        let (overlap, rate) =
            linear_motion(ratio, self.stiffness(), self.reduced_mass(), SPEED, time);
        [
            overlap,
            self.stiffness() * overlap + self.damping(mass) * rate,
        ]
    }
}

fn case_study(case: &'static CaseStudy) -> Study {
    let (k, m) = (case.stiffness(), case.reduced_mass());
    let ratio = case.ratio;
    let along = |name: &str, quantity: &str| {
        let tolerance = Tolerance::absolute(
            2e-4,
            "second order at 500 steps in the contact, from the second step on; α = 2 is stiff",
        );
        let device = Tolerance::absolute(2e-6, Tolerance::DEVICE.reason);
        Check::new(name, quantity, 0.0, tolerance).on_devices(device)
    };
    let mut checks = vec![
        Check::new(
            "overlap",
            "largest overlap ξ, m",
            linear_max_overlap(ratio, k, m, SPEED),
            Tolerance::STEPPED,
        ),
        along(
            "course/overlap",
            "largest deviation of ξ(t) from (7), over its maximum",
        ),
        along(
            "course/force",
            "largest deviation of F(t) from (14), over its maximum",
        ),
        Check::new(
            "arithmetic/overlap",
            "largest overlap with the arithmetic mean (12) in c, m",
            linear_max_overlap(case.true_ratio(Mass::ArithmeticMean), k, m, SPEED),
            Tolerance::STEPPED,
        ),
        Check::new(
            "arithmetic/restitution",
            "ε with the arithmetic mean (12) in c",
            linear_restitution(case.true_ratio(Mass::ArithmeticMean), ContactEnd::Overlap),
            Tolerance::absolute(1e-5, "second order in the step, over the speed of approach"),
        ),
        Check::new(
            "restitution",
            "ε (10)",
            linear_restitution(ratio, ContactEnd::Overlap),
            Tolerance::STEPPED,
        )
        .erratum(
            "teufelsbauer (10)",
            "(10) lacks a minus sign: ε = −ξ̇(t_c)/ξ̇(0)",
        ),
    ];
    if ratio < 1.0 {
        checks.push(Check::new(
            "asked",
            "ε of a pair that is given ε instead of c",
            linear_restitution(ratio, ContactEnd::Overlap),
            Tolerance::STEPPED,
        ));
        checks.push(Check::new(
            "contact-time",
            "t_c (9), s",
            linear_contact_time(ratio, k, m, ContactEnd::Overlap),
            Tolerance::STEPPED,
        ));
    } else {
        checks.push(Check::new(
            "cut",
            "ε if the contact ends where the force vanishes",
            linear_restitution(ratio, ContactEnd::Force),
            Tolerance::relative(
                1e-4,
                "500 steps in the contact; a small rebound of a strong damper",
            ),
        ));
    }
    let notes: &[(&str, &'static str, &str)] = match case.name {
        "teufelsbauer-case1" => &[
            (
                "arithmetic/overlap",
                "teufelsbauer (12)",
                "(12) is followed by (14)",
            ),
            (
                "arithmetic/restitution",
                "teufelsbauer (20)",
                "before (20) the arithmetic mean is \"Case 1\", as the reduced mass is before (19)",
            ),
        ],
        "teufelsbauer-case3" => &[
            (
                "course/overlap",
                "teufelsbauer 3",
                "section 3 holds the closed form invalid with gravity and for m ≠ m_eff",
            ),
            (
                "course/force",
                "teufelsbauer (18)",
                "(18) has m(ξ̈ + g) where (16) has m(ξ̈ − g): F of sphere 1 would be 2mg = 98.1 N off",
            ),
        ],
        _ => &[],
    };
    for (name, misprint, note) in notes {
        for check in checks.iter_mut().filter(|check| check.name == *name) {
            *check = check.clone().erratum(misprint, *note);
        }
    }
    Study {
        name: case.name,
        source: case.source,
        summary: case.summary,
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(|bench| measure(case, bench)),
    }
}

fn measure(case: &CaseStudy, bench: &dyn Bench) -> Result<Measured> {
    let right = bench.collide(&case.collision(Mass::Reduced))?;
    let wrong = bench.collide(&case.collision(Mass::ArithmeticMean))?;
    let deviation = |which: usize| {
        let (mut largest, mut scale) = (0.0_f64, 0.0_f64);
        // In the step in which the spheres touch, the velocity changes by part of a kick.
        for sample in right.trace.iter().filter(|s| s.overlap > 0.0).skip(1) {
            let exact = case.exact(Mass::Reduced, sample.time)[which];
            let found = [sample.overlap, sample.normal_force][which];
            largest = largest.max((found - exact).abs());
            scale = scale.max(exact.abs());
        }
        largest / scale
    };
    let mut values = vec![
        right.max_overlap,
        deviation(0),
        deviation(1),
        wrong.max_overlap,
        wrong.restitution,
        right.restitution,
    ];
    if case.ratio < 1.0 {
        let mut asked = case.collision(Mass::Reduced);
        asked.pair.damping = None;
        asked.pair.restitution = Some(linear_restitution(case.ratio, ContactEnd::Overlap));
        values.push(bench.collide(&asked)?.restitution);
        values.push(duration(&right));
    } else {
        let mut cut = case.collision(Mass::Reduced);
        cut.laws.end = ContactEnd::Force;
        values.push(bench.collide(&cut)?.restitution);
    }
    Ok(Measured {
        values,
        figures: figures(case, &right, &wrong),
    })
}

fn figures(case: &CaseStudy, right: &Outcome, wrong: &Outcome) -> Vec<Figure> {
    let end = if case.ratio < 1.0 {
        linear_contact_time(
            case.ratio,
            case.stiffness(),
            case.reduced_mass(),
            ContactEnd::Overlap,
        )
    } else {
        0.12
    };
    let quantities = [("F", "force F in N", 1), ("ξ", "overlap ξ in m", 0)];
    let panels = case.figures.into_iter().zip(quantities);
    panels
        .map(|(name, (symbol, label, which))| {
            let exact = |mass: Mass, label: &str, style: Style, colour: Colour| Curve {
                label: label.into(),
                points: (0..=300)
                    .map(|k| end * f64::from(k) / 300.0)
                    .map(|t| [t, case.exact(mass, t)[which]])
                    .collect(),
                style,
                colour,
            };
            let simulated = |outcome: &Outcome, label: &str, colour: Colour| {
                let shown = |s: &&Sample| s.time >= 0.0 && s.time <= end && s.overlap > 0.0;
                let samples: Vec<&Sample> = outcome.trace.iter().filter(shown).collect();
                let every = samples.len().div_ceil(40).max(1);
                let points = samples.iter().step_by(every);
                Curve {
                    label: label.into(),
                    points: points
                        .map(|s| [s.time, [s.overlap, s.normal_force][which]])
                        .collect(),
                    style: Style::Points,
                    colour,
                }
            };
            let [blue, orange] = [0, 1].map(Colour::of_category);
            Figure {
                name,
                caption: format!(
                    "{symbol}(t) as in {}: the closed form and lahar, with the reduced mass and with \
                     the arithmetic mean in the damper.",
                    case.source.trim_start_matches("Teufelsbauer, Hübl & Wu, ")
                ),
                drawing: Drawing::Plot(Plot {
                    title: format!("Linear dashpot: {symbol}(t), α = {}", case.ratio),
                    subtitle: case.source.into(),
                    x_label: "time since first touch in s".into(),
                    y_label: label.into(),
                    curves: vec![
                        exact(Mass::Reduced, "reduced mass, closed form", Style::Line, blue),
                        exact(Mass::ArithmeticMean, "arithmetic mean, closed form", Style::Dashed, orange),
                        simulated(right, "reduced mass, lahar", blue),
                        simulated(wrong, "arithmetic mean, lahar", orange),
                    ],
                    ..Plot::default()
                }),
            }
        })
        .collect()
}

fn closed_forms() -> Study {
    let round_trip = [0.1, 0.3, 0.5, 0.7, 0.9, 0.99].map(|e| {
        Check::new(
            format!("inverse/{e}"),
            format!("ε (10) of α (11), for ε = {e}"),
            e,
            Tolerance::ROUNDING,
        )
    });
    let mut checks = round_trip.to_vec();
    checks.push(
        Check::new("sign", "ξ̇(0)/v₀ by (7a)", 1.0, Tolerance::ROUNDING)
            .erratum("teufelsbauer (5)", "(5) as printed gives −1"),
    );
    checks.push(
        Check::new(
            "mass",
            "m_eff (4) of 5 and 15 kg over half their harmonic mean",
            1.0,
            Tolerance::ROUNDING,
        )
        .erratum("teufelsbauer (4)", "the text below (4) and the conclusion call it a geometric mean, which is 8.660 kg instead of 3.75"),
    );
    Study {
        name: "teufelsbauer-formulas",
        source: "Teufelsbauer, Hübl & Wu, (4)–(11)",
        summary: "The closed forms among themselves.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(|_| {
            let mut values: Vec<f64> = [0.1, 0.3, 0.5, 0.7, 0.9, 0.99]
                .map(|e| {
                    let ratio = linear_damping_ratio_from_restitution(e, ContactEnd::Overlap);
                    linear_restitution(ratio, ContactEnd::Overlap)
                })
                .to_vec();
            let (_, rate) = linear_motion(0.5, 5000.0, 2.5, SPEED, 0.0);
            let harmonic = 2.0 / (1.0 / 5.0 + 1.0 / 15.0);
            values.extend([rate / SPEED, reduced(5.0, 15.0) / (0.5 * harmonic)]);
            Ok(Measured::values(values))
        }),
    }
}
