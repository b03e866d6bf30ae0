//! Tables that come with scikit-learn: rows with numbers and a class, as a custodian holds them.
//!
//! Bounds. `codebooks/tables.json` declares a range for each column, into which values are clipped and from which they
//! are scaled to 0..1: pixels are 0 to 16, other columns 0 to 1.5 times the largest value published.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{
    BenchmarkCounts, BenchmarkFile, BenchmarkVariant, CatalogBenchmark, PublicBounds, Recipe,
};
use crate::declared::{EdgeTable, PeopleTable, Schema, SchemaColumns};
use crate::formats::Format;
use crate::{Error, Result};

const BREAST_CANCER: &[BenchmarkFile] = converted! {
    "tables/breast_cancer/" from "scikit-learn: sklearn.datasets.load_breast_cancer()" {
        "people.csv" 126_599 "3a3944d033c47df3152cacf79db528fb6895a9a92bc632e504618ef22e8acf25";
        "knn.csv" 20_839 "5fdcc2a60af17582a57b91fa35835531283e48a077dd76dcf8da5680fd7d7b0d";
    }
};

const DIGITS: &[BenchmarkFile] = converted! {
    "tables/digits/" from "scikit-learn: sklearn.datasets.load_digits()" {
        "people.csv" 275_033 "e8f0aadff80ae433aee8f9f5574f0b973d09d56f35489e7d1df819ece2284e34";
        "knn.csv" 69_239 "2ac07f7463950d369d551e078885e185e084a7d9d5d2a3aa181515aee468386d";
    }
};

const WINE: &[BenchmarkFile] = converted! {
    "tables/wine/" from "scikit-learn: sklearn.datasets.load_wine()" {
        "people.csv" 13_148 "742bbc78c768d63e8472143fd08d341ac6f495344e56ddbc3fd130cb602f4165";
        "knn.csv" 5_567 "89d6459456a5b19ec8d2976bcbbaa33d07aa4b96857cdd90a618f9304cc53531";
    }
};

const TABLE: BenchmarkVariant = BenchmarkVariant {
    name: "",
    about: "",
    format: Format::Csv,
    member: None,
    layouts: &[],
    counts: BenchmarkCounts::quoted(),
    bounds: PublicBounds::UnitRange,
    recipe: Recipe::Table { edges: false },
};

pub(super) static TABLES: CatalogBenchmark = CatalogBenchmark {
    name: "sklearn",
    aliases: &["scikit_learn"],
    title: "Tables of scikit-learn: tumours, handwritten digits, wines",
    papers: &[],
    published: "UCI Machine Learning Repository; scikit-learn has copies",
    licence: "CC BY 4.0 (UCI); scikit-learn is BSD",
    note: "values are scaled to 0..1 by declared bounds",
    variants: &[
        BenchmarkVariant {
            name: "breast_cancer",
            about: "cells of 569 tumours, measured under a microscope; benign or malignant",
            layouts: &[BREAST_CANCER],
            counts: BenchmarkCounts::of(569, 0).features(30, Some(16_992)).classes(2),
            ..TABLE
        },
        BenchmarkVariant {
            name: "breast_cancer_knn",
            about: "the same, and each row's five nearest by standardised columns as edges",
            layouts: &[BREAST_CANCER],
            counts: BenchmarkCounts::of(569, 2_168).features(30, Some(16_992)).classes(2),
            recipe: Recipe::Table { edges: true },
            ..TABLE
        },
        BenchmarkVariant {
            name: "digits",
            about: "handwritten digits, 8 by 8 pixels",
            layouts: &[DIGITS],
            counts: BenchmarkCounts::of(1_797, 0).features(64, Some(58_736)).classes(10),
            ..TABLE
        },
        BenchmarkVariant {
            name: "digits_knn",
            about: "the same, and each row's five nearest by standardised columns as edges",
            layouts: &[DIGITS],
            counts: BenchmarkCounts::of(1_797, 6_427).features(64, Some(58_736)).classes(10),
            recipe: Recipe::Table { edges: true },
            ..TABLE
        },
        BenchmarkVariant {
            name: "wine",
            about: "wines of three growers, by chemical analysis",
            layouts: &[WINE],
            counts: BenchmarkCounts::of(178, 0).features(13, Some(2_314)).classes(3),
            ..TABLE
        },
        BenchmarkVariant {
            name: "wine_knn",
            about: "the same, and each row's five nearest by standardised columns as edges",
            layouts: &[WINE],
            counts: BenchmarkCounts::of(178, 634).features(13, Some(2_314)).classes(3),
            recipe: Recipe::Table { edges: true },
            ..TABLE
        },
    ],
};

/// What the columns of a table hold.
#[derive(Deserialize)]
struct TableDeclaration {
    classes: Vec<String>,
    columns: SchemaColumns,
}

/// How the files of a variant are read; `edges` says whether its nearest rows are edges.
///
/// # Errors
/// If there is no codebook of it.
pub(super) fn schema(variant: &str, edges: bool) -> Result<Schema> {
    let books = include_str!("codebooks/tables.json");
    let malformed = |error: String| Error::invalid("the codebook", error, "columns by table");
    let mut books: BTreeMap<String, TableDeclaration> =
        serde_json::from_str(books).map_err(|error| malformed(error.to_string()))?;
    let table = variant.trim_end_matches("_knn");
    let TableDeclaration { classes, columns } =
        books.remove(table).ok_or_else(|| malformed(table.into()))?;
    let people = PeopleTable {
        label: Some("label".into()),
        classes: Some(classes),
        columns,
        ..PeopleTable::new("people.csv", "id")
    };
    let edges = edges.then(|| EdgeTable::new("knn.csv", "a", "b")).into_iter().collect();
    Ok(Schema { people, edges, graphs: None })
}
