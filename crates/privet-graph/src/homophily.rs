//! Edge homophily: how often neighbours are of the same class.

use crate::{Graph, Labels};

/// The share of edges whose ends have the same class, among edges whose ends both have exactly
/// one; `None` if there is no such edge. Self-loops do not count.
///
/// ```
/// use privet_graph::{Direction, GraphBuilder, Labels, homophily::edge_homophily};
/// let (path, _) =
///     GraphBuilder::new(4, Direction::Undirected).edges([(0, 1), (1, 2), (2, 3)]).build()?;
/// let labels = Labels::from_names(&["a", "a", "b", ""])?;
/// assert_eq!(edge_homophily(&path, &labels), Some(0.5));
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub fn edge_homophily(graph: &Graph, labels: &Labels) -> Option<f64> {
    let (mut same, mut all) = (0usize, 0usize);
    for (u, v) in graph.edges().filter(|(u, v)| u != v) {
        if let (Some(a), Some(b)) = (labels.class(u), labels.class(v)) {
            all += 1;
            same += usize::from(a == b);
        }
    }
    (all > 0).then(|| same as f64 / all as f64)
}
