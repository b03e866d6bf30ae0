//! [`People`]: what the users of LDP-GE hold, and which of it is secret. The `Private` fields *are* the
//! threat model.

use crate::graph::{Dataset, FeatureMatrix, Features, Graph, Labels, SparseBuilder};
use crate::labels::one_each;
use crate::privacy::Secret;
use crate::privacy::features::Scale;
use crate::{Error, Result};

/// Something the collector may see, or may learn about from randomised reports only.
pub enum Field<T> {
    /// Known to the collector.
    Public(T),
    /// Known to its owner only.
    Private(Secret<T>),
}

impl<T> Field<T> {
    /// Wraps a value if it is private.
    pub fn new(value: T, private: bool) -> Self {
        if private { Self::Private(Secret::new(value)) } else { Self::Public(value) }
    }

    /// Whether only its owner knows it.
    pub fn is_private(&self) -> bool {
        matches!(self, Self::Private(_))
    }
}

/// Which parts of the data only their owners know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Private {
    /// Feature rows.
    pub features: bool,
    /// Labels.
    pub labels: bool,
    /// Neighbour lists.
    pub edges: bool,
}

impl Private {
    /// The paper's setting: features are private; the graph and the labels are known.
    pub const FEATURES: Self = Self { features: true, labels: false, edges: false };
}

/// What each user holds.
pub struct People {
    /// The data's name.
    pub name: String,
    /// Who knows whom.
    pub graph: Field<Graph>,
    /// One row of numbers each.
    pub features: Field<Features>,
    /// One class each, where classes are to be predicted.
    pub labels: Option<Field<Labels>>,
    /// Columns and their declared ranges: public.
    pub scale: Scale,
    /// The list of classes: public.
    pub class_names: Vec<String>,
    /// How many people: public.
    pub count: usize,
}

impl People {
    /// Wraps a dataset at once, before anything else can look at it.
    ///
    /// # Errors
    /// If there are no features, or their range was not declared.
    pub fn new(dataset: &Dataset, private: Private) -> Result<Self> {
        Self::holding(dataset, features_of(dataset)?.clone(), private)
    }

    /// The same people with nothing of their own in their features: all users hold the same row of
    /// zeros. Whatever a learner achieves on their reports, the features did not contribute.
    ///
    /// # Errors
    /// If there are no features to replace, or their range was not declared.
    pub fn with_constant_features(dataset: &Dataset, private: Private) -> Result<Self> {
        let real = features_of(dataset)?;
        let mut rows = SparseBuilder::new(real.columns());
        for _ in 0..real.rows() {
            rows.push_row(&mut [])?;
        }
        let constant = Features::new(FeatureMatrix::Sparse(rows.finish()));
        let constant = match real.bounds() {
            Some(bounds) => constant.with_bounds(bounds.clone())?,
            None => constant,
        };
        Self::holding(dataset, constant, private)
    }

    fn holding(dataset: &Dataset, features: Features, private: Private) -> Result<Self> {
        if private.labels {
            one_each(dataset.labels(), dataset.name(), "they are what is to be protected")?;
        }
        Ok(Self {
            name: dataset.name().to_owned(),
            graph: Field::new(dataset.graph().clone(), private.edges),
            scale: Scale::new(features.columns(), features.bounds())?,
            class_names: dataset.labels().map_or_else(Vec::new, |l| l.class_names().to_vec()),
            features: Field::new(features, private.features),
            labels: dataset.labels().map(|labels| Field::new(labels.clone(), private.labels)),
            count: dataset.graph().node_count(),
        })
    }
}

pub(super) fn features_of(dataset: &Dataset) -> Result<&Features> {
    dataset.features().ok_or_else(|| Error::Missing {
        dataset: dataset.name().to_owned(),
        what: "features",
        remedy: "LDP-GE learns from them",
    })
}
