//! Section 4.2: a ball that comes to rest on a floor.

use super::{RADIUS, curve};
use crate::error::Result;
use crate::hard::{Face, FaceShape, HardEngine, HardModel, Hit, Leaving, StartingGrain};
use crate::laws::hard_sphere::CollisionRule;
use crate::laws::tc::{Bouncing, Dimensions};
use crate::render::{Plot, Style};
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use glam::DVec3;

/// v₁ (m/s), r, `t_c` (s).
const BALLS: [[f64; 3]; 3] = [[1.0, 0.9, 1e-3], [2.0, 0.5, 1e-2], [1.0, 0.99, 1e-4]];
const GRAVITY: f64 = 9.81;
/// Elastic bounces that are watched.
const WATCHED: u32 = 200;

pub(super) fn study() -> Study {
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
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for [speed, r, t_c] in BALLS {
                values.extend(bounce(bench, speed, r, t_c)?);
            }
            Ok(Measured {
                values,
                figures: vec![ball_figure(bench)?],
            })
        }),
    }
}

fn ball_on_floor(
    bench: &dyn Bench,
    speed: f64,
    restitution: f64,
    contact_duration: f64,
) -> HardEngine {
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
        rules: vec![bench.hard_rule(CollisionRule::Smooth { restitution })],
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
fn bounce(
    bench: &dyn Bench,
    speed: f64,
    restitution: f64,
    contact_duration: f64,
) -> Result<[f64; 6]> {
    let mut engine = ball_on_floor(bench, speed, restitution, contact_duration);
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

fn ball_figure(bench: &dyn Bench) -> Result<Figure> {
    let cases = [
        ("t_c = 10⁻¹ s", 0.1),
        ("t_c = 10⁻² s", 1e-2),
        ("t_c = 10⁻³ s", 1e-3),
    ];
    let mut curves = Vec::new();
    for (k, (label, t_c)) in cases.into_iter().enumerate().rev() {
        let mut engine = ball_on_floor(bench, 1.0, 0.8, t_c);
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
