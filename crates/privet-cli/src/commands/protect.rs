//! `privet protect features|labels|edges`: from raw data to something that may be published.
//!
//! The order is the guarantee: read, charge the ledger and wait until that is on disk, draw noise,
//! decode, write. What fails before the charge costs nothing; what fails after it stays spent.

mod account;
mod edges;
mod features;
mod labels;

use std::path::Path;

use privet::privacy::Card;
use privet_graph::io::Format;
use privet_graph::{Dataset, Loaded};

use crate::args::{Protect, Spending};
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::output::{Target, beside, refuse_existing, with_card};
use crate::protected::Protected;
use crate::source::Source;
use crate::style::{count, counted};
use account::Account;
pub(super) use features::public_scale;

/// Something to randomise, where it goes, and who pays.
#[derive(Debug)]
pub struct Plan {
    part: Part,
    source: Source,
    target: Target,
    account: Account,
}

/// Which part of a dataset.
#[derive(Debug)]
enum Part {
    Features(features::Plan),
    Labels(labels::Plan),
    Edges(edges::Plan),
}

/// A dataset with a part replaced by reports, and what that promises.
struct Released {
    dataset: Dataset,
    card: Card,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, numbers make no sense, or something is in the way.
    pub fn new(typed: Protect, console: &Console) -> Result<Self> {
        let mut delta = 0.0;
        let (part, spending) = match typed {
            Protect::Features(typed) => {
                delta = typed.delta.unwrap_or(0.0);
                (Part::Features(features::Plan::new(&typed)), typed.spending)
            }
            Protect::Labels(typed) => {
                (Part::Labels(labels::Plan { epsilon: typed.spending.epsilon }), typed.spending)
            }
            Protect::Edges(typed) => (Part::Edges(edges::Plan::new(&typed)?), typed.spending),
        };
        let target = target(&spending)?;
        let account = Account::new(&spending, delta)?;
        let source = Source::find(&spending.input, spending.reading, console)?;
        Ok(Self { part, source, target, account })
    }

    /// Reads, charges, randomises, writes.
    ///
    /// # Errors
    /// If the data cannot be read, a public fact is missing, the limit would be passed, or the result
    /// cannot be written.
    pub fn run(self, console: &Console) -> Result<()> {
        let (loaded, _) = self.source.load(console)?;
        loaded.notices().iter().for_each(|notice| console.note(&notice.to_string()));
        let dataset = loaded.into_nodes()?;
        self.account.announce(console);
        let released = {
            let _alive = console.spinner("randomising");
            match &self.part {
                Part::Features(plan) => plan.release(dataset, &self.account)?,
                Part::Labels(plan) => plan.release(dataset, &self.account)?,
                Part::Edges(plan) => plan.release(dataset, &self.account)?,
            }
        };
        let Released { dataset, card } = released;
        let files = {
            let _alive = console.spinner(format!("writing {}", self.target.path.display()));
            let written = with_card(&self.target.path, &card, || {
                Ok(self.target.write(&Loaded::Nodes(dataset))?.files)
            });
            written.map_err(|failure| self.account.lament(failure))?
        };
        console.answer(&Protected::new(card, files, &self.account.path))
    }
}

/// Where the result goes; refuses what would fail only after the budget is spent.
fn target(spending: &Spending) -> Result<Target> {
    let target = Target::new(&spending.output, spending.to, spending.overwrite)?;
    let ending = target.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let edges_alone = match target.format {
        Some(Format::EdgeList | Format::GinText) => true,
        None | Some(Format::Csv | Format::Parquet) => {
            matches!(&*ending, "csv" | "parquet" | "txt")
        }
        Some(_) => false,
    };
    if edges_alone {
        let message = format!(
            "{}: refused: a file of edges has no room for ids, features or labels of nodes that \
             noise leaves alone",
            target.path.display()
        );
        let hint = "name a folder, or a .npz or .graphml file";
        return Err(Failure::new(Kind::Refused, message).hint(hint));
    }
    check_folder(&target.path)?;
    if !spending.overwrite {
        refuse_existing(&beside(&target.path, "card.json"), "replace it with --overwrite")?;
    }
    Ok(target)
}

/// Finds out before anything is charged that nothing could be written.
fn check_folder(path: &Path) -> Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            let message = format!("{}: there is no such folder", folder.display());
            Err(Failure::data(message))
        }
        _ => Ok(()),
    }
}

/// What is published as it is, whatever part was randomised.
fn always_unprotected(card: Card, dataset: &Dataset) -> Card {
    let nodes = count(dataset.graph().node_count() as u64);
    let card = card.with_unprotected(format!("the ids of all nodes, and that there are {nodes}"));
    match dataset.split() {
        Some(_) => card.with_unprotected("which nodes are for training, validation and testing"),
        None => card,
    }
}

fn unprotected_edges(card: Card, dataset: &Dataset) -> Card {
    let edges = counted(dataset.graph().edge_count(), "edge", "edges");
    card.with_unprotected(format!("who is connected to whom: {edges}"))
}

fn unprotected_features(card: Card, dataset: &Dataset) -> Card {
    match dataset.features() {
        Some(features) => {
            let columns = counted(features.columns(), "column", "columns");
            card.with_unprotected(format!("the features of every node: {columns}"))
        }
        None => card,
    }
}

fn unprotected_labels(card: Card, dataset: &Dataset) -> Card {
    match dataset.labels() {
        Some(labels) => {
            let classes = counted(labels.class_count(), "class", "classes");
            card.with_unprotected(format!("the labels of every node: {classes}"))
        }
        None => card,
    }
}
