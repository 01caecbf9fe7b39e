//! The whole engine, with instructions that a processor would not choose by itself.

use super::CpuEngine;
use super::processor::Processor;
use crate::time_step::{StepAdvice, time_step};
use beds::{CONTAINERS, assert_same, bed, law_combinations};

#[path = "../../tests/common/beds.rs"]
#[allow(dead_code, reason = "beds are there for other tests too")]
#[allow(clippy::expect_used, reason = "a test says what it expects")]
mod beds;

/// Steps in which contacts begin, slide and end.
const STEPS: u64 = 300;

/// Slow and fast, up to grains that pass each other in a step.
#[test]
fn an_inner_skin_is_thicker_than_the_way_of_a_step() {
    let mut last = 0.0;
    for k in 0..400 {
        let closer = 1e-9 * 1.06_f64.powi(k);
        let skin = super::inner_skin(closer);
        assert!(skin >= 1.25 * closer && skin >= 0.0015, "{closer}: {skin}");
        assert!(skin >= last, "{closer}: {skin} after {last}");
        last = skin;
    }
    assert!(super::inner_skin(0.0) > 0.0);
}

/// Every law in every container, in several materials and sizes: all vector instructions give the same bits.
#[test]
fn instructions_do_not_matter() {
    let those = Processor::those_here();
    assert!(those.contains(&Processor::here()));
    for (k, laws) in law_combinations().into_iter().enumerate() {
        let scene = bed(laws, CONTAINERS[k % CONTAINERS.len()], 70 + k as u64);
        let state_by = |processor: Processor| {
            let time_step = time_step(&scene, &StepAdvice::new(&scene))?;
            let mut engine = CpuEngine::new(&scene, time_step, 1)?;
            engine.processor = processor;
            engine.run(STEPS)?;
            assert!(engine.contact_updates() > 100, "{laws:?}: too few contacts");
            crate::error::Result::Ok(engine.into_state())
        };
        let states: Vec<_> = those.iter().map(|&processor| state_by(processor)).collect();
        let Ok(want) = &states[0] else {
            panic!("{laws:?}: {:?}", states[0]);
        };
        for (processor, state) in those.iter().zip(&states) {
            match state {
                Ok(state) => assert_same(state, want, &format!("{laws:?} with {processor:?}")),
                Err(error) => panic!("{laws:?} with {processor:?}: {error}"),
            }
        }
    }
}
