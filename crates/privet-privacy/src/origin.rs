//! Who wrote a mechanism: Privet, which audits what it ships, or another author.
//!
//! A mechanism is handed raw records, and its claim is believed. So only Privet's own can be charged to a ledger.
//! To try another, enable the feature `unaudited` and mark it `UnauditedMechanism`; every entry and
//! every card of it then says that it was not audited. A mechanism is as trusted as what it is made of: a
//! randomizer of columns, a model, a ranking.

/// The seal of what only this crate implements: mechanisms, and the laws that they are made of.
pub(crate) mod sealed {
    /// Where a mechanism comes from.
    pub trait MechanismOrigin {
        /// Whether Privet ships it, with an audit.
        const AUDITED: bool;
    }

    #[cfg(feature = "unaudited")]
    impl<T: super::UnauditedMechanism> MechanismOrigin for T {
        const AUDITED: bool = false;
    }
}

/// Marks models, rankings and preparations that Privet's other crates ship. For no other crate: what carries this mark
/// is handed raw records, and cards call it audited.
#[doc(hidden)]
pub trait FirstParty {
    /// Whether Privet ships it, with an audit.
    const AUDITED: bool = true;
}

#[cfg(feature = "unaudited")]
impl<T: UnauditedMechanism> FirstParty for T {
    const AUDITED: bool = false;
}

/// Marks a mechanism (or a model, a ranking, a randomizer of columns) that was made outside Privet. Every
/// ledger entry and card of it is stamped; one that claims to cost nothing is refused.
///
/// ```
/// # use privet_privacy::{Event, Ledger, Local, Loss, Mechanism, Permit, Secret, UnauditedMechanism};
/// # use privet_privacy::mechanism::{MechanismParameters, Theorem};
/// # use privet_privacy::noise::{NoiseRng, Numerics, RandomWords};
/// struct Mine;
/// impl UnauditedMechanism for Mine {}
/// impl Mechanism for Mine {
///     // ...
/// #   type Unit = privet_privacy::unit::FeatureRow;
/// #   fn name(&self) -> &'static str { "mine" }
/// #   fn event(&self) -> Event { Event::Pure { epsilon: privet_privacy::Epsilon::new(1.0).unwrap() } }
/// #   fn theorem(&self) -> Theorem { Theorem { statement: "none".into(), proof: "none".into() } }
/// #   fn numerics(&self) -> Numerics { Numerics::Exact }
/// #   fn parameters(&self) -> MechanismParameters { MechanismParameters::new() }
/// }
/// # impl Local for Mine {
/// #   type Population = Vec<f32>;
/// #   type Report = f32;
/// #   fn randomize<W: RandomWords>(&self, _: f32, _: &mut W, _: Permit<'_>) -> f32 { 0.0 }
/// # }
/// let mut ledger = Ledger::in_memory(Loss::new(2.0, 0.0)?, NoiseRng::from_operating_system()?)?;
/// ledger.release_each(&Secret::new(vec![1.0]), &Mine)?;
/// assert!(!ledger.entries()[0].audited);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[cfg(feature = "unaudited")]
pub trait UnauditedMechanism {}

/// Gives Privet's own mechanisms and laws their origin; a wrapper has that of what it wraps.
macro_rules! shipped {
    ($($name:ty),* $(,)?) => {$(
        impl $crate::origin::sealed::MechanismOrigin for $name {
            const AUDITED: bool = true;
        }
    )*};
}
pub(crate) use shipped;
