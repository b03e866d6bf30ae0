//! Facts stated by the custodian of the data: who there is, which columns, which classes.
//!
//! The records are fitted to what was stated; one that does not fit is an error, never a larger list.

use crate::{
    Dataset, DenseMatrix, Error, FeatureMatrix, Features, GraphBuilder, Labels, NodeId, NodeIds,
    Result, SelfLoops, SourceLocation, SparseBuilder, Split, memory,
};

/// The feature columns that there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclaredColumns {
    /// So many, called by number from 0.
    Count(usize),
    /// These, in this order.
    Names(Vec<String>),
}

impl Dataset {
    /// The same data among the people who are stated to exist, in that order. Those whom the records do not
    /// name have no edges, no label, and no entry in sparse features.
    ///
    /// # Errors
    /// If the records name another person, or dense features lack a person's row.
    pub fn with_universe(self, ids: NodeIds) -> Result<Self> {
        let place = SourceLocation::file(self.name());
        let nodes = {
            let index = ids.index();
            let find = |id| {
                let stranger =
                    || place.malformed(format!("the id '{id}'"), "an id that was stated");
                index.node(id).ok_or_else(stranger)
            };
            self.ids().iter().map(find).collect::<Result<Vec<NodeId>>>()?
        };
        let at = |node: NodeId| nodes[node as usize];
        let edges = self.graph().edges().map(|(u, v)| (at(u), at(v)));
        let builder = GraphBuilder::new(ids.len(), self.graph().direction());
        let (graph, _) = builder.self_loops(SelfLoops::Keep).edges(edges).build()?;
        let mut data = Self::new(self.name(), graph, ids)?.with_notices(self.notices().to_vec());
        // The old node of each new one; none for an id that the data did not have.
        let mut old = vec![None; data.ids().len()];
        nodes.iter().zip(0..).for_each(|(&new, node)| old[new as usize] = Some(node));
        if let Some(features) = self.features() {
            data = data.with_features(spread_features(features, &old, &place)?)?;
        }
        if let Some(labels) = self.labels() {
            data = data.with_labels(spread_labels(labels, &old)?)?;
        }
        if let Some(split) = self.split() {
            let moved = |part: &[NodeId]| part.iter().map(|&node| at(node)).collect();
            let Split { train, validation, test } = split;
            let split =
                Split { train: moved(train), validation: moved(validation), test: moved(test) };
            data = data.with_split(split)?;
        }
        Ok(data)
    }

    /// The same data with the classes that are stated to exist, in that order.
    ///
    /// # Errors
    /// If there are no labels, or one is of another class.
    pub fn with_classes(self, names: Vec<String>) -> Result<Self> {
        let place = SourceLocation::file(self.name());
        let labels = self.labels().ok_or_else(|| nothing("--classes", "labels"))?;
        let class_of = |name: &String| names.iter().position(|other| other == name);
        let known: Vec<Option<usize>> = labels.class_names().iter().map(class_of).collect();
        let sizes = labels.class_sizes();
        let stranger =
            known.iter().zip(&sizes).position(|(known, &size)| known.is_none() && size > 0);
        if let Some(stranger) = stranger {
            let found = format!("the class '{}'", labels.class_names()[stranger]);
            return Err(place.malformed(found, "a class that was stated"));
        }
        let renamed = |&class: &u32| known[class as usize].map(|class| class as u32);
        let lists =
            (0..labels.len() as NodeId).map(|item| labels.classes(item).iter().filter_map(renamed));
        let labels = match labels.is_multi() {
            true => Labels::multi(lists.map(Iterator::collect).collect(), names)?,
            false => Labels::single(lists.map(|mut list| list.next()).collect(), names)?,
        };
        self.with_labels(labels)
    }

    /// The same data with the feature columns that are stated to exist, in that order.
    ///
    /// # Errors
    /// If there are no features, or a record has another column.
    pub fn with_columns(self, columns: DeclaredColumns) -> Result<Self> {
        let place = SourceLocation::file(self.name());
        let features = self.features().ok_or_else(|| nothing("--columns", "features"))?;
        let (count, column_of) = match (&columns, features.names()) {
            (DeclaredColumns::Count(count), None) => (*count, None),
            (DeclaredColumns::Count(_), Some(_)) => {
                return Err(Error::invalid(
                    "--columns",
                    "a number",
                    "a file of names, as columns are named",
                ));
            }
            (DeclaredColumns::Names(names), None) => (names.len(), None),
            (DeclaredColumns::Names(names), Some(found)) => {
                let find = |name: &String| {
                    let stranger = || {
                        place.malformed(format!("the column '{name}'"), "a column that was stated")
                    };
                    names.iter().position(|other| other == name).ok_or_else(stranger)
                };
                (names.len(), Some(found.iter().map(find).collect::<Result<Vec<_>>>()?))
            }
        };
        if column_of.is_none() && features.columns() > count {
            let found = "features in columns past them".to_owned();
            return Err(place.malformed(found, format!("at most {count} columns, as was stated")));
        }
        let column = |old: u32| column_of.as_ref().map_or(old, |of| of[old as usize] as u32);
        let matrix = widened(features, count, column)?;
        let mut widened = Features::new(matrix);
        if let DeclaredColumns::Names(names) = columns {
            widened = widened.with_names(names)?;
        }
        // Bounds of each column say nothing about columns that are new; common ones hold for all.
        if let Some(bounds) = features.bounds().filter(|bounds| bounds.column_count().is_none()) {
            widened = widened.with_bounds(bounds.clone())?;
        }
        self.with_features(widened)
    }
}

fn nothing(option: &str, what: &str) -> Error {
    Error::invalid(option, format!("given without {what}"), format!("data that has {what}"))
}

fn widened(
    features: &Features,
    count: usize,
    column: impl Fn(u32) -> u32,
) -> Result<FeatureMatrix> {
    Ok(match features.matrix() {
        FeatureMatrix::Dense(old) => {
            // Both stand side by side for a moment.
            memory::ask("columns", count as u64, 8 * old.rows() as u64, 0)?;
            let mut rows = DenseMatrix::zeros(old.rows(), count);
            for row in 0..old.rows() {
                for (at, &value) in (0..).zip(old.row(row)) {
                    rows.row_mut(row)[column(at) as usize] = value;
                }
            }
            FeatureMatrix::Dense(rows)
        }
        FeatureMatrix::Sparse(old) => {
            let mut rows = SparseBuilder::new(count);
            for row in 0..old.rows() {
                let entries = features.nonzero_entries(row).map(|(at, value)| (column(at), value));
                rows.push_row(&mut entries.collect::<Vec<_>>())?;
            }
            FeatureMatrix::Sparse(rows.finish())
        }
    })
}

/// Rows in the order of a larger list; `old` says which node each of its entries was.
fn spread_features(
    features: &Features,
    old: &[Option<NodeId>],
    place: &SourceLocation,
) -> Result<Features> {
    let order: Option<Vec<NodeId>> = old.iter().copied().collect();
    // Every stated id has a row: rows only change places.
    if let Some(order) = order {
        return Ok(features.select(&order));
    }
    if matches!(features.matrix(), FeatureMatrix::Dense(_)) {
        let found = "fewer rows of features than ids";
        return Err(place.malformed(found, "a row for every id that was stated"));
    }
    let mut rows = SparseBuilder::new(features.columns());
    for node in old {
        let entries = node.iter().flat_map(|&node| features.nonzero_entries(node as usize));
        rows.push_row(&mut entries.collect::<Vec<_>>())?;
    }
    let mut spread = Features::sparse(rows.finish()).with_columns_origin(features.columns_origin());
    if let Some(names) = features.names() {
        spread = spread.with_names(names.to_vec())?;
    }
    match features.bounds() {
        Some(bounds) => spread.with_bounds(bounds.clone()),
        None => Ok(spread),
    }
}

fn spread_labels(labels: &Labels, old: &[Option<NodeId>]) -> Result<Labels> {
    let names = labels.class_names().to_vec();
    let of = |node: &Option<NodeId>| node.map_or(&[][..], |node| labels.classes(node));
    let spread = match labels.is_multi() {
        true => Labels::multi(old.iter().map(|node| of(node).to_vec()).collect(), names),
        false => Labels::single(old.iter().map(|node| of(node).first().copied()).collect(), names),
    };
    Ok(spread?.with_classes_origin(labels.classes_origin()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, Fact, FactOrigin, SparseMatrix};

    fn people() -> Dataset {
        let builder = GraphBuilder::new(2, Direction::Undirected).edges([(0, 1)]);
        let ids = NodeIds::texts(["bob", "cy"]).unwrap();
        let rows = SparseMatrix::new(2, vec![0, 1, 1], vec![1], vec![3.0]).unwrap();
        Dataset::new("people", builder.build().unwrap().0, ids)
            .unwrap()
            .with_ids_origin(FactOrigin::ReadOff)
            .with_features(Features::sparse(rows).with_columns_origin(FactOrigin::ReadOff))
            .unwrap()
            .with_labels(Labels::from_names(&["red", ""]).unwrap())
            .unwrap()
    }

    #[test]
    fn a_universe_adds_people_without_records() {
        let ids = NodeIds::texts(["ann", "cy", "bob"]).unwrap();
        let all = people().with_universe(ids.clone()).unwrap();
        assert_eq!((all.ids(), all.ids_origin()), (&ids, FactOrigin::Stated));
        assert_eq!(all.graph().edges().collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(all.features().unwrap().nonzero_entries(2).collect::<Vec<_>>(), [(1, 3.0)]);
        assert_eq!(all.features().unwrap().nonzero_entries(0).count(), 0);
        assert_eq!([0, 1, 2].map(|node| all.labels().unwrap().class(node)), [None, None, Some(0)]);
        assert_eq!(all.fact_origin(Fact::Classes), Some(FactOrigin::ReadOff));
        let message = people().with_universe(NodeIds::texts(["bob"]).unwrap()).unwrap_err();
        assert!(!message.to_string().contains("cy"), "{message}");
        assert!(message.with_values().contains("'cy'"), "{message}");
    }

    #[test]
    fn classes_and_columns_are_fitted_to_what_was_stated() {
        let stated = people().with_classes(vec!["blue".into(), "red".into()]).unwrap();
        assert_eq!(stated.labels().unwrap().class(0), Some(1));
        assert_eq!(stated.fact_origin(Fact::Classes), Some(FactOrigin::Stated));
        assert!(people().with_classes(vec!["blue".into()]).is_err());
        let stated = people().with_columns(DeclaredColumns::Count(5)).unwrap();
        assert_eq!(stated.features().unwrap().columns(), 5);
        assert_eq!(stated.fact_origin(Fact::Columns), Some(FactOrigin::Stated));
        assert!(people().with_columns(DeclaredColumns::Count(1)).is_err());
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let named = people().map_features(|f| f.with_names(names(&["a", "b"])).unwrap());
        let stated = named.clone().with_columns(DeclaredColumns::Names(names(&["b", "x", "a"])));
        assert_eq!(
            stated.unwrap().features().unwrap().nonzero_entries(0).collect::<Vec<_>>(),
            [(0, 3.0)]
        );
        assert!(named.with_columns(DeclaredColumns::Names(names(&["a"]))).is_err());
    }
}
