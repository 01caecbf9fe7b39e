//! `lahar verify`: the papers behind the laws, on the reader's own machine.

use super::{note, print};
use crate::error::{Error, Result};
use crate::gpu::device::{Gpu, GpuChoice};
use crate::verify::{
    Bench, Case, ERRATA, GpuBench, Report, Selection, StudyReport, html, markdown, number, summary,
    verify,
};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What stands before and after the generated part of a Markdown file.
const MARKERS: [&str; 2] = [
    "<!-- made by lahar verify: begin -->",
    "<!-- made by lahar verify: end -->",
];

/// Folder of the figures beside a Markdown file.
const FIGURES: &str = "verify";

#[derive(Debug, Args)]
#[command(after_help = "\
Every case states what should come out, how far off it may be and why, and what the paper prints where
that is wrong. A case passes if the CPU engine is within the tolerance, the device within that and its
own, and both within the device's own tolerance of each other.

Examples:
  lahar verify                               everything on the processor, in two minutes
  lahar verify --quick                       the short cases, in seconds
  lahar verify --long                        also what takes a minute: 97 776 disks that cluster
  lahar verify --backend all                 on the graphics device too
  lahar verify --filter ray-table1           only cases with this in their id, source or quantity
  lahar verify --report thesis               thesis/verify.html, one page with tables and figures
  lahar verify --json | jq '.cases[] | select(.pass | not)'

Exit codes: 0 all cases pass, 1 at least one fails, 2 the filter matches nothing.")]
pub(super) struct VerifyArguments {
    /// Which engines run
    #[arg(long, value_enum, default_value = "cpu")]
    backend: Engines,
    /// Only cases with this text in their id, source or quantity
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only cases that take little time: all of them within twenty seconds
    #[arg(long)]
    quick: bool,
    /// Also cases that take a minute or more: 97 776 disks that cluster
    #[arg(long, conflicts_with = "quick")]
    long: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write verify.html, a page with all tables and figures that needs no other file
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Put tables and figures between the markers of a Markdown file
    #[arg(long, value_name = "FILE.md")]
    markdown: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engines {
    /// The f64 engine on the processor
    Cpu,
    /// The engine on the graphics device
    Gpu,
    /// Both, and how far they differ
    All,
}

pub(super) fn run(arguments: &VerifyArguments) -> Result<ExitCode> {
    // Before the work: a file without markers is not to be found out about after it.
    let page = arguments
        .markdown
        .as_deref()
        .map(MarkedFile::read)
        .transpose()?;
    let gpu = match arguments.backend {
        Engines::Cpu => None,
        Engines::Gpu | Engines::All => Some(Gpu::open(&GpuChoice::default())?),
    };
    let bench = gpu.as_ref().map(GpuBench);
    let selection = Selection {
        filter: arguments.filter.clone(),
        quick: arguments.quick,
        long: arguments.long,
        cpu: arguments.backend != Engines::Gpu,
    };
    let spinner = spinner();
    let told = |study: &str| {
        if let Some(spinner) = &spinner {
            spinner.set_message(study.to_owned());
            spinner.inc(1);
        }
    };
    let mut report = verify(&selection, bench.as_ref().map(|b| b as &dyn Bench), &told)?;
    report.device = gpu.as_ref().map(|gpu| gpu.description().name.clone());
    if let Some(spinner) = &spinner {
        spinner.finish_and_clear();
    }
    if let Some(directory) = &arguments.report {
        write_page(directory, &report)?;
    }
    if let Some(page) = page {
        page.fill(&report)?;
    }
    print(&if arguments.json {
        json(&report).to_string()
    } else {
        text(&report)
    })?;
    let (passed, all) = report.passed();
    Ok(ExitCode::from(u8::from(passed < all)))
}

/// Says which study was done last, where somebody watches.
fn spinner() -> Option<ProgressBar> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{spinner} {pos} studies done, last {msg}, {elapsed}");
    Some(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner())))
}

fn write_page(directory: &Path, report: &Report) -> Result<()> {
    fs::create_dir_all(directory).map_err(|e| Error::io(directory, "create directory", e))?;
    let path = directory.join("verify.html");
    fs::write(&path, html(report)?).map_err(|e| Error::io(&path, "write report", e))?;
    note(&format!("wrote {}", path.display()));
    Ok(())
}

/// A Markdown file with room for the tables.
struct MarkedFile<'a> {
    path: &'a Path,
    before: String,
    after: String,
}

impl<'a> MarkedFile<'a> {
    fn read(path: &'a Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|e| Error::io(path, "read", e))?;
        let parts = text
            .split_once(MARKERS[0])
            .and_then(|(before, rest)| Some((before, rest.split_once(MARKERS[1])?.1)));
        let Some((before, after)) = parts else {
            return Err(Error::Usage(format!(
                "--markdown: found no lines {:?} and {:?} in {}, between which the tables would go",
                MARKERS[0],
                MARKERS[1],
                path.display()
            )));
        };
        Ok(Self {
            path,
            before: before.into(),
            after: after.into(),
        })
    }

    fn fill(&self, report: &Report) -> Result<()> {
        let folder = self.path.with_file_name(FIGURES);
        fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, "create directory", e))?;
        for figure in report.studies.iter().flat_map(|study| &study.figures) {
            figure
                .draw()
                .write_png(folder.join(figure.name).with_extension("png"))?;
        }
        let [begin, end] = MARKERS;
        let tables = markdown(report, FIGURES);
        let text = format!("{}{begin}\n{tables}{end}{}", self.before, self.after);
        fs::write(self.path, text).map_err(|e| Error::io(self.path, "write", e))
    }
}

/// A misprint with what is printed and what is right.
fn misprint(name: &str) -> Value {
    let listed = ERRATA.iter().find(|erratum| erratum.name == name);
    json!({
        "place": name,
        "printed": listed.map(|erratum| erratum.printed),
        "right": listed.map(|erratum| erratum.right),
    })
}

fn json(report: &Report) -> Value {
    let case = |case: &Case| {
        json!({
            "id": case.id,
            "source": case.source,
            "quantity": case.check.quantity,
            "expected": case.check.expected,
            "tolerance": case.tolerance,
            "reason": case.check.tolerance.reason,
            "device_tolerance": case.check.device.amount(case.check.expected),
            "device_reason": case.check.device.reason,
            "misprint": case.check.misprint.map(misprint),
            "erratum": case.check.erratum,
            "printed": case.check.printed,
            "cpu": case.cpu,
            "gpu": case.gpu,
            "pass": case.pass,
            "error": case.error,
        })
    };
    json!({
        "device": report.device,
        "cases": report.cases().map(case).collect::<Vec<_>>(),
    })
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    for study in &report.studies {
        write_study(&mut text, study);
    }
    text.push_str(&summary(report));
    let failed: Vec<&str> = report
        .cases()
        .filter(|c| !c.pass)
        .map(|c| c.id.as_str())
        .collect();
    if !failed.is_empty() {
        let _ = write!(text, "\nfailed: {}", failed.join(", "));
    }
    text
}

/// A heading, a row per case, and below them why the tolerances are what they are.
fn write_study(text: &mut String, study: &StudyReport) {
    let cells: Vec<[String; 8]> = study.cases.iter().map(cells).collect();
    let heads = [
        "case",
        "quantity",
        "expected",
        "tolerance",
        "CPU",
        "GPU",
        "GPU − CPU",
        "",
    ];
    let width = |column: usize| {
        let widths = cells.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0).max(heads[column].chars().count())
    };
    let widths: [usize; 8] = std::array::from_fn(width);
    let line = |cells: &[&str; 8]| {
        let padded = cells.iter().zip(widths).map(|(cell, width)| {
            let gap = width - cell.chars().count();
            format!("{cell}{}", " ".repeat(gap))
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let _ = writeln!(text, "{}\n{}", study.source, line(&heads));
    for row in &cells {
        let row: [&str; 8] = std::array::from_fn(|k| row[k].as_str());
        let _ = writeln!(text, "{}", line(&row));
    }
    let mut reasons: Vec<String> = Vec::new();
    let mut say = |reason: String| {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    for case in &study.cases {
        say(format!("tolerance: {}", case.check.tolerance.reason));
        if case.gpu.is_some() {
            say(format!("device: {}", case.check.device.reason));
        }
        if let Some(error) = &case.error {
            say(format!("error: {error}"));
        }
        if let Some(erratum) = &case.check.erratum {
            say(format!("erratum, {}: {erratum}", case.id));
        }
        if let Some(reason) = case.check.processor_only {
            say(format!("{}, on the processor only: {reason}", case.id));
        }
        if let Some(printed) = &case.check.printed {
            say(format!("{}: {printed}", case.id));
        }
    }
    let _ = writeln!(text, "  {}\n", reasons.join("\n  "));
}

fn cells(case: &Case) -> [String; 8] {
    let optional = |value: Option<f64>| value.map_or_else(|| "–".into(), number);
    let difference = case.cpu.zip(case.gpu).map(|(cpu, gpu)| gpu - cpu);
    [
        case.id.clone(),
        case.check.quantity.clone(),
        number(case.check.expected),
        format!("{:.1e}", case.tolerance),
        optional(case.cpu),
        optional(case.gpu),
        difference.map_or_else(|| "–".into(), |d| format!("{d:.1e}")),
        if case.pass { "pass" } else { "FAIL" }.into(),
    ]
}
