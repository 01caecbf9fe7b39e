//! throw-away probe
use lahar::cpu::CpuEngine;
use lahar::scene::Scene;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let steps: u64 = args[1].parse().unwrap();
    let threads: usize = args[2].parse().unwrap();
    let every: u64 = args[3].parse().unwrap();
    let text = std::fs::read_to_string(&args[4]).unwrap();
    let scene = Scene::from_toml(&text, Some(std::path::Path::new(&args[4]))).unwrap();
    let mut engine = CpuEngine::new(&scene, 1e-5, threads).unwrap();
    let t = std::time::Instant::now();
    let mut done = 0;
    while done < steps {
        if every > 0 {
            let s = engine.state();
            let z: f64 = (0..s.particles.len()).map(|i| s.position(i).z).sum::<f64>()
                / s.particles.len() as f64;
            println!(
                "{} {:.10} {:.6e} {:.6e} {} {} {:.6} bal {:.3e}",
                s.step,
                z,
                s.ledger.kinetic,
                s.ledger.rotational,
                s.contacts
                    .iter()
                    .filter(|c| c.second < lahar::state::WALL)
                    .count(),
                s.contacts
                    .iter()
                    .filter(|c| c.second >= lahar::state::WALL)
                    .count(),
                -s.wall_forces[0].z,
                s.ledger.balance_error() / s.ledger.initial
            );
        }
        let n = if every > 0 { every } else { steps };
        engine.run(n).unwrap();
        done += n;
    }
    let el = t.elapsed().as_secs_f64();
    println!(
        "{} contact updates/s {:.3e} particle-steps/s {:.3e} searches {} contacts {}",
        el,
        engine.contact_updates() as f64 / el,
        scene.particles.len() as f64 * steps as f64 / el,
        engine.searches(),
        engine.contacts()
    );
}
