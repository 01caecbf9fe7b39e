//! How fast restitution and contact time converge with the time step.
//!
//! Run it with `cargo run --release --example convergence -- --out docs`; it puts its tables between the
//! markers of `verification.md` there, and `convergence.png` beside it. For each law, 60 touch phases and steps that do not
//! divide the contact time; the worst error counts. Beside the engine stands the plain scheme that
//! samples the force once per step with the velocity of half a step before, as most codes do.
//! Expected: errors of the engine fall like Δt² (Tsuji: like Δt^1.3), those of the plain scheme
//! like Δt. `--quick` takes fewer phases and steps.

#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use glam::DVec3;
use lahar::collide::{Collision, Step};
use lahar::contact::{ContactModel, NormalCoefficients, normal_response};
use lahar::laws::collision::{hertz_tsuji_collision, hertz_viscous_collision};
use lahar::laws::damping::tsuji_damping_ratio;
use lahar::laws::hertz::hertz_time_unit;
use lahar::laws::linear::{linear_contact_time, linear_damping_ratio_from_restitution};
use lahar::laws::material::sphere_mass;
use lahar::laws::{ContactEnd, ended_normal_force};
use lahar::render::{Colour, Curve, Plot, Style};
use lahar::scene::{ContactLaws, Material, NormalLaw, Pair, Scene, TangentialLaw};
use std::fmt::Write as _;
use std::path::PathBuf;

const RADIUS: f64 = 0.01;
const DENSITY: f64 = 2500.0;
const SPEED: f64 = 1.0;

/// A law with coefficients, and what it gives exactly.
struct Case {
    name: String,
    collision: Collision,
    restitution: f64,
    contact_time: f64,
}

fn case(law: NormalLaw, end: ContactEnd, restitution: f64) -> Case {
    let mass = 0.5 * sphere_mass(DENSITY, RADIUS);
    let mut pair = Pair::new(0, 1);
    let (restitution, contact_time) = match law {
        NormalLaw::Linear => {
            let stiffness = 1e4;
            pair.stiffness = Some(stiffness);
            pair.restitution = Some(restitution);
            let ratio = linear_damping_ratio_from_restitution(restitution, end);
            (
                restitution,
                linear_contact_time(ratio, stiffness, mass, end),
            )
        }
        NormalLaw::HertzTsuji => {
            pair.stiffness = Some(1e6);
            pair.restitution = Some(restitution);
            let exact = hertz_tsuji_collision(tsuji_damping_ratio(restitution, end), end);
            let unit = hertz_time_unit(1e6, mass, SPEED);
            (restitution, unit * exact.contact_time)
        }
        _ => {
            // Hertz with viscous damping has no closed inverse for both ends: bisect on λ.
            let (mut low, mut high) = (0.0, 0.56);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if hertz_viscous_collision(middle, end).restitution > restitution {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let lambda = if restitution == 1.0 { 0.0 } else { low };
            let unit = hertz_time_unit(1e6, mass, SPEED);
            pair.stiffness = Some(1e6);
            pair.damping = Some(2.0 * lambda * mass / unit);
            let exact = hertz_viscous_collision(lambda, end);
            (exact.restitution, unit * exact.contact_time)
        }
    };
    let material = |name: &str| Material {
        name: name.into(),
        density: DENSITY,
        young: None,
        poisson: 0.3,
    };
    let end_name = lahar::scene::contact_end_name(end);
    Case {
        name: format!(
            "{} e = {restitution:.1}, end at zero {end_name}",
            law.name()
        ),
        collision: Collision {
            laws: ContactLaws {
                normal: law,
                tangential: TangentialLaw::None,
                end,
                ..ContactLaws::default()
            },
            radius: [RADIUS; 2],
            material: [material("first"), material("second")],
            pair,
            wall: false,
            speed: SPEED,
            angle: 0.0,
            spin: 0.0,
            gravity: 0.0,
            origin: DVec3::ZERO,
            step: Step::PerContact(50.0),
            phase: 0.5,
        },
        restitution,
        contact_time,
    }
}

/// Evenly spread numbers in [0, 1).
fn spread(k: u32) -> f64 {
    (f64::from(k) * 0.618_033_988_749_895 + 0.137).fract()
}

/// Worst relative errors of restitution and contact time, engine and plain scheme.
fn worst(case: &Case, steps: f64, phases: u32) -> lahar::Result<[f64; 4]> {
    let mut worst = [0.0f64; 4];
    for k in 0..phases {
        let step = case.contact_time / (steps * (1.0 + 0.37 * spread(7 * k + 3)));
        let phase = spread(k);
        let outcome = Collision {
            step: Step::Seconds(step),
            phase,
            ..case.collision.clone()
        }
        .run()?;
        let (restitution, time) = plain(case, step, phase);
        let errors = [
            outcome.restitution / case.restitution - 1.0,
            outcome.contact_time.unwrap_or(f64::INFINITY) / case.contact_time - 1.0,
            restitution / case.restitution - 1.0,
            time / case.contact_time - 1.0,
        ];
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = worst.max(error.abs());
        }
    }
    Ok(worst)
}

/// Leapfrog that samples the force at each step, with the velocity of half a step before.
fn plain(case: &Case, step: f64, phase: f64) -> (f64, f64) {
    let collision = &case.collision;
    let mass = 0.5 * sphere_mass(DENSITY, RADIUS);
    let model = ContactModel {
        laws: collision.laws,
        ..ContactModel::new(&Scene {
            pairs: vec![collision.pair],
            materials: collision.material.to_vec(),
            contact: collision.laws,
            ..empty_scene()
        })
    };
    let law = collision.laws.normal;
    let coefficients = NormalCoefficients::of(law, model.pair(0, 1), mass, 0.5 * RADIUS, [0.0; 2]);
    let (mut overlap, mut rate) = (-phase * step * SPEED, SPEED);
    let (mut time, mut begin, mut end) = (0.0, None, None);
    loop {
        let before = overlap;
        overlap += rate * step;
        time += step;
        if begin.is_none() && overlap > 0.0 {
            begin = Some(time - overlap / rate);
        }
        if overlap <= 0.0 && begin.is_some() {
            let end = end.unwrap_or(time - overlap / rate);
            return (-rate / SPEED, end - begin.unwrap_or(0.0));
        }
        if overlap > 0.0 {
            let (elastic, damping) = normal_response(law, coefficients, overlap);
            let force = elastic + damping * rate;
            if force < 0.0 && end.is_none() && collision.laws.end == ContactEnd::Force {
                end = Some(time - 0.5 * (before - overlap) / rate.abs());
            }
            rate -= ended_normal_force(collision.laws.end, force, 0.0) / mass * step;
        }
    }
}

fn empty_scene() -> Scene {
    use lahar::scene::{Domain, Leaving, Neighbours, Output, Time, TimeStep};
    Scene {
        title: String::new(),
        domain: Domain {
            lower: DVec3::ZERO,
            upper: DVec3::ONE,
            periodic: [false; 3],
            leaving: Leaving::Stop,
        },
        gravity: DVec3::ZERO,
        time: Time {
            end: 1.0,
            step: TimeStep::Auto,
            force_step: false,
            expected_speed: None,
        },
        contact: ContactLaws::default(),
        materials: Vec::new(),
        pairs: Vec::new(),
        particles: Vec::new(),
        walls: Vec::new(),
        neighbours: Neighbours { skin: None },
        output: Output::default(),
        hard: None,
        fluid: None,
    }
}

/// What stands before and after the tables.
const MARKERS: [&str; 2] = [
    "<!-- made by the example convergence: begin -->",
    "<!-- made by the example convergence: end -->",
];

/// The page with the tables between its markers, or at its end if it has none.
fn marked(page: &str, tables: &str) -> String {
    let [begin, end] = MARKERS;
    let (before, rest) = page.split_once(begin).unwrap_or((page, ""));
    let after = rest.split_once(end).map_or("\n", |(_, after)| after);
    format!("{before}{begin}\n{tables}{end}{after}")
}

fn main() -> lahar::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|a| a == "--quick");
    let out = arguments
        .iter()
        .position(|a| a == "--out")
        .and_then(|k| arguments.get(k + 1))
        .map_or_else(|| PathBuf::from("out"), PathBuf::from);
    let resolutions: &[f64] = if quick {
        &[50.0, 100.0]
    } else {
        &[20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]
    };
    let phases = if quick { 6 } else { 60 };

    let mut text = String::from(
        "## Convergence of a collision\n\n\
         Two equal spheres meet head-on. Worst relative error of restitution (e) and contact time (t)\n\
         over 60 touch phases and steps that do not divide the contact time, against the exact\n\
         solution of the law. *plain* is the leapfrog that samples the force once per step with the\n\
         velocity of half a step before; *lahar* is the engine that runs beds, in which contacts begin\n\
         and end inside a step.\n\n",
    );
    let mut curves = Vec::new();
    let laws = [
        NormalLaw::Linear,
        NormalLaw::HertzViscous,
        NormalLaw::HertzTsuji,
    ];
    for end in [ContactEnd::Overlap, ContactEnd::Force] {
        for law in laws {
            for restitution in [0.3, 0.5, 0.8, 1.0] {
                let case = case(law, end, restitution);
                let _ = write!(
                    text,
                    "### {}\n\n| steps per contact | e, lahar | e, plain | t, lahar | t, plain |\n\
                     |---|---|---|---|---|\n",
                    case.name
                );
                let mut points = [Vec::new(), Vec::new()];
                for &steps in resolutions {
                    let [e, t, plain_e, plain_t] = worst(&case, steps, phases)?;
                    let _ = writeln!(
                        text,
                        "| {steps} | {e:.1e} | {plain_e:.1e} | {t:.1e} | {plain_t:.1e} |"
                    );
                    points[0].push([steps, e]);
                    points[1].push([steps, plain_e]);
                }
                text.push('\n');
                if end == ContactEnd::Overlap && restitution == 0.8 {
                    let colour = Colour::of_category(curves.len() / 2);
                    for (points, (scheme, style)) in points
                        .into_iter()
                        .zip([("lahar", Style::Line), ("plain", Style::Dashed)])
                    {
                        curves.push(Curve {
                            label: format!("{}, {scheme}", law.name()),
                            points,
                            style,
                            colour,
                        });
                    }
                }
            }
        }
    }
    text.push_str("![Error of restitution against steps per contact](convergence.png)\n");
    std::fs::create_dir_all(&out).map_err(|e| lahar::Error::io(&out, "create directory", e))?;
    let report = out.join("verification.md");
    let page = std::fs::read_to_string(&report).unwrap_or_default();
    std::fs::write(&report, marked(&page, &text))
        .map_err(|e| lahar::Error::io(&report, "write", e))?;
    Plot {
        title: "Restitution converges with the second order of the step".into(),
        subtitle: "worst of 60 touch phases, e = 0.8, contact ends at zero overlap".into(),
        x_label: "steps per contact".into(),
        y_label: "relative error of e".into(),
        curves,
        log_x: true,
        log_y: true,
    }
    .write_png(out.join("convergence.png"), 1000, 620)?;
    println!("wrote {} and convergence.png beside it", report.display());
    Ok(())
}
