//! [`Open`]: the same people before they are a secret. The holder of a dataset has them anyway; here they can be
//! altered for attacks and controls, be trained on without protection, and be sealed.
//!
//! A person who is not there keeps an id, and nothing else: no connections, no features, no class. A row without a
//! class counts nothing in training, and neither does one that reads such a person (claim E6).

use std::collections::HashSet;

use super::{
    HeldOut, Training, UNKNOWN, Visitors, centred_rows, chosen, classes, descent_rows, in_the_open,
    part, unit_rows,
};
use crate::graph::{
    Dataset, Direction, FeatureMatrix, Features, Graph, GraphBuilder, Labels, NodeId,
    SparseBuilder, SparseMatrix,
};
use crate::privacy::{PublicShape, Secret};
use crate::{Error, Result};

/// People whose connections, features and classes the whole program can read.
#[derive(Clone)]
pub struct OpenPeople {
    /// What the data are called.
    pub name: String,
    /// Who knows whom.
    pub graph: Graph,
    /// One row each, of norm 1.
    pub features: Features,
    /// The same around the middles of declared ranges, for gradient descent; none without such ranges.
    pub centred: Option<Features>,
    /// One class each; the absent have none that any network knows.
    pub classes: Vec<u32>,
    /// How many classes there are.
    pub class_count: usize,
    /// For each the visitors they know, by place; empty lists where there are no visitors yet.
    pub known_visitors: Vec<Vec<NodeId>>,
}

/// The public facts about people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenPeopleShape {
    /// How many ids there are, present or not.
    pub people: usize,
    /// How many features a row has.
    pub columns: usize,
    /// How many classes there are.
    pub classes: usize,
}

impl PublicShape for OpenPeople {
    type Shape = OpenPeopleShape;

    fn shape(&self) -> OpenPeopleShape {
        OpenPeopleShape {
            people: self.classes.len(),
            columns: self.features.columns(),
            classes: self.class_count,
        }
    }
}

/// People of whom connections alone are secret.
pub struct PeopleWithSecretEdges {
    pub(in crate::dpar) known: OpenPeople,
    pub(in crate::dpar) connections: Secret<Graph>,
}

impl OpenPeople {
    /// 80 % to train on and 20 % to classify, at random; rows are scaled to norm 1, each on its own.
    ///
    /// # Errors
    /// If there are no features or no labels.
    pub fn split(dataset: &Dataset, held: HeldOut, seed: u64) -> Result<(Self, Visitors)> {
        let (inside, outside) = chosen(dataset, held, seed)?;
        Self::chosen(dataset, &inside, &outside)
    }

    /// These people to train on and those to classify; rows are scaled to norm 1, each on its own.
    ///
    /// # Errors
    /// If there are no features, one of the groups is empty, or a person to train on has no class.
    pub fn chosen(
        dataset: &Dataset,
        training: &[NodeId],
        visitors: &[NodeId],
    ) -> Result<(Self, Visitors)> {
        let class_count = dataset.labels().map_or(0, |labels| labels.class_count());
        let mut people = Self::of(&part(dataset, training)?, class_count)?;
        let open = in_the_open(&part(dataset, visitors)?)?;
        people.known_visitors = known_visitors(dataset, training, visitors)?;
        Ok((people, open))
    }

    /// All people of a dataset, with so many classes; rows are scaled to norm 1, each on its own.
    ///
    /// # Errors
    /// If there are no features, or a person has no class: they are left out by the caller that chooses the people
    /// ([`Dataset::induced`]), never taken for one of the first class.
    pub fn of(dataset: &Dataset, class_count: usize) -> Result<Self> {
        let people = Self::with_unlabelled(dataset, class_count)?;
        if people.classes.contains(&UNKNOWN) {
            let found = "a person without a class";
            return Err(Error::invalid("people to train on", found, "a class for every person"));
        }
        Ok(people)
    }

    /// The same where some may have no class: their rows count nothing in training, so that training does not reveal who or
    /// how many they are.
    ///
    /// # Errors
    /// If there are no features.
    pub fn with_unlabelled(dataset: &Dataset, class_count: usize) -> Result<Self> {
        Ok(Self {
            name: dataset.name().into(),
            graph: dataset.graph().to_undirected()?,
            features: unit_rows(dataset)?,
            centred: centred_rows(dataset)?,
            classes: classes(dataset),
            class_count,
            known_visitors: vec![Vec::new(); dataset.graph().node_count()],
        })
    }

    /// From here on a secret.
    pub fn seal(self) -> Training {
        Training { name: self.name.clone(), secret: Secret::new(self) }
    }

    /// From here on their connections are a secret; features and classes are not.
    ///
    /// # Errors
    /// Never in practice.
    pub fn seal_connections(mut self) -> Result<PeopleWithSecretEdges> {
        let no_edges = Graph::empty(self.classes.len(), Direction::Undirected)?;
        let connections = Secret::new(std::mem::replace(&mut self.graph, no_edges));
        Ok(PeopleWithSecretEdges { known: self, connections })
    }

    /// The same people, without connections: a control for what connections contribute.
    ///
    /// # Errors
    /// Never in practice.
    pub fn forget_connections(mut self) -> Result<Self> {
        self.graph = Graph::empty(self.classes.len(), Direction::Undirected)?;
        self.known_visitors.iter_mut().for_each(Vec::clear);
        Ok(self)
    }

    /// The same ids, of which some are of people who are not there.
    ///
    /// # Errors
    /// If there is no such person.
    pub fn without_people(&self, gone: &[NodeId]) -> Result<Self> {
        let count = self.classes.len();
        if let Some(missing) = gone.iter().find(|&&node| node as usize >= count) {
            return Err(Error::invalid("person", missing, format!("below {count}")));
        }
        let gone: HashSet<NodeId> = gone.iter().copied().collect();
        let mut left = self.with_edges(|u, v| !gone.contains(&u) && !gone.contains(&v))?;
        left.features = emptied(&self.features, &gone)?;
        let centred = left.centred.as_ref();
        left.centred = centred.map(|rows| emptied(rows, &gone)).transpose()?;
        for &node in &gone {
            left.classes[node as usize] = UNKNOWN;
            left.known_visitors[node as usize].clear();
        }
        Ok(left)
    }

    /// The same people, some of whom do not know each other.
    ///
    /// # Errors
    /// Never in practice.
    pub fn without_connections(&self, gone: &[(NodeId, NodeId)]) -> Result<Self> {
        let gone: HashSet<(NodeId, NodeId)> =
            gone.iter().flat_map(|&(u, v)| [(u, v), (v, u)]).collect();
        self.with_edges(|u, v| !gone.contains(&(u, v)))
    }

    fn with_edges(&self, keep: impl Fn(NodeId, NodeId) -> bool) -> Result<Self> {
        let mut graph = GraphBuilder::new(self.classes.len(), Direction::Undirected);
        self.graph.edges().filter(|&(u, v)| keep(u, v)).for_each(|(u, v)| graph.push(u, v));
        let (graph, _): (Graph, _) = graph.build()?;
        Ok(Self { graph, ..self.clone() })
    }

    /// Some of the people, and the connections among them.
    pub(super) fn induced(&self, nodes: &[NodeId]) -> Result<Self> {
        Ok(Self {
            name: self.name.clone(),
            graph: crate::graph::subgraph::induced(&self.graph, nodes)?,
            features: self.features.select(nodes),
            centred: self.centred.as_ref().map(|rows| rows.select(nodes)),
            classes: nodes.iter().map(|&node| self.classes[node as usize]).collect(),
            class_count: self.class_count,
            known_visitors: nodes
                .iter()
                .map(|&node| self.known_visitors[node as usize].clone())
                .collect(),
        })
    }

    /// The rows that gradient descent reads, a constant among their columns.
    pub(in crate::dpar) fn descent_rows(&self) -> Result<Features> {
        match &self.centred {
            Some(rows) => Ok(rows.clone()),
            None => descent_rows::beside_constant(&self.features),
        }
    }

    /// Who is there.
    pub fn present(&self) -> Vec<NodeId> {
        self.graph.nodes().filter(|&node| self.classes[node as usize] != UNKNOWN).collect()
    }

    /// Each person's class.
    ///
    /// # Errors
    /// Never in practice.
    pub fn labels(&self) -> Result<Labels> {
        let names = (0..self.class_count).map(|class| class.to_string()).collect();
        let present = |&class: &u32| Some(class).filter(|&class| class != UNKNOWN);
        Ok(Labels::single(self.classes.iter().map(present).collect(), names)?)
    }

    /// The classes of rows that read so: those that read a person who is not there have none.
    pub(in crate::dpar) fn classes_of(&self, weights: &SparseMatrix) -> Vec<u32> {
        let absent = |&node: &u32| self.classes[node as usize] == UNKNOWN;
        let class = |(row, &class): (usize, &u32)| match weights.row(row).0.iter().any(absent) {
            true => UNKNOWN,
            false => class,
        };
        self.classes.iter().enumerate().map(class).collect()
    }
}

impl super::Inductive {
    /// The people of [`Training`], as an attacker sees them who knows everything about all people and asks a model
    /// about them. For attacks: a curator never does this.
    ///
    /// # Errors
    /// As for [`Inductive::split`](super::Inductive::split).
    pub fn known(dataset: &Dataset, held: HeldOut, seed: u64) -> Result<Visitors> {
        in_the_open(&part(dataset, &chosen(dataset, held, seed)?.0)?)
    }
}

/// The visitors that each person knows, by place; a connection counts in whichever direction it is known.
fn known_visitors(
    dataset: &Dataset,
    people: &[NodeId],
    visitors: &[NodeId],
) -> Result<Vec<Vec<NodeId>>> {
    let graph = dataset.graph().to_undirected()?;
    let mut place = vec![None; graph.node_count()];
    for (at, &visitor) in (0..).zip(visitors) {
        place[visitor as usize] = Some(at);
    }
    let known = |&person: &NodeId| {
        graph.neighbors(person).iter().filter_map(|&other| place[other as usize]).collect()
    };
    Ok(people.iter().map(known).collect())
}

/// Rows of zeros for those who are gone.
fn emptied(features: &Features, gone: &HashSet<NodeId>) -> Result<Features> {
    Ok(match features.matrix() {
        FeatureMatrix::Dense(matrix) => {
            let mut left = matrix.clone();
            gone.iter().for_each(|&node| left.row_mut(node as usize).fill(0.0));
            Features::dense(left)
        }
        FeatureMatrix::Sparse(matrix) => {
            let mut left = SparseBuilder::new(matrix.columns());
            for row in 0..matrix.rows() {
                let (columns, values) = matrix.row(row);
                let mut entries: Vec<(u32, f32)> = match gone.contains(&(row as NodeId)) {
                    true => Vec::new(),
                    false => columns.iter().copied().zip(values.iter().copied()).collect(),
                };
                left.push_row(&mut entries)?;
            }
            Features::sparse(left.finish())
        }
    })
}
