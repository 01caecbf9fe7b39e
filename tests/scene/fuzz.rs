//! Scenes with tokens deleted, doubled, swapped and poisoned are read or refused, but never panic.
//!
//! `LAHAR_FUZZ_SECONDS=600 cargo test --release --test scene fuzz` goes on for that long, with other
//! seeds each time round.

use super::docs::{blocks, completed};
use super::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::io::Write;
use std::time::{Duration, Instant};

/// Scenes larger than this are refused, so that a case takes milliseconds.
const MOST_PARTICLES: usize = 600;
/// Cases of an ordinary run.
const CASES: u32 = 400;

const POISON: &[&str] = &[
    "nan",
    "-nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "-0.0",
    "1",
    "1e308",
    "-1e308",
    "1e30",
    "1e-30",
    "5e-324",
    "1e-310",
    "\"\"",
    "[]",
    "{}",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999999",
    "1_000_000",
    "true",
    "false",
    "[0, 0, 0]",
    "[1e30, 1e30, 1e30]",
    "[nan, 0, 0]",
    "[[[[[[[[[[0]]]]]]]]]]",
    "{ a = { b = { c = {} } } }",
    "1979-05-27T07:32:00Z",
    "\"glass\"",
    "\"\\u0000\"",
    "\"ü—𝄞\"",
    "'''\n'''",
    "0x7fffffffffffffff",
    "=",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ".",
    ",",
    "\n",
    "\r\n",
    "#",
    "\"",
    "a.b.c.d = 1\n",
    "[particles]\n",
    "[[walls]]\n",
    "kind",
    "radius",
    "material",
];

#[derive(Debug, Clone)]
enum Edit {
    Delete,
    Double,
    Poison(usize),
    /// Put in the token so many places further on.
    Copy(usize),
}

fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, Edit)>> {
    let edit = prop_oneof![
        2 => Just(Edit::Delete),
        1 => Just(Edit::Double),
        6 => (0..POISON.len()).prop_map(Edit::Poison),
        2 => (1_usize..200).prop_map(Edit::Copy),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), edit), 1..6)
}

/// Words and numbers, quoted texts, and single other characters.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in text.chars() {
        let word = c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.' | '"');
        match tokens.last_mut() {
            Some(last) if word && in_word => last.push(c),
            _ => tokens.push(c.to_string()),
        }
        in_word = word;
    }
    tokens
}

fn mutated(text: &str, edits: &[(prop::sample::Index, Edit)]) -> String {
    let mut tokens = tokens(text);
    for (index, edit) in edits {
        if tokens.is_empty() {
            break;
        }
        // White space is not worth an edit.
        let solid: Vec<usize> = (0..tokens.len())
            .filter(|&i| !tokens[i].trim().is_empty())
            .collect();
        if solid.is_empty() {
            break;
        }
        let i = solid[index.index(solid.len())];
        match edit {
            Edit::Delete => {
                tokens.remove(i);
            }
            Edit::Double => tokens.insert(i, tokens[i].clone()),
            Edit::Poison(poison) => tokens[i] = POISON[*poison].to_owned(),
            Edit::Copy(distance) => tokens[i] = tokens[(i + distance) % tokens.len()].clone(),
        }
    }
    tokens.concat()
}

/// The scenes that are mutated, small enough to be read in milliseconds.
fn seeds() -> Vec<String> {
    let mut seeds: Vec<String> = blocks("toml,fragment").into_iter().map(completed).collect();
    seeds.push(BASE.to_owned());
    seeds.push(Scene::example().replace("count = 2000", "count = 200"));
    seeds
}

const BED: &[u8] =
    b"x,y,z,radius,vx,vy,vz,fixed\n0.01,0.01,0.01,0.004,0,0,0,0\n0.03,0.03,0.02,0.005,1,0,0,1\n";

/// Writes the particle file that the documentation speaks of.
pub(crate) fn write_bed(directory: &Path) {
    let file = std::fs::File::create(directory.join("bed.csv.gz")).expect("a file");
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    encoder.write_all(BED).expect("written");
    encoder.finish().expect("written");
}

/// Reads a scene; whatever is said about it must be complete.
fn read_any(text: &str, file: &Path) {
    match Scene::from_toml_limited(text, Some(file), MOST_PARTICLES) {
        Ok(scene) => {
            assert!((1..=MOST_PARTICLES).contains(&scene.particles.len()));
            assert!(
                scene
                    .particles
                    .iter()
                    .all(|p| p.position.is_finite() && p.radius > 0.0)
            );
            scene.validate().expect("what was read is right");
        }
        Err(Error::Scene(error)) => {
            assert!(!error.key.is_empty(), "{error}");
            assert!(!error.found.is_empty(), "{error}");
            assert!(!error.allowed.is_empty(), "{error}");
            assert!(error.to_string().len() < 2000, "{error}");
            assert!(error.file.is_some(), "{error}");
            let lines = text.lines().count().max(1) + 1;
            assert!(
                error
                    .line
                    .is_none_or(|line| (1..=lines.max(4)).contains(&line)),
                "{error}"
            );
        }
        Err(other) => panic!("not a complaint about the scene: {other}"),
    }
}

/// Runs a property for `CASES` cases, or again and again for `LAHAR_FUZZ_SECONDS`.
fn run<S: Strategy>(strategy: &S, test: impl Fn(S::Value)) {
    let seconds = std::env::var("LAHAR_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    for round in 0_u64.. {
        let mut seed = [7; 32];
        seed[..8].copy_from_slice(&round.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let mut runner = TestRunner::new_with_rng(config.clone(), rng);
        let outcome = runner.run(strategy, |value| {
            test(value);
            Ok(())
        });
        if let Err(error) = outcome {
            panic!("round {round}: {error}");
        }
        if Instant::now() >= end {
            eprintln!("{} cases", (round + 1) * u64::from(CASES));
            break;
        }
    }
}

#[test]
fn fuzz_mutated_scenes() {
    let directory = tempfile::tempdir().expect("a directory");
    write_bed(directory.path());
    let file = directory.path().join("scene.toml");
    let seeds = seeds();
    run(&(any::<prop::sample::Index>(), edits()), |(seed, edits)| {
        let text = mutated(&seeds[seed.index(seeds.len())], &edits);
        read_any(&text, &file);
    });
}

#[test]
fn fuzz_mutated_particle_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("scene.toml");
    let text = with_particles(
        "[[particles]]\nkind = \"file\"\npath = \"bed.csv\"\nmaterial = \"glass\"\nrepeat = [2, 1, 1]\nperiod = [0.4, 0, 0]",
    );
    let csv = std::str::from_utf8(BED).expect("text");
    run(&edits(), |edits| {
        std::fs::write(directory.path().join("bed.csv"), mutated(csv, &edits)).expect("a file");
        read_any(&text, &file);
    });
}

#[test]
fn fuzz_arbitrary_text() {
    run(&".{0,200}", |text| read_any(&text, Path::new(FILE)));
}

/// Texts that once did harm, or might: each is read or refused at once.
mod found_by_fuzzing {
    use super::*;

    #[test]
    fn deep_nesting_is_refused() {
        for text in [
            format!("a = {}", "[".repeat(100_000)),
            format!("a = {}", "{a=".repeat(100_000)),
            format!("{}a = 1", "a.".repeat(100_000)),
            format!("[{}a]", "a.".repeat(100_000)),
        ] {
            read_any(&text, Path::new(FILE));
        }
    }

    #[test]
    fn an_empty_key_is_shown_in_quotes() {
        let error = complaint("\"\" = 1");
        assert_eq!(error.key, "\"\"");
        let error = complaint(&changed("end = 1.0", "end = 1.0\n\"\" = 1"));
        assert_eq!(error.key, "time.\"\"");
    }

    #[test]
    fn grains_too_small_for_the_units_of_the_domain_are_refused() {
        let text = changed("upper = [1, 1, 1]", "upper = [1e30, 1e30, 1e30]")
            .replace("radius = 0.1", "radius = 1e-30")
            .replace("[0.5, 0.5, 0.5]", "[1e30, 1e30, 1e30]");
        assert_eq!(complaint(&text).key, "domain.upper");
        let periodic = text
            .replacen("[time]", "periodic = [\"x\", \"y\", \"z\"]\n[time]", 1)
            .replace("[1e30, 1e30, 1e30], radius", "[5e29, 5e29, 5e29], radius");
        assert_eq!(complaint(&periodic).key, "domain.upper");
        let large = changed("upper = [1, 1, 1]", "upper = [1e5, 1e5, 1e5]");
        assert_eq!(
            read_good(&large).particles.len(),
            2,
            "a million radii will do"
        );
    }
}
