//! Mechanisms made outside, for the ledger to be wary of.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use privet_privacy::ledger::Contents;
use privet_privacy::mechanism::{MechanismParameters, Theorem};
use privet_privacy::noise::{NoiseRng, NoiseSource, Numerics, RandomWords};
use privet_privacy::template::CoinFlip;
use privet_privacy::unit::FeatureRow;
use privet_privacy::{
    Central, Disclose, Epsilon, Event, Ledger, Local, Mechanism, Permit, UnauditedMechanism,
};

use crate::limit;

/// A mechanism that looks, at the moment it draws, whether its entry is on disk.
pub struct Suspicious {
    pub ledger: PathBuf,
    pub seen: AtomicUsize,
}

impl UnauditedMechanism for Suspicious {}

impl Mechanism for Suspicious {
    type Unit = FeatureRow;

    fn name(&self) -> &'static str {
        "suspicious"
    }

    fn event(&self) -> Event {
        Event::Pure { epsilon: Epsilon::new(0.1).unwrap() }
    }

    fn theorem(&self) -> Theorem {
        Theorem { statement: "for this test".into(), proof: "none".into() }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::new()
    }
}

impl Suspicious {
    /// Fails unless the entry is there.
    fn look(&self) {
        let on_disk = Contents::read(&self.ledger).unwrap().entries;
        assert_eq!(on_disk.last().map(|entry| entry.mechanism.as_str()), Some("suspicious"));
        self.seen.fetch_add(1, Ordering::Relaxed);
    }
}

impl Local for Suspicious {
    type Population = Vec<f32>;
    type Report = f32;

    fn randomize<W: RandomWords>(&self, record: f32, _noise: &mut W, _permit: Permit<'_>) -> f32 {
        self.look();
        record
    }
}

impl Disclose for Suspicious {
    fn disclose(&self, record: f32, _permit: Permit<'_>) -> f32 {
        self.look();
        record
    }
}

impl Central for Suspicious {
    type Input = Vec<f32>;
    type Output = ();

    fn sample<N: NoiseSource>(&self, _input: &Vec<f32>, _noise: N, _permit: Permit<'_>) {
        self.look();
    }
}

/// How often the mechanism looked during a release into a new ledger, and found its entry.
pub fn looks(release: impl FnOnce(&mut Ledger<FeatureRow>, &Suspicious)) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.ledger");
    let mut ledger = Ledger::create(&path, limit(1.0), NoiseRng::replay(1)).unwrap();
    let mechanism = Suspicious { ledger: path, seen: AtomicUsize::new(0) };
    release(&mut ledger, &mechanism);
    mechanism.seen.load(Ordering::Relaxed)
}

/// A coin whose owner may also choose to publish.
pub struct OpenCoin(pub CoinFlip);

impl UnauditedMechanism for OpenCoin {}

impl Mechanism for OpenCoin {
    type Unit = FeatureRow;

    fn name(&self) -> &'static str {
        "open-coin"
    }

    fn event(&self) -> Event {
        self.0.event()
    }

    fn theorem(&self) -> Theorem {
        self.0.theorem()
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::new()
    }
}

impl Local for OpenCoin {
    type Population = Vec<f32>;
    type Report = bool;

    fn randomize<W: RandomWords>(&self, record: f32, noise: &mut W, permit: Permit<'_>) -> bool {
        self.0.randomize(record, noise, permit)
    }
}

impl Disclose for OpenCoin {
    fn disclose(&self, record: f32, _permit: Permit<'_>) -> bool {
        record > 0.5
    }
}

/// A mechanism from outside that claims what it likes.
pub struct Foreign(pub Event);

impl UnauditedMechanism for Foreign {}

impl Mechanism for Foreign {
    type Unit = FeatureRow;

    fn name(&self) -> &'static str {
        "hds"
    }

    fn event(&self) -> Event {
        self.0.clone()
    }

    fn theorem(&self) -> Theorem {
        Theorem { statement: "trust me".into(), proof: "none".into() }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::new()
    }
}

impl Local for Foreign {
    type Population = Vec<f32>;
    type Report = f32;

    fn randomize<W: RandomWords>(&self, record: f32, _: &mut W, _: Permit<'_>) -> f32 {
        record
    }
}
