//! The native half of the Python package `privet`: what its pure-Python half calls.
//!
//! ```text
//! numpy arrays   --data-->      Dataset                         copied once, or read where they are
//! settings       --fields-->    a request of the library        names, defaults and words are the library's
//! Dataset        --work-->      the library, without the GIL    stopped by Ctrl-C, told how far it is
//! Protected      --released-->  a value and its card            nothing here makes one but the library
//! ```
//! No privacy is decided here: everything that charges is one call of the crate `privet`. Python sees data that its
//! caller gave, and releases; secrets, permits and noise have no Python form.

mod account;
mod audit;
mod card;
mod compare;
mod data;
mod device;
mod embed;
mod error;
mod fields;
mod learned;
mod ledger;
mod project;
mod protect;
mod publish;
mod read;
mod released;
mod run;
mod study;
mod systems;
mod work;

use pyo3::prelude::*;

/// What the pure-Python layer is made of.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::account::{accountants, compose, gaussian};
    #[pymodule_export]
    use crate::audit::{audit, audits};
    #[pymodule_export]
    use crate::card::Card;
    #[pymodule_export]
    use crate::compare::{Comparison, compare_system};
    #[pymodule_export]
    use crate::data::{
        Dataset, GraphSet, dataset, declared, with_column_names, with_dense, with_labels,
        with_name, with_sparse, with_split,
    };
    #[pymodule_export]
    use crate::device::Device;
    #[pymodule_export]
    use crate::embed::embed;
    #[pymodule_export]
    use crate::error::{BudgetExceeded, LedgerError, PrivetError, Refused};
    #[pymodule_export]
    use crate::ledger::Ledger;
    #[pymodule_export]
    use crate::project::{Project, predict};
    #[pymodule_export]
    use crate::protect::{
        edge_mechanisms, feature_mechanisms, merges, promise_edges, promise_features,
        promise_labels, protect_edges, protect_features, protect_labels,
    };
    #[pymodule_export]
    use crate::publish::publish;
    #[pymodule_export]
    use crate::read::{benchmarks, karate_club, load, read, stochastic_blocks, threads};
    #[pymodule_export]
    use crate::released::{HandedOut, roc_auc};
    #[pymodule_export]
    use crate::study::{Study, attack, demo, plan, tune};
    #[pymodule_export]
    use crate::systems::{fit_system, promise_system, run_system};

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
