//! Two engines side by side: how far they agree, and for how long.
//!
//! Grains that collide multiply every difference, so two engines that round differently part sooner
//! or later; from then on only statistics can agree. How far those may differ is measured, not guessed:
//! further runs, the *twins*, are the reference once more with its start disturbed by [`DISTURBANCE`]
//! radii. What they do differently, nobody can call wrong. There are [`TWINS`]: one may by chance be close to the
//! reference in something, and one in sixteen times another run is then [`FACTOR`] times as far off (the ratio of two
//! normal deviations); that all three are so close happens once in some thousand times. "The twin" is what any of
//! them does, at its furthest.
//!
//! * **Trajectories.** Differences of positions are in radii; "99 %" is the one that 99 of 100 grains
//!   stay below. The candidate may be [`LEAD`] times as far from the reference as the twin has been: its
//!   rounding acts at every step, the disturbance only once. Besides that, it may be [`ASTRAY`] radii
//!   off, and as much of the way that the grains have gone.
//! * **Statistics.** The candidate may differ by [`FACTOR`] times the most that the twin did until its
//!   trajectories (99 %) were as far off as those of the candidate are; if they never were, that is
//!   scaled up in proportion. If they are further off by now, what the twin does differently now counts too,
//!   scaled down in proportion: grains may be doing what they did not do before, as those that just landed. Besides that there is a floor for rounding: 1e-5 of the energy or
//!   force in play, two contacts, and for heights what trajectories may be astray, and [`CHANCE`] standard
//!   deviations of a mean over grains that are each as far off as they are: a bed that lies higher as a whole is
//!   not excused by that.

pub mod hard_soft;
mod measures;
mod soft_twin;
mod subject;

pub use soft_twin::soft_twin;
pub use subject::{Observation, Setting, Subject, disturbed};

use crate::error::Result;
use glam::DVec3;
use measures::{Measure, Scales, measures};

/// How many twins a comparison has.
pub const TWINS: usize = 3;

/// How far the grains of a twin are displaced at the start, in radii: about what one collision in single
/// precision is off by, so that the twin parts from the reference as soon as a device does.
pub const DISTURBANCE: f64 = 1e-7;

/// Trajectories agree as long as no grain is further off than this, in radii.
pub const THRESHOLD: f64 = 1e-3;

/// How many times further than the twin the candidate may be from the reference.
pub const LEAD: f64 = 100.0;

/// How far rounding may lead a grain astray, in radii, and as a fraction of its way.
pub const ASTRAY: f64 = 1e-5;

/// How many times more than those of the twin statistics may differ: the twin is one example of what
/// may happen, and at first but a few grains have parted, by chance these or those.
pub const FACTOR: f64 = 10.0;

/// Standard deviations by which a mean height may be off if every grain is off by itself, in any direction: one
/// grain that rolled to the other side of another moves its layer.
pub const CHANCE: f64 = 3.0;

/// Looks at the forces on walls between two samples: they fluctuate faster than anything else.
const LOOKS: u32 = 16;

/// The runs of a comparison.
pub struct Subjects<'a> {
    /// What is right.
    pub reference: &'a mut dyn Subject,
    /// What is to be examined.
    pub candidate: &'a mut dyn Subject,
    /// The reference once more, each time with its start [disturbed].
    pub twins: [&'a mut dyn Subject; TWINS],
}

/// Differences of positions at one instant, in radii.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Difference {
    /// Half of the grains are closer.
    pub median: f64,
    /// 99 of 100 grains are closer.
    pub most: f64,
    /// The grain that is furthest off.
    pub largest: f64,
    /// Root of the sum of the squares of all.
    pub root_sum: f64,
}

impl Difference {
    /// The greater of each number.
    fn furthest(self, other: Self) -> Self {
        Self {
            median: self.median.max(other.median),
            most: self.most.max(other.most),
            largest: self.largest.max(other.largest),
            root_sum: self.root_sum.max(other.root_sum),
        }
    }
}

/// The trajectories at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Time, s.
    pub time: f64,
    /// Candidate against reference.
    pub candidate: Difference,
    /// Twins against reference, in each number the one that is furthest off.
    pub twin: Difference,
}

/// One quantity at the instant at which it is worst.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// What was compared.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// When it was worst, s.
    pub time: f64,
    /// What the reference says then (of a force, its size).
    pub reference: f64,
    /// What the candidate says then.
    pub candidate: f64,
    /// How far they are apart.
    pub difference: f64,
    /// How far the twin had been apart: the yardstick.
    pub twin: f64,
    /// How far they may be apart.
    pub band: f64,
}

impl Check {
    /// Whether the difference is within the band; one that is not a number never is.
    pub fn passes(&self) -> bool {
        self.difference <= self.band
    }

    /// The difference in bands.
    fn strain(&self) -> f64 {
        if self.difference == 0.0 {
            0.0
        } else if self.difference.is_finite() {
            self.difference / self.band
        } else {
            f64::INFINITY
        }
    }
}

/// What a comparison came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The trajectories in time.
    pub samples: Vec<Sample>,
    /// Trajectories and statistics, each at its worst.
    pub checks: Vec<Check>,
    /// Forces on the wall faces in time, averaged from sample to sample: reference and candidate, N.
    pub wall_forces: Vec<[Vec<DVec3>; 2]>,
}

impl Report {
    /// Whether everything is within its band.
    pub fn passes(&self) -> bool {
        self.checks.iter().all(Check::passes)
    }

    /// The last sample up to which no grain was off by more than [`THRESHOLD`], s; and whether that is
    /// the end.
    pub fn agree_until(&self) -> (f64, bool) {
        let agree = |sample: &&Sample| sample.candidate.largest <= THRESHOLD;
        let count = self.samples.iter().take_while(agree).count();
        let last = self.samples[..count].last();
        (last.map_or(0.0, |s| s.time), count == self.samples.len())
    }
}

/// Runs the subjects side by side and compares them at each of these times, s, ascending; the first
/// of them is best 0, so that the ways of the grains are known from there.
///
/// `progress` is called after each sample with how many there have been.
///
/// # Errors
/// Whatever stops one of the runs, or what `progress` returns.
pub fn cross_check(
    subjects: Subjects<'_>,
    setting: &Setting,
    times: &[f64],
    mut progress: impl FnMut(usize) -> Result<()>,
) -> Result<Report> {
    let mut runs = vec![subjects.reference, subjects.candidate];
    runs.extend(subjects.twins);
    let mut comparison = Comparison::new(setting);
    let mut before = 0.0;
    for (count, &time) in (1..).zip(times) {
        let mut forces = vec![Vec::new(); runs.len()];
        let mut seen = Vec::new();
        for (run, forces) in runs.iter_mut().zip(&mut forces) {
            for look in 1..=LOOKS {
                // The last look is at the sample itself, to the bit.
                let between = before + (time - before) * f64::from(look) / f64::from(LOOKS);
                run.advance_to(if look == LOOKS { time } else { between })?;
                add(forces, &run.wall_forces());
            }
            seen.push(run.observe()?);
        }
        comparison.add(time, &seen, forces);
        before = time;
        progress(count)?;
    }
    Ok(comparison.report())
}

/// Adds one look at the forces to their mean.
fn add(means: &mut Vec<DVec3>, forces: &[DVec3]) {
    means.resize(forces.len(), DVec3::ZERO);
    for (mean, force) in means.iter_mut().zip(forces) {
        *mean += *force / f64::from(LOOKS);
    }
}

/// What is known until some sample.
struct Comparison<'a> {
    setting: &'a Setting,
    scales: Vec<Scales>,
    /// Statistics of reference, candidate and twins at each sample.
    measures: Vec<Vec<Vec<Measure>>>,
    /// Where the reference had its grains at the last sample, and the longest way so far in radii.
    places: Vec<Option<DVec3>>,
    ways: Vec<f64>,
    report: Report,
}

impl<'a> Comparison<'a> {
    fn new(setting: &'a Setting) -> Self {
        Self {
            setting,
            scales: Vec::new(),
            measures: Vec::new(),
            places: vec![None; setting.radii.len()],
            ways: vec![0.0; setting.radii.len()],
            report: Report::default(),
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn add(&mut self, time: f64, seen: &[Observation], forces: Vec<Vec<DVec3>>) {
        let [reference, candidate] = [&seen[0], &seen[1]];
        let setting = self.setting;
        for &(id, position) in &reference.grains {
            let (id, place) = (id as usize, &mut self.places[id as usize]);
            if let (Some(before), Some(radius)) = (*place, setting.radii[id]) {
                self.ways[id] += setting.way(before, position).length() / radius;
            }
            *place = Some(position);
        }
        let longest = self.ways.iter().copied().fold(0.0, f64::max);
        let before = self.scales.last().copied().unwrap_or_default();
        let in_play = reference.kinetic
            + reference.rotational
            + reference.elastic.unwrap_or(0.0)
            + reference.dissipated;
        let apart = difference(setting, reference, candidate);
        let strongest = forces[0].iter().map(|f| f.length()).fold(0.0, f64::max);
        self.scales.push(Scales {
            energy: before.energy.max(in_play),
            force: before.force.max(strongest).max(setting.weight),
            astray: ASTRAY * (1.0 + longest) * setting.mean_radius(),
            chance: CHANCE * apart.root_sum * setting.mean_radius()
                / (reference.grains.len() as f64).max(1.0),
            weight: setting.weight,
            grains: reference.grains.len() as f64,
        });
        let runs = seen.iter().zip(&forces);
        self.measures.push(
            runs.map(|(seen, forces)| measures(setting, seen, forces))
                .collect(),
        );
        self.report.samples.push(Sample {
            time,
            candidate: apart,
            twin: seen[2..]
                .iter()
                .map(|twin| difference(setting, reference, twin))
                .fold(Difference::default(), Difference::furthest),
        });
        let mut forces = forces.into_iter();
        let [of_reference, of_candidate] =
            [forces.next(), forces.next()].map(Option::unwrap_or_default);
        self.report.wall_forces.push([of_reference, of_candidate]);
    }

    fn report(mut self) -> Report {
        let mut checks: Vec<Check> = Vec::new();
        for index in 0..self.report.samples.len() {
            let found = std::iter::once(self.trajectories(index)).chain(self.statistics(index));
            for check in found {
                match checks.iter_mut().find(|known| known.name == check.name) {
                    Some(known) if check.strain() > known.strain() => *known = check,
                    Some(_) => {}
                    None => checks.push(check),
                }
            }
        }
        self.report.checks = checks;
        self.report
    }

    /// Whether the candidate is as close to the reference as rounding allows.
    fn trajectories(&self, index: usize) -> Check {
        let sample = &self.report.samples[index];
        let until = &self.report.samples[..=index];
        let twin = until.iter().map(|s| s.twin.most).fold(0.0, f64::max);
        let astray = self.scales[index].astray / self.setting.mean_radius();
        Check {
            name: "trajectories, 99 %".into(),
            unit: "radii",
            time: sample.time,
            reference: 0.0,
            candidate: sample.candidate.most,
            difference: sample.candidate.most,
            twin,
            band: LEAD * twin + astray,
        }
    }

    /// Whether statistics differ by no more than they do between two runs that are both right.
    fn statistics(&self, index: usize) -> impl Iterator<Item = Check> {
        let samples = &self.report.samples;
        let apart = samples[index].candidate.most;
        // The samples until the twin was as far off as the candidate is now …
        let count = samples.iter().position(|s| s.twin.most >= apart);
        let count = count.map_or(samples.len(), |last| last + 1);
        let furthest = samples[..count]
            .iter()
            .map(|s| s.twin.most)
            .fold(0.0, f64::max);
        // … and how much further the candidate is, if it never was.
        let ahead = if furthest > 0.0 {
            (apart / furthest).clamp(1.0, LEAD)
        } else {
            1.0
        };
        let now = samples[index].twin.most;
        let nearer = if now > 0.0 {
            (apart / now).min(1.0)
        } else {
            0.0
        };
        let [reference, candidate] = [&self.measures[index][0], &self.measures[index][1]];
        reference.iter().filter_map(move |of_reference| {
            let name = &of_reference.name;
            let of_candidate = named(candidate, name)?;
            let of_twin = |runs: &Vec<Vec<Measure>>| {
                let reference = named(&runs[0], name)?;
                let apart = |twin: &Vec<Measure>| Some((named(twin, name)? - reference).length());
                Some(runs[2..].iter().filter_map(apart).fold(0.0, f64::max))
            };
            let before = self.measures[..count].iter().filter_map(of_twin);
            let before = ahead * before.fold(0.0, f64::max);
            let twin = before.max(nearer * of_twin(&self.measures[index]).unwrap_or(0.0));
            let size = |value: DVec3| {
                if value.y == 0.0 && value.z == 0.0 {
                    value.x
                } else {
                    value.length()
                }
            };
            Some(Check {
                name: name.clone(),
                unit: of_reference.kind.unit(),
                time: samples[index].time,
                reference: size(of_reference.value),
                candidate: size(of_candidate),
                difference: (of_candidate - of_reference.value).length(),
                twin,
                band: FACTOR * twin + self.scales[index].floor(of_reference.kind),
            })
        })
    }
}

fn named(measures: &[Measure], name: &str) -> Option<DVec3> {
    let found = measures.iter().find(|measure| measure.name == name)?;
    Some(found.value)
}

/// Differences of the positions of all grains that both have and that move.
fn difference(setting: &Setting, reference: &Observation, other: &Observation) -> Difference {
    let mut others = other.grains.iter().peekable();
    let mut apart = Vec::with_capacity(reference.grains.len());
    for &(id, place) in &reference.grains {
        while others.next_if(|&&(other, _)| other < id).is_some() {}
        let same = others.next_if(|&&(other, _)| other == id);
        if let (Some(&(_, there)), Some(radius)) = (same, setting.radii[id as usize]) {
            apart.push(setting.way(place, there).length() / radius);
        }
    }
    apart.sort_by(f64::total_cmp);
    let at = |per_cent: usize| {
        let rank = (apart.len() * per_cent).div_ceil(100).saturating_sub(1);
        apart.get(rank).copied().unwrap_or(0.0)
    };
    Difference {
        median: at(50),
        most: at(99),
        largest: at(100),
        root_sum: apart.iter().map(|x| x * x).sum::<f64>().sqrt(),
    }
}
