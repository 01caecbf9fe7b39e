//! `lahar collide`: one collision, through the engine that runs beds.

use super::backend::Backend;
use super::print;
use super::units::si;
use crate::collide::{Collision, Outcome, Step};
use crate::contact::NormalExponents;
use crate::error::{Error, Result};
use crate::gpu::device::Gpu;
use crate::laws::ContactEnd;
use crate::laws::material::sphere_volume;
use crate::scene::{ContactLaws, Material, NormalLaw, Pair, TangentialLaw};
use clap::Args;
use glam::DVec3;
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

/// Steps in one contact unless asked otherwise.
const DEFAULT_STEPS_PER_CONTACT: f64 = 100.0;

/// Poisson ratio where only Young's modulus is given.
const DEFAULT_POISSON: f64 = 0.3;

#[derive(Debug, Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
All values in SI units, angles in degrees. One value means both spheres alike.

What each law needs, besides radius, mass or density, and speed:
  linear               --stiffness and --damping or --restitution
  linear-stretched     --restitution and --contact-time
  hertz-viscous        --damping, and --stiffness or --young
  hertz-tsuji          --restitution, and --stiffness or --young
  hertz-kuwabara-kono  --viscoelastic-time, and --stiffness or --young
  hertz-adaptive       --restitution and --contact-time (--young caps the stiffness)

Examples:
  lahar collide --law linear --radius 0.1 --mass 5 --stiffness 5000 --damping 111.8 --speed 2
  lahar collide --law hertz-adaptive --radius 0.01 --density 7800 --wall --restitution 0.8 \\
      --contact-time 0.01 --speed 1
  lahar collide --law hertz-tsuji --radius 2.5e-3 --density 4000 --wall --young 3.8e11 \\
      --poisson 0.23 --restitution 0.98 --speed 3.9 --angle 30 --tangential mindlin --friction 0.092"
)]
pub(super) struct CollideArguments {
    /// Normal law: linear, linear-stretched, hertz-viscous, hertz-tsuji,
    /// hertz-kuwabara-kono, hertz-adaptive
    #[arg(long, verbatim_doc_comment, value_parser = parse_law::<NormalLaw>)]
    law: NormalLaw,
    /// Radius of each sphere, m
    #[arg(long, num_args = 1..=2, required = true, value_names = ["R1", "R2"])]
    radius: Vec<f64>,
    /// Density of each sphere, kg/m³
    #[arg(long, num_args = 1..=2, value_names = ["D1", "D2"], conflicts_with = "mass")]
    density: Vec<f64>,
    /// Mass of each sphere, kg
    #[arg(long, num_args = 1..=2, value_names = ["M1", "M2"])]
    mass: Vec<f64>,
    /// Sphere 1 meets a plane wall
    #[arg(long)]
    wall: bool,
    /// Stiffness: N/m (linear), N/m^1.5 (Hertz)
    #[arg(long, value_name = "K")]
    stiffness: Option<f64>,
    /// Damping, N s/m
    #[arg(long, value_name = "C")]
    damping: Option<f64>,
    /// Dissipative time A of hertz-kuwabara-kono, s
    #[arg(long, value_name = "A")]
    viscoelastic_time: Option<f64>,
    /// Young's modulus, Pa; with --wall the second is the wall's, and none means a rigid wall
    #[arg(long, num_args = 1..=2, value_names = ["E1", "E2"])]
    young: Vec<f64>,
    /// Poisson ratio; 0.3 unless given
    #[arg(long, num_args = 1..=2, value_names = ["NU1", "NU2"])]
    poisson: Vec<f64>,
    /// Normal restitution
    #[arg(long, value_name = "E")]
    restitution: Option<f64>,
    /// Contact time to impose, s
    #[arg(long, value_name = "T")]
    contact_time: Option<f64>,
    /// Tangential restitution (--tangential linear with --contact-time, or impulse)
    #[arg(long, value_name = "ET")]
    tangential_restitution: Option<f64>,
    /// Exponent of Rubin's rule (with --tangential impulse)
    #[arg(long, value_name = "ALPHA")]
    exponent: Option<f64>,
    /// Speed of sphere 1 at first touch, m/s
    #[arg(long, value_name = "V")]
    speed: f64,
    /// Angle of its velocity from the normal, degrees
    #[arg(long, default_value_t = 0.0, value_name = "A")]
    angle: f64,
    /// Spin of sphere 1 about the axis normal to the collision plane, rad/s
    #[arg(long, default_value_t = 0.0, value_name = "W")]
    spin: f64,
    /// Coefficient of friction
    #[arg(long, value_name = "MU")]
    friction: Option<f64>,
    /// Tangential law: none, coulomb, linear, mindlin, impulse
    /// [default: none without friction, else impulse with --exponent, mindlin for Hertz with
    /// --young, linear with a tangential stiffness or restitution, coulomb otherwise]
    #[arg(long, verbatim_doc_comment, value_name = "LAW", value_parser = parse_law::<TangentialLaw>)]
    tangential: Option<TangentialLaw>,
    /// Tangential stiffness: N/m (linear), N/m^1.5 (mindlin)
    #[arg(long, value_name = "KT")]
    tangential_stiffness: Option<f64>,
    /// Tangential damping, N s/m
    #[arg(long, value_name = "CT")]
    tangential_damping: Option<f64>,
    /// Gravity along the line of impact, towards the wall or sphere 2, m/s²
    #[arg(long, default_value_t = 0.0, value_name = "G")]
    gravity: f64,
    /// When the contact ends: at zero overlap, or when the force would turn attractive
    #[arg(long, default_value = "overlap", value_parser = ["overlap", "force"])]
    end: String,
    /// Steps in one contact [default: 100]
    #[arg(long, value_name = "N", conflicts_with = "time_step")]
    steps_per_contact: Option<f64>,
    /// Time step, s
    #[arg(long, value_name = "DT")]
    time_step: Option<f64>,
    /// Where the spheres touch, m
    #[arg(long, num_args = 3, value_names = ["X", "Y", "Z"])]
    origin: Vec<f64>,
    /// Which engine computes
    #[arg(long, value_enum, default_value = "cpu")]
    backend: Backend,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write every step to a CSV file
    #[arg(long, value_name = "FILE.csv")]
    trace: Option<PathBuf>,
}

fn parse_law<T: FromStr>(text: &str) -> std::result::Result<T, String>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|e: T::Err| e.to_string())
}

pub(super) fn collide(arguments: &CollideArguments) -> Result<ExitCode> {
    let mut collision = arguments.collision()?;
    collision.solve_for_restitution().map_err(as_usage)?;
    let devices = arguments.backend.survey();
    let gpu = arguments.backend.device(&devices)?;
    let outcome = match &gpu {
        Some(gpu) => collision.run_on_gpu(gpu),
        None => collision.run(),
    };
    let outcome = outcome.map_err(as_usage)?;
    if let Some(path) = &arguments.trace {
        std::fs::write(path, trace(&outcome)).map_err(|e| Error::io(path, "write trace", e))?;
    }
    print(&if arguments.json {
        arguments.json(&outcome, gpu.is_some())
    } else {
        arguments.text(&collision, &outcome, gpu.as_ref())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A complaint about the scene behind the collision, in words of the command line.
fn as_usage(error: Error) -> Error {
    match error {
        Error::Scene(e) => {
            let name = match e.key.rsplit('.').next().unwrap_or(&e.key) {
                "position" => "origin",
                "velocity" => "speed",
                "step" => "time-step",
                name => name,
            };
            Error::Usage(format!(
                "--{}: found {}; allowed: {}",
                name.replace('_', "-"),
                e.found,
                e.allowed
            ))
        }
        other => other,
    }
}

/// The value for body `index`: its own, or the only one.
fn of(values: &[f64], index: usize) -> Option<f64> {
    values.get(index).or_else(|| values.first()).copied()
}

fn require(condition: bool, message: impl Into<String>) -> Result<()> {
    if condition {
        Ok(())
    } else {
        Err(Error::Usage(message.into()))
    }
}

fn positive(name: &str, values: &[f64]) -> Result<()> {
    for value in values {
        require(
            *value > 0.0 && value.is_finite(),
            format!("--{name}: found {value}; allowed: a positive finite number"),
        )?;
    }
    Ok(())
}

impl CollideArguments {
    fn collision(&self) -> Result<Collision> {
        self.check()?;
        let end = if self.end == "force" {
            ContactEnd::Force
        } else {
            ContactEnd::Overlap
        };
        let tangential = self.tangential_law();
        let radius = [self.radius[0], of(&self.radius, 1).unwrap_or(1.0)];
        let density = |k: usize| {
            of(&self.density, k)
                .or_else(|| of(&self.mass, k).map(|mass| mass / sphere_volume(radius[k])))
                .unwrap_or(f64::NAN)
        };
        let young = |k: usize| {
            if self.wall && k == 1 && self.young.len() == 1 {
                Some(f64::INFINITY)
            } else {
                of(&self.young, k)
            }
        };
        let material = [0, 1].map(|k| Material {
            name: ["sphere 1", if self.wall { "wall" } else { "sphere 2" }][k].into(),
            density: density(k),
            young: young(k),
            poisson: of(&self.poisson, k).unwrap_or(DEFAULT_POISSON),
        });
        Ok(Collision {
            laws: ContactLaws {
                normal: self.law,
                tangential,
                end,
                contact_time: self.contact_time,
                ..ContactLaws::default()
            },
            radius,
            material,
            pair: Pair {
                restitution: self.restitution,
                stiffness: self.stiffness,
                damping: self.damping,
                viscoelastic_time: self.viscoelastic_time,
                friction: self.friction.unwrap_or(0.0),
                tangential_stiffness: self.tangential_stiffness,
                tangential_damping: self.tangential_damping,
                tangential_restitution: self.tangential_restitution,
                exponent: self.exponent,
                ..Pair::new(0, 1)
            },
            wall: self.wall,
            speed: self.speed,
            angle: self.angle.to_radians(),
            spin: self.spin,
            gravity: self.gravity,
            origin: if self.origin.is_empty() {
                DVec3::ZERO
            } else {
                DVec3::from_slice(&self.origin)
            },
            step: match (self.steps_per_contact, self.time_step) {
                (_, Some(seconds)) => Step::Seconds(seconds),
                (steps, None) => Step::PerContact(steps.unwrap_or(DEFAULT_STEPS_PER_CONTACT)),
            },
            phase: 0.5,
        })
    }

    fn tangential_law(&self) -> TangentialLaw {
        self.tangential.unwrap_or(if self.friction.is_none() {
            TangentialLaw::None
        } else if self.exponent.is_some() {
            TangentialLaw::Impulse
        } else if self.law.is_hertz() && (!self.young.is_empty()) {
            TangentialLaw::Mindlin
        } else if self.tangential_stiffness.is_some() || self.tangential_restitution.is_some() {
            TangentialLaw::Linear
        } else {
            TangentialLaw::Coulomb
        })
    }

    /// What the types cannot say: which values belong together.
    fn check(&self) -> Result<()> {
        require(
            !self.density.is_empty() || !self.mass.is_empty(),
            "--density or --mass is missing: the spheres need a mass",
        )?;
        let one_body = |name: &str, values: &[f64]| {
            require(
                !(self.wall && values.len() > 1),
                format!("--{name}: two values, but with --wall there is only one sphere"),
            )
        };
        one_body("radius", &self.radius)?;
        one_body("density", &self.density)?;
        one_body("mass", &self.mass)?;
        for (name, values) in [
            ("radius", &self.radius),
            ("density", &self.density),
            ("mass", &self.mass),
            ("young", &self.young),
        ] {
            positive(name, values)?;
        }
        for (name, value) in [
            ("speed", Some(self.speed)),
            ("stiffness", self.stiffness),
            ("contact-time", self.contact_time),
            ("time-step", self.time_step),
        ] {
            positive(name, value.as_slice())?;
        }
        for (name, value) in [
            ("damping", self.damping),
            ("viscoelastic-time", self.viscoelastic_time),
            ("friction", self.friction),
            ("tangential-stiffness", self.tangential_stiffness),
            ("tangential-damping", self.tangential_damping),
        ] {
            require(
                value.is_none_or(|value| value >= 0.0 && value.is_finite()),
                format!("--{name}: found {value:?}; allowed: zero or a positive finite number"),
            )?;
        }
        require(
            self.steps_per_contact
                .is_none_or(|n| (2.0..=1e5).contains(&n)),
            "--steps-per-contact: allowed: 2 to 1e5",
        )?;
        require(
            (0.0..90.0).contains(&self.angle.abs()),
            format!(
                "--angle: found {}; allowed: above -90 and below 90 degrees",
                self.angle
            ),
        )?;
        for (name, value) in [("spin", self.spin), ("gravity", self.gravity)] {
            require(
                value.is_finite(),
                format!("--{name}: found {value}; allowed: a finite number"),
            )?;
        }
        self.check_law()?;
        self.check_tangential()
    }

    fn check_law(&self) -> Result<()> {
        let name = self.law.name();
        let needs = |present: bool, what: &str| {
            require(
                present,
                format!("--law {name} needs {what}, which is missing"),
            )
        };
        let idle = |present: bool, what: &str| {
            require(!present, format!("--law {name} has no use for {what}"))
        };
        let stiffness = self.stiffness.is_some();
        let elastic = stiffness || !self.young.is_empty();
        match self.law {
            NormalLaw::Linear => {
                needs(stiffness, "--stiffness")?;
                needs(
                    self.damping.is_some() || self.restitution.is_some(),
                    "--damping or --restitution",
                )?;
                require(
                    !(self.damping.is_some() && self.restitution.is_some()),
                    "--damping and --restitution both say how much is lost: give one of them",
                )?;
            }
            NormalLaw::LinearStretched | NormalLaw::HertzAdaptive => {
                needs(self.restitution.is_some(), "--restitution")?;
                needs(self.contact_time.is_some(), "--contact-time")?;
                idle(self.damping.is_some(), "--damping")?;
                if self.law == NormalLaw::LinearStretched {
                    idle(stiffness, "--stiffness")?;
                }
            }
            NormalLaw::HertzViscous => {
                needs(elastic, "--stiffness or --young")?;
                needs(
                    self.damping.is_some() || self.restitution.is_some(),
                    "--damping or --restitution",
                )?;
                require(
                    !(self.damping.is_some() && self.restitution.is_some()),
                    "--damping and --restitution both say how much is lost: give one of them",
                )?;
            }
            NormalLaw::HertzTsuji => {
                needs(elastic, "--stiffness or --young")?;
                needs(self.restitution.is_some(), "--restitution")?;
                idle(self.damping.is_some(), "--damping (use --restitution)")?;
            }
            NormalLaw::HertzKuwabaraKono => {
                needs(elastic, "--stiffness or --young")?;
                needs(
                    self.viscoelastic_time.is_some() || self.restitution.is_some(),
                    "--viscoelastic-time or --restitution",
                )?;
                require(
                    !(self.viscoelastic_time.is_some() && self.restitution.is_some()),
                    "--viscoelastic-time and --restitution both say how much is lost: give one of them",
                )?;
                idle(
                    self.damping.is_some(),
                    "--damping (use --viscoelastic-time or --restitution)",
                )?;
            }
        }
        if self.law != NormalLaw::HertzKuwabaraKono {
            idle(self.viscoelastic_time.is_some(), "--viscoelastic-time")?;
        }
        if !matches!(
            self.law,
            NormalLaw::LinearStretched | NormalLaw::HertzAdaptive
        ) && self.tangential_restitution.is_none()
        {
            idle(self.contact_time.is_some(), "--contact-time")?;
        }
        require(
            !(stiffness
                && !self.young.is_empty()
                && self.tangential_law() != TangentialLaw::Mindlin),
            "--stiffness and --young both say how stiff the contact is: give one of them",
        )
    }

    fn check_tangential(&self) -> Result<()> {
        let law = self.tangential_law();
        let name = law.name();
        let needs = |present: bool, what: &str| {
            require(
                present,
                format!("--tangential {name} needs {what}, which is missing"),
            )
        };
        let idle = |present: bool, what: &str| {
            require(
                !present,
                format!("{what} has no effect with --tangential {name}"),
            )
        };
        if matches!(
            law,
            TangentialLaw::None | TangentialLaw::Coulomb | TangentialLaw::Impulse
        ) {
            idle(
                self.tangential_stiffness.is_some(),
                "--tangential-stiffness",
            )?;
            idle(self.tangential_damping.is_some(), "--tangential-damping")?;
        }
        if law != TangentialLaw::Impulse {
            idle(self.exponent.is_some(), "--exponent")?;
        }
        if !matches!(law, TangentialLaw::Linear | TangentialLaw::Impulse) {
            idle(
                self.tangential_restitution.is_some(),
                "--tangential-restitution",
            )?;
        }
        match law {
            TangentialLaw::None => require(
                self.friction.is_none_or(|friction| friction == 0.0),
                "--friction has no effect with --tangential none",
            ),
            TangentialLaw::Coulomb => needs(self.friction.is_some(), "--friction"),
            TangentialLaw::Linear => {
                needs(self.friction.is_some(), "--friction")?;
                needs(
                    self.tangential_stiffness.is_some()
                        || (self.tangential_restitution.is_some() && self.contact_time.is_some()),
                    "--tangential-stiffness, or --tangential-restitution and --contact-time",
                )
            }
            TangentialLaw::Impulse => {
                needs(self.friction.is_some(), "--friction")?;
                needs(self.restitution.is_some(), "--restitution")?;
                needs(
                    self.tangential_restitution.is_some() || self.exponent.is_some(),
                    "--tangential-restitution or --exponent",
                )
            }
            TangentialLaw::Mindlin => {
                needs(self.friction.is_some(), "--friction")?;
                needs(
                    self.tangential_stiffness.is_some() || !self.young.is_empty(),
                    "--tangential-stiffness or --young",
                )
            }
        }
    }

    fn json(&self, outcome: &Outcome, on_device: bool) -> String {
        json!({
            "law": self.law.name(),
            "tangential": self.tangential_law().name(),
            "end": self.end,
            "backend": if on_device { "gpu" } else { "cpu" },
            "time_step": outcome.time_step,
            "steps": outcome.steps,
            "restitution": outcome.restitution,
            "contact_time": outcome.contact_time,
            "max_overlap": outcome.max_overlap,
            "max_force": outcome.max_force,
            "stiffness": outcome.stiffness,
            "damping": outcome.damping,
            "rebound_normal_velocity": outcome.rebound_normal_velocity,
            "rebound_tangential_velocity": outcome.rebound_tangential_velocity,
            "rebound_velocity_1": outcome.velocity[0].to_array(),
            "rebound_velocity_2": outcome.velocity[1].to_array(),
            "spin_1": outcome.spin[0].to_array(),
            "spin_2": outcome.spin[1].to_array(),
            "psi_in": outcome.psi_in,
            "psi_out": outcome.psi_out,
            "energy_lost": outcome.energy_lost,
        })
        .to_string()
    }

    fn text(&self, collision: &Collision, outcome: &Outcome, gpu: Option<&Gpu>) -> String {
        let vector = |v: DVec3| format!("({:.6}, {:.6}, {:.6})", v.x, v.y, v.z);
        let mut lines = vec![
            match gpu {
                Some(gpu) => format!("engine         gpu, {}", gpu.description().name),
                None => "engine         cpu".into(),
            },
            format!("law            {}", self.law.name()),
            format!(
                "time step      {}, {} steps",
                si(outcome.time_step, "s"),
                outcome.steps
            ),
            format!("restitution    {:.8}", outcome.restitution),
            match outcome.contact_time {
                Some(time) => format!("contact time   {}", si_precise(time, "s")),
                None => "contact time   the bodies do not come apart".into(),
            },
            format!(
                "largest        overlap {} ({:.3e} of the radius), force {}",
                si(outcome.max_overlap, "m"),
                outcome.max_overlap / collision.radius[0],
                si(outcome.max_force, "N")
            ),
            format!(
                "coefficients   stiffness {:.6e} N/{}, damping {:.6e} N s/{}",
                outcome.stiffness,
                metres(NormalExponents::of(self.law).elastic),
                outcome.damping,
                metres(NormalExponents::of(self.law).damping + 1.0)
            ),
            format!("velocity 1     {} m/s", vector(outcome.velocity[0])),
        ];
        if !collision.wall {
            lines.push(format!(
                "velocity 2     {} m/s",
                vector(outcome.velocity[1])
            ));
        }
        lines.push(format!("spin 1         {} rad/s", vector(outcome.spin[0])));
        if !collision.wall {
            lines.push(format!("spin 2         {} rad/s", vector(outcome.spin[1])));
        }
        lines.push(format!(
            "slip           Ψ_in {:.6}, Ψ_out {:.6}",
            outcome.psi_in, outcome.psi_out
        ));
        lines.push(format!("energy lost    {}", si(outcome.energy_lost, "J")));
        lines.join("\n")
    }
}

/// A power of a metre: `m`, `m^1.5`.
fn metres(power: f64) -> String {
    if power == 1.0 {
        "m".into()
    } else {
        format!("m^{power}")
    }
}

fn si_precise(value: f64, unit: &str) -> String {
    format!("{value:.9e} {unit}")
}

/// Every step as CSV.
fn trace(outcome: &Outcome) -> String {
    let mut text = String::from(
        "time,overlap,rate,normal_force,\
         x1,y1,z1,vx1,vy1,vz1,wx1,wy1,wz1,x2,y2,z2,vx2,vy2,vz2,wx2,wy2,wz2\n",
    );
    for sample in &outcome.trace {
        let head = [
            sample.time,
            sample.overlap,
            sample.rate,
            sample.normal_force,
        ];
        let bodies = (0..2).flat_map(|k| {
            [sample.position[k], sample.velocity[k], sample.spin[k]]
                .into_iter()
                .flat_map(|v| v.to_array())
        });
        let row: Vec<String> = head
            .into_iter()
            .chain(bodies)
            .map(|x| x.to_string())
            .collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", row.join(","));
    }
    text
}
