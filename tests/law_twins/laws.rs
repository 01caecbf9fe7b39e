//! Every law of the shader library over random arguments.

use crate::device::gpu;
use crate::draw::Draw;
use crate::harness::{Call, run};
use glam::DVec3;
use lahar::contact::{self, NormalCoefficients, NormalExponents};
use lahar::gpu::laws::{CONTACT_ENDS, NORMAL_LAWS, override_constants};
use lahar::gpu::layout::{ContactLaws, PairCoefficients};
use lahar::laws::{
    adaptive::*, cohesion::*, damping::*, ended_normal_force, fluid::*, hertz::*, impulse::*,
    linear::*, lubrication::*, material::*, rolling::*, tangential::*,
};
use lahar::scene;
use std::f64::consts::PI;
use std::sync::OnceLock;

/// Largest difference allowed between a law and its twin, against the scale of each [`Part`]: a law
/// is some ten operations, of which WGSL allows division an error of 2.5 and square roots of 3 ulps of
/// 1.2e-7. A device that rounds correctly stays below a quarter of it.
const TOLERANCE: f64 = 4e-6;

/// Arguments that each law is tried with.
const ROWS: usize = 4096;

const SEED: u64 = 1882;

/// What the device takes for the radius, mass or inertia of a wall: `MATERIAL_WALL`.
const WALL: f32 = 1e12;

/// A number or a vector of a result.
struct Part {
    want: Vec<f64>,
    /// What the difference is measured against: the size of the part, unless the law subtracts numbers
    /// that are larger than their difference.
    scale: f64,
}

impl Part {
    /// Measures the difference against what the law subtracts, not against what is left.
    fn against(self, scale: f64) -> Self {
        assert!(scale.is_finite(), "{scale} hides every difference");
        Self { scale, ..self }
    }

    /// How far off a result is, against the scale; infinite for what is not a number.
    fn off(&self, got: &[f64]) -> f64 {
        let squares = self
            .want
            .iter()
            .zip(got)
            .map(|(want, got)| (got - want).powi(2));
        let off = squares.sum::<f64>().sqrt();
        match off {
            0.0 => 0.0,
            off if off.is_nan() => f64::INFINITY,
            off => off / self.scale,
        }
    }
}

fn number(want: f64) -> Part {
    Part {
        want: vec![want],
        scale: want.abs(),
    }
}

fn vector(want: DVec3) -> Part {
    Part {
        want: want.to_array().to_vec(),
        scale: want.length(),
    }
}

/// What a row of arguments is made of.
trait Words {
    fn words(&self) -> Vec<u32>;
}

impl Words for f32 {
    fn words(&self) -> Vec<u32> {
        vec![self.to_bits()]
    }
}

impl Words for u32 {
    fn words(&self) -> Vec<u32> {
        vec![*self]
    }
}

impl Words for [f32; 3] {
    fn words(&self) -> Vec<u32> {
        self.map(f32::to_bits).to_vec()
    }
}

impl Words for PairCoefficients {
    fn words(&self) -> Vec<u32> {
        bytemuck::cast_slice(&[*self]).to_vec()
    }
}

impl Words for ContactLaws {
    fn words(&self) -> Vec<u32> {
        bytemuck::cast_slice(&[*self]).to_vec()
    }
}

macro_rules! row {
    ($($argument:expr),* $(,)?) => {{
        let mut words = Vec::new();
        $(words.extend($argument.words());)*
        words
    }};
}

/// Reads a row of arguments as the `f64` law takes them.
struct Arguments<'a>(std::slice::Iter<'a, u32>);

impl Arguments<'_> {
    fn word(&mut self) -> u32 {
        *self.0.next().expect("another argument")
    }

    fn number(&mut self) -> f64 {
        f64::from(f32::from_bits(self.word()))
    }

    /// Radius, mass or inertia, infinite for a wall.
    fn size(&mut self) -> f64 {
        let size = self.number();
        if size == f64::from(WALL) {
            f64::INFINITY
        } else {
            size
        }
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    fn pair(&mut self) -> contact::PairCoefficients {
        contact::PairCoefficients {
            stiffness: self.number(),
            hertz_modulus: self.number(),
            damping: self.number(),
            damping_ratio: self.number(),
            stiffness_per_mass: self.number(),
            damping_per_mass: self.number(),
            viscoelastic_time: self.number(),
            restitution: self.number(),
            friction: self.number(),
            tangential_stiffness: self.number(),
            mindlin_modulus: self.number(),
            tangential_damping: self.number(),
            tangential_damping_ratio: self.number(),
            tangential_stiffness_per_mass: self.number(),
            tangential_damping_per_mass: self.number(),
            rolling_friction: self.number(),
            rolling_damping: self.number(),
            work_of_adhesion: self.number(),
            cohesion_energy_density: self.number(),
            effective_young: self.number(),
        }
    }
}

/// A law that both sides have.
struct Twin {
    function: &'static str,
    draw: fn(&mut Draw) -> Vec<u32>,
    law: fn(&mut Arguments<'_>) -> Vec<Part>,
}

type Table = fn() -> Vec<Twin>;

/// Files of the shader library, with the twins in them.
const FILES: [(&str, Table); 14] = [
    ("accurate", accurate_twins),
    ("linear", linear_twins),
    ("hertz", hertz_twins),
    ("damping", damping_twins),
    ("material", material_twins),
    ("end", end_twins),
    ("tangential", tangential_twins),
    ("impulse", impulse_twins),
    ("rolling", rolling_twins),
    ("cohesion", cohesion_twins),
    ("adaptive", adaptive_twins),
    ("fluid", fluid_twins),
    ("lubrication", lubrication_twins),
    ("contact", contact_twins),
];

/// All functions that are run, by file.
pub(crate) fn functions() -> Vec<(&'static str, Vec<&'static str>)> {
    FILES
        .map(|(file, twins)| (file, twins().iter().map(|twin| twin.function).collect()))
        .to_vec()
}

fn accurate_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "accurate_length",
            draw: |d| row![d.vector(1e-27, 1e8)],
            law: |a| vec![number(a.vector().length())],
        },
        Twin {
            function: "accurate_log",
            // Half of them around 1, where the logarithm vanishes.
            draw: |d| match d.choice(2) {
                0 => row![d.scale(1e-30, 1e30)],
                _ => row![1.0 + d.signed(1e-7, 0.5)],
            },
            law: |a| vec![number(a.number().ln())],
        },
        Twin {
            function: "accurate_log_1p",
            draw: |d| row![d.scale(1e-20, 1e6)],
            law: |a| vec![number(a.number().ln_1p())],
        },
        Twin {
            function: "accurate_cube_root",
            draw: |d| {
                row![if d.choice(64) == 0 {
                    0.0
                } else {
                    d.scale(1e-36, 1e36)
                }]
            },
            law: |a| vec![number(a.number().cbrt())],
        },
        Twin {
            function: "accurate_fifth_root",
            draw: |d| {
                row![if d.choice(64) == 0 {
                    0.0
                } else {
                    d.scale(1e-36, 1e36)
                }]
            },
            law: |a| vec![number(a.number().powf(0.2))],
        },
    ]
}

fn fluid_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "reynolds_number",
            draw: |d| {
                row![
                    d.scale(1e-3, 10.0),
                    d.scale(1e-6, 1e3),
                    d.radius(),
                    d.scale(1e-6, 1.0)
                ]
            },
            law: |a| {
                let [density, viscosity, radius, speed] = [(); 4].map(|()| a.number());
                vec![number(reynolds_number(density, viscosity, radius, speed))]
            },
        },
        Twin {
            function: "schiller_naumann_factor",
            draw: |d| match d.choice(64) {
                0 => row![0f32],
                _ => row![d.scale(1e-6, 1e6)],
            },
            law: |a| vec![number(schiller_naumann_factor(a.number()))],
        },
        Twin {
            function: "stokes_drag",
            draw: |d| row![d.scale(1e-6, 1e3), d.radius()],
            law: |a| vec![number(stokes_drag(a.number(), a.number()))],
        },
        Twin {
            function: "dragged_acceleration",
            draw: |d| {
                row![
                    d.signed(1e-6, 1.0),
                    d.signed(1e-6, 1.0),
                    d.scale(1e-6, 10.0),
                    1f32
                ]
            },
            law: |a| {
                let [free, velocity, rate, step] = [(); 4].map(|()| a.number());
                let scale = free.abs() + (rate * velocity).abs();
                vec![number(dragged_acceleration(free, velocity, rate, step)).against(scale)]
            },
        },
    ]
}

impl Words for Film {
    fn words(&self) -> Vec<u32> {
        [
            self.leading,
            self.logarithmic,
            self.small,
            self.length,
            self.resolved,
            self.roughness,
        ]
        .map(|x| (x as f32).to_bits())
        .to_vec()
    }
}

/// A film between spheres, or a sphere and a wall.
fn drawn_film(d: &mut Draw) -> Film {
    let radius = f64::from(d.radius());
    let other = match d.choice(3) {
        0 => f64::INFINITY,
        _ => f64::from(d.radius()),
    };
    let resolved = f64::from(d.scale(1e-2, 0.2));
    film_between(
        radius,
        other,
        resolved,
        resolved * f64::from(d.scale(1e-4, 0.5)),
    )
}

/// A gap of the film: beyond it, within, rough, or overlapping.
fn drawn_gap(d: &mut Draw, film: &Film) -> f32 {
    let share = match d.choice(8) {
        0 => -f64::from(d.scale(1e-3, 0.1)),
        _ => f64::from(d.scale(1e-5, 1.4)),
    };
    (share * film.resolved * film.length) as f32
}

fn read_film(a: &mut Arguments<'_>) -> Film {
    let [leading, logarithmic, small, length, resolved, roughness] = [(); 6].map(|()| a.number());
    Film {
        leading,
        logarithmic,
        small,
        length,
        resolved,
        roughness,
    }
}

fn lubrication_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "film_between",
            draw: |d| {
                let other = if d.choice(3) == 0 { WALL } else { d.radius() };
                row![d.radius(), other, d.scale(1e-2, 0.2), d.scale(1e-5, 1e-2)]
            },
            law: |a| {
                let (i, j) = (a.number(), a.size());
                let film = film_between(i, j, a.number(), a.number());
                // The last coefficient is a difference.
                let scale = film.small.abs() + film.leading.abs();
                vec![
                    number(film.leading),
                    number(film.logarithmic),
                    number(film.small).against(scale),
                    number(film.length),
                    number(film.resolved),
                    number(film.roughness),
                ]
            },
        },
        Twin {
            function: "film_amplification",
            draw: |d| row![drawn_film(d), d.scale(1e-6, 0.3)],
            law: |a| {
                let film = read_film(a);
                vec![number(film_amplification(film, a.number()))]
            },
        },
        Twin {
            function: "film_correction",
            draw: |d| {
                let film = drawn_film(d);
                let gap = drawn_gap(d, &film) / film.length as f32;
                row![film, gap]
            },
            law: |a| {
                let film = read_film(a);
                let gap = a.number();
                let subtracted = film_amplification(film, film.resolved);
                vec![
                    number(film_correction(film, gap))
                        .against(2.0 * subtracted + film_correction(film, gap)),
                ]
            },
        },
        Twin {
            function: "film_damping",
            draw: |d| {
                let film = drawn_film(d);
                let gap = drawn_gap(d, &film);
                row![film, d.scale(1e-3, 10.0), gap]
            },
            law: |a| {
                let film = read_film(a);
                let (viscosity, gap) = (a.number(), a.number());
                let damping = film_damping(film, viscosity, gap);
                let subtracted = 6.0 * PI * viscosity * film_amplification(film, film.resolved);
                vec![number(damping).against(2.0 * subtracted + damping)]
            },
        },
        Twin {
            function: "film_impulse",
            draw: |d| {
                let film = drawn_film(d);
                let start = drawn_gap(d, &film);
                row![
                    film,
                    d.scale(1e-3, 10.0),
                    start,
                    d.signed(1e-6, 0.5) * start.abs()
                ]
            },
            law: |a| {
                let film = read_film(a);
                let [viscosity, start, way] = [(); 3].map(|()| a.number());
                // Λ is a difference, and ends of ways are rounded as gaps are.
                let strongest = film_damping(film, viscosity, 0.0);
                let near = film_damping(film, viscosity, (start.min(start - way)).max(0.0));
                let subtracted = 6.0 * PI * viscosity * film_amplification(film, film.resolved);
                let ends = 0.1 * strongest * start.abs().min(film.resolved * film.length);
                let inside = start > 0.0
                    && start.max(start - way) < film.resolved * film.length
                    && start.min(start - way) > film.roughness * film.length;
                let scale = (near + 2.0 * subtracted) * way.abs() + if inside { 0.0 } else { ends };
                vec![number(film_impulse(film, viscosity, start, way)).against(scale)]
            },
        },
        Twin {
            function: "film_rate",
            draw: |d| {
                let film = drawn_film(d);
                let start = drawn_gap(d, &film);
                let free = d.signed(1e-3, 0.5) * (film.resolved * film.length) as f32;
                row![
                    film,
                    d.scale(1e-3, 0.1),
                    d.scale(0.1, 10.0),
                    start,
                    free,
                    1f32
                ]
            },
            law: |a| {
                let film = read_film(a);
                let [viscosity, inverse_mass, start, free, step] = [(); 5].map(|()| a.number());
                let rate = film_rate(film, viscosity, inverse_mass, start, free, step);
                vec![number(rate).against(10.0 * free.abs())]
            },
        },
    ]
}

fn linear_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "linear_elastic_force",
            draw: |d| row![d.stiffness(), d.overlap()],
            law: |a| vec![number(linear_elastic_force(a.number(), a.number()))],
        },
        Twin {
            function: "linear_damping_force",
            draw: |d| row![d.damping(), d.rate()],
            law: |a| vec![number(linear_damping_force(a.number(), a.number()))],
        },
        Twin {
            function: "linear_elastic_energy",
            draw: |d| row![d.stiffness(), d.overlap()],
            law: |a| vec![number(linear_elastic_energy(a.number(), a.number()))],
        },
        Twin {
            function: "linear_damping",
            draw: |d| row![d.scale(1e-3, 2.0), d.stiffness(), d.mass()],
            law: |a| vec![number(linear_damping(a.number(), a.number(), a.number()))],
        },
    ]
}

fn hertz_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "hertz_elastic_force",
            draw: |d| row![d.stiffness(), d.overlap()],
            law: |a| vec![number(hertz_elastic_force(a.number(), a.number()))],
        },
        Twin {
            function: "hertz_tangent_stiffness",
            draw: |d| row![d.stiffness(), d.overlap()],
            law: |a| vec![number(hertz_tangent_stiffness(a.number(), a.number()))],
        },
        Twin {
            function: "hertz_elastic_energy",
            draw: |d| row![d.stiffness(), d.overlap()],
            law: |a| vec![number(hertz_elastic_energy(a.number(), a.number()))],
        },
    ]
}

fn damping_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "viscous_damping_force",
            draw: |d| row![d.damping(), d.rate()],
            law: |a| vec![number(viscous_damping_force(a.number(), a.number()))],
        },
        Twin {
            function: "tsuji_damping_coefficient",
            draw: |d| row![d.scale(1e-3, 2.0), d.stiffness(), d.mass()],
            law: |a| {
                vec![number(tsuji_damping_coefficient(
                    a.number(),
                    a.number(),
                    a.number(),
                ))]
            },
        },
        Twin {
            function: "tsuji_damping_force",
            draw: |d| row![d.damping(), d.overlap(), d.rate()],
            law: |a| {
                vec![number(tsuji_damping_force(
                    a.number(),
                    a.number(),
                    a.number(),
                ))]
            },
        },
        Twin {
            function: "kuwabara_kono_damping_force",
            draw: |d| row![d.stiffness(), d.scale(1e-3, 1e2), d.overlap(), d.rate()],
            law: |a| {
                let [k, time, overlap, rate] = [(); 4].map(|()| a.number());
                vec![number(kuwabara_kono_damping_force(k, time, overlap, rate))]
            },
        },
    ]
}

fn material_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "reduced",
            draw: |d| match d.choice(4) {
                0 => row![d.mass(), WALL],
                1 => row![WALL, d.radius()],
                2 => row![0.0f32, d.mass()],
                _ => row![d.mass(), d.mass()],
            },
            law: |a| vec![number(reduced(a.size(), a.size()))],
        },
        Twin {
            function: "tangential_reduced_mass",
            draw: |d| row![d.mass()],
            law: |a| vec![number(tangential_reduced_mass(a.number()))],
        },
    ]
}

fn end_twins() -> Vec<Twin> {
    vec![Twin {
        function: "ended_normal_force",
        draw: |d| {
            let elastic = d.force().abs();
            row![d.choice(2), elastic, elastic * d.signed(1e-3, 1e1)]
        },
        law: |a| {
            let end = CONTACT_ENDS[a.word() as usize].0;
            let [elastic, damping] = [(); 2].map(|()| a.number());
            // Where the damper pulls as hard as the spring pushes, their sum has no digits of its own.
            let scale = elastic + damping.abs();
            vec![number(ended_normal_force(end, elastic, damping)).against(scale)]
        },
    }]
}

/// Arguments of both springs with a slider: half of them slide.
fn draw_slider(d: &mut Draw) -> Vec<u32> {
    let (k, c) = (d.stiffness(), d.damping());
    let spring = d.vector(1e-9, 1e-1);
    let slip = d.vector(1e-8, 1e-1);
    let size = |v: [f32; 3]| DVec3::from_array(v.map(f64::from)).length() as f32;
    let force = k * size(spring) + c * size(slip);
    row![k, c, spring, slip, force * d.scale(0.1, 10.0)]
}

fn tangential_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "coulomb_limit",
            draw: |d| row![d.friction(), d.force()],
            law: |a| vec![number(coulomb_limit(a.number(), a.number()))],
        },
        Twin {
            function: "transport_spring",
            draw: |d| match d.choice(64) {
                0 => row![[0.0f32; 3], d.normal()],
                _ => row![d.vector(1e-18, 1e-1), d.normal()],
            },
            law: |a| {
                let (spring, normal) = (a.vector(), a.vector());
                let tangent = spring - spring.dot(normal) * normal;
                // What is left of a spring that leaned to the normal is stretched, and its rounding
                // with it. (A device gives up at 1e-6 of the length, f64 at 1e-8.)
                let stretch = spring.length() / tangent.length().max(f64::MIN_POSITIVE);
                let want = transport_spring(spring, normal);
                vec![vector(want).against(want.length() * stretch)]
            },
        },
        Twin {
            function: "coulomb_force",
            draw: |d| match d.choice(64) {
                0 => row![[0.0f32; 3], d.force().abs(), d.mass()],
                _ => row![d.vector(1e-12, 1e-1), d.force().abs(), d.mass()],
            },
            law: |a| vec![vector(coulomb_force(a.vector(), a.number(), a.number()))],
        },
        Twin {
            function: "linear_slider_force",
            draw: draw_slider,
            law: |a| {
                let (k, c) = (a.number(), a.number());
                let (spring, slip, limit) = (a.vector(), a.vector(), a.number());
                let want = linear_slider_force(k, c, spring, slip, limit);
                // Spring and dashpot may cancel, and so may dashpot and limit in the shortened spring.
                let parts = k * spring.length() + c * slip.length();
                let lost = parts / (k * spring + c * slip).length();
                let shortened = (want.force.length() * lost + c * slip.length()) / k;
                vec![
                    vector(want.force).against(want.force.length() * lost),
                    vector(want.spring).against(shortened),
                    vector(want.damping_force).against(want.damping_force.length() * lost),
                ]
            },
        },
        Twin {
            function: "linear_slider_ending",
            draw: |d| {
                let mut row = draw_slider(d);
                let limit = f32::from_bits(row[8]);
                row.truncate(8);
                let step = d.scale(0.1, 10.0);
                let lasted = step * d.scale(1e-3, 1.0);
                row.extend(row![lasted, step, limit, limit * d.scale(0.1, 10.0)]);
                row
            },
            law: |a| {
                let (k, c) = (a.number(), a.number());
                let (spring, slip, lasted) = (a.vector(), a.vector(), a.number());
                let step = a.number();
                let limits = [a.number(), a.number()];
                let want = linear_slider_ending(k, c, spring, slip, lasted, step, limits);
                // Spring and dashpot may cancel, and so may what was due and what was given.
                let off = |before: f64, limit: f64| {
                    let spring = spring - before * slip;
                    let test = (k * spring + c * slip).length();
                    let parts = k * (spring.length() + before * slip.length()) + c * slip.length();
                    parts * (limit / test).min(1.0)
                };
                let due = off(0.75 * step - 0.5 * lasted, limits[0]);
                let scale = 1.5 * step * due + step * off(0.5 * step, limits[1]);
                vec![vector(want).against(scale)]
            },
        },
        Twin {
            function: "mindlin_slider_force",
            draw: draw_slider,
            law: |a| {
                let (k, c) = (a.number(), a.number());
                let (spring, slip, limit) = (a.vector(), a.vector(), a.number());
                let want = mindlin_slider_force(k, c, spring, slip, limit);
                // The same; the dashpot's part is a difference by definition.
                let elastic = k * want.spring;
                let parts = elastic.length() + c * slip.length();
                let lost = want.force.length() * parts / (elastic + c * slip).length();
                vec![
                    vector(want.force).against(lost),
                    vector(want.spring),
                    vector(want.damping_force).against(lost + elastic.length()),
                ]
            },
        },
        Twin {
            function: "tangential_elastic_energy",
            draw: |d| row![d.stiffness(), d.vector(1e-12, 1e-1)],
            law: |a| vec![number(tangential_elastic_energy(a.number(), a.vector()))],
        },
        Twin {
            function: "mindlin_damping",
            draw: |d| row![d.scale(1e-3, 2.0), d.stiffness(), d.mass()],
            law: |a| vec![number(mindlin_damping(a.number(), a.number(), a.number()))],
        },
    ]
}

/// Walton's rule or Rubin's.
fn draw_rule(d: &mut Draw) -> f32 {
    match d.choice(2) {
        0 => d.restitution(),
        _ => -d.scale(1e-2, 5.0),
    }
}

fn impulse_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "impulse_transition",
            draw: |d| {
                let rule = draw_rule(d);
                // Nearly no slip, and nearly full slip.
                let z = match d.choice(3) {
                    0 => d.scale(1e-9, 1.0),
                    1 => 1.0 - d.scale(1e-6, 1.0),
                    _ => d.scale(0.1, 2.0),
                };
                row![z, rule]
            },
            law: |a| vec![number(impulse_transition(a.number(), a.number()))],
        },
        Twin {
            function: "impulse_shear",
            draw: |d| {
                let (friction, e, rule) = (d.friction(), d.restitution(), draw_rule(d));
                let slip = match d.choice(16) {
                    0 => [0.0f32; 3],
                    _ => d.vector(1e-8, 1e-1),
                };
                row![friction, e, rule, d.rate(), slip]
            },
            law: |a| {
                let [friction, e, rule, rate] = std::array::from_fn(|_| a.number());
                let slip = a.vector();
                let shear = impulse_shear(friction, e, rule, rate, slip);
                vec![vector(shear)]
            },
        },
        Twin {
            function: "impulse_force",
            draw: |d| row![d.vector(1e-9, 1.0), d.force()],
            law: |a| vec![vector(impulse_force(a.vector(), a.number()))],
        },
    ]
}

fn rolling_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "rolling_velocity",
            draw: |d| row![d.vector(1e-8, 1e-1), d.vector(1e-8, 1e-1), d.normal()],
            law: |a| {
                let (spin_i, spin_j, normal) = (a.vector(), a.vector(), a.vector());
                // Two spins, and spin about the normal, cancel.
                let scale = spin_i.length() + spin_j.length();
                vec![vector(rolling_velocity(spin_i, spin_j, normal)).against(scale)]
            },
        },
        Twin {
            function: "rolling_limit",
            draw: |d| row![d.friction(), d.radius(), d.force()],
            law: |a| vec![number(rolling_limit(a.number(), a.number(), a.number()))],
        },
        Twin {
            function: "constant_rolling_moment",
            draw: |d| row![d.vector(1e-12, 1e-1), d.force().abs(), d.mass()],
            law: |a| {
                vec![vector(constant_rolling_moment(
                    a.vector(),
                    a.number(),
                    a.number(),
                ))]
            },
        },
        Twin {
            function: "spring_rolling_moment",
            draw: draw_rolling_spring,
            law: |a| {
                let (k, c) = (a.number(), a.number());
                let (moment, increment) = (a.vector(), a.vector());
                let (velocity, limit) = (a.vector(), a.number());
                let want = spring_rolling_moment(k, c, moment, increment, velocity, limit);
                // The old moment and its change may cancel, and so may spring and dashpot.
                let parts = moment.length() + k * increment.length();
                let lost = want.spring.length() * parts / (moment - k * increment).length();
                vec![
                    vector(want.moment).against(lost + c * velocity.length()),
                    vector(want.spring).against(lost),
                ]
            },
        },
        Twin {
            function: "rolling_stiffness",
            draw: |d| row![d.stiffness(), d.friction(), d.radius()],
            law: |a| {
                vec![number(rolling_stiffness(
                    a.number(),
                    a.number(),
                    a.number(),
                ))]
            },
        },
        Twin {
            function: "rolling_damping",
            draw: |d| row![d.scale(1e-3, 2.0), d.mass(), d.scale(1e-14, 1e-1)],
            law: |a| vec![number(rolling_damping(a.number(), a.number(), a.number()))],
        },
        Twin {
            function: "rolling_inertia",
            draw: |d| match d.choice(2) {
                0 => row![
                    d.mass(),
                    d.mass(),
                    d.radius(),
                    d.mass(),
                    d.mass(),
                    d.radius()
                ],
                _ => row![d.mass(), d.mass(), d.radius(), WALL, WALL, WALL],
            },
            law: |a| {
                let [inertia_i, mass_i, radius_i] = [(); 3].map(|()| a.size());
                let [inertia_j, mass_j, radius_j] = [(); 3].map(|()| a.size());
                vec![number(rolling_inertia(
                    inertia_i, mass_i, radius_i, inertia_j, mass_j, radius_j,
                ))]
            },
        },
        Twin {
            function: "rolling_elastic_energy",
            draw: |d| match d.choice(64) {
                0 => row![0.0f32, d.vector(1e-18, 1e-3)],
                _ => row![d.scale(1e-14, 1e-1), d.vector(1e-18, 1e-3)],
            },
            law: |a| vec![number(rolling_elastic_energy(a.number(), a.vector()))],
        },
    ]
}

/// Arguments of the rolling spring. The dashpot stops acting when the spring yields, so at exactly the
/// limit the moment jumps, and two precisions may differ by all of the jump: that close is drawn again.
fn draw_rolling_spring(d: &mut Draw) -> Vec<u32> {
    loop {
        let (k, c) = (d.scale(1e-12, 1e-1), d.scale(1e-9, 1e-1));
        let moment = d.vector(1e-15, 1e-2);
        let increment = d.vector(1e-8, 1e-1);
        let velocity = d.vector(1e-8, 1e-1);
        let [old, change] = [moment, increment].map(|v| DVec3::from_array(v.map(f64::from)));
        let change = f64::from(k) * change;
        let parts = old.length() + change.length();
        let limit = parts as f32 * d.scale(0.1, 10.0);
        let from_limit = ((old - change).length() - f64::from(limit)).abs();
        if from_limit > 10.0 * TOLERANCE * parts {
            return row![k, c, moment, increment, velocity, limit];
        }
    }
}

/// Overlap, work of adhesion, E* and R* of a JKR contact, from stretched close to snap-off to deep.
fn draw_jkr(d: &mut Draw) -> [f32; 4] {
    let (young, radius) = (d.stiffness(), d.radius());
    let w = young * radius * d.scale(1e-9, 1e-3);
    let overlap = match d.choice(3) {
        0 => {
            let end = jkr_snap_off_overlap(f64::from(w), f64::from(young), f64::from(radius));
            (end * d.between(0.0, 0.99)) as f32
        }
        _ => radius * d.scale(1e-6, 0.2),
    };
    [overlap, w, young, radius]
}

/// The same with the contact radius in place of the overlap.
fn draw_jkr_by_radius(d: &mut Draw) -> Vec<u32> {
    let [overlap, w, young, radius] = draw_jkr(d);
    let [wide_overlap, wide_w, wide_young, wide_radius] =
        [overlap, w, young, radius].map(f64::from);
    let a = jkr_contact_radius(wide_overlap, wide_w, wide_young, wide_radius) as f32;
    row![a, w, young, radius]
}

/// Energy density, overlap and two radii, of which one may be a wall.
fn draw_sjkr(d: &mut Draw) -> Vec<u32> {
    let density = d.stiffness();
    let radius = d.radius();
    let other = match d.choice(4) {
        0 => WALL,
        _ => d.radius(),
    };
    let overlap = match d.choice(16) {
        0 => -0.1,
        _ => radius.min(other) * d.scale(1e-6, 0.2),
    };
    match d.choice(2) {
        0 => row![density, overlap, radius, other],
        _ => row![density, overlap, other, radius],
    }
}

fn cohesion_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "dmt_force",
            draw: |d| row![d.adhesion(), d.radius()],
            law: |a| vec![number(dmt_force(a.number(), a.number()))],
        },
        Twin {
            function: "dmt_energy",
            draw: |d| row![d.adhesion(), d.radius(), d.overlap()],
            law: |a| vec![number(dmt_energy(a.number(), a.number(), a.number()))],
        },
        Twin {
            function: "sjkr_force",
            draw: draw_sjkr,
            law: |a| {
                let (density, overlap) = (a.number(), a.number());
                vec![number(sjkr_force(density, overlap, a.size(), a.size()))]
            },
        },
        Twin {
            function: "sjkr_energy",
            draw: draw_sjkr,
            law: |a| {
                let (density, overlap) = (a.number(), a.number());
                vec![number(sjkr_energy(density, overlap, a.size(), a.size()))]
            },
        },
        Twin {
            function: "jkr_contact_radius",
            draw: |d| match d.choice(64) {
                // Without adhesion: Hertz.
                0 => row![d.scale(1e-6, 1e-1), 0.0f32, d.stiffness(), d.radius()],
                // Beyond snap-off.
                1 => row![-d.radius(), d.adhesion(), d.scale(1e-2, 1e-1), d.radius()],
                _ => draw_jkr(d).map(f32::to_bits).to_vec(),
            },
            law: |a| {
                let [overlap, w, young, radius] = [(); 4].map(|()| a.number());
                let want = jkr_contact_radius(overlap, w, young, radius);
                if overlap < jkr_snap_off_overlap(w, young, radius) {
                    // A double root: twice the square root of some roundings, 2e-3. A contact that
                    // far apart is over.
                    return vec![number(want).against(1000.0 * want)];
                }
                // δ = a²/R* − √(2πwa/E*): a rounding of either term moves a by it over dδ/da, which
                // vanishes at snap-off, here down to a tenth of its usual value.
                let neck = (2.0 * PI * w * want / young).sqrt();
                let hertz = want * want / radius;
                let slope = (2.0 * hertz - 0.5 * neck) / want;
                vec![number(want).against((hertz + neck) / slope)]
            },
        },
        Twin {
            function: "jkr_force",
            draw: draw_jkr_by_radius,
            law: |a| {
                let [radius_a, w, young, radius] = [(); 4].map(|()| a.number());
                // Repulsion and adhesion cancel where no load acts.
                let scale = 4.0 / 3.0 * young * radius_a.powi(3) / radius
                    + (8.0 * PI * w * young * radius_a.powi(3)).sqrt();
                vec![number(jkr_force(radius_a, w, young, radius)).against(scale)]
            },
        },
        Twin {
            function: "jkr_energy",
            draw: draw_jkr_by_radius,
            law: |a| {
                let [radius_a, w, young, radius] = [(); 4].map(|()| a.number());
                // Terms of either sign; the energy is zero at δ = 0.
                let elastic = 8.0 / 15.0 * young * radius_a.powi(5) / (radius * radius);
                let mixed = 4.0 / 3.0 * (2.0 * PI * w * young * radius_a).sqrt() * radius_a.powi(3)
                    / radius;
                let first = (2.0 * PI * w * radius * radius / young).cbrt();
                let surface = PI * w * (radius_a * radius_a + 0.6 * first * first);
                vec![
                    number(jkr_energy(radius_a, w, young, radius))
                        .against(elastic + mixed + surface),
                ]
            },
        },
        Twin {
            function: "jkr_pull_off_force",
            draw: |d| row![d.adhesion(), d.radius()],
            law: |a| vec![number(jkr_pull_off_force(a.number(), a.number()))],
        },
        Twin {
            function: "jkr_snap_off_overlap",
            draw: |d| row![d.adhesion(), d.stiffness(), d.radius()],
            law: |a| {
                vec![number(jkr_snap_off_overlap(
                    a.number(),
                    a.number(),
                    a.number(),
                ))]
            },
        },
    ]
}

fn adaptive_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "adaptive_from_time_unit",
            draw: |d| {
                row![
                    d.scale(1e-4, 4.0),
                    d.scale(1.0, 3e3),
                    d.scale(1e-8, 1e-1),
                    d.mass()
                ]
            },
            law: |a| {
                let [lambda, t_star, speed, mass] = [(); 4].map(|()| a.number());
                let (k, d) = adaptive_from_time_unit(lambda, t_star, speed, mass);
                vec![number(k), number(d)]
            },
        },
        Twin {
            function: "adaptive_direct",
            // Beyond both ends of the range too, where the law takes the nearer end.
            draw: |d| {
                let restitution = match d.choice(64) {
                    0 => 1.0,
                    1 => 1.1,
                    2 => 0.001,
                    _ => d.restitution(),
                };
                row![restitution, d.contact_time(), d.scale(1e-8, 1e-1), d.mass()]
            },
            law: |a| {
                let [restitution, time, speed, mass] = [(); 4].map(|()| a.number());
                let (k, d) = adaptive_direct(restitution, time, speed, mass);
                vec![number(k), number(d)]
            },
        },
    ]
}

/// Arguments of the coefficients of a contact that begins.
fn draw_adaptive(d: &mut Draw) -> Vec<u32> {
    let laws = ContactLaws {
        contact_time: d.contact_time(),
        adaptive_minimum_speed: d.scale(1e-7, 1e-5),
        tabulated: d.choice(2),
    };
    row![laws, d.pair(), d.mass(), d.radius(), d.scale(1e-8, 1e-1)]
}

fn adaptive_law(a: &mut Arguments<'_>, inverse: scene::AdaptiveInverse) -> Vec<Part> {
    let laws = scene::ContactLaws {
        contact_time: Some(a.number()),
        adaptive_minimum_speed: a.number(),
        // Either way that is tabulated takes the same numbers.
        end: CONTACT_ENDS[a.word() as usize].0,
        inverse,
        ..scene::ContactLaws::default()
    };
    let pair = a.pair();
    let [mass, radius, speed] = [(); 3].map(|()| a.number());
    contact::adaptive_coefficients(&laws, &pair, mass, radius, speed)
        .map(number)
        .into()
}

fn contact_twins() -> Vec<Twin> {
    vec![
        Twin {
            function: "normal_coefficients_of",
            draw: |d| {
                row![
                    d.choice(6),
                    d.pair(),
                    d.mass(),
                    d.radius(),
                    d.stiffness(),
                    d.damping()
                ]
            },
            law: |a| {
                let law = NORMAL_LAWS[a.word() as usize].0;
                let pair = a.pair();
                let [mass, radius, k, d] = [(); 4].map(|()| a.number());
                let want = NormalCoefficients::of(law, &pair, mass, radius, [k, d]);
                vec![number(want.stiffness), number(want.damping)]
            },
        },
        Twin {
            function: "adaptive_coefficients",
            draw: draw_adaptive,
            law: |a| adaptive_law(a, scene::AdaptiveInverse::Direct),
        },
        Twin {
            function: "normal_exponents_of",
            draw: |d| row![d.choice(6)],
            law: |a| {
                let want = NormalExponents::of(NORMAL_LAWS[a.word() as usize].0);
                vec![number(want.elastic), number(want.damping)]
            },
        },
        Twin {
            function: "normal_response",
            draw: |d| {
                row![
                    d.choice(6),
                    d.stiffness(),
                    d.damping(),
                    d.overlap().max(0.0)
                ]
            },
            law: |a| {
                let law = NORMAL_LAWS[a.word() as usize].0;
                let [stiffness, damping, overlap] = [(); 3].map(|()| a.number());
                let normal = NormalCoefficients { stiffness, damping };
                let (elastic, damping) = contact::normal_response(law, normal, overlap);
                vec![number(elastic), number(damping)]
            },
        },
    ]
}

/// What the pipeline is built for: no law is the first of its kind, which a forgotten constant might be.
fn chosen_laws() -> scene::ContactLaws {
    scene::ContactLaws {
        normal: scene::NormalLaw::HertzKuwabaraKono,
        tangential: scene::TangentialLaw::Mindlin,
        rolling: scene::RollingLaw::Constant,
        cohesion: scene::CohesionLaw::Jkr,
        end: lahar::laws::ContactEnd::Force,
        ..scene::ContactLaws::default()
    }
}

/// Tells what the `override` constants of a pipeline are.
const CHOSEN_LAWS: &str = "
struct ChosenLaws { normal: u32, tangential: u32, rolling: u32, cohesion: u32, end: u32 }
fn chosen_laws(unused: u32) -> ChosenLaws {
    return ChosenLaws(NORMAL_LAW, TANGENTIAL_LAW, ROLLING_LAW, COHESION_LAW, CONTACT_END);
}
";

/// Arguments and results of a function on the device, row by row.
struct Outcome {
    arguments: Vec<Vec<u32>>,
    results: Vec<Vec<u32>>,
}

/// The outcome of every function, and last of `chosen_laws`: one run serves all tests.
fn outcomes() -> Option<&'static [(&'static str, Outcome)]> {
    static OUTCOMES: OnceLock<Vec<(&str, Outcome)>> = OnceLock::new();
    let gpu = gpu()?;
    let outcomes = OUTCOMES.get_or_init(|| {
        let mut draw = Draw::new(SEED);
        let mut rows = |row: fn(&mut Draw) -> Vec<u32>| (0..ROWS).map(|_| row(&mut draw)).collect();
        let mut calls: Vec<Call> = FILES
            .iter()
            .flat_map(|(_, twins)| twins())
            .map(|twin| Call {
                function: twin.function,
                rows: rows(twin.draw),
            })
            .collect();
        calls.push(Call {
            function: "chosen_laws",
            rows: rows(|d| row![d.choice(2)]),
        });
        let includes: String = FILES
            .iter()
            .map(|(file, _)| format!("//#include lib/{file}.wgsl\n"))
            .collect();
        let constants = override_constants(&chosen_laws());
        let results = run(gpu, &(includes + CHOSEN_LAWS), &constants, &calls);
        calls
            .into_iter()
            .zip(results)
            .map(|(call, results)| {
                let arguments = call.rows;
                (call.function, Outcome { arguments, results })
            })
            .collect()
    });
    Some(outcomes)
}

fn outcome(function: &str) -> Option<&'static Outcome> {
    let outcomes = outcomes()?;
    let found = outcomes.iter().find(|(name, _)| *name == function);
    Some(&found.expect("every function is run").1)
}

/// The worst row of a function, if it is beyond the tolerance.
fn failure(twin: &Twin) -> Option<String> {
    let Outcome { arguments, results } = outcome(twin.function)?;
    let mut worst = (0.0, String::new());
    for (row, result) in arguments.iter().zip(results) {
        let parts = (twin.law)(&mut Arguments(row.iter()));
        let words: usize = parts.iter().map(|part| part.want.len()).sum();
        assert_eq!(words, result.len(), "{}: its results", twin.function);
        let mut got = result.iter().map(|&word| f64::from(f32::from_bits(word)));
        for part in parts {
            let got: Vec<f64> = got.by_ref().take(part.want.len()).collect();
            let off = part.off(&got);
            if off > worst.0 {
                let row: Vec<_> = row.iter().map(|&word| f32::from_bits(word)).collect();
                worst = (off, format!("{row:?}: got {got:?}, want {:?}", part.want));
            }
        }
    }
    let (off, place) = worst;
    eprintln!("{}: {off:.1e}", twin.function);
    (off > TOLERANCE).then(|| format!("{} off by {off:e} at {place}", twin.function))
}

fn check_file(file: &str) {
    let (_, twins) = FILES
        .iter()
        .find(|(name, _)| *name == file)
        .expect("a file of the table");
    let failures: Vec<_> = twins().iter().filter_map(failure).collect();
    assert!(
        failures.is_empty(),
        "more than {TOLERANCE:e} apart:\n{}",
        failures.join("\n")
    );
}

macro_rules! check_files {
    ($($file:ident),*) => {
        $(#[test]
        fn $file() {
            check_file(stringify!($file));
        })*
    };
}

check_files!(
    accurate,
    linear,
    hertz,
    damping,
    material,
    end,
    tangential,
    rolling,
    cohesion,
    adaptive,
    impulse,
    fluid,
    lubrication,
    contact
);

/// A device has only the direct inverse of the adaptive law, because it is as good as the iterative one.
#[test]
fn no_device_could_tell_the_iterative_inverse_from_the_direct_one() {
    let Some(Outcome { arguments, results }) = outcome("adaptive_coefficients") else {
        return;
    };
    // A tenth of the rows: each solves some twenty collisions.
    for (row, result) in arguments.iter().zip(results).step_by(10) {
        let want = adaptive_law(
            &mut Arguments(row.iter()),
            scene::AdaptiveInverse::Iterative,
        );
        for (part, &word) in want.iter().zip(result) {
            let got = f64::from(f32::from_bits(word));
            let off = part.off(&[got]);
            assert!(
                off <= TOLERANCE,
                "{got:e} of {:?} is off by {off:e}",
                part.want
            );
        }
    }
}

#[test]
fn a_pipeline_has_the_laws_it_is_built_for() {
    let Some(Outcome { results, .. }) = outcome("chosen_laws") else {
        return;
    };
    let laws = chosen_laws();
    let want = [
        u32::from(laws.normal),
        u32::from(laws.tangential),
        u32::from(laws.rolling),
        u32::from(laws.cohesion),
        u32::from(laws.end),
    ];
    assert_eq!(results[0], want);
    assert!(want.iter().all(|&number| number != 0), "{want:?}");
}
