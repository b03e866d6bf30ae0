//! [`Protocol`]: settings of other papers, in which the same reports are collected of other parts.

use super::people::Private;

/// Whose setting it is: what is private there, and what people send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Protocol {
    /// Sajadmanesh and Gatica-Perez, "Locally Private Graph Neural Networks", 2021: features by multi-bit, labels by
    /// randomised response; edges are public.
    Lpgnn,
    /// Zhu, Tan and Xiao, "Blink: Link Local Differential Privacy in Graph Neural Networks via Bayesian Estimation", 2023:
    /// edges alone, by randomised response of both ends; features and labels are public.
    Blink,
}

impl Protocol {
    /// What only its owner knows.
    pub fn private(self) -> Private {
        match self {
            Self::Lpgnn => Private { features: true, labels: true, edges: false },
            Self::Blink => Private { features: false, labels: false, edges: true },
        }
    }

    /// The randomizer of features, where they are private.
    pub fn mechanism(self) -> Option<&'static str> {
        match self {
            Self::Lpgnn => Some("multi-bit"),
            Self::Blink => None,
        }
    }
}
