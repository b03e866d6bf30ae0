//! What can be asked of the laboratory: a request of a system measured beside what it is compared with, attacks
//! ([`AttackRequest`]) and searches for settings ([`TuneRequest`]). The command line and Python fill the same structs.

mod attack;
mod tune;

use privet::data::formats::Spill;
use privet::dpar::HeldOut;
use privet::dprr::Dprr;
use privet::graph::GraphSet;
use privet::release::{DparRelease, HeteroRrRelease, LdpGeRelease, Releasable};
use privet::request::{DparRequest, DprrRequest, HeteroRrRequest, LdpGeRequest, Request};
use privet::{Facts, Result};

pub use attack::{
    AttackRequest, DefenceChoice, LinkTellerRequest, MembershipRequest, PoisonChoice,
    PoisonRequest, ReconstructRequest,
};
pub use tune::TuneRequest;

use crate::experiments::dpar::DparTrial;
use crate::experiments::dprr::DprrTrial;
use crate::experiments::hetero_rr::HeteroRrTrial;
use crate::experiments::ldp_ge::LdpGeTrial;
use crate::experiments::trial::NamedData;

impl<'a> LdpGeTrial<'a> {
    /// What was asked of LDP-GE. Presets go by `name`, which is the name that the user gave.
    ///
    /// # Errors
    /// If the data lacks something, or a mechanism refuses its settings.
    pub fn requested(
        request: &LdpGeRequest,
        name: &str,
        data: impl Into<NamedData<'a>>,
        spill: Option<Spill>,
    ) -> Result<Self> {
        let data = data.into();
        let facts = Facts { name: name.to_owned(), ..Facts::of(data.dataset) };
        let release = request.resolve(&facts)?;
        release.asks(data.dataset)?;
        let LdpGeRelease { task, system, private, volunteers } = release;
        Ok(Self { data, task, system, private, volunteers, spill })
    }
}

impl<'a> DparTrial<'a> {
    /// What was asked of DPAR.
    ///
    /// # Errors
    /// If a number makes no sense, or the data lacks something.
    pub fn requested(request: &DparRequest, data: impl Into<NamedData<'a>>) -> Result<Self> {
        let data = data.into();
        let facts = DparRelease::facts_to_run(data.input())?;
        let DparRelease { system, relation } = request.resolve(&facts)?;
        let learners = facts.learner_count();
        Ok(Self::with_people(data, system, relation, HeldOut::Test, learners))
    }
}

impl<'a> DprrTrial<'a> {
    /// What was asked of DPRR, on graphs under a name.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn requested(request: &DprrRequest, name: &'a str, set: &'a GraphSet) -> Result<Self> {
        let Dprr { protection, reading, learner } = request.system()?;
        let data = NamedData::new(name, set);
        let trial = Self::new(data, protection.method, protection.setting.clone());
        Ok(Self { protection, reading, learner, ..trial })
    }
}

impl<'a> HeteroRrTrial<'a> {
    /// What was asked of HeteroRR.
    ///
    /// # Errors
    /// If a number makes no sense, or features are to be protected whose range was not declared.
    pub fn requested(request: &HeteroRrRequest, data: impl Into<NamedData<'a>>) -> Result<Self> {
        let data = data.into();
        let release = request.resolve_on(data.dataset)?;
        release.asks(data.dataset)?;
        let HeteroRrRelease { private, edges_as, edges, features, learner } = release;
        let baselines = match request.baselines {
            true => Self::BASELINES.to_vec(),
            false => Vec::new(),
        };
        Ok(Self { data, private, edges_as, edges, features, learner, baselines })
    }
}
