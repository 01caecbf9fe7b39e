//! `lahar check`: is the scene acceptable, and what will it take to run it?

use super::print;
use super::units::{count, counted, si};
use crate::cpu::bytes_per_particle;
use crate::error::Result;
use crate::gpu::DeviceMemory;
use crate::gpu::device::devices;
use crate::hard::HardEngine;
use crate::laws::material::sphere_volume;
use crate::laws::tc::{Dimensions, enskog_rate};
use crate::machine::available_memory;
use crate::scene::{HardSettings, Scene, rule_name};
use crate::simulation::steps_until;
use crate::time_step::{StepAdvice, time_step};
use clap::Args;
use serde_json::json;
use std::f64::consts::PI;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lahar check heap.toml            time step, overlap, steps and memory
  lahar check heap.toml --json     the same for a script")]
pub(super) struct CheckArguments {
    /// The scene file
    scene: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(super) fn check(arguments: &CheckArguments) -> Result<ExitCode> {
    let scene = Scene::from_file(&arguments.scene)?;
    if let Some(hard) = &scene.hard {
        return check_hard(arguments, &scene, hard);
    }
    let advice = StepAdvice::new(&scene);
    let step = super::run::located(time_step(&scene, &advice), &arguments.scene)?;
    let steps = steps_until(scene.time.end, step);
    let grains = scene.particles.len();
    let per_grain = bytes_per_particle(&scene.contact, scene.fluid.is_none(), grains);
    let memory = grains as f64 * per_grain;
    let available = available_memory();
    let device_memory = DeviceMemory::expected(&scene);
    if arguments.json {
        let report = json!({
            "particles": grains,
            "walls": scene.walls.len(),
            "materials": scene.materials.len(),
            "expected_speed": advice.speed,
            "contact_time": finite(advice.contact_time),
            "rayleigh_time": advice.rayleigh_time,
            "fluid_time": advice.fluid_time,
            "deepest_overlap": advice.deepest_overlap,
            "advised_time_step": finite(advice.advised),
            "largest_time_step": finite(advice.largest),
            "time_step": step,
            "steps": steps,
            "bytes_per_particle": per_grain,
            "memory": memory,
            "available_memory": available,
            "device_bytes_per_particle": device_memory.bytes_per_grain(),
            "device_memory": device_memory.bytes(),
        });
        print(&report.to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = vec![
        format!("{}: the scene is acceptable", arguments.scene.display()),
        format!(
            "grains        {}; {} material{}, {} wall{}",
            count(grains as u64),
            scene.materials.len(),
            plural(scene.materials.len()),
            scene.walls.len(),
            plural(scene.walls.len()),
        ),
        format!(
            "laws          {}, {}, rolling {}, cohesion {}",
            scene.contact.normal.name(),
            scene.contact.tangential.name(),
            scene.contact.rolling.name(),
            scene.contact.cohesion.name(),
        ),
        format!("impacts       up to {} expected", si(advice.speed, "m/s")),
    ];
    if advice.contact_time.is_finite() {
        lines.push(format!(
            "contact time  {} at the shortest ({}–{})",
            si(advice.contact_time, "s"),
            advice.stiffest[0],
            advice.stiffest[1],
        ));
        lines.push(format!(
            "overlap       up to {:.2} % of the radius",
            100.0 * advice.deepest_overlap,
        ));
    }
    if let Some(time) = advice.rayleigh_time {
        lines.push(format!("Rayleigh time {}", si(time, "s")));
    }
    if let Some(time) = advice.fluid_time {
        lines.push(format!(
            "fluid         stops a grain within {} at the shortest, by drag or a film",
            si(time, "s")
        ));
    }
    lines.push(format!(
        "time step     {} (advised {}, largest {})",
        si(step, "s"),
        si(advice.advised, "s"),
        si(advice.largest, "s"),
    ));
    lines.push(format!(
        "steps         {} for {}",
        count(steps),
        si(scene.time.end, "s")
    ));
    lines.push(format!(
        "memory        {} ({per_grain:.0} bytes per grain), {} available",
        si(memory, "B"),
        available.map_or("unknown".into(), |bytes| si(bytes, "B")),
    ));
    if available.is_some_and(|available| memory > available) {
        lines.push("warning       the run needs more memory than is available".into());
    }
    lines.push(format!(
        "on a device   {} ({:.0} bytes per grain)",
        si(device_memory.bytes() as f64, "B"),
        device_memory.bytes_per_grain(),
    ));
    lines.extend(device_warnings(&device_memory));
    lines.push(format!(
        "next          lahar run {}",
        arguments.scene.display()
    ));
    print(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Devices that cannot hold the scene. Every device binds 128 MiB, so small scenes need not ask.
#[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
fn device_warnings(memory: &DeviceMemory) -> Vec<String> {
    if memory.largest_buffer() <= wgpu::Limits::default().max_storage_buffer_binding_size {
        return Vec::new();
    }
    let warning = |device: crate::gpu::device::Device| {
        (memory.largest_buffer() > device.largest_binding).then(|| {
            format!(
                "warning       {} binds {} at most, which is enough for {} of this kind",
                device.name,
                si(device.largest_binding as f64, "B"),
                counted(memory.most_grains(device.largest_binding).into(), "grain"),
            )
        })
    };
    devices().into_iter().filter_map(warning).collect()
}

/// What there is to say of hard grains: they have no steps.
#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn check_hard(arguments: &CheckArguments, scene: &Scene, hard: &HardSettings) -> Result<ExitCode> {
    let engine = HardEngine::from_scene(scene)?;
    let grains = scene.particles.len();
    let now = engine.measure();
    let dimensions = hard.dimensions.count();
    let filled: f64 = scene
        .particles
        .iter()
        .map(|particle| match hard.dimensions {
            Dimensions::Two => PI * particle.radius * particle.radius,
            Dimensions::Three => sphere_volume(particle.radius),
        })
        .sum();
    let fraction = filled / engine.volume();
    let radius = scene.particles.iter().map(|p| p.radius).sum::<f64>() / grains as f64;
    let temperature = now.temperature(dimensions) * now.moving as f64 / now.mass;
    let rate = if now.moving > 0 {
        let density = now.moving as f64 / engine.volume();
        enskog_rate(hard.dimensions, radius, density, temperature)
    } else {
        0.0
    };
    let collisions = 0.5 * rate * now.moving as f64;
    let memory = engine.bytes() as f64;
    let resting = engine.resting();
    let crowd = engine.grains_per_cell();
    let slowdown = crowding_cost(crowd, hard.dimensions);
    if arguments.json {
        let report = json!({
            "engine": "hard",
            "particles": grains,
            "walls": scene.walls.len(),
            "materials": scene.materials.len(),
            "dimensions": dimensions,
            "tc": hard.contact_duration,
            "fraction": fraction,
            "collision_rate": finite(rate),
            "collisions_per_second": finite(collisions),
            "resting": resting.len(),
            "grains_per_cell": crowd,
            "expected_slowdown": slowdown,
            "bytes_per_particle": memory / grains.max(1) as f64,
            "memory": memory,
            "available_memory": available_memory(),
        });
        print(&report.to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    let rules: Vec<String> = hard
        .rules
        .iter()
        .map(|pair| {
            let [a, b] = pair.materials.map(|i| scene.materials[i].name.as_str());
            format!("{a}–{b} {}", rule_name(&pair.rule))
        })
        .collect();
    let mut lines = vec![
        format!("{}: the scene is acceptable", arguments.scene.display()),
        format!(
            "grains        {}; {} material{}, {} wall{}",
            counted(
                grains as u64,
                match hard.dimensions {
                    Dimensions::Two => "hard disk",
                    Dimensions::Three => "hard sphere",
                },
            ),
            scene.materials.len(),
            plural(scene.materials.len()),
            scene.walls.len(),
            plural(scene.walls.len()),
        ),
        format!("rules         {}", rules.join(", ")),
        match hard.contact_duration {
            Some(duration) => format!("contact       t_c = {}", si(duration, "s")),
            None => "contact       no engine.tc: a collapse would end the run".to_owned(),
        },
        format!("fraction      {fraction:.3} of the domain"),
        format!(
            "collisions    about {} of each grain per second at the start (Enskog), {} of all grains",
            count_or_more(rate),
            count_or_more(collisions),
        ),
        format!("cells         {crowd:.1} grains in the cell of a grain"),
        format!(
            "memory        {} ({:.0} bytes per grain), {} available",
            si(memory, "B"),
            memory / grains.max(1) as f64,
            available_memory().map_or("unknown".into(), |bytes| si(bytes, "B")),
        ),
        format!("next          lahar run {}", arguments.scene.display()),
    ];
    if let Some(first) = resting.first()
        && hard.contact_duration.is_none()
    {
        lines.push(format!(
            "warning       particle {first}{} at rest on a wall or on a grain that is held: the run will end with a \
             collapse at once; engine.tc, the duration of a contact, lets it run on",
            match resting.len() {
                1 => " is".to_owned(),
                many => format!(" and {} more are", many - 1),
            }
        ));
    }
    if slowdown > NOTABLE_SLOWDOWN {
        lines.push(format!(
            "warning       cells are as wide as the largest grain, and many small ones share one: each event takes \
             about {slowdown:.0} times as long as with grains of one size"
        ));
    }
    print(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Slowdown from which on somebody should be told.
const NOTABLE_SLOWDOWN: f64 = 3.0;

/// How much longer an event takes with so many grains in a cell than with grains of one size.
///
/// Measured with 10⁵ spheres at a fraction of 0.085 and one that is 3, 5, 10 times as large: 5.2, 25, 196 grains
/// share a cell, and an event takes 1.4, 4.2, 25 times as long as with the 1.3 of equal ones.
fn crowding_cost(grains_per_cell: f64, dimensions: Dimensions) -> f64 {
    const USUAL: f64 = 1.3;
    // Cells that a search visits, 9 or 27, and the grains in them, against everything else in an event.
    let share = match dimensions {
        Dimensions::Two => 0.14 / 3.0,
        Dimensions::Three => 0.14,
    };
    let cost = |grains: f64| 1.0 + share * grains;
    (cost(grains_per_cell) / cost(USUAL)).max(1.0)
}

fn count_or_more(number: f64) -> String {
    si(number, "").trim_end().to_owned()
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// JSON has no infinity.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
