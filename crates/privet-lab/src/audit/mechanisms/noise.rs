//! Audits below the mechanisms: that choices made of random words have the weights exact laws take for granted,
//! and that no two users and no two releases share their noise.

use std::fmt::Debug;

use privet::privacy::audit::{self, ChoiceWalk, OutcomeLaw, ScriptedWords, word_law};
use privet::privacy::noise::{Bernoulli, RandomWords, WindowSampler};
use privet::privacy::template::CoinFlip;
use privet::privacy::unit::FeatureRow;
use privet::privacy::{Budget, Secret};

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::clopper_pearson::epsilon_lower_bound;
use crate::audit::enumerated::exact;
use crate::audit::finding::Finding;
use crate::audit::seeds::Seeds;
use crate::audit::trials::{CONFIDENCE, account, spent, statistical};

pub(super) const AUDITS: [Audit; 8] = [
    Audit { name: "noise-below", of: &[], tight: false, run: Procedure::Exact(below) },
    Audit { name: "noise-coin", of: &[], tight: true, run: Procedure::Exact(coin) },
    Audit { name: "noise-half-coin", of: &[], tight: false, run: Procedure::Exact(half_coin) },
    Audit { name: "noise-lanes", of: &[], tight: true, run: Procedure::Exact(lanes) },
    Audit { name: "noise-place", of: &[], tight: true, run: Procedure::Exact(place) },
    Audit { name: "noise-exp-coin", of: &[], tight: true, run: Procedure::Exact(exp_coin) },
    Audit { name: "noise-releases", of: &[], tight: false, run: Procedure::Seeded(releases) },
    Audit { name: "noise-streams", of: &[], tight: false, run: Procedure::Seeded(streams) },
];

/// How far apart a choice is from its law, made of words and as walks assume it. What a word leaves open is not
/// more than a few in 2^64.
fn apart<K: Ord + Debug>(
    subject: String,
    by_words: &OutcomeLaw<K>,
    assumed: &OutcomeLaw<K>,
) -> Finding {
    // Open branches might go either way: all of their mass counts against the sampler.
    let open = by_words.lost().to_f64().value();
    exact(format!("{subject}: how far from its law"), 0.0, by_words.distance(assumed) + open)
}

/// A choice made of one word, against the same choice in a walk.
fn one_word<K: Ord + Debug>(
    subject: String,
    words: impl Fn(&mut ScriptedWords) -> K,
    walk: impl Fn(&mut ChoiceWalk) -> K,
) -> Result<Finding> {
    Ok(apart(subject, &word_law(64, |x| vec![x], words), &audit::drawn(audit::DEPTH, walk)?))
}

/// Uniform integers: from a word, from half a word, and from two words (the first decides all but 2^-60).
fn below() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for bound in [2u64, 3, 7, 10, 100] {
        let subject = |how: &str| format!("an integer below {bound} from {how}");
        findings.push(one_word(subject("a word"), |w| w.below(bound), |w| w.below(bound))?);
        let half = bound as u32;
        // The upper half of a word alone decides most draws.
        let by_words = word_law(32, |x| vec![x << 32], |words| u64::from(words.below_u32(half)));
        let assumed = audit::drawn(audit::DEPTH, |walk| walk.below(bound))?;
        findings.push(half_apart(subject("half a word"), &by_words, &assumed, half));
        // Whatever the second word holds must not change the law.
        for low in [0, 1 << 40, u64::MAX] {
            let by_words = word_law(64, |x| vec![x, low], |words| words.below_steadily(bound));
            findings.push(apart(subject("two words"), &by_words, &assumed));
        }
    }
    Ok(findings)
}

/// Coins of every kind of probability.
fn coins() -> Result<Vec<(String, Bernoulli)>> {
    // Even odds, odds that no power of two divides, rare ones, and the two certain ones.
    let odds = [(1, 2), (1, 3), (2, 7), (999, 1000), (1, 1 << 40), (1, 1), (0, 1)];
    let coin = |(numerator, denominator)| {
        Ok((
            format!("a coin of {numerator}/{denominator}"),
            Bernoulli::new(numerator, denominator)?,
        ))
    };
    odds.into_iter().map(coin).collect()
}

fn coin() -> Result<Vec<Finding>> {
    let audit = |(subject, coin): (String, Bernoulli)| {
        one_word(subject, |words| words.toss(&coin), |walk| walk.toss(&coin))
    };
    let mut findings = coins()?.into_iter().map(audit).collect::<Result<Vec<_>>>()?;
    let plain = |words: &mut ScriptedWords| words.coin(2, 7);
    findings.push(one_word("a slow coin of 2/7".into(), plain, |walk| walk.coin(2, 7))?);
    Ok(findings)
}

/// Two coins from the halves of a word, and a coin beside a fair one: each half by itself, whatever the other is.
fn half_coin() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let others = [0u64, 1 << 31, u64::from(u32::MAX)];
    for (subject, coin) in coins()? {
        let assumed = audit::drawn(audit::DEPTH, |walk| walk.toss(&coin))?;
        let pair = [coin, coin];
        for other in others {
            // A half that decides nothing asks for more words: these say no.
            let then = |word: u64| [&[word][..], &[u64::MAX; 8]].concat();
            let low =
                word_law(32, |x| then(other << 32 | x), |words| words.toss_digits(&pair) & 1 == 1);
            let high =
                word_law(32, |x| then(x << 32 | other), |words| words.toss_digits(&pair) >> 1 == 1);
            let beside =
                word_law(32, |x| then(x << 32 | other), |words| words.toss_and_fair(&coin).0);
            for (law, half) in [(low, "low half"), (high, "high half"), (beside, "beside another")]
            {
                findings.push(half_apart(format!("{subject}, {half}"), &law, &assumed, 1));
            }
        }
    }
    let (_, third) = coins()?.swap_remove(1);
    let fair =
        |high: u64| word_law(1, |x| vec![high << 32 | x], |words| words.toss_and_fair(&third).1);
    let assumed = audit::drawn(audit::DEPTH, |walk| walk.coin(1, 2))?;
    for high in [0, u64::from(u32::MAX)] {
        findings.push(apart("the fair coin beside".into(), &fair(high), &assumed));
    }
    Ok(findings)
}

/// Half a word may leave a few values in 2^32 open.
fn half_apart<K: Ord>(
    subject: String,
    by_words: &OutcomeLaw<K>,
    assumed: &OutcomeLaw<K>,
    open: u32,
) -> Finding {
    let measured = by_words.distance(assumed) + by_words.lost().to_f64().value();
    // One in 2^32 of a half word leaves the draw open.
    let rare = f64::from(open) / 2f64.powi(32);
    exact(format!("{subject}: how far from its law"), rare, measured)
}

/// Sixty-four coins at once: the digits that one lane reads decide that lane and no other.
fn lanes() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (subject, coin) in coins()? {
        let assumed = audit::drawn(audit::DEPTH, |walk| walk.toss(&coin))?;
        for lane in [0, 1, 31, 63] {
            for others in [0u64, 0x5555_5555_5555_5555, u64::MAX] {
                // Word r holds digit r of every lane.
                let script = |x: u64| {
                    let digit = |round: u32| (x >> (63 - round) & 1) << lane;
                    (0..64).map(|round| others & !(1 << lane) | digit(round)).collect()
                };
                let own =
                    word_law(64, script, |words| words.toss_lanes(&coin, 64) >> lane & 1 == 1);
                let subject = format!("{subject}, lane {lane} of 64: how far from its law");
                // Where another lane's digits leave that lane open for good, so is the law.
                findings.push(exact(subject, 0.0, own.distance(&assumed)));
            }
        }
    }
    Ok(findings)
}

/// The window's coin and its places, by the reports they make.
fn place() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (steps, half_width, epsilon) in [(1, 0, 1.0), (4, 2, 0.1), (5, 3, 1.5), (7, 3, 30.0)] {
        let window = WindowSampler::new(steps, half_width, Budget::from_epsilon(epsilon)?)?;
        for input in [-i64::from(steps), 0, i64::from(steps)] {
            let subject = format!("a window of {steps} and {half_width} steps at {input}");
            let (words, walk) = (
                |w: &mut ScriptedWords| window.draw(input, w),
                |w: &mut ChoiceWalk| window.draw(input, w),
            );
            findings.push(one_word(subject, words, walk)?);
        }
    }
    Ok(findings)
}

/// Coins of probability e^-gamma by the coins they are made of.
fn exp_coin() -> Result<Vec<Finding>> {
    let audit = |(numerator, denominator): (u128, u128)| {
        let made = audit::exp_coin(audit::DEPTH, numerator, denominator)?;
        let assumed = audit::drawn(audit::DEPTH, |walk| walk.coin_exp(numerator, denominator))?;
        Ok(apart(format!("a coin of e^-({numerator}/{denominator})"), &made, &assumed))
    };
    [(0, 1), (1, 3), (1, 1), (5, 2), (7, 1)].into_iter().map(audit).collect()
}

/// How often the event may be looked for.
const TRIALS: u64 = 20_000;

/// Two releases of one ledger about different answers of the same people. If they shared their noise, what is
/// known of one (all answered no) would give the other away; independent noise costs what the ledger says.
fn releases(seeds: Seeds) -> Result<Vec<Finding>> {
    let mechanism = CoinFlip::new(0.2)?;
    let side = |answer: f32, part: u64| -> Result<(u64, f64)> {
        let mut ledger = account::<FeatureRow>(0.0, seeds.part(part))?;
        let mut ask = |answers: f32| {
            // All people have the same answer on each side, so any difference is noise.
            let people = Secret::new(vec![answers; TRIALS as usize]);
            Ok(ledger.release_each(&people, &mechanism)?.into_inner())
        };
        let (asked, known) = (ask(answer)?, ask(0.0)?);
        let differ = asked.iter().zip(&known).filter(|(a, b)| a != b).count() as u64;
        Ok((differ, spent(&ledger)?))
    };
    let ((yes, claimed), (no, _)) = (side(1.0, 0)?, side(0.0, 1)?);
    let bound = epsilon_lower_bound(yes, no, TRIALS, 0.0, CONFIDENCE);
    Ok(vec![statistical("two releases about the same people differ", claimed, bound)])
}

/// Two people in one release, one of whom is known to have said no.
fn streams(seeds: Seeds) -> Result<Vec<Finding>> {
    let mechanism = CoinFlip::new(0.2)?;
    let side = |answer: f32, part: u64| -> Result<(u64, f64)> {
        let mut ledger = account::<FeatureRow>(0.0, seeds.part(part))?;
        let people = (0..2 * TRIALS).map(|user| if user % 2 == 0 { answer } else { 0.0 }).collect();
        let reports = ledger.release_each(&Secret::new(people), &mechanism)?.into_inner();
        let differ = reports.chunks_exact(2).filter(|pair| pair[0] != pair[1]).count() as u64;
        Ok((differ, spent(&ledger)?))
    };
    let ((yes, claimed), (no, _)) = (side(1.0, 0)?, side(0.0, 1)?);
    let bound = epsilon_lower_bound(yes, no, TRIALS, 0.0, CONFIDENCE);
    Ok(vec![statistical("two people in one release differ", claimed, bound)])
}
