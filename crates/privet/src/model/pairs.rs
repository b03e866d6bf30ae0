//! [`LinkModel`]: how likely two people are connected, by LDP-GE's link predictor. It knows the embeddings of those who sent
//! reports (made from reports, so not private any more); newcomers get theirs from their own records.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::NETWORK;
use super::answers::{
    AnswerFormat, json_number, json_text, put_json_answer, unwritten, write_json_end,
    write_json_header,
};
use super::newcomers::Newcomers;
use crate::data::declared::{EdgeTable, PeopleTable};
use crate::graph::{
    DenseMatrix, Direction, FeatureMatrix, Graph, GraphBuilder, IdInterner, NodeId,
};
use crate::ldp_ge::{Embedding, KnownLinks, PairEvidence};
use crate::learn::models::{ItemRows, LinkScorer};
use crate::project::InputGuard;
use crate::saved::{Tables, read_json, write_json};
use crate::words::csv_cell;
use crate::{Error, Result};

/// A scorer of pairs of people.
#[derive(Debug, Clone)]
pub struct LinkModel {
    /// What it is.
    pub about: AboutLinks,
    /// The scorer of embeddings.
    pub scorer: LinkScorer,
    /// What it is weighed against: connections among those who sent reports.
    pub known: Option<Box<KnownLinks>>,
    /// Those who sent reports.
    pub people: Vec<String>,
    /// One row each.
    pub embedding: DenseMatrix,
}

/// What is written down beside the scorer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutLinks {
    /// The project it comes from.
    pub project: String,
    /// How records become embeddings.
    pub embedding: Embedding,
    /// How a person's record is read: all of it declared in public, and of no file in particular.
    pub preprocessing: PeopleTable,
}

/// People by their ids, in places, and a row for each.
struct PeopleWithRows {
    all: IdInterner,
    ids: Vec<String>,
    rows: DenseMatrix,
}

const PEOPLE: &str = "people.json";
const EMBEDDING: &str = "embedding";

impl LinkModel {
    /// Scores every pair of a table, of people it knows and of newcomers: the higher, the likelier that they are
    /// connected. Connections that are told of, newcomers' to people it knows among them, count like those it knows. Scores
    /// compare pairs; they are no probabilities. How many pairs there were.
    ///
    /// # Errors
    /// If the table cannot be read, names an unknown person, or newcomers have other columns; if a project protects
    /// the connections of people who stand in a table of pairs or connections.
    pub fn predict(
        &self,
        pairs: &EdgeTable,
        newcomers: Option<&Newcomers>,
        connections: Option<&EdgeTable>,
        guard: &InputGuard,
        out: &mut dyn Write,
    ) -> Result<u64> {
        self.predict_as(AnswerFormat::Csv, pairs, (newcomers, connections), guard, out)
    }

    /// The same in a format of the caller's choice.
    pub(super) fn predict_as(
        &self,
        format: AnswerFormat,
        pairs: &EdgeTable,
        (newcomers, connections): (Option<&Newcomers>, Option<&EdgeTable>),
        guard: &InputGuard,
        out: &mut dyn Write,
    ) -> Result<u64> {
        let PeopleWithRows { all, ids, rows } = self.all_people(newcomers)?;
        let links = self.links(connections, &all, &ids, guard)?;
        let evidence = links.as_ref().map(PairEvidence::new).transpose()?;
        // The table of pairs is guarded like connections: who asks about whom may be private.
        let found = guard.read_connections(pairs, &all, &ids)?;
        match format {
            AnswerFormat::Csv => {
                writeln!(out, "{},{},score", csv_cell(&pairs.source), csv_cell(&pairs.target))
                    .map_err(unwritten)?;
            }
            AnswerFormat::Json => write_json_header("pairs", out)?,
        }
        let mut first = true;
        // In blocks: a table of pairs may be longer than memory.
        for pairs in found.chunks(1 << 16) {
            let pairs: Vec<(NodeId, NodeId)> = pairs.iter().map(|&[a, b]| (a, b)).collect();
            let mut scores = self.scorer.scores(ItemRows::from(&rows), &pairs);
            if let (Some(known), Some(links), Some(evidence)) = (&self.known, &links, &evidence) {
                let weighed = known.model.scores(&evidence.rows(&pairs, Some(&scores)));
                let alone = known.model.scores_alone(&scores);
                let either = pairs.iter().zip(weighed.into_iter().zip(alone));
                // Of a newcomer without known connections only the embedding speaks; 0 known is not
                // 0 true ones.
                let untold = |node| self.is_untold(node, links);
                scores = either
                    .map(|(&(a, b), (all, own))| if untold(a) || untold(b) { own } else { all })
                    .collect();
            }
            for ((one, other), score) in pairs.into_iter().zip(scores) {
                let [one, other] = [one, other].map(|at| &*ids[at as usize]);
                let line = match format {
                    AnswerFormat::Csv => {
                        format!("{},{},{score:.6}\n", csv_cell(one), csv_cell(other))
                    }
                    AnswerFormat::Json => {
                        let [one, other] = [one, other].map(json_text);
                        let score = json_number(score);
                        let members =
                            format!("\"source\":{one},\"target\":{other},\"score\":{score}");
                        let mut line = String::new();
                        put_json_answer(std::mem::take(&mut first), &members, &mut line);
                        line
                    }
                };
                out.write_all(line.as_bytes()).map_err(unwritten)?;
            }
        }
        if format == AnswerFormat::Json {
            write_json_end(out)?;
        }
        Ok(found.len() as u64)
    }

    /// Whether a newcomer's connections are unknown; that is not the same as having none.
    fn is_untold(&self, node: NodeId, links: &Graph) -> bool {
        node as usize >= self.people.len() && links.degree(node) == 0
    }

    /// Those who sent reports, and newcomers after them; for a person who is both, the later record counts.
    fn all_people(&self, newcomers: Option<&Newcomers>) -> Result<PeopleWithRows> {
        let (mut all, mut ids) = (IdInterner::default(), self.people.clone());
        for id in &ids {
            all.intern(id);
        }
        let (mut values, columns) = (self.embedding.values().to_vec(), self.embedding.columns());
        if let Some(new) = newcomers {
            if new.rows.columns() != columns {
                return Err(Error::invalid("columns of a row", new.rows.columns(), columns));
            }
            let rows = FeatureMatrix::Dense(new.rows.clone());
            // Newcomers are embedded by connections among themselves alone.
            let embedded = self.about.embedding.run(&new.graph, &rows, 0)?;
            for (row, id) in new.ids.iter().take(new.new).enumerate() {
                match all.intern(id) as usize {
                    at if at == ids.len() => {
                        ids.push(id.clone());
                        values.extend_from_slice(embedded.row(row));
                    }
                    // An id that is known already is replaced: the later record counts.
                    at => values[at * columns..][..columns].copy_from_slice(embedded.row(row)),
                }
            }
        }
        let rows = DenseMatrix::new(ids.len(), columns, values)?;
        Ok(PeopleWithRows { all, ids, rows })
    }

    /// The same for pairs of those who sent reports, by their places.
    ///
    /// # Errors
    /// Never in practice: the people are already in a graph.
    pub fn scores(&self, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f32>> {
        let scores = self.scorer.scores(ItemRows::from(&self.embedding), pairs);
        match &self.known {
            Some(known) => known.weigh(pairs, &scores),
            None => Ok(scores),
        }
    }

    /// Known connections and those that a table tells of, among people with these ids; `None` if nothing is weighed.
    fn links(
        &self,
        told: Option<&EdgeTable>,
        all: &IdInterner,
        ids: &[String],
        guard: &InputGuard,
    ) -> Result<Option<Graph>> {
        let Some(known) = &self.known else { return Ok(None) };
        let told = match told {
            Some(table) => guard.read_connections(table, all, ids)?,
            None => Vec::new(),
        };
        let told = told.into_iter().map(|[one, other]| (one, other));
        // Trained links and told ones form one graph: the evidence does not tell them apart.
        let edges = known.graph.edges().chain(told);
        let links = GraphBuilder::new(ids.len(), Direction::Undirected).edges(edges);
        Ok(Some(links.build()?.0))
    }

    pub(super) fn write_parts(&self, folder: &Path) -> Result<()> {
        self.scorer.save(&folder.join(NETWORK))?;
        if let Some(known) = &self.known {
            known.save(folder)?;
        }
        write_json(&folder.join(PEOPLE), &self.people)?;
        Tables::of([(EMBEDDING, self.embedding.clone())]).save(folder)
    }

    pub(super) fn read_parts(about: AboutLinks, folder: &Path) -> Result<Self> {
        let [embedding] = Tables::read(folder)?.take([EMBEDDING])?;
        let people: Vec<String> = read_json(&folder.join(PEOPLE))?.unwrap_or_default();
        // Files that do not belong together are refused.
        if people.len() != embedding.rows() {
            return Err(Error::invalid("people of a model", people.len(), embedding.rows()));
        }
        let scorer = LinkScorer::load(&folder.join(NETWORK))?;
        if scorer.config().inputs != embedding.columns() {
            let (found, wanted) = (embedding.columns(), scorer.config().inputs);
            return Err(Error::invalid("columns of embeddings", found, wanted));
        }
        let known = KnownLinks::load(folder, people.len())?.map(Box::new);
        Ok(Self { about, scorer, known, people, embedding })
    }

    pub(super) fn words(&self) -> [String; 3] {
        [
            self.about.project.clone(),
            "It says how likely two people are connected: those who sent reports, and newcomers by their records."
                .into(),
            "Use it: `privet predict . --pairs pairs.csv:source:target -o scores.csv`. The files `people.json` and\n\
             `tables.safetensors` are the ids of those who sent reports, and what was made of their reports; `links.npz` and\n\
             `links.json`, if there are enough of them, the public connections among those, and what they say."
                .into(),
        ]
    }
}
