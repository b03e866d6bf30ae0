//! [`Parameter`] and [`Parameters`]: how optimizers, weight decay, checkpoints and clipping see what a
//! model has learnt, without knowing the model.

use privet_graph::DenseMatrix;

use crate::{Error, Result};

/// A named tensor, and the gradient of the loss by it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    name: String,
    /// What has been learnt. A vector is a matrix of one row.
    pub value: DenseMatrix,
    /// The gradient, of the same shape; empty if the tensor is not trained.
    pub gradient: DenseMatrix,
}

impl Parameter {
    /// A tensor to train, with a gradient of zero.
    pub fn trained(name: impl Into<String>, value: DenseMatrix) -> Self {
        let gradient = DenseMatrix::zeros(value.rows(), value.columns());
        Self { name: name.into(), value, gradient }
    }

    /// A tensor that is kept with the model but not trained, such as running statistics.
    pub fn buffer(name: impl Into<String>, value: DenseMatrix) -> Self {
        Self { name: name.into(), value, gradient: DenseMatrix::zeros(0, 0) }
    }

    /// Its name, unique within the model: `layers.0.weight`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it has a gradient.
    pub fn is_trained(&self) -> bool {
        self.gradient.rows() == self.value.rows()
    }
}

/// Anything made of named tensors. They are visited in the same order every time.
pub trait Parameters {
    /// Looks at every tensor.
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter));

    /// Changes every tensor.
    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter));

    /// Sets all gradients to zero, before a batch adds to them.
    fn clear_gradients(&mut self) {
        self.visit_mut(&mut |parameter| parameter.gradient.values_mut().fill(0.0));
    }

    /// How many numbers are trained.
    fn trained_count(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |parameter| count += parameter.gradient.values().len());
        count
    }

    /// A copy of all tensors, to come back to.
    fn snapshot(&self) -> Snapshot {
        let mut values = Vec::new();
        self.visit(&mut |parameter| values.push((parameter.name.clone(), parameter.value.clone())));
        Snapshot { values }
    }

    /// Comes back to a copy.
    ///
    /// # Errors
    /// If it is the copy of a model with other tensors.
    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let mut left = snapshot.values.iter();
        let mut result = Ok(());
        self.visit_mut(&mut |parameter| {
            let outcome = left
                .next()
                .ok_or_else(|| Error::invalid("number of tensors", snapshot.values.len(), "more"))
                .and_then(|(name, value)| copy_into(parameter, name, value));
            if result.is_ok() {
                result = outcome;
            }
        });
        if result.is_ok() && left.next().is_some() {
            return Err(Error::invalid("number of tensors", snapshot.values.len(), "fewer"));
        }
        result
    }
}

/// The values of all tensors of a model at some moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// Names and values in the order of the model.
    pub values: Vec<(String, DenseMatrix)>,
}

fn copy_into(parameter: &mut Parameter, name: &str, value: &DenseMatrix) -> Result<()> {
    let described =
        |name: &str, m: &DenseMatrix| format!("'{name}' of {} x {}", m.rows(), m.columns());
    let shape = |m: &DenseMatrix| (m.rows(), m.columns());
    if parameter.name != name || shape(&parameter.value) != shape(value) {
        let expected = described(&parameter.name, &parameter.value);
        return Err(Error::invalid("tensor", described(name, value), expected));
    }
    parameter.value.values_mut().copy_from_slice(value.values());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Two(Parameter, Parameter);

    impl Parameters for Two {
        fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
            visitor(&self.0);
            visitor(&self.1);
        }

        fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
            visitor(&mut self.0);
            visitor(&mut self.1);
        }
    }

    fn two() -> Two {
        let weight = DenseMatrix::new(1, 2, vec![1.0, 2.0]).unwrap();
        Two(Parameter::trained("w", weight), Parameter::buffer("b", DenseMatrix::zeros(1, 3)))
    }

    #[test]
    fn a_snapshot_brings_the_values_back() {
        let mut model = two();
        let before = model.snapshot();
        model.0.value.values_mut()[1] = 9.0;
        model.0.gradient.values_mut()[0] = 1.0;
        model.restore(&before).unwrap();
        assert_eq!(model.0.value.values(), [1.0, 2.0]);
        model.clear_gradients();
        assert_eq!(model.0.gradient.values(), [0.0, 0.0]);
        assert_eq!(model.trained_count(), 2);
        assert!(model.0.is_trained() && !model.1.is_trained());
    }

    #[test]
    fn the_snapshot_of_another_model_is_refused() {
        let mut other = two().snapshot();
        other.values[0].0 = "v".into();
        let error = two().restore(&other).unwrap_err().to_string();
        assert_eq!(error, "tensor: found 'v' of 1 x 2, expected 'w' of 1 x 2");
        other.values.truncate(1);
        assert!(two().restore(&other).is_err());
        let mut longer = two().snapshot();
        longer.values.push(("c".into(), DenseMatrix::zeros(1, 1)));
        assert!(two().restore(&longer).is_err());
    }
}
