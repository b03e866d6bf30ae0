//! Twelve of the hundred American colleges and universities whose students were on Facebook in September 2005.
//!
//! Task. The year of graduation, 2004 to 2009, as GAP, ProGAP and DPDGC have it. People without such a year are left
//! out, and their friendships with them.
//!
//! Features. Status, gender, major, minor and housing are codes of categories, one column each; another column says that
//! the code is unknown. Which codes a school uses stands in `codebooks/facebook100.json`, which is public.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{
    BenchmarkCounts, BenchmarkFile, BenchmarkVariant, CatalogBenchmark, PublicBounds, Recipe,
};
use crate::declared::{
    ColumnKind, DeclaredColumn, EdgeTable, MissingRule, PeopleTable, Schema, SchemaColumns,
};
use crate::formats::Format;
use crate::{Error, Result};

const AMHERST41: &[BenchmarkFile] = converted! {
    "facebook100/Amherst41/" from "sisaman/pyg-datasets: datasets/facebook100/Amherst41.mat" {
        "students.csv" 60_163 "f9c8a099d7771710ae4c1fd04de6c0c553468fadb281aafeb768034c357b70f8";
        "friends.csv.gz" 242_485 "44a636f9a5d502d44ea73ec300cd6bef328e5fe86137f22f47527d305a3e0df3";
    }
};

const BOWDOIN47: &[BenchmarkFile] = converted! {
    "facebook100/Bowdoin47/" from "sisaman/pyg-datasets: datasets/facebook100/Bowdoin47.mat" {
        "students.csv" 62_412 "ba5800d8ccae056559ae2a98d2647e4e29645d208faedfe87c5bd6711b017bb9";
        "friends.csv.gz" 226_517 "6f4a5980e60c804e6f145847b0343ef2c7427135cbb7ff9f5669860df37783b9";
    }
};

const BRANDEIS99: &[BenchmarkFile] = converted! {
    "facebook100/Brandeis99/" from "sisaman/pyg-datasets: datasets/facebook100/Brandeis99.mat" {
        "students.csv" 106_491 "7773f0731bafb55ad5bd3a32a6683196eedba76ef8e472791f4381afb5d38848";
        "friends.csv.gz" 385_565 "d901df3f4c1ca8366bc92c0c926ea7aae3bc2137ba2607a1192cc6e149857385";
    }
};

const CARNEGIE49: &[BenchmarkFile] = converted! {
    "facebook100/Carnegie49/" from "sisaman/pyg-datasets: datasets/facebook100/Carnegie49.mat" {
        "students.csv" 181_354 "aae474ed5fc98277d4953a368dfcee4249cdd402f1aa3275195e3a9f47040ad3";
        "friends.csv.gz" 723_065 "f307e934ea25f0189dc0c0909bdbf92cc80f21876fc9fa74e7f0239b090053e3";
    }
};

const DARTMOUTH6: &[BenchmarkFile] = converted! {
    "facebook100/Dartmouth6/" from "sisaman/pyg-datasets: datasets/facebook100/Dartmouth6.mat" {
        "students.csv" 188_835 "8253d9145446cf1fc80a44830eada5c63d9f19231d31f6bdcc3d8b6f1bcea532";
        "friends.csv.gz" 887_075 "88e9346c3ab71d7bbd2e3dc029475aa7bb418b5622caf9d6200f759bee8da360";
    }
};

const DUKE14: &[BenchmarkFile] = converted! {
    "facebook100/Duke14/" from "sisaman/pyg-datasets: datasets/facebook100/Duke14.mat" {
        "students.csv" 267_097 "ba69f47cc500b9b2c75fb8b066e43ec0e8a2165c2ffbe75b92aa18ad9984ab38";
        "friends.csv.gz" 1_486_473 "7f0c0558a35e3e8f5c318ee6773f5591d273678ffef172f4c07e29cab075729f";
    }
};

const EMORY27: &[BenchmarkFile] = converted! {
    "facebook100/Emory27/" from "sisaman/pyg-datasets: datasets/facebook100/Emory27.mat" {
        "students.csv" 208_909 "bb88ab6077bfac64c590088b075d4942d60d1423de724576ae27e5c035cb2be3";
        "friends.csv.gz" 958_201 "fc535817b88b31dd461ac7a0d87e1a0cef8ab0d1e9c83c9b66603b3fe4318660";
    }
};

const GEORGETOWN15: &[BenchmarkFile] = converted! {
    "facebook100/Georgetown15/" from "sisaman/pyg-datasets: datasets/facebook100/Georgetown15.mat" {
        "students.csv" 244_141 "128803dc180eb5d8b2cd3adaee6c62c89717f0eb86ecf03bb04bd11ff0e181d6";
        "friends.csv.gz" 1_255_977 "642eeb78b8c1f1d8860c45e5e5e7742490d214bd0d60cbeede97264bbca39b28";
    }
};

const HAMILTON46: &[BenchmarkFile] = converted! {
    "facebook100/Hamilton46/" from "sisaman/pyg-datasets: datasets/facebook100/Hamilton46.mat" {
        "students.csv" 64_355 "795f19b2cf6c9af288e02718bf87fb4c8f9edda279eb1ea24f62b2bfff225dc8";
        "friends.csv.gz" 257_608 "2fb032c1133e9a7264baa97fbdc675b20e661364c134fcb306e154efc08e9ed0";
    }
};

const LEHIGH96: &[BenchmarkFile] = converted! {
    "facebook100/Lehigh96/" from "sisaman/pyg-datasets: datasets/facebook100/Lehigh96.mat" {
        "students.csv" 142_474 "d5d2250156737ccc33730cf534e89c33f1ad1735db145f32d86e99a55d129536";
        "friends.csv.gz" 564_738 "4d1ff73a53a5276d65aa4dc12b25f7f3b125019dc9a87cb6bb353db7a04a1878";
    }
};

const RICE31: &[BenchmarkFile] = converted! {
    "facebook100/Rice31/" from "sisaman/pyg-datasets: datasets/facebook100/Rice31.mat" {
        "students.csv" 117_682 "104bd66b82c8821b3959c181e669d89f7c0ae7cfac7834a2393b8c148664a9a8";
        "friends.csv.gz" 511_637 "e5b2df5e2351fd92a1695e1716e318e81d214826c983ddb0ada98bd6fa72f19a";
    }
};

const TUFTS18: &[BenchmarkFile] = converted! {
    "facebook100/Tufts18/" from "sisaman/pyg-datasets: datasets/facebook100/Tufts18.mat" {
        "students.csv" 174_525 "e5b7c2dec7807f318c39c7ec96b94fe615715275bace5c5517073b42bd945f3b";
        "friends.csv.gz" 725_562 "315e264f8318d38750d9790a2bf39263eb4f0e689b921751f3c362c154a67ad2";
    }
};

/// The columns that are features, in their order.
const FEATURES: [&str; 5] = ["status", "gender", "major", "minor", "housing"];

const SCHOOL: BenchmarkVariant = BenchmarkVariant {
    name: "",
    about: "",
    format: Format::Csv,
    member: None,
    layouts: &[],
    counts: BenchmarkCounts::quoted(),
    bounds: PublicBounds::UnitRange,
    recipe: Recipe::Students,
};

/// Every student has one value or "unknown" of each feature.
const fn counts(students: usize, friendships: usize, columns: usize) -> BenchmarkCounts {
    let values = FEATURES.len() * students;
    BenchmarkCounts::of(students, friendships).features(columns, Some(values)).classes(6)
}

pub(super) static FACEBOOK100: CatalogBenchmark = CatalogBenchmark {
    name: "facebook100",
    aliases: &["fb100"],
    title: "Facebook100: students of twelve American schools and their friendships, 2005",
    papers: &[],
    published: "Traud, Mucha and Porter; sisaman/pyg-datasets serves the MATLAB files",
    licence: "none stated, neither for the data nor for the repository that serves the files",
    note: "students without a year from 2004 to 2009 are left out, and their friendships",
    variants: &[
        BenchmarkVariant {
            name: "amherst41",
            about: "Amherst College",
            layouts: &[AMHERST41],
            counts: counts(1_934, 79_835, 105),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "bowdoin47",
            about: "Bowdoin College",
            layouts: &[BOWDOIN47],
            counts: counts(1_977, 74_280, 134),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "brandeis99",
            about: "Brandeis University",
            layouts: &[BRANDEIS99],
            counts: counts(3_339, 116_589, 137),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "carnegie49",
            about: "Carnegie Mellon University",
            layouts: &[CARNEGIE49],
            counts: counts(5_497, 211_436, 147),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "dartmouth6",
            about: "Dartmouth College",
            layouts: &[DARTMOUTH6],
            counts: counts(5_584, 245_598, 193),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "duke14",
            about: "Duke University",
            layouts: &[DUKE14],
            counts: counts(8_287, 451_542, 281),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "emory27",
            about: "Emory University",
            layouts: &[EMORY27],
            counts: counts(6_481, 287_662, 201),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "georgetown15",
            about: "Georgetown University",
            layouts: &[GEORGETOWN15],
            counts: counts(7_989, 373_406, 207),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "hamilton46",
            about: "Hamilton College",
            layouts: &[HAMILTON46],
            counts: counts(2_072, 86_487, 135),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "lehigh96",
            about: "Lehigh University",
            layouts: &[LEHIGH96],
            counts: counts(4_564, 177_572, 203),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "rice31",
            about: "Rice University",
            layouts: &[RICE31],
            counts: counts(3_457, 161_809, 112),
            ..SCHOOL
        },
        BenchmarkVariant {
            name: "tufts18",
            about: "Tufts University",
            layouts: &[TUFTS18],
            counts: counts(5_782, 219_894, 235),
            ..SCHOOL
        },
    ],
};

/// What the files of a school hold.
#[derive(Deserialize)]
struct Codebook {
    /// Years that are no class.
    other_years: Vec<String>,
    /// Codes by school and column.
    schools: BTreeMap<String, BTreeMap<String, Vec<u32>>>,
}

/// How the files of a school are read.
///
/// # Errors
/// If there is no codebook of it.
pub(super) fn schema(school: &str) -> Result<Schema> {
    let book = include_str!("codebooks/facebook100.json");
    let malformed = |error: String| Error::invalid("the codebook", error, "codes by school");
    let mut book: Codebook =
        serde_json::from_str(book).map_err(|error| malformed(error.to_string()))?;
    let codes = book.schools.remove(school).ok_or_else(|| malformed(school.into()))?;
    let mut no_label = std::mem::take(&mut book.other_years);
    no_label.push(String::new());
    let column = |name: &str| {
        let codes = codes.get(name).into_iter().flatten().map(u32::to_string).collect();
        let mut column = DeclaredColumn::new(ColumnKind::Category);
        column.values = Some(codes);
        column.missing = Some(MissingRule::Column);
        (name.to_owned(), column)
    };
    let people = PeopleTable {
        label: Some("year".into()),
        classes: Some((2004..=2009).map(|year| year.to_string()).collect()),
        no_label,
        columns: SchemaColumns(FEATURES.map(column).into()),
        ..PeopleTable::new("students.csv", "id")
    };
    let edges = vec![EdgeTable::new("friends.csv.gz", "a", "b")];
    Ok(Schema { people, edges, graphs: None })
}
