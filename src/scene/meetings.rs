//! Which materials can touch.

use super::Scene;
use super::validate::Place;
use std::collections::BTreeMap;

/// Two materials that can touch, and an example of where they do.
pub(super) struct Meeting {
    pub(super) materials: [usize; 2],
    /// What makes them meet.
    pub(super) cause: Place,
    pub(super) description: String,
}

/// All pairs of materials that can touch: moving grains among each other, with fixed grains and with
/// walls. What is fixed never feels what else is fixed.
pub(super) fn meetings(scene: &Scene) -> Vec<Meeting> {
    #[derive(Default)]
    struct Use {
        first: usize,
        moving: usize,
        fixed: usize,
    }
    let mut uses: BTreeMap<usize, Use> = BTreeMap::new();
    for (index, particle) in scene.particles.iter().enumerate() {
        let entry = uses.entry(particle.material).or_insert_with(|| Use {
            first: index,
            ..Use::default()
        });
        if particle.fixed {
            entry.fixed += 1;
        } else {
            entry.moving += 1;
        }
    }
    let uses: Vec<(usize, Use)> = uses.into_iter().collect();

    let mut meetings: Vec<Meeting> = Vec::new();
    for (i, (a, of_a)) in uses.iter().enumerate() {
        for (b, of_b) in &uses[i..] {
            let meet = if a == b {
                of_a.moving > 0 && of_a.moving + of_a.fixed > 1
            } else {
                of_a.moving > 0 || of_b.moving > 0
            };
            if meet {
                meetings.push(Meeting {
                    materials: [*a, *b],
                    cause: Place::Particle {
                        index: of_a.first.max(of_b.first),
                        field: "material",
                    },
                    description: "grains of both can meet".to_owned(),
                });
            }
        }
        for (w, wall) in scene.walls.iter().enumerate().filter(|_| of_a.moving > 0) {
            let materials = [*a, wall.material];
            if !meetings.iter().any(|other| other.materials == materials) {
                meetings.push(Meeting {
                    materials,
                    cause: Place::Key(format!("walls[{w}].material")),
                    description: format!("grains can meet wall {:?}", wall.name),
                });
            }
        }
    }
    meetings
}
