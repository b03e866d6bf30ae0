//! All items, as data.

use super::{Figure, Item, Scope};
use crate::experiments::reproduce::dpar::{DparFigure, pictures};
use crate::experiments::reproduce::dprr::DprrFigure;
use crate::experiments::reproduce::heterorr::HeteroRrFigure;
use crate::experiments::reproduce::ldp_ge::LdpGeFigure;

const NONE: Scope =
    Scope { datasets: &[], mechanisms: &[], epsilons: &[], points: &[], runs: 10, size: 0 };

const HOURS: &str = "hours; --quick: minutes";

const fn item(
    (name, title, cost): (&'static str, &'static str, &'static str),
    figure: Figure,
    whole: Scope,
    quick: Scope,
) -> Item {
    Item { name, title, cost, figure, whole, quick }
}

/// LastFM's features are not in the catalog, so it is not among them.
const LDP_GE_DATA: &[&str] =
    &["cora", "citeseer", "pubmed", "facebook_page_page", "wikipedia_crocodile"];
const FEATURE_MECHANISMS: &[&str] = &["laplace", "piecewise", "multi-bit", "hds"];

/// An item of LDP-GE. Cells of a first look are among those of the whole, so a whole sweep in the same
/// folder continues from them.
const fn ldp_ge(
    figure: LdpGeFigure,
    words: (&'static str, &'static str, &'static str),
    mechanisms: &'static [&'static str],
    epsilons: &'static [f64],
    few: &'static [f64],
) -> Item {
    let ks: Both<&[f64]> = match figure {
        LdpGeFigure::Fig3 | LdpGeFigure::Fig4 => {
            (&[1.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0], &[1.0, 10.0, 50.0])
        }
        _ => (&[], &[]),
    };
    let data: Both<&[&str]> = match figure {
        LdpGeFigure::Fig1 => (&[], &[]),
        _ => (LDP_GE_DATA, &["cora"]),
    };
    let whole =
        Scope { datasets: data.0, mechanisms, epsilons, points: ks.0, runs: 10, size: 100_000 };
    let quick =
        Scope { datasets: data.1, epsilons: few, points: ks.1, runs: 2, size: 10_000, ..whole };
    item(words, Figure::LdpGe(figure), whole, quick)
}

/// An item of DPRR; a first look is at threads that are made up.
const fn dprr(
    figure: DprrFigure,
    words: (&'static str, &'static str, &'static str),
    mechanisms: &'static [&'static str],
    epsilons: Both<&'static [f64]>,
    points: Both<&'static [f64]>,
) -> Item {
    let timed = matches!(figure, DprrFigure::Fig8 | DprrFigure::Fig9);
    let data: Both<&[&str]> = match figure {
        DprrFigure::Fig9 => (&[], &[]),
        _ => (&["reddit_binary"], &["synthetic"]),
    };
    let runs = if timed { 1 } else { 10 };
    let whole = Scope {
        datasets: data.0,
        mechanisms,
        epsilons: epsilons.0,
        points: points.0,
        runs,
        size: 40,
    };
    let quick = Scope {
        datasets: data.1,
        epsilons: epsilons.1,
        points: points.1,
        runs: if timed { 1 } else { 2 },
        size: 10,
        ..whole
    };
    item(words, Figure::Dprr(figure), whole, quick)
}

const EDGE_CURVES: &[&str] = &[
    "public-tree",
    "closing",
    "closing-only",
    "attribute-tree",
    "priv-hrg",
    "edge-rand",
    "lap-graph",
];

/// Whole, and for a first look.
type Both<T> = (T, T);

const fn hetero_rr(
    figure: HeteroRrFigure,
    (name, title): (&'static str, &'static str),
    mechanisms: &'static [&'static str],
    datasets: Both<&'static [&'static str]>,
    epsilons: Both<&'static [f64]>,
    points: Both<&'static [f64]>,
    runs: Both<u64>,
) -> Item {
    let cost = match figure {
        HeteroRrFigure::Fig10 => "seconds",
        _ => "an hour; --quick: minutes",
    };
    let scope = Scope { mechanisms, ..NONE };
    let whole = Scope {
        datasets: datasets.0,
        epsilons: epsilons.0,
        points: points.0,
        runs: runs.0,
        ..scope
    };
    let quick = Scope {
        datasets: datasets.1,
        epsilons: epsilons.1,
        points: points.1,
        runs: runs.1,
        ..scope
    };
    item((name, title, cost), Figure::HeteroRr(figure), whole, quick)
}

const fn dpar(
    figure: DparFigure,
    (name, title): (&'static str, &'static str),
    datasets: Both<&'static [&'static str]>,
    epsilons: &'static [f64],
) -> Item {
    let whole = Scope { datasets: datasets.0, epsilons, ..NONE };
    let quick = Scope { datasets: datasets.1, runs: 2, ..whole };
    let cost = "minutes to an hour; --quick: minutes";
    item((name, title, cost), Figure::Dpar(figure), whole, quick)
}

const CORA_ML: Both<&[&str]> = (&["cora_ml"], &["cora_ml"]);
const CS: Both<&[&str]> = (&["ms_academic_cs"], &["ms_academic_cs"]);
const PHYSICS: Both<&[&str]> = (&["ms_academic_phy"], &["ms_academic_phy"]);

const TWO_GRAPHS: Both<&[&str]> = (&["cora", "citeseer"], &["cora"]);
const NOISY: &[&str] = &["dprr", "rr", "local-lap"];
const ONE: Both<&[f64]> = (&[1.0], &[1.0]);

/// All items, in the order of lists.
pub const ITEMS: &[Item] = &[
    ldp_ge(
        LdpGeFigure::Fig1,
        ("ldp-ge/fig1", "Worst-case variance of one-dimensional mechanisms", "seconds"),
        &["laplace", "piecewise", "multi-bit", "square-wave"],
        &[0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0],
        &[0.1, 1.0, 5.0],
    ),
    ldp_ge(
        LdpGeFigure::Fig2,
        ("ldp-ge/fig2", "Node classification: accuracy against epsilon", HOURS),
        FEATURE_MECHANISMS,
        &[0.01, 0.1, 1.0, 2.0, 3.0, 5.0],
        &[0.01, 1.0, 5.0],
    ),
    ldp_ge(
        LdpGeFigure::Table3,
        ("ldp-ge/table3", "Link prediction: AUC against epsilon", HOURS),
        FEATURE_MECHANISMS,
        &[1.0, 2.0, 3.0, 5.0],
        &[1.0, 3.0, 5.0],
    ),
    ldp_ge(
        LdpGeFigure::Fig3,
        ("ldp-ge/fig3", "Node classification: the effect of k", HOURS),
        &["hds"],
        &[1.0, 2.0, 3.0],
        &[1.0, 2.0, 3.0],
    ),
    ldp_ge(
        LdpGeFigure::Fig4,
        ("ldp-ge/fig4", "Link prediction: the effect of k", HOURS),
        &["hds"],
        &[1.0, 2.0, 3.0],
        &[1.0, 2.0, 3.0],
    ),
    dprr(
        DprrFigure::Fig4,
        ("dprr/fig4", "Graph classification against the share who publish", HOURS),
        &["dprr", "rr", "local-lap", "nonpriv-part"],
        ONE,
        (&[0.0, 0.1, 0.2, 0.5], &[0.0, 0.2, 0.5]),
    ),
    dprr(
        DprrFigure::Fig5,
        ("dprr/fig5", "Graph classification against epsilon", HOURS),
        NOISY,
        (&[0.2, 0.5, 1.0, 2.0], &[0.5, 2.0]),
        (&[], &[]),
    ),
    dprr(
        DprrFigure::Fig6,
        ("dprr/fig6", "Graph classification against the budget split", HOURS),
        &["dprr"],
        (&[0.2], &[0.2]),
        (&[0.5, 0.6, 0.7, 0.8, 0.9], &[0.5, 0.9]),
    ),
    dprr(
        DprrFigure::Fig7,
        ("dprr/fig7", "True and reported degrees", "seconds"),
        NOISY,
        ONE,
        (&[], &[]),
    ),
    dprr(
        DprrFigure::Fig8,
        ("dprr/fig8", "Seconds against the share of users sampled", "an hour; --quick: seconds"),
        NOISY,
        ONE,
        (&[0.2, 0.4, 0.6, 0.8, 1.0], &[0.5, 1.0]),
    ),
    dprr(
        DprrFigure::Fig9,
        ("dprr/fig9", "Seconds against the number of users", "an hour; --quick: seconds"),
        NOISY,
        ONE,
        (&[1000.0, 2000.0, 3000.0, 4000.0], &[100.0, 200.0, 400.0]),
    ),
    dprr(
        DprrFigure::Fig10,
        ("dprr/fig10", "Graph classification under poisoning", HOURS),
        &["dprr"],
        ONE,
        (&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5], &[0.0, 0.3]),
    ),
    hetero_rr(
        HeteroRrFigure::Fig6,
        ("heterorr/fig6", "accuracy of a GCN on randomised features"),
        &["feature-rr", "piecewise", "three-outputs", "multi-bit", "hds"],
        TWO_GRAPHS,
        (&[1.0, 3.0, 9.0, 100.0, 1000.0], &[1.0, 3.0, 9.0]),
        (&[0.0], &[0.0]),
        (10, 2),
    ),
    hetero_rr(
        HeteroRrFigure::Fig7,
        ("heterorr/fig7", "accuracy of a GCN on redrawn private edges"),
        EDGE_CURVES,
        TWO_GRAPHS,
        (&[0.5, 1.0, 2.0], &[0.5, 1.0, 2.0]),
        (&[0.05, 0.1, 0.2, 0.5, 1.0], &[0.2, 1.0]),
        (10, 2),
    ),
    hetero_rr(
        HeteroRrFigure::Fig10,
        ("heterorr/fig10", "expected error of mechanisms for one number"),
        HeteroRrFigure::FEATURE_CURVES,
        (&[], &[]),
        (&[0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 9.0], &[0.1, 0.5, 1.0]),
        (&[0.0], &[0.0]),
        (1, 1),
    ),
    hetero_rr(
        HeteroRrFigure::Fig11,
        ("heterorr/fig11", "distance of random walks between true and published graph"),
        EDGE_CURVES,
        (&["cora"], &["cora"]),
        ONE,
        (&[0.05, 0.1, 0.2, 0.5, 1.0], &[0.05, 0.1, 0.2, 0.5, 1.0]),
        (5, 2),
    ),
    hetero_rr(
        HeteroRrFigure::LinkTeller,
        ("heterorr/linkteller", "LinkTeller's AUC against models on published graphs"),
        EDGE_CURVES,
        TWO_GRAPHS,
        (&[0.1, 0.5, 1.0], &[0.1, 0.5, 1.0]),
        (&[0.2], &[0.2]),
        (10, 2),
    ),
    dpar(
        DparFigure::Table1,
        ("dpar/table1", "Accuracy of all methods, printed and honest"),
        (&["cora_ml", "ms_academic_cs", "ms_academic_phy"], &["cora_ml"]),
        &[1.0, 8.0],
    ),
    dpar(
        DparFigure::Fig1,
        ("dpar/fig1", "Accuracy against epsilon"),
        CORA_ML,
        &[1.0, 2.0, 4.0, 8.0],
    ),
    dpar(
        DparFigure::Share,
        ("dpar/fig2", "The share of epsilon for the structure, Cora-ML"),
        CORA_ML,
        &[1.0, 8.0],
    ),
    dpar(
        DparFigure::Share,
        ("dpar/fig3", "The share of epsilon for the structure, CS"),
        CS,
        &[1.0, 8.0],
    ),
    dpar(
        DparFigure::Share,
        ("dpar/fig4", "The share of epsilon for the structure, MS Academic"),
        CS,
        &[1.0, 8.0],
    ),
    dpar(
        DparFigure::Share,
        ("dpar/fig5", "The share of epsilon for the structure, Reddit"),
        (&["reddit"], &["reddit"]),
        &[1.0, 8.0],
    ),
    dpar(
        DparFigure::Share,
        ("dpar/fig6", "The share of epsilon for the structure, Physics"),
        PHYSICS,
        &[1.0, 8.0],
    ),
    dpar(DparFigure::Clip, ("dpar/fig7", "What scores are clipped to"), CORA_ML, &[8.0]),
    dpar(DparFigure::Keep, ("dpar/fig8", "How many nodes a row names"), CORA_ML, &[8.0]),
    dpar(DparFigure::Batch, ("dpar/fig10", "The size of batches"), CORA_ML, &[8.0]),
    dpar(DparFigure::ClipNorm, ("dpar/fig11", "What gradients are clipped to"), CORA_ML, &[8.0]),
    dpar(
        DparFigure::Sources,
        ("dpar/fig12", "How many rows of PageRank are released"),
        CORA_ML,
        &[1.0, 8.0],
    ),
    item(
        (pictures::NAME, pictures::TITLE, "a minute"),
        Figure::Pictures,
        Scope { datasets: CORA_ML.0, epsilons: &[1.0, 8.0], runs: 1, ..NONE },
        Scope { datasets: CORA_ML.0, epsilons: &[1.0, 8.0], runs: 1, ..NONE },
    ),
];
