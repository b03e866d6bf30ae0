//! The whole report as sections, in the order in which they are read.
//!
//! Every format is written from this list, so none can leave out what another says.

use privet::privacy::card::{Card, Guarantee, ReleaseLine, StatedLoss};
use privet::privacy::mechanism::Status;
use privet::privacy::noise::{NoiseOrigin, Numerics};

use super::summary::{bytes, duration};
use super::{Block, Cell, Report, Section, Table};

/// What a reader of a simulation must know before anything else.
pub const SIMULATION: &str = "The noise was replayed from a seed. An attacker who knows the seed can remove \
     it: it gives no protection, and nothing of this may be published as private.";

pub fn sections(report: &Report) -> Vec<Section> {
    let mut sections = report.sections.clone();
    let last = [guarantees(report), costs(report), settings(report), repeat(report)];
    sections.extend(last.into_iter().filter(|section| !section.blocks.is_empty()));
    sections
}

/// Who is promised what, in a line for readers who stop there.
pub fn promise_in_short(report: &Report) -> Option<String> {
    let of_card = |card: &Card| {
        let rounded = |stated: StatedLoss| stated.rounded().to_string();
        card.stated().into_iter().map(rounded).collect::<Vec<_>>()
    };
    let promises: Vec<String> = report.cards.iter().flat_map(of_card).collect();
    (!promises.is_empty()).then(|| {
        let if_secret = if report.is_simulation() { " if the noise were secret" } else { "" };
        format!("Promised{if_secret}: {}.", promises.join(", and "))
    })
}

fn guarantees(report: &Report) -> Section {
    let model = &report.threat_model;
    let of_cards = report.cards.iter().flat_map(|card| &card.unprotected);
    let of_cards: Vec<String> = of_cards.map(ToString::to_string).collect();
    let mut not_protected: Vec<String> = Vec::new();
    for what in model.not_protected.iter().chain(&of_cards) {
        if !not_protected.contains(what) {
            not_protected.push(what.clone());
        }
    }
    let rows = [
        ("Secret inputs", &model.secret),
        ("Public inputs", &model.public),
        ("NOT protected", &not_protected),
    ];
    let row = |(name, list): (&str, &Vec<String>)| match list.as_slice() {
        [] => (name.to_owned(), "nothing was declared".to_owned()),
        list => (name.to_owned(), list.join("; ")),
    };
    let mut blocks = vec![Block::KeyValues(rows.map(row).into())];
    if report.cards.is_empty() {
        let text = "There is no privacy card: this report promises no protection.";
        blocks.push(Block::Warning(text.into()));
    }
    report.cards.iter().for_each(|card| blocks.extend(card_blocks(card)));
    Section::new("Who is protected, and from whom", blocks)
}

fn card_blocks(card: &Card) -> Vec<Block> {
    let mut blocks: Vec<Block> = card.warnings().into_iter().map(Block::Warning).collect();
    for total in &card.totals {
        let what = card.stated_total(total).to_string();
        let pair = |name: &str, value: String| (name.to_owned(), value);
        blocks.push(Block::KeyValues(vec![
            pair("In all, for one person", what),
            pair("That is", total.protects.clone()),
        ]));
    }
    for guarantee in &card.guarantees {
        blocks.push(Block::KeyValues(promise(card, guarantee)));
        let columns = ["mechanism", "what happened", "settings", "why it costs that"];
        let caption = format!("Releases charged for {}", card.subject);
        let mut table = Table::new(caption, columns);
        guarantee.releases.iter().for_each(|release| table.push(release_row(release)));
        blocks.push(Block::Table(table));
        let cautions = guarantee.releases.iter().flat_map(cautions);
        let mut seen: Vec<Block> = Vec::new();
        for caution in cautions.map(Block::Warning) {
            if !seen.contains(&caution) {
                seen.push(caution);
            }
        }
        blocks.extend(seen);
    }
    blocks
}

fn promise(card: &Card, guarantee: &Guarantee) -> Vec<(String, String)> {
    let simulated = match card.is_simulation() {
        true => " (if the noise were secret; it was simulated and gives no protection)",
        false => "",
    };
    let mut pairs = vec![
        ("Released", card.subject.clone()),
        ("Protected", guarantee.protects.clone()),
        ("In the sense of", format!("{}: {}", guarantee.relation, guarantee.relation.meaning())),
        ("Trusted with raw data", guarantee.trust.meaning().into()),
        ("Epsilon", format!("{}{simulated}", guarantee.loss.epsilon)),
        ("Delta", guarantee.loss.delta.to_string()),
        ("That means", format!("{}{simulated}", guarantee.in_words())),
        (
            "Computed by",
            format!("the {} accountant, limit {}", guarantee.accountant, guarantee.limit),
        ),
    ];
    let conditions = guarantee.loss_conditions();
    if !conditions.is_empty() {
        let conditions: Vec<String> = conditions.iter().map(ToString::to_string).collect();
        pairs.push(("Depends on", conditions.join("; ")));
    }
    let groups = guarantee.groups.iter().map(ToString::to_string);
    pairs.push(("Groups", groups.collect::<Vec<_>>().join("; ")));
    for other in &guarantee.also {
        let stated = guarantee.stated_as(other);
        pairs.push(("Also", format!("as {stated} ({})", other.theorem)));
    }
    pairs.push(("Card made by", card.software.clone()));
    pairs.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

fn release_row(release: &ReleaseLine) -> [Cell; 4] {
    let settings: Vec<String> =
        release.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let mut settings = settings.join(", ");
    if !release.assumes_public.is_empty() {
        settings += &format!("; taken for public: {}", release.assumes_public.join(", "));
    }
    let why = format!("{} ({})", release.theorem.statement, release.theorem.proof);
    [&release.mechanism, &release.event, &settings, &why].map(|text| Cell::from(text.as_str()))
}

/// What weakens a release's claim.
fn cautions(release: &ReleaseLine) -> Vec<String> {
    let name = &release.mechanism;
    let mut list = Vec::new();
    match &release.status {
        Status::Holds => {}
        Status::Conditional { on } => list.push(format!(
            "{name}: the claim is true only if {on}; the data were not asked, and otherwise there is none"
        )),
        Status::HoldsAtStationarity => list.push(format!(
            "{name}: the claim is true only if a random walk has converged, which cannot be checked"
        )),
        Status::PaperMode { printed, flaw } => list.push(format!(
            "{name} was run as printed; the paper claims epsilon {printed}, but {flaw}"
        )),
    }
    if !release.audited {
        list.push(format!("{name}: not audited, made outside Privet"));
    }
    if release.numerics == Numerics::Idealized {
        list.push(format!("{name}: proved for real numbers; rounding of floats is not covered"));
    }
    if let NoiseOrigin::Simulation { seed } = release.noise {
        list.push(format!("{name}: simulated with seed {seed}"));
    }
    list
}

fn costs(report: &Report) -> Section {
    let mut blocks = Vec::new();
    if !report.timings.is_empty() {
        let columns = ["step", "time", "processor time", "peak memory"];
        let mut table = Table::new("What it cost to compute", columns);
        for timing in &report.timings {
            let unknown = || Cell::missing("not measured");
            let processors = timing.processor_seconds.map(|seconds| duration(seconds).into());
            table.push([
                timing.what.as_str().into(),
                duration(timing.seconds).into(),
                processors.unwrap_or_else(unknown),
                timing.peak_bytes.map_or_else(unknown, |count| bytes(count).into()),
            ]);
        }
        blocks.push(Block::Table(table));
    }
    Section::new("Time and memory", blocks)
}

fn settings(report: &Report) -> Section {
    let lists = [&report.settings, &report.versions];
    let full = lists.into_iter().filter(|list| !list.is_empty());
    Section::new("Settings and versions", full.map(|list| Block::KeyValues(list.clone())))
}

fn repeat(report: &Report) -> Section {
    let command = report.command.trim();
    let block = (!command.is_empty()).then(|| Block::Command(command.into()));
    Section::new("How to repeat it", block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Timing;

    fn titles(report: &Report) -> Vec<String> {
        sections(report).into_iter().map(|section| section.title).collect()
    }

    /// Results come first and how to repeat it last; what is empty is left out.
    #[test]
    fn sections_come_in_the_order_of_reading() {
        let mut report = Report::new("title", "summary");
        report.versions.clear();
        assert_eq!(titles(&report), ["Who is protected, and from whom"]);
        report.sections.push(Section::new("Results", [Block::Text("text".into())]));
        report.settings.push(("epsilon".into(), "1".into()));
        report.command = "privet run".into();
        let timing = Timing {
            what: "a run".into(),
            seconds: 1.0,
            processor_seconds: None,
            peak_bytes: None,
        };
        report.timings.push(timing);
        let expected = [
            "Results",
            "Who is protected, and from whom",
            "Time and memory",
            "Settings and versions",
            "How to repeat it",
        ];
        assert_eq!(titles(&report), expected);
        report.command = "  ".into();
        assert_eq!(titles(&report).len(), 4, "blanks are no command");
    }

    /// A threat model that names nothing says so, and what both it and a card leave open is said once.
    #[test]
    fn what_is_not_protected_is_said_once() {
        let mut report = Report::new("title", "summary");
        let pairs = |report: &Report| match &guarantees(report).blocks[0] {
            Block::KeyValues(pairs) => pairs.clone(),
            other => panic!("{other:?}"),
        };
        assert!(pairs(&report).iter().all(|(_, value)| value == "nothing was declared"));
        report.threat_model.not_protected = vec!["labels".into(), "edges".into()];
        report.cards.push(Card::new("a card").with_unprotected("labels").with_unprotected("ids"));
        assert_eq!(pairs(&report)[2], ("NOT protected".into(), "labels; edges; ids".into()));
    }

    #[test]
    fn without_a_card_nobody_is_promised_anything() {
        let report = Report::new("title", "summary");
        let warns = |report: &Report| {
            let blocks = guarantees(report).blocks;
            blocks
            .iter()
            .any(|block| matches!(block, Block::Warning(text) if text.contains("promises no protection")))
        };
        assert!(warns(&report));
        let with = Report { cards: vec![Card::new("a card")], ..report };
        assert!(!warns(&with));
    }

    #[test]
    fn times_and_memory_that_nobody_measured_are_missing() {
        let mut report = Report::new("title", "summary");
        let timing = |processor_seconds, peak_bytes| Timing {
            what: "a run".into(),
            seconds: 61.0,
            processor_seconds,
            peak_bytes,
        };
        report.timings = vec![timing(None, None), timing(Some(0.5), Some(2048))];
        let Block::Table(table) = &costs(&report).blocks[0] else { panic!("no table") };
        assert_eq!(
            table.rows[0][1..],
            [Cell::from("1 min 1 s"), Cell::missing("not measured"), Cell::missing("not measured")]
        );
        assert_eq!(table.rows[1][2..], [Cell::from("500 ms"), Cell::from("2.0 KiB")]);
    }
}
