//! Those who know a rule, and the rule.

use super::*;

const CENSUS: Defence = Defence::Census { theta: 0.05, usual_degree: 5 };

/// What malicious users of some of these graphs claim, and who they are.
fn matched(
    against: Defence,
    share: f64,
    attacked: &[u32],
) -> (Vec<Graph>, Vec<Claim>, Vec<Vec<NodeId>>) {
    let (mut graphs, mut claims) = reports(21);
    let poisoning = Poisoning { attack: Attack::Matched { against }, share };
    let bad = poison(poisoning, &mut graphs, &mut claims, attacked);
    (graphs, claims, bad)
}

fn said(claims: &[Claim], graph: usize, user: NodeId) -> i64 {
    match claims[400 * graph + user as usize] {
        Claim::Degree { said, .. } => said,
        _ => panic!("all users report a degree"),
    }
}

fn flagged_of(flagged: &[Vec<NodeId>], users: &[Vec<NodeId>]) -> usize {
    flagged.iter().zip(users).map(|(f, u)| u.iter().filter(|user| f.contains(user)).count()).sum()
}

/// They claim more than to know each other, and are not found; with one more each they all are.
#[test]
fn claims_matched_to_handshake_are_the_largest_that_pass() {
    for share in [0.1, 0.3, 0.5] {
        let attacked: Vec<u32> = (0..15).collect();
        let (graphs, mut claims, bad) = matched(HANDSHAKE, share, &attacked);
        assert!(judged(HANDSHAKE, &graphs, &claims).iter().all(Vec::is_empty), "{share}");
        let company = bad[3].len() as i64;
        assert_eq!(company, (400.0 * share) as i64);
        let claimed = said(&claims, 3, bad[3][0]);
        assert!(claimed >= company - 1, "{share}: {claimed}");
        assert!(bad[3].iter().all(|&user| said(&claims, 3, user) == claimed));
        for &user in &bad[3] {
            let claim = &mut claims[400 * 3 + user as usize];
            *claim = claim.saying(claimed as usize + 1);
        }
        let flagged = judged(HANDSHAKE, &graphs, &claims);
        assert!(bad[3].iter().all(|user| flagged[3].contains(user)), "{share}: {claimed}");
        assert!(flagged.iter().enumerate().all(|(at, users)| at == 3 || users.is_empty()));
    }
}

/// Reports as they could be: as long as claimed, in order, without oneself, accomplices first and mutually.
#[test]
fn made_up_lists_are_reports() {
    let (graphs, claims, bad) = matched(HANDSHAKE, 0.3, &[2]);
    for &user in &bad[2] {
        let named = graphs[2].neighbors(user);
        assert_eq!(named.len() as i64, said(&claims, 2, user));
        assert!(named.windows(2).all(|pair| pair[0] < pair[1]) && !named.contains(&user));
        let accomplices = bad[2].iter().filter(|other| named.contains(other)).count();
        assert_eq!(accomplices, bad[2].len() - 1);
    }
}

#[test]
fn a_census_finds_them_unless_they_know_it() {
    let attacked: Vec<u32> = (0..21).collect();
    let (graphs, claims, bad) = matched(HANDSHAKE, 0.3, &attacked);
    let flagged = judged(CENSUS, &graphs, &claims);
    let (found, liars) = (flagged_of(&flagged, &bad), bad.iter().map(Vec::len).sum::<usize>());
    assert_eq!(found, liars);
    let innocent = flagged.iter().map(Vec::len).sum::<usize>() - found;
    assert!(innocent * 20 <= 21 * 400 - liars, "{innocent} honest users");
    // A few claim much, the others report honestly.
    let (mut graphs, mut claims, bad) = matched(CENSUS, 0.3, &attacked);
    assert!(judged(CENSUS, &graphs, &claims).iter().all(Vec::is_empty));
    let honest = reports(21).1;
    let made_up = |at: usize| {
        bad[at].iter().filter(|&&user| said(&claims, at, user) != said(&honest, at, user)).count()
    };
    let bold = made_up(0);
    assert!(bold > 5 && bold * 4 < bad[0].len(), "{bold}");
    assert!((1..21).all(|at| made_up(at).abs_diff(bold) <= 1), "alike in all graphs");
    // As many more as there were: they are noticed, and all who claim much with them.
    let (more_graphs, more_claims, _) = matched(HANDSHAKE, 0.3, &attacked[..3]);
    graphs.splice(..3, more_graphs.into_iter().take(3));
    claims.splice(..1200, more_claims.into_iter().take(1200));
    let flagged = judged(CENSUS, &graphs, &claims);
    assert!(flagged_of(&flagged, &bad) >= 3 * 120 + 18 * bold);
}

/// It adds nothing where handshakes settle it, and no honest user is harmed where all are honest.
#[test]
fn a_census_leaves_honest_users_alone() {
    let (mut graphs, mut claims) = reports(20);
    assert!(judged(CENSUS, &graphs, &claims).iter().all(Vec::is_empty));
    let random = Poisoning { attack: Attack::RANDOM, share: 0.3 };
    poison(random, &mut graphs, &mut claims, &(0..20).collect::<Vec<_>>());
    assert_eq!(judged(CENSUS, &graphs, &claims), judged(HANDSHAKE, &graphs, &claims));
}

#[test]
fn a_shortcut_is_made_in_graphs_of_one_class() {
    let (mut graphs, mut claims) = reports(6);
    let before = graphs.clone();
    let poisoning = Poisoning { attack: Attack::Shortcut { against: HANDSHAKE }, share: 0.2 };
    let bad = poison(poisoning, &mut graphs, &mut claims, &[0, 1, 2, 3]);
    let liars: Vec<usize> = bad.iter().map(Vec::len).collect();
    assert_eq!(liars, [80, 0, 80, 0, 0, 0]);
    for (at, liars) in liars.into_iter().enumerate() {
        assert_eq!(graphs[at] == before[at], liars == 0, "graph {at}");
    }
}

/// Where nothing has to match, what counts is the paper's length, and without a defence nothing does.
#[test]
fn other_rules_have_other_limits() {
    let (graphs, claims) = reports(1);
    let largest = |defence: Defence, direction| {
        defence.largest_claim(&graphs[0], &claims, &[3, 5, 8], direction, 1)
    };
    let Claim::Degree { flip, .. } = claims[0] else { panic!("a degree") };
    let tau = chernoff_threshold(400, 1.0 - flip, 0.05);
    for defence in [THRESHOLD, HANDSHAKE, CENSUS] {
        let longest = largest(defence, Direction::Directed) as f64;
        assert!(longest < tau && longest + 1.0 >= tau, "{longest}, {tau}");
    }
    assert_eq!(largest(Defence::None, Direction::Undirected), 399);
    // Three of 400 may be connected to about all users.
    assert!(largest(HANDSHAKE, Direction::Undirected) > 100);
    // A census of 400 overlooks 20 and what chance may add, but for the hub and a few whom noise makes large.
    let overlooked = CENSUS.overlooked(&claims, Direction::Undirected);
    assert!((34..=20 + 24 - 1).contains(&overlooked), "{overlooked}");
    assert_eq!(HANDSHAKE.overlooked(&claims, Direction::Undirected), usize::MAX);
}

/// In directed graphs a census is the paper's rule: an attacker who knows it has no reason to let any of its users report honestly.
#[test]
fn a_census_of_directed_graphs_holds_nobody_back() {
    let attacked: Vec<u32> = (0..6).collect();
    let lies = |against| {
        let (mut graphs, mut claims) = reports(6);
        let poisoning = Poisoning { attack: Attack::Matched { against }, share: 0.3 };
        let bad = poison_in(Direction::Directed, poisoning, &mut graphs, &mut claims, &attacked);
        let flagged = against.judge(&graphs, &claims, Direction::Directed).unwrap();
        assert_eq!(flagged_of(&flagged, &bad), 0, "{against:?}");
        (claims, bad)
    };
    let (claims, bad) = lies(CENSUS);
    assert_eq!(claims, lies(THRESHOLD).0);
    let longest = said(&claims, 0, bad[0][0]);
    let same = |(at, bad): (usize, &Vec<NodeId>)| {
        bad.len() == 120 && bad.iter().all(|&user| said(&claims, at, user) == longest)
    };
    assert!(bad.iter().enumerate().all(same), "all of them lie");
}
