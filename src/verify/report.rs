//! What was found, as one page: HTML to attach, Markdown for the repository.

use super::{Case, Drawing, Engines, Figure, Report, StudyReport};
use crate::error::{Error, Result};
use crate::render::Canvas;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Size of a plot, pixels.
const PLOT: [usize; 2] = [1000, 620];

impl Figure {
    /// The figure as an image.
    pub fn draw(&self) -> Canvas {
        match &self.drawing {
            Drawing::Plot(plot) => plot.draw(PLOT[0], PLOT[1]),
            Drawing::Picture(canvas) => canvas.clone(),
        }
    }
}

/// A number with as many digits as one wants to read.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&size) {
        let text = format!("{value:.8}");
        text.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        format!("{value:.6e}")
    }
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), number)
}

/// The summary in one line.
pub(crate) fn summary(report: &Report) -> String {
    let (passed, all) = report.passed();
    let processor = report.cases().any(|case| case.cpu.is_some());
    let device = match &report.device {
        Some(device) if processor => format!(", on the processor and on {device}"),
        Some(device) => format!(", on {device}"),
        None => String::new(),
    };
    let (mut formulas, mut processor, mut everywhere) = (0, 0, 0);
    for study in &report.studies {
        for case in &study.cases {
            match study.engines {
                Engines::None => formulas += 1,
                Engines::All if case.check.processor_only.is_none() => everywhere += 1,
                Engines::All | Engines::Cpu => processor += 1,
            }
        }
    }
    // Several cases may show the same one.
    let errata: BTreeSet<&str> = report
        .cases()
        .filter_map(|case| case.check.misprint)
        .collect();
    format!(
        "{passed} of {all} cases pass: {everywhere} run soft grains{device}, {processor} others run an engine on the \
         processor only, {formulas} are about formulas; misprints of the papers that they show: {}",
        errata.len()
    )
}

/// When and on what the results were made.
fn made_on() -> String {
    let processor = crate::machine::processor_name();
    format!(
        "{} {}, {}, {processor}",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
    )
}

/// One self-contained page with every table and figure.
///
/// # Errors
/// If an image cannot be encoded.
pub fn html(report: &Report) -> Result<String> {
    let mut page = String::from(HEAD);
    let _ = write!(
        page,
        "<h1>lahar verify</h1>\n<p>{}.</p>\n<p>{}.</p>\n<p>{}</p>\n<ol>\n",
        escape(&made_on()),
        escape(&summary(report)),
        RULE
    );
    for study in &report.studies {
        let passed = study.cases.iter().filter(|case| case.pass).count();
        let _ = writeln!(
            page,
            "<li><a href=\"#{0}\">{0}</a>: {1} ({passed} of {2})</li>",
            study.name,
            escape(study.source),
            study.cases.len()
        );
    }
    page.push_str("</ol>\n");
    for study in &report.studies {
        html_study(&mut page, study)?;
    }
    page.push_str("</body></html>\n");
    Ok(page)
}

/// How a case is judged.
const RULE: &str = "A case passes if the CPU engine is within the tolerance of the expected value, and a \
    graphics device within that and its own tolerance, and within its own tolerance of the CPU engine.";

fn html_study(page: &mut String, study: &StudyReport) -> Result<()> {
    let _ = write!(
        page,
        "<h2 id=\"{0}\">{0}: {1}</h2>\n<p>{2}</p>\n<table><tr><th>case</th><th>quantity</th><th>expected</th>\
         <th>tolerance</th><th>CPU</th><th>GPU</th><th>GPU − CPU</th><th></th></tr>\n",
        study.name,
        escape(study.source),
        escape(study.summary)
    );
    for case in &study.cases {
        let note = case.error.clone().or_else(|| note(case));
        let note = note.map(|text| format!("<br><small>{}</small>", escape(&text)));
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}{}</td><td>{}</td><td>{:.1e}<br><small>{}</small>{}</td><td>{}</td>\
             <td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>",
            escape(&case.id),
            escape(&case.check.quantity),
            note.unwrap_or_default(),
            number(case.check.expected),
            case.tolerance,
            escape(case.check.tolerance.reason),
            device_tolerance(case).map_or_else(String::new, |(amount, reason)| format!(
                "<br>device {amount:.1e}<br><small>{}</small>",
                escape(reason)
            )),
            optional(case.cpu),
            optional(case.gpu),
            difference(case),
            if case.pass { "pass" } else { "fail" },
            if case.pass { "pass" } else { "FAIL" },
        );
    }
    page.push_str("</table>\n");
    for figure in &study.figures {
        let png = figure.draw().to_png();
        let png = png.map_err(|e| Error::io(Path::new(figure.name), "encode figure", e))?;
        let _ = writeln!(
            page,
            "<figure><img alt=\"{}\" src=\"data:image/png;base64,{}\"><figcaption>{}</figcaption></figure>",
            escape(&figure.caption),
            base64(&png),
            escape(&figure.caption)
        );
    }
    Ok(())
}

/// The tables as Markdown; figures are files `NAME.png` in `folder`, seen from the page.
pub fn markdown(report: &Report, folder: &str) -> String {
    let mut text = format!("{}.\n{RULE}\n", summary(report));
    for study in &report.studies {
        let _ = write!(
            text,
            "\n### {}\n\n{}\n\n| case | quantity | expected | tolerance | CPU | GPU | GPU − CPU | device tolerance |  |\n\
             |---|---|---|---|---|---|---|---|---|\n",
            study.source, study.summary
        );
        for case in &study.cases {
            let _ = writeln!(text, "{}", markdown_row(case));
        }
        let mut reasons: Vec<&str> = Vec::new();
        for case in &study.cases {
            if !reasons.contains(&case.check.tolerance.reason) {
                reasons.push(case.check.tolerance.reason);
            }
        }
        let _ = write!(text, "\nTolerances: {}.\n", reasons.join("; "));
        let mut reasons: Vec<&str> = Vec::new();
        for (_, reason) in study.cases.iter().filter_map(device_tolerance) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        if !reasons.is_empty() {
            let _ = write!(text, "\nOn devices: {}.\n", reasons.join("; "));
        }
        for case in &study.cases {
            if let Some(note) = note(case) {
                let _ = write!(text, "\n- `{}`: {note}", case.id);
            }
        }
        text.push('\n');
        for figure in &study.figures {
            let _ = write!(
                text,
                "\n![{}]({folder}/{}.png)\n\n{}\n",
                figure.caption, figure.name, figure.caption
            );
        }
    }
    text
}

/// What the paper prints.
fn note(case: &Case) -> Option<String> {
    if let Some(erratum) = &case.check.erratum {
        return Some(format!("erratum: {erratum}"));
    }
    let only = case.check.processor_only;
    let printed = case.check.printed.clone();
    printed.or_else(|| only.map(|reason| format!("on the processor only: {reason}")))
}

/// How much further off a device may be, and why, if one ran.
fn device_tolerance(case: &Case) -> Option<(f64, &'static str)> {
    let device = case.check.device;
    case.gpu
        .map(|_| (device.amount(case.check.expected), device.reason))
}

/// GPU − CPU.
fn difference(case: &Case) -> String {
    let difference = case.cpu.zip(case.gpu).map(|(cpu, gpu)| gpu - cpu);
    difference.map_or_else(|| "–".into(), |d| format!("{d:.1e}"))
}

fn markdown_row(case: &Case) -> String {
    format!(
        "| `{}` | {} | {} | {:.1e} | {} | {} | {} | {} | {} |",
        case.id,
        case.check.quantity.replace('|', "\\|"),
        number(case.check.expected),
        case.tolerance,
        optional(case.cpu),
        optional(case.gpu),
        difference(case),
        device_tolerance(case).map_or_else(|| "–".into(), |(amount, _)| format!("{amount:.1e}")),
        if case.pass { "pass" } else { "**FAIL**" }
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Base 64 of RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = [0, 1, 2].map(|k| u32::from(chunk.get(k).copied().unwrap_or(0)));
        let bits = group[0] << 16 | group[1] << 8 | group[2];
        for k in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= chunk.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    text
}

/// Start of the page. No scripts, nothing from elsewhere: the page is to be kept.
const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<title>lahar verify</title><style>\
body{font:15px/1.45 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#222831}\
table{border-collapse:collapse;width:100%;margin:1rem 0}\
th,td{border-bottom:1px solid #e2e6eb;padding:.3rem .5rem;text-align:left;vertical-align:top}\
small{color:#68707a}.pass{color:#249062}.fail{color:#c43a40;font-weight:bold}\
figure{margin:1rem 0}img{max-width:100%}figcaption{color:#68707a}\
</style></head><body>\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_rfc() {
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        assert_eq!(base64(&[0xff, 0xee, 0xdd]), "/+7d");
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(-1.5), "-1.5");
        assert_eq!(number(1.0 / 3.0), "0.33333333");
        assert_eq!(number(2.5e-7), "2.500000e-7");
    }
}
