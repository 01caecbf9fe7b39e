//! Plots: curves in a frame, with axes, grid and legend.

use super::canvas::{Align, Canvas, TextStyle};
use super::colour::Colour;
use super::ticks;
use crate::error::Result;
use crate::output::Series;
use std::path::Path;

/// A plot of one or more curves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// Written in bold above the frame.
    pub title: String,
    /// Written below the title, in grey; may be empty.
    pub subtitle: String,
    /// Quantity and unit along x.
    pub x_label: String,
    /// Quantity and unit along y.
    pub y_label: String,
    /// What is drawn, the first one lowest. The legend lists those that have a label.
    pub curves: Vec<Curve>,
    /// Whether x is logarithmic; points that are not positive are then left out.
    pub log_x: bool,
    /// Whether y is logarithmic; points that are not positive are then left out.
    pub log_y: bool,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Name in the legend.
    pub label: String,
    /// Points (x, y) in the order of drawing. A point that is not finite interrupts a line.
    pub points: Vec<[f64; 2]>,
    /// Line or points.
    pub style: Style,
    /// Colour.
    pub colour: Colour,
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A line.
    Line,
    /// A line of half the width, for references.
    ThinLine,
    /// A broken line.
    Dashed,
    /// A dot at each point.
    Points,
}

/// One axis: what range it shows, where it lies on the image, and its ticks.
struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// Pixels of `low` and `high`.
    from: f64,
    to: f64,
    /// Ticks: value and label.
    ticks: Vec<(f64, String)>,
    /// Power of ten taken out of the labels.
    exponent: i32,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, log: bool, padding: f64, wanted: usize) -> Self {
        let (mut low, mut high) = values
            .filter(|x| x.is_finite() && (!log || *x > 0.0))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            });
        if low > high {
            (low, high) = if log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if log {
            if high < low * 1.01 {
                (low, high) = (low / 3.0, high * 3.0);
            }
            let grow = (high / low).powf(padding);
            (low, high) = (low / grow, high * grow);
        } else {
            // Zero belongs to the picture when it is not far away.
            if padding > 0.0 && low > 0.0 && low < 0.4 * high {
                low = 0.0;
            }
            if high - low <= 1e-12 * high.abs().max(low.abs()) {
                let half = if high == 0.0 { 1.0 } else { 0.1 * high.abs() };
                (low, high) = (low - half, high + half);
            }
            let span = high - low;
            if low != 0.0 {
                low -= padding * span;
            }
            high += padding * span;
        }
        let (ticks, exponent) = if log {
            log_ticks(low, high, wanted)
        } else {
            linear_ticks(low, high, wanted)
        };
        Self {
            low,
            high,
            log,
            from: 0.0,
            to: 1.0,
            ticks,
            exponent,
        }
    }

    /// The pixel of a value.
    fn place(&self, value: f64) -> f64 {
        let t = if self.log {
            if value <= 0.0 {
                return f64::NAN;
            }
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + t * (self.to - self.from)
    }
}

fn linear_ticks(low: f64, high: f64, wanted: usize) -> (Vec<(f64, String)>, i32) {
    let exponent = ticks::common_exponent(low.abs().max(high.abs()));
    let unit = 10_f64.powi(exponent);
    let step = ticks::round_step(high - low, wanted).unwrap_or(1.0);
    let ticks = ticks::linear(low, high, wanted)
        .into_iter()
        .map(|value| (value, ticks::label(value / unit, step / unit)))
        .collect();
    (ticks, exponent)
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "exponents of f64 are below 400"
)]
fn log_ticks(low: f64, high: f64, wanted: usize) -> (Vec<(f64, String)>, i32) {
    let powers = ticks::logarithmic(low, high, wanted);
    if powers.len() < 2 {
        // Less than a decade: powers of ten say too little.
        return linear_ticks(low, high, wanted);
    }
    let ticks = powers
        .into_iter()
        .map(|value| {
            let label = match value.log10().round() as i32 {
                0 => "1".to_owned(),
                1 => "10".to_owned(),
                exponent => ticks::power_of_ten(exponent),
            };
            (value, label)
        })
        .collect();
    (ticks, 0)
}

const GREY: Colour = Colour::new(104, 112, 122);
const GRID: Colour = Colour::new(226, 230, 235);

impl Plot {
    /// Draws the plot and writes it as a PNG file. Made for about 1000 × 620 pixels; text and lines
    /// grow with the height.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) when the file cannot be written.
    pub fn write_png(&self, path: impl AsRef<Path>, width: usize, height: usize) -> Result<()> {
        self.draw(width, height).write_png(path)
    }

    /// Draws the plot.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "sizes in pixels"
    )]
    pub fn draw(&self, width: usize, height: usize) -> Canvas {
        let mut canvas = Canvas::new(width, height, Colour::WHITE);
        let unit = height as f64 / 620.0;
        let text = TextStyle::new((15.0 * unit) as f32);
        let all = || self.curves.iter().flat_map(|curve| &curve.points);
        // Dots need room beside them, lines end at the frame.
        let dots = self.curves.iter().any(|c| c.style == Style::Points);
        let beside = if dots { 0.03 } else { 0.0 };
        let mut x = Axis::new(all().map(|p| p[0]), self.log_x, beside, 7);
        let mut y = Axis::new(all().map(|p| p[1]), self.log_y, 0.05, 6);

        // The frame leaves room for what stands around it.
        let widest_tick = y
            .ticks
            .iter()
            .map(|(_, label)| f64::from(text.width(label)))
            .fold(0.0, f64::max);
        let legend: Vec<&Curve> = self.curves.iter().filter(|c| !c.label.is_empty()).collect();
        let legend_width = if legend.len() < 2 {
            0.0
        } else {
            let widest = legend.iter().map(|c| f64::from(text.width(&c.label)));
            widest.fold(0.0, f64::max) + 62.0 * unit
        };
        let left = (widest_tick + 62.0 * unit).max(80.0 * unit).round();
        let right = (width as f64 - 28.0 * unit - legend_width).round();
        let head = match (self.title.is_empty(), self.subtitle.is_empty()) {
            (true, true) => 34.0,
            (false, false) => 84.0,
            _ => 60.0,
        };
        let top = (head * unit).round();
        let bottom = (height as f64 - 68.0 * unit).round();
        (x.from, x.to) = (left, right);
        (y.from, y.to) = (bottom, top);

        self.draw_frame(&mut canvas, &x, &y, unit);
        for curve in &self.curves {
            draw_curve(&mut canvas, curve, &x, &y, unit);
        }
        let mut heading = 36.0 * unit;
        if !self.title.is_empty() {
            let style = TextStyle::new((19.0 * unit) as f32).bold();
            canvas.text([left, heading], &self.title, style);
            heading += 25.0 * unit;
        }
        canvas.text([left, heading], &self.subtitle, text.colour(GREY));
        if legend.len() >= 2 {
            let mut at = top + 12.0 * unit;
            for curve in legend {
                let from = right + 18.0 * unit;
                draw_sample(&mut canvas, curve, [from, at], 26.0 * unit, unit);
                canvas.text([from + 34.0 * unit, at + 5.0 * unit], &curve.label, text);
                at += 24.0 * unit;
            }
        }
        canvas
    }

    #[allow(clippy::cast_possible_truncation, reason = "sizes in pixels")]
    fn draw_frame(&self, canvas: &mut Canvas, x: &Axis, y: &Axis, unit: f64) {
        let text = TextStyle::new((15.0 * unit) as f32);
        let (left, right, top, bottom) = (x.from, x.to, y.to, y.from);
        let thin = unit.round().max(1.0);
        for (value, label) in &x.ticks {
            let at = x.place(*value).round();
            canvas.rectangle([at, top], [at + thin, bottom], GRID, 1.0);
            let style = text.align(Align::Middle);
            canvas.text([at, bottom + 22.0 * unit], label, style);
        }
        for (value, label) in &y.ticks {
            let at = y.place(*value).round();
            canvas.rectangle([left, at], [right, at + thin], GRID, 1.0);
            let style = text.align(Align::End);
            canvas.text([left - 10.0 * unit, at + 5.0 * unit], label, style);
        }
        if y.low < 0.0 && y.high > 0.0 && !y.log {
            let at = y.place(0.0).round();
            canvas.rectangle([left, at], [right, at + thin], GREY, 0.6);
        }
        canvas.rectangle([left, bottom], [right, bottom + thin], Colour::INK, 1.0);
        canvas.rectangle([left, top], [left + thin, bottom], Colour::INK, 1.0);

        let with_exponent = |label: &str, exponent: i32| match exponent {
            0 => label.to_owned(),
            _ => format!("{label} × {}", ticks::power_of_ten(exponent)),
        };
        let middle = [0.5 * (left + right), bottom + 52.0 * unit];
        canvas.text(
            middle,
            &with_exponent(&self.x_label, x.exponent),
            text.align(Align::Middle),
        );
        canvas.text(
            [26.0 * unit, 0.5 * (top + bottom)],
            &with_exponent(&self.y_label, y.exponent),
            text.align(Align::Middle).upwards(),
        );
    }
}

fn draw_curve(canvas: &mut Canvas, curve: &Curve, x: &Axis, y: &Axis, unit: f64) {
    let place = |point: &[f64; 2]| [x.place(point[0]), y.place(point[1])];
    let placed: Vec<[f64; 2]> = curve.points.iter().map(place).collect();
    let finite = |point: &[f64; 2]| point[0].is_finite() && point[1].is_finite();
    if curve.style == Style::Points {
        for point in placed.iter().filter(|point| finite(point)) {
            canvas.disc(*point, 3.2 * unit, curve.colour, 0.9);
        }
        return;
    }
    for piece in placed.split(|point| !finite(point)) {
        draw_line(canvas, piece, curve, unit);
    }
}

fn draw_line(canvas: &mut Canvas, points: &[[f64; 2]], curve: &Curve, unit: f64) {
    match curve.style {
        Style::Line => canvas.polyline(points, 2.2 * unit, curve.colour, 1.0),
        Style::ThinLine => canvas.polyline(points, 1.1 * unit, curve.colour, 1.0),
        Style::Dashed => {
            for dash in dashes(points, 7.0 * unit, 5.0 * unit) {
                canvas.polyline(&dash, 2.0 * unit, curve.colour, 1.0);
            }
        }
        Style::Points => {}
    }
}

/// The short line or dot of a curve in the legend.
fn draw_sample(canvas: &mut Canvas, curve: &Curve, at: [f64; 2], length: f64, unit: f64) {
    if curve.style == Style::Points {
        let middle = [at[0] + 0.5 * length, at[1]];
        canvas.disc(middle, 3.6 * unit, curve.colour, 1.0);
    } else {
        draw_line(canvas, &[at, [at[0] + length, at[1]]], curve, unit);
    }
}

/// Cuts a line into dashes of equal length along the line.
fn dashes(points: &[[f64; 2]], dash: f64, gap: f64) -> Vec<Vec<[f64; 2]>> {
    let mut all = Vec::new();
    let mut current: Vec<[f64; 2]> = points.first().map(|p| vec![*p]).unwrap_or_default();
    let mut drawing = true;
    let mut left = dash;
    for pair in points.windows(2) {
        let length = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let t = done / length;
            let at = [0, 1].map(|i| pair[0][i] + t * (pair[1][i] - pair[0][i]));
            if drawing {
                current.push(at);
                all.push(std::mem::take(&mut current));
            } else {
                current = vec![at];
            }
            drawing = !drawing;
            left = if drawing { dash } else { gap };
        }
        left -= length - done;
        if drawing {
            current.push(pair[1]);
        }
    }
    if current.len() > 1 {
        all.push(current);
    }
    all
}

/// The energies of a run in time: held as lines, taken by each mechanism as broken lines.
///
/// Potential energy is drawn above its smallest value, since only differences matter. The thin black
/// line is the total, held and taken together; it is level when the balance closes, and the
/// subtitle says how well it does. Mechanisms that took nothing are left out.
pub fn energy_plot(series: &Series) -> Plot {
    let column = |name: &str| {
        let missing = || vec![0.0; series.rows.len()];
        series.column(name).unwrap_or_else(missing)
    };
    let sum = |names: &[&str]| {
        names
            .iter()
            .fold(vec![0.0; series.rows.len()], |mut total, name| {
                for (total, value) in total.iter_mut().zip(column(name)) {
                    *total += value;
                }
                total
            })
    };
    let time = column("time");
    let mut potential = column("potential");
    let lowest = potential.iter().copied().fold(f64::INFINITY, f64::min);
    for value in &mut potential {
        *value -= lowest;
    }
    let elastic = sum(&["elastic_normal", "elastic_tangential", "elastic_rolling"]);
    let taken = sum(&[
        "lost_normal",
        "lost_tangential",
        "lost_friction",
        "lost_rolling",
        "lost_drag",
        "lost_film",
        "removed_energy",
    ]);
    let held = sum(&["kinetic", "rotational"]);
    let given = column("gained_mindlin");
    let everything: Vec<f64> = (0..time.len())
        .map(|i| held[i] + potential[i] + elastic[i] + taken[i] - given[i])
        .collect();

    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let scale = largest(&everything);
    let (prefix, factor) = ticks::si_prefix(scale);
    let curve = |label: &str, values: &[f64], style: Style, colour: Colour| Curve {
        label: label.to_owned(),
        points: time
            .iter()
            .zip(values)
            .map(|(&t, &e)| [t, e / factor])
            .collect(),
        style,
        colour,
    };
    let mut curves = vec![curve("total", &everything, Style::ThinLine, Colour::INK)];
    let lines = [
        ("kinetic", column("kinetic"), Style::Line, 0),
        ("rotational", column("rotational"), Style::Line, 6),
        ("potential", potential, Style::Line, 2),
        ("elastic", elastic, Style::Line, 4),
        ("normal damping", column("lost_normal"), Style::Dashed, 3),
        (
            "sliding friction",
            column("lost_friction"),
            Style::Dashed,
            1,
        ),
        (
            "tangential damping",
            column("lost_tangential"),
            Style::Dashed,
            5,
        ),
        (
            "rolling resistance",
            column("lost_rolling"),
            Style::Dashed,
            7,
        ),
        ("removed grains", column("removed_energy"), Style::Dashed, 0),
        ("drag of the fluid", column("lost_drag"), Style::Dashed, 2),
        ("films of the fluid", column("lost_film"), Style::Dashed, 4),
    ];
    for (label, values, style, colour) in lines {
        if largest(&values) > 0.0 {
            curves.push(curve(label, &values, style, Colour::of_category(colour)));
        }
    }
    let error = largest(&column("balance_error"));
    Plot {
        title: "Energy".to_owned(),
        subtitle: if scale > 0.0 {
            format!(
                "Balance off by at most {} of the energy in play",
                scientific(error / scale)
            )
        } else {
            String::new()
        },
        x_label: "time (s)".to_owned(),
        y_label: format!("energy ({prefix}J)"),
        curves,
        log_x: false,
        log_y: false,
    }
}

/// Two digits and a power of ten: `3.2·10⁻⁵`.
fn scientific(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let text = format!("{x:.1e}");
    match text.split_once('e') {
        Some((digits, exponent)) => match exponent.parse() {
            Ok(exponent) => format!("{digits}·{}", ticks::power_of_ten(exponent)),
            Err(_) => text,
        },
        None => text,
    }
}
