//! Runs studies on the engines asked for and judges what they give.

use super::{Bench, Check, CpuBench, Engines, Figure, Measured, Study, long_studies, studies};
use crate::error::{Error, Result};
use rayon::prelude::*;

/// Which studies to run.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Only checks with this text in their id, source or quantity, in any case.
    pub filter: Option<String>,
    /// Only what takes seconds.
    pub quick: bool,
    /// Also what takes a minute or more.
    pub long: bool,
    /// Whether the CPU engine runs.
    pub cpu: bool,
}

/// One check and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Study and name of the check.
    pub id: String,
    /// Paper, and which equation, table or figure of it.
    pub source: &'static str,
    /// What was to be checked.
    pub check: Check,
    /// How far off a result may be.
    pub tolerance: f64,
    /// What the CPU engine gave, or a formula.
    pub cpu: Option<f64>,
    /// What the graphics device gave.
    pub gpu: Option<f64>,
    /// Whether all of it is as it should be.
    pub pass: bool,
    /// Why there is no result, if there should be one.
    pub error: Option<String>,
}

/// A study and its cases.
#[derive(Debug)]
pub struct StudyReport {
    /// Its name.
    pub name: &'static str,
    /// What it ran on.
    pub engines: Engines,
    /// Paper, and which equation, table or figure of it.
    pub source: &'static str,
    /// What was done.
    pub summary: &'static str,
    /// Its cases.
    pub cases: Vec<Case>,
    /// Its figures.
    pub figures: Vec<Figure>,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub struct Report {
    /// Study by study.
    pub studies: Vec<StudyReport>,
    /// Name of the graphics device, if one ran.
    pub device: Option<String>,
}

impl Report {
    /// All cases.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.studies.iter().flat_map(|study| &study.cases)
    }

    /// Cases that are as they should be, and all cases.
    pub fn passed(&self) -> (usize, usize) {
        let all = self.cases().count();
        (self.cases().filter(|case| case.pass).count(), all)
    }
}

/// Runs the selected studies. `told` hears the name of each study when it is done.
///
/// # Errors
/// [`Error::Usage`] if nothing is selected. A run that fails is a case that fails.
pub fn verify(
    selection: &Selection,
    gpu: Option<&dyn Bench>,
    told: &(dyn Fn(&str) + Sync),
) -> Result<Report> {
    let mut all = studies();
    if selection.long {
        all.extend(long_studies());
    }
    let selected = select(all, selection, gpu.is_some())?;
    let on_device = gpu.is_some();
    // The processor has several cores, the device one queue.
    let on_cpu: Vec<_> = selected
        .par_iter()
        .map(|study| {
            let runs = selection.cpu || study.engines == Engines::None;
            let result = runs.then(|| (study.measure)(&CpuBench));
            if !on_device {
                told(study.name);
            }
            result
        })
        .collect();
    let mut report = Report::default();
    for (study, cpu) in selected.iter().zip(on_cpu) {
        let on_gpu = gpu.filter(|_| study.engines == Engines::All);
        let on_gpu = on_gpu.map(|bench| (study.measure)(bench));
        if on_device {
            told(study.name);
        }
        report.studies.push(judge(study, selection, cpu, on_gpu));
    }
    Ok(report)
}

/// The studies that have something to say on the engines that run.
fn select(all: Vec<Study>, selection: &Selection, gpu: bool) -> Result<Vec<Study>> {
    let named: Vec<Study> = all
        .into_iter()
        .filter(|study| {
            let mut checks = study.checks.iter();
            checks.any(|check| matches(study, check, selection))
        })
        .collect();
    let filter = selection.filter.as_deref().unwrap_or_default();
    if named.is_empty() {
        return Err(Error::Usage(format!(
            "--filter: found {filter:?}, which is in no id, source or quantity of a case; \
             run `lahar verify --quick` to see some"
        )));
    }
    let runs = |study: &Study| match study.engines {
        Engines::None | Engines::Cpu => selection.cpu,
        Engines::All => selection.cpu || gpu,
    };
    let selected: Vec<Study> = named
        .into_iter()
        .filter(|study| runs(study) && (study.quick || !selection.quick))
        .collect();
    if selected.is_empty() {
        return Err(Error::Usage(format!(
            "--filter: {filter:?} names only cases that do not run with this --backend, or not with \
             --quick; leave those out"
        )));
    }
    Ok(selected)
}

fn id(study: &Study, check: &Check) -> String {
    format!("{}/{}", study.name, check.name)
}

fn matches(study: &Study, check: &Check, selection: &Selection) -> bool {
    let Some(filter) = &selection.filter else {
        return true;
    };
    let filter = filter.to_lowercase();
    [&id(study, check), study.source, &check.quantity]
        .iter()
        .any(|text| text.to_lowercase().contains(&filter))
}

fn judge(
    study: &Study,
    selection: &Selection,
    cpu: Option<Result<Measured>>,
    gpu: Option<Result<Measured>>,
) -> StudyReport {
    let mut figures = Vec::new();
    let mut errors = Vec::new();
    let mut values = [cpu, gpu].map(|result| match result? {
        Ok(measured) => {
            if figures.is_empty() {
                figures = measured.figures;
            }
            Some(measured.values)
        }
        Err(error) => {
            errors.push(error.to_string());
            Some(Vec::new())
        }
    });
    for values in values.iter_mut().flatten() {
        if errors.is_empty() && values.len() != study.checks.len() {
            errors.push(format!(
                "{} values for {} checks",
                values.len(),
                study.checks.len()
            ));
        }
        // A value that is missing is one that is wrong.
        values.resize(study.checks.len(), f64::NAN);
    }
    let error = (!errors.is_empty()).then(|| errors.join("; "));
    let cases = study
        .checks
        .iter()
        .enumerate()
        .filter(|(_, check)| matches(study, check, selection))
        .map(|(k, check)| {
            let [cpu, gpu] = [0, 1].map(|engine| values[engine].as_ref().map(|v| v[k]));
            let gpu = gpu.filter(|_| check.processor_only.is_none());
            Case {
                id: id(study, check),
                source: study.source,
                tolerance: check.tolerance.amount(check.expected),
                pass: error.is_none() && passes(check, cpu, gpu),
                check: check.clone(),
                cpu: cpu.filter(|x| !x.is_nan()),
                gpu: gpu.filter(|x| !x.is_nan()),
                error: error.clone(),
            }
        })
        .collect();
    StudyReport {
        name: study.name,
        engines: study.engines,
        source: study.source,
        summary: study.summary,
        cases,
        figures,
    }
}

/// Whether results are as a check expects. A device may be off by its own tolerance besides, and by no
/// more than that from the CPU engine.
fn passes(check: &Check, cpu: Option<f64>, gpu: Option<f64>) -> bool {
    let tolerance = check.tolerance.amount(check.expected);
    let device = check.device.amount(check.expected);
    let near = |gpu: f64, other: f64, tolerance: f64| (gpu - other).abs() <= tolerance;
    cpu.is_none_or(|cpu| check.accepts(cpu))
        && gpu.is_none_or(|gpu| near(gpu, check.expected, tolerance + device))
        && cpu.zip(gpu).is_none_or(|(cpu, gpu)| near(gpu, cpu, device))
}

#[cfg(test)]
mod tests {
    use super::super::Tolerance;
    use super::*;

    #[test]
    fn a_device_is_judged_against_both() {
        let check = Check::new("x", "x", 1.0, Tolerance::absolute(0.1, "a test"))
            .on_devices(Tolerance::absolute(0.01, "a test"));
        assert!(passes(&check, Some(1.09), None));
        assert!(!passes(&check, Some(1.2), None));
        assert!(!passes(&check, Some(f64::NAN), None));
        assert!(passes(&check, None, Some(1.105)));
        assert!(passes(&check, Some(1.09), Some(1.095)));
        assert!(!passes(&check, Some(1.0), Some(1.05)), "far from the CPU");
        assert!(!passes(&check, Some(1.0), Some(f64::NAN)));
    }

    #[test]
    fn ids_are_unique_and_every_tolerance_has_a_reason() {
        let mut seen = std::collections::HashSet::new();
        for study in studies().into_iter().chain(long_studies()) {
            assert!(!study.checks.is_empty(), "{}", study.name);
            for check in &study.checks {
                let id = id(&study, check);
                assert!(seen.insert(id.clone()), "{id} twice");
                assert!(check.expected.is_finite(), "{id}");
                assert!(check.tolerance.reason.len() > 5, "{id}");
            }
        }
    }
}
