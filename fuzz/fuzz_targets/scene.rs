//! Any text is a scene or is refused with a complete complaint.

#![no_main]

use lahar::Error;
use lahar::scene::Scene;
use libfuzzer_sys::fuzz_target;

/// Larger scenes are refused, so that an input takes milliseconds.
const MOST_PARTICLES: usize = 500;

fuzz_target!(|text: &str| {
    match Scene::from_toml_limited(text, None, MOST_PARTICLES) {
        Ok(scene) => {
            assert!((1..=MOST_PARTICLES).contains(&scene.particles.len()));
            scene.validate().expect("what was read is right");
        }
        Err(Error::Scene(error)) => {
            assert!(!error.key.is_empty() && !error.found.is_empty() && !error.allowed.is_empty());
        }
        Err(other) => panic!("not a complaint about the scene: {other}"),
    }
});
