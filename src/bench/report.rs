//! Measurements as JSON, as a plot, and compared with earlier ones.

use super::Measurement;
use crate::error::{Error, Result};
use crate::render::{Colour, Curve, Plot, Style};
use serde_json::{Map, Value, json};
use std::path::Path;

impl Measurement {
    /// One JSON object; times of stages are in milliseconds per step.
    pub fn to_json(&self) -> Value {
        let stages: Map<String, Value> = self
            .stages
            .iter()
            .map(|&(name, seconds)| (name.to_owned(), json!(1e3 * seconds)))
            .collect();
        json!({
            "engine": "soft",
            "backend": self.backend,
            "device": self.device,
            "driver": self.driver,
            "threads": self.threads,
            "law": self.law,
            "particles": self.particles,
            "contacts": self.contacts,
            "coordination": self.coordination,
            "steps": self.steps,
            "rebuild_interval": self.rebuild_interval,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "contact_updates_per_s": self.contact_updates_per_s,
            "contact_updates_per_cpu_s": self.contact_updates_per_cpu_s(),
            "particle_steps_per_s": self.particle_steps_per_s,
            "repeats": self.repeats,
            "spread": [self.repeats.first(), self.repeats.last()],
            "bytes_per_particle": self.bytes_per_particle,
            "bytes_per_step": self.bytes_per_step,
            "copy_bandwidth": self.copy_bandwidth,
            "limit_fraction": self.limit_fraction(),
            "milliseconds_per_step": 1e3 * self.step_seconds(),
            "overhead_microseconds_per_step": self.overhead.map(|seconds| 1e6 * seconds),
            "stages": stages,
        })
    }

    /// Contact updates per second against the number of grains; a dot for each repeat.
    #[allow(clippy::cast_precision_loss, reason = "counts far below 2^53")]
    pub fn plot(measurements: &[Self]) -> Plot {
        let mut plot = Plot {
            title: "Contact updates per second".into(),
            subtitle: "median of the repeats, and each of them".into(),
            x_label: "grains".into(),
            y_label: "contact updates per second".into(),
            log_x: true,
            log_y: true,
            ..Plot::default()
        };
        let name = |m: &Self| format!("{}, {}", m.backend, m.law);
        let mut names: Vec<String> = measurements.iter().map(name).collect();
        names.dedup();
        names.sort();
        names.dedup();
        for (number, label) in names.into_iter().enumerate() {
            let own = || measurements.iter().filter(|m| name(m) == label);
            let colour = Colour::of_category(number);
            let repeats = own().flat_map(|m| m.repeats.iter().map(|&r| [m.particles as f64, r]));
            let mut medians: Vec<_> = own()
                .map(|m| [m.particles as f64, m.contact_updates_per_s])
                .collect();
            medians.sort_by(|a, b| a[0].total_cmp(&b[0]));
            plot.curves.push(Curve {
                label: String::new(),
                points: repeats.collect(),
                style: Style::Points,
                colour,
            });
            plot.curves.push(Curve {
                label,
                points: medians,
                style: Style::Line,
                colour,
            });
        }
        plot
    }
}

/// What was measured before: lines of `lahar bench --json`.
#[derive(Debug, Clone, PartialEq)]
pub struct Earlier {
    lines: Vec<Value>,
}

/// A measurement divided by an earlier one of the same kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The device of the earlier one.
    pub device: String,
    /// Ratio of the contact updates per second.
    pub contact_updates_per_s: f64,
    /// Ratio of the contact updates per second of processor time, where both are known.
    pub contact_updates_per_cpu_s: Option<f64>,
    /// Ratio of the times of a step, earlier by now: above 1 is faster.
    pub particle_steps_per_s: f64,
}

impl Compared {
    /// One JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "device": self.device,
            "contact_updates_per_s": self.contact_updates_per_s,
            "contact_updates_per_cpu_s": self.contact_updates_per_cpu_s,
            "particle_steps_per_s": self.particle_steps_per_s,
        })
    }
}

impl Earlier {
    /// Reads a file of such lines.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is no such file, or something else in it.
    pub fn from_file(path: &Path) -> Result<Self> {
        let place = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::Usage(format!("--compare: could not read {place}: {error}")))?;
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let value = serde_json::from_str(line).unwrap_or(Value::Null);
            let known = ["contact_updates_per_s", "particle_steps_per_s", "particles"]
                .iter()
                .all(|key| value[key].as_f64().is_some_and(|number| number > 0.0));
            if !known {
                let found: String = line.chars().take(60).collect();
                return Err(Error::Usage(format!(
                    "{place}:{number}: found {found}; allowed: lines that lahar bench --json printed"
                )));
            }
            lines.push(value);
        }
        if lines.is_empty() {
            return Err(Error::Usage(format!(
                "--compare: {place} is empty; allowed: lines that lahar bench --json printed"
            )));
        }
        Ok(Self { lines })
    }

    /// Against the earlier measurement of as many grains with the same laws on the same kind of engine;
    /// rather on the same device than on another one.
    pub fn compare(&self, now: &Measurement) -> Option<Compared> {
        let now_json = now.to_json();
        let same = |line: &&Value| {
            ["backend", "law", "particles", "threads"]
                .iter()
                .all(|&key| line[key] == now_json[key])
        };
        let candidates = || self.lines.iter().filter(same);
        let before = candidates()
            .find(|line| line["device"] == now_json["device"])
            .or_else(|| candidates().next())?;
        let ratio = |key: &str| {
            let before = before[key].as_f64().filter(|&number| number > 0.0)?;
            Some(now_json[key].as_f64()? / before)
        };
        Some(Compared {
            device: before["device"].as_str().unwrap_or_default().to_owned(),
            contact_updates_per_s: ratio("contact_updates_per_s")?,
            contact_updates_per_cpu_s: ratio("contact_updates_per_cpu_s"),
            particle_steps_per_s: ratio("particle_steps_per_s")?,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn measured(device: &str, particles: usize, rate: f64) -> Measurement {
        Measurement {
            device: device.into(),
            driver: String::new(),
            backend: "cpu",
            threads: Some(1),
            law: "linear".into(),
            particles,
            contacts: 10,
            coordination: 5.0,
            steps: 10,
            rebuild_interval: None,
            seconds: 2.0,
            cpu_seconds: 1.0,
            contact_updates_per_s: rate,
            repeats: vec![0.9 * rate, rate, 1.1 * rate],
            particle_steps_per_s: 2.0 * rate,
            bytes_per_particle: 500.0,
            bytes_per_step: 100,
            copy_bandwidth: 1000.0,
            stages: vec![("forces", 0.1)],
            overhead: None,
        }
    }

    fn earlier(measurements: &[Measurement]) -> Earlier {
        Earlier {
            lines: measurements.iter().map(Measurement::to_json).collect(),
        }
    }

    #[test]
    fn the_fraction_of_the_limit_is_traffic_by_bandwidth() {
        // 100 bytes in each of 10 steps within 2 s, of 1000 bytes per second.
        let fraction = measured("a", 100, 1.0).limit_fraction();
        assert!((fraction - 0.5).abs() < 1e-15, "{fraction}");
    }

    #[test]
    fn like_is_compared_with_like() {
        let earlier = earlier(&[
            measured("other", 100, 10.0),
            measured("same", 100, 20.0),
            measured("same", 200, 40.0),
        ]);
        let compared = earlier.compare(&measured("same", 100, 30.0)).unwrap();
        assert_eq!(compared.device, "same");
        assert!((compared.contact_updates_per_s - 1.5).abs() < 1e-12);
        let elsewhere = earlier.compare(&measured("third", 100, 30.0)).unwrap();
        assert_eq!(elsewhere.device, "other");
        assert_eq!(earlier.compare(&measured("same", 300, 30.0)), None);
    }

    #[test]
    fn what_is_no_measurement_is_refused_with_its_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("before.json");
        let good = measured("a", 100, 1.0).to_json().to_string();
        std::fs::write(&path, format!("{good}\n\nnonsense\n")).unwrap();
        let error = Earlier::from_file(&path).unwrap_err();
        assert!(
            error.to_string().contains("before.json:3: found nonsense"),
            "{error}"
        );
        assert_eq!(error.exit_code(), 2);
        std::fs::write(&path, "\n").unwrap();
        assert!(Earlier::from_file(&path).is_err());
        std::fs::write(&path, &good).unwrap();
        assert_eq!(Earlier::from_file(&path).unwrap().lines.len(), 1);
    }

    #[test]
    fn a_plot_has_a_line_and_dots_for_each_engine() {
        let plot = Measurement::plot(&[measured("a", 100, 1.0), measured("a", 200, 2.0)]);
        assert_eq!(plot.curves.len(), 2);
        assert_eq!(plot.curves[0].points.len(), 6);
        assert_eq!(plot.curves[1].points, [[100.0, 1.0], [200.0, 2.0]]);
    }
}
