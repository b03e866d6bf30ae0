//! An account whose lines are kept by other means than a file: a browser has no files.

use super::store::EntryStore;
use super::{Ledger, LedgerHeader, LineKeeper};
use crate::error::Result;
use crate::loss::Loss;
use crate::noise::NoiseRng;
use crate::unit::Unit;

impl<U: Unit> Ledger<U> {
    /// An account of the lines that were kept so far; a new one with this limit, if there are none. Every entry is handed
    /// to the keeper before its noise is drawn, and nothing is drawn if the keeper refuses it.
    ///
    /// # Errors
    /// If the lines do not continue each other or are those of another unit, or the keeper refuses the first one.
    pub fn kept(
        lines: &str,
        limit: Loss,
        noise: NoiseRng,
        keeper: Box<dyn LineKeeper>,
    ) -> Result<Self> {
        let header = LedgerHeader::new(U::NAME, U::RELATION, limit);
        Self::reopened(EntryStore::kept(lines, header, keeper)?, noise, "kept account")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::Secret;
    use crate::ledger::Contents;
    use crate::mechanism::{Local, Mechanism, MechanismParameters, Permit, Theorem};
    use crate::noise::{Numerics, RandomWords};
    use crate::origin::shipped;
    use crate::template::CoinFlip;
    use crate::unit::{FeatureRow, NeighborBit};

    /// What happened, in order, and how many lines are taken.
    #[derive(Clone)]
    struct Shelf {
        lines: Arc<Mutex<Vec<String>>>,
        room: usize,
    }

    impl Shelf {
        fn new(room: usize) -> Self {
            Self { lines: Arc::default(), room }
        }

        fn text(&self) -> String {
            let lines = self.lines.lock().unwrap();
            lines.iter().filter(|line| line.as_str() != "drawn").cloned().collect()
        }

        fn ledger(&self, limit: f64) -> Result<Ledger<FeatureRow>> {
            let limit = Loss::new(limit, 0.0)?;
            Ledger::kept(&self.text(), limit, NoiseRng::replay(1), Box::new(self.clone()))
        }
    }

    impl LineKeeper for Shelf {
        fn keep(&mut self, line: &str) -> Result<(), String> {
            let mut lines = self.lines.lock().unwrap();
            if lines.len() == self.room {
                return Err("the shelf is full".into());
            }
            lines.push(line.into());
            Ok(())
        }
    }

    /// A coin that says when it is thrown.
    struct Telling(CoinFlip, Shelf);

    shipped!(Telling);

    impl Mechanism for Telling {
        type Unit = FeatureRow;
        fn name(&self) -> &'static str {
            "telling"
        }
        fn event(&self) -> crate::Event {
            self.0.event()
        }
        fn theorem(&self) -> Theorem {
            self.0.theorem()
        }
        fn numerics(&self) -> Numerics {
            self.0.numerics()
        }
        fn parameters(&self) -> MechanismParameters {
            self.0.parameters()
        }
    }

    impl Local for Telling {
        type Population = Vec<f32>;
        type Report = bool;
        fn randomize<W: RandomWords>(
            &self,
            record: f32,
            noise: &mut W,
            permit: Permit<'_>,
        ) -> bool {
            self.1.lines.lock().unwrap().push("drawn".into());
            self.0.randomize(record, noise, permit)
        }
    }

    #[test]
    fn a_line_is_kept_before_its_noise_is_drawn() {
        let shelf = Shelf::new(9);
        let coin = Telling(CoinFlip::new(0.5).unwrap(), shelf.clone());
        let mut ledger = shelf.ledger(2.0).unwrap();
        ledger.release_own(&Secret::new(vec![1.0]), 0, &coin, 3).unwrap();
        let message = shelf.lines.lock().unwrap().clone();
        assert_eq!(message.len(), 3);
        assert!(
            message[0].contains("\"header\"") && message[1].contains("\"telling\""),
            "{message:?}"
        );
        assert_eq!(message[2], "drawn");
        assert!(message[..2].iter().all(|line| line.ends_with('\n')));
        // What is over the limit is neither kept nor drawn.
        let dear = Telling(CoinFlip::new(1.75).unwrap(), shelf.clone());
        assert!(ledger.release_own(&Secret::new(vec![1.0]), 0, &dear, 3).is_err());
        assert_eq!(shelf.lines.lock().unwrap().len(), 3);
    }

    #[test]
    fn nothing_is_drawn_that_is_not_kept() {
        let shelf = Shelf::new(1);
        let coin = Telling(CoinFlip::new(0.5).unwrap(), shelf.clone());
        let mut ledger = shelf.ledger(2.0).unwrap();
        let message = ledger.release_own(&Secret::new(vec![1.0]), 0, &coin, 3).unwrap_err();
        assert!(message.to_string().contains("the shelf is full"), "{message}");
        assert_eq!((shelf.lines.lock().unwrap().len(), ledger.entries().len()), (1, 0));
        // After a refusal it is not known what the keeper has: the account has to be opened again.
        let message = ledger.release_own(&Secret::new(vec![1.0]), 0, &coin, 3).unwrap_err();
        assert!(message.to_string().contains("open it again"), "{message}");
        assert!(Shelf::new(0).ledger(2.0).is_err(), "an account without its first line");
    }

    #[test]
    fn what_was_kept_is_spent_and_cannot_be_edited() {
        let shelf = Shelf::new(9);
        let coin = CoinFlip::new(0.75).unwrap();
        let draw = |ledger: &mut Ledger<FeatureRow>| {
            ledger.release_each(&Secret::new(vec![1.0; 40]), &coin).map(|drawn| drawn.get().clone())
        };
        let first = draw(&mut shelf.ledger(1.5).unwrap()).unwrap();
        let mut again = shelf.ledger(9.0).unwrap();
        assert_eq!((again.limit().epsilon.get(), again.entries().len()), (1.5, 1));
        assert_ne!(draw(&mut again).unwrap(), first, "a replayed source goes on");
        assert!(draw(&mut shelf.ledger(9.0).unwrap()).is_err(), "1.5 is spent");
        let text = shelf.text();
        let kept = Contents::kept(&text).unwrap();
        assert_eq!(kept.entries, again.entries());
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for broken in [
            text.replacen("0.75", "0.25", 1),
            [lines[0], lines[2]].concat(),
            lines[1..].concat(),
            text[..text.len() - 5].into(),
        ] {
            assert_ne!(broken, text);
            assert!(Contents::kept(&broken).is_err(), "{broken}");
            let (limit, noise) = (Loss::new(9.0, 0.0).unwrap(), NoiseRng::replay(1));
            assert!(
                Ledger::<FeatureRow>::kept(&broken, limit, noise, Box::new(shelf.clone())).is_err()
            );
        }
        let (limit, noise) = (Loss::new(9.0, 0.0).unwrap(), NoiseRng::replay(1));
        let other = Ledger::<NeighborBit>::kept(&text, limit, noise, Box::new(shelf.clone()));
        assert!(other.err().unwrap().to_string().contains("unit"));
    }
}
