//! [`Effort`]: about how long a real run takes, and how much memory, from a simulated one.

use privet::Method;
use privet::project::Protects;
use serde::Serialize;

use super::facts::PlanQuestion;
use super::method::Family;
use super::simulate::Simulation;
use super::threads;

/// What a run takes: the order of magnitude, on a machine like this one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Effort {
    /// Seconds on one core.
    pub seconds: f64,
    /// Bytes at its peak.
    pub bytes: f64,
}

/// A report's number and its decoded float.
const SENT: f64 = 20.0;
/// The rounds of a propagation, three at a time, and a copy for the learner: floats of four bytes.
const SPREAD: f64 = 16.0;
/// A connection, in both rows, twice while they are sorted.
const CONNECTION: f64 = 24.0;

impl Effort {
    /// What a run on the people there are takes, where one on a look-alike took so many seconds.
    pub fn of(question: &PlanQuestion, method: Method, simulated: f64) -> Self {
        let facts = &question.facts;
        let simulation = Simulation::new(question);
        let (people, edges) = (facts.people as f64, facts.edges as f64);
        let columns = facts.columns.max(1) as f64;
        let wider = columns / simulation.columns as f64;
        let more = match Family::of(question) {
            // Each person answers about all others.
            Family::Lists if method == Method::LdpGe => simulation.ratio().powi(2),
            Family::Graphs => {
                // A run reads graphs up to a number and a size; cost grows with the square of a
                // graph's size.
                let shown = facts.graphs.min(threads::MOST_GRAPHS) as f64;
                let each = people / facts.graphs as f64;
                facts.graphs as f64 / shown * (each / each.min(threads::MOST_EACH as f64)).powi(2)
            }
            // Batches grow with people, and the matrix with columns, of which a run touches the
            // root.
            Family::People => simulation.ratio() * wider.sqrt(),
            _ => simulation.ratio() * wider,
        };
        let rows = people * facts.filled.unwrap_or(columns).min(columns) * 8.0;
        let bytes = edges * CONNECTION
            + rows
            + match method {
                Method::LdpGe => {
                    let sent = if question.hides(Protects::Features) { columns } else { 0.0 };
                    let lists = if question.hides(Protects::Contacts) {
                        people * people / 2.0
                    } else {
                        0.0
                    };
                    people * (sent * SENT + columns * SPREAD) + lists
                }
                Method::EdgeVotes | Method::HeteroRr | Method::PublicConnections => {
                    people * columns * 8.0
                }
                Method::LabelPropagation => people * facts.classes as f64 * 24.0,
                _ => people * facts.classes as f64 * 8.0,
            };
        Self { seconds: simulated * more, bytes }
    }
}

#[cfg(test)]
mod tests {
    use privet::project::TrustModel;

    use super::*;
    use crate::plan::PublicFacts;

    fn effort(people: usize, columns: usize, protects: Protects) -> Effort {
        let central = matches!(protects, Protects::People | Protects::Connections);
        let trust = if central { TrustModel::Curator } else { TrustModel::Devices };
        let facts = PublicFacts::new(people, 4 * people as u64, columns, 4);
        let question = PlanQuestion::new("people", facts, trust, vec![protects]).unwrap();
        Effort::of(&question, Method::LdpGe, 2.0)
    }

    /// A look-alike of as many people takes as long as they do.
    #[test]
    fn few_people_take_what_their_look_alike_took() {
        assert_eq!(effort(1_000, 20, Protects::Features).seconds, 2.0);
    }

    /// Reports grow with people and columns; lists, in which each person answers about all others, with people squared.
    #[test]
    fn more_people_take_longer_and_lists_longer_still() {
        let [few, many] = [20_000, 40_000].map(|people| effort(people, 20, Protects::Features));
        assert!((many.seconds / few.seconds - 2.0).abs() < 1e-9);
        assert!((many.bytes / few.bytes - 2.0).abs() < 1e-9);
        let [few, many] = [20_000, 40_000].map(|people| effort(people, 20, Protects::Contacts));
        assert!((many.seconds / few.seconds - 4.0).abs() < 1e-9);
        // A bit for every pair of people, in half a byte, and little else.
        assert!(many.bytes > 40_000.0 * 40_000.0 / 2.0 && many.bytes < 40_000.0 * 40_000.0);
        let wide = effort(20_000, 2_000, Protects::Features);
        assert!(wide.seconds > few.seconds.min(2.0) && wide.bytes > 20_000.0 * 2_000.0 * SENT);
    }
}
