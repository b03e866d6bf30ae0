use super::*;
use crate::dprr::degree::DegreeStatement;

fn rows(rows: &[&[NodeId]]) -> Graph {
    Graph::from_rows(rows.iter().map(|row| row.to_vec()).collect()).unwrap()
}

fn edges(graph: &Graph) -> Vec<(NodeId, NodeId)> {
    graph.edges().collect()
}

/// The columns of a node that are not zero.
fn columns(set: &GraphSet, node: usize) -> Vec<u32> {
    let features = &set.node_attributes().unwrap()[0];
    features.nonzero_entries(node).map(|(column, _)| column).collect()
}

#[test]
fn what_is_published_is_known_from_both_ends() {
    // User 0 publishes and knows 1 and 2; the others are silent.
    let graph = rows(&[&[1, 2], &[], &[], &[]]);
    let claims = [Claim::Published, Claim::Silent, Claim::Silent, Claim::Silent];
    let read = |direction| Reading::Believed.read(vec![graph.clone()], &claims, direction).unwrap();
    let set = read(Direction::Undirected);
    assert_eq!(edges(&set.graphs()[0]), [(0, 1), (0, 2)]);
    assert_eq!(set.graphs()[0].neighbors(1), [0]);
    // 2 log2(3) = 3.2 for the degree, 2 log2(5) = 4.6 for the size, and public.
    assert_eq!(columns(&set, 0), [3, BINS as u32 + 5, 2 * BINS as u32]);
    // A user who is named has at least one neighbour; a user who is not may have none.
    assert!(columns(&set, 1)[0] > columns(&set, 3)[0]);
    // An arc says nothing about the list of the one it points to.
    let directed = read(Direction::Directed);
    assert_eq!(directed.graphs()[0].degree(1), 0);
    assert_eq!(columns(&directed, 1), columns(&directed, 3));
}

/// Four users of degree 1: a pair has probability 1/4, odds 1/3. Answers are right three times in four,
/// so that both ends make odds of 3, one end alone 1/3.
#[test]
fn a_pair_is_believed_if_it_is_likely() {
    let graph = rows(&[&[1, 2], &[0], &[], &[]]);
    let claims = [Claim::Bits { flip: 0.25 }; 4];
    let testimony = Testimony::of(&graph, &claims, Direction::Undirected);
    assert_eq!(testimony.believed_pairs(&[1.0; 4]), [(0, 1), (1, 0)]);
    // With degrees of 2 a pair is as likely as not: one end weighs against the other.
    assert_eq!(testimony.believed_pairs(&[2.0; 4]), [(0, 1), (0, 2), (1, 0)]);
    // Directed: a third of the others, and only the owner speaks.
    let testimony = Testimony::of(&graph, &claims, Direction::Directed);
    assert_eq!(testimony.believed_pairs(&[1.0; 4]), [(0, 1), (0, 2), (1, 0)]);
    assert!(testimony.believed_pairs(&[0.5; 4]).is_empty());
}

#[test]
fn reports_change_odds_as_the_mechanism_says() {
    let graph = rows(&[&[], &[], &[], &[], &[]]);
    let said = |said| Claim::Degree { said, epsilon: 0.5, flip: 0.25 };
    let claims = [Claim::Bits { flip: 0.2 }, said(1), said(-3), Claim::Silent, Claim::Published];
    let testimony = Testimony::of(&graph, &claims, Direction::Undirected);
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
    close(testimony.odds(0, true), 4.0);
    close(testimony.odds(0, false), 0.25);
    // q = 1 / (1 * 0.5 + 4 * 0.25) = 2/3; pq = 1/2, (1-p)q = 1/6.
    close(testimony.odds(1, true), 3.0);
    close(testimony.odds(1, false), 0.5 / (5.0 / 6.0));
    // Nothing is kept, so silence says nothing.
    close(testimony.odds(2, false), 1.0);
    close(testimony.odds(3, true), 1.0);
}

/// Bits that are never wrong give degrees that are never wrong, from both sides of each pair.
#[test]
fn degrees_from_bits_have_no_bias() {
    let graph = rows(&[&[1, 2, 4], &[0], &[0, 3], &[2], &[0]]);
    let mut claims = [Claim::Bits { flip: 1e-9 }; 5];
    claims[4] = Claim::Published;
    let degrees = Testimony::of(&graph, &claims, Direction::Undirected).degrees();
    let truth = [3.0, 1.0, 2.0, 1.0, 1.0];
    assert!(degrees.iter().zip(truth).all(|(a, b)| (a - b).abs() < 0.01), "{degrees:?}");
    // User 3 names no user and is named by two who err every fourth time, among three private others:
    // rows say -3/2, columns (2 - 3/4) / (1/2) = 5/2, and both weigh the same.
    let graph = rows(&[&[3], &[3], &[], &[], &[]]);
    let claims = [[Claim::Bits { flip: 0.25 }; 4].as_slice(), &[Claim::Published]].concat();
    let bits = Testimony::of(&graph, &claims, Direction::Undirected).bits();
    let DegreeStatement::Normal { degree, variance } = bits[3] else { panic!("{:?}", bits[3]) };
    assert!((degree - 0.5).abs() < 1e-12, "{degree}");
    // Three answers of 3/16 / (1/2)^2 = 3/4, halved.
    assert!((variance - 1.125).abs() < 1e-12, "{variance}");
}

#[test]
fn users_nobody_listens_to_leave_the_graph_but_count() {
    let graph = rows(&[&[1], &[0, 2], &[1, 3], &[2]]);
    let said = Claim::Degree { said: 1, epsilon: 1.0, flip: 0.3 };
    let claims = [Claim::Published, Claim::Struck, said, Claim::Silent];
    let read = |reading: Reading| {
        reading.read(vec![graph.clone()], &claims, Direction::Undirected).unwrap()
    };
    let plain = read(Reading::Plain);
    assert_eq!((plain.graphs()[0].node_count(), plain.graphs()[0].arc_count()), (2, 0));
    assert!(plain.node_attributes().is_none());
    let believed = read(Reading::Believed);
    // The struck user is gone; the silent one is there; the size is that of all four.
    assert_eq!(believed.graphs()[0].node_count(), 3);
    assert!(columns(&believed, 1).contains(&(BINS as u32 + 5)));
    assert!(Reading::Plain.read(vec![graph], &claims[1..], Direction::Undirected).is_err());
}

#[test]
fn numbers_fall_into_bins() {
    assert_eq!([0.0, 1.0, 2.0, 3.0, 7.0, 1e9].map(bin), [0, 2, 3, 4, 6, BINS - 1]);
}
