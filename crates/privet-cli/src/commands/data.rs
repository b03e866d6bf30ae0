//! `privet data`: what there is, what is in it, and other forms of it.

mod convert;
mod fetch;
mod generate;

use privet::data::catalog::{self, CatalogBenchmark};

use crate::args::{Data, Info, List};
use crate::catalog_facts::{Detail, Listing};
use crate::console::Console;
use crate::facts::Facts;
use crate::failure::Result;
use crate::source::Source;

pub(super) fn run(typed: Data, console: &Console) -> Result<()> {
    match typed {
        Data::List(typed) => list(&typed, console),
        Data::Info(typed) => info(typed, console),
        Data::Fetch(typed) => fetch::run(typed, console),
        Data::Generate(typed) => generate::run(typed, console),
        Data::Convert(typed) => convert::run(typed, console),
    }
}

/// The public benchmarks, and which of them are here.
fn list(typed: &List, console: &Console) -> Result<()> {
    let entries = match typed.names.as_slice() {
        [] => catalog::entries().collect(),
        names => find_all(names)?,
    };
    let folders = catalog::data_dirs(typed.data_dir.data_dir.as_deref());
    let long = typed.long || !typed.names.is_empty();
    let detail = if long { Detail::Files } else { Detail::Summary };
    console.answer(&Listing::of(&entries, &folders, detail))
}

fn find_all(names: &[String]) -> Result<Vec<&'static CatalogBenchmark>> {
    let mut found: Vec<&'static CatalogBenchmark> = Vec::new();
    for name in names {
        let entry = catalog::find(name)?;
        if !found.iter().any(|other| other.name == entry.name) {
            found.push(entry);
        }
    }
    Ok(found)
}

/// What is in something.
fn info(typed: Info, console: &Console) -> Result<()> {
    let (loaded, origin) = Source::find(&typed.input, typed.reading, console)?.load(console)?;
    console.notices(loaded.notices());
    let facts = {
        let _alive = console.spinner("counting");
        Facts::of(&loaded, origin)
    };
    console.answer(&facts)
}
