use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use super::*;
use privet_lab::experiments::cells::{Cells, Key};
use privet_lab::experiments::trial::Outcome;

/// Scores its own number, a tenth more with each seed; noise alone scores half of it.
#[derive(Debug, Clone)]
pub struct Number(pub f64);

impl Subject for Number {
    fn key(&self, _: Variant) -> Key {
        Key::new().with("number", self.0)
    }

    fn run(&self, variant: Variant, seed: u64, _: &AtomicBool) -> privet::Result<Outcome> {
        let own = if variant == Variant::Control { self.0 / 2.0 } else { self.0 };
        Ok(Outcome { scores: Scores::new([(TEST, own + 0.1 * seed as f64)]), card: None })
    }
}

pub fn panel() -> Panel<Number> {
    let private = |number| Some((Number(number), Variant::Private));
    let controlled =
        Line { controlled: true, ..Line::new("controlled", vec![private(0.2), private(0.4)]) };
    let gap = Line::new("with a gap", vec![None, private(0.4)]);
    Panel {
        name: "numbers".into(),
        axis: "place",
        places: vec![1.0, 2.5],
        lines: vec![controlled, gap],
        beside: vec![("ceiling".into(), Number(0.9), Variant::Clear)],
        blocks: Vec::new(),
    }
}

pub fn measured_panel(cells: &mut Cells) -> Measures {
    let (threads, interrupt) = (NonZeroUsize::new(2).unwrap(), &AtomicBool::new(false));
    let mut sweep = Sweep { cells, threads, interrupt, progress: &|_, _| {} };
    measure(&[panel()], 2, &mut sweep).unwrap().remove(0)
}

#[test]
fn scores_come_to_where_they_belong() {
    let mut cells = Cells::in_memory();
    let measures = measured_panel(&mut cells);
    // A ceiling, two points with controls, and one that is measured already; two seeds each.
    assert_eq!(cells.len(), 2 * (1 + 2 * 2));
    assert_eq!(values(&measures.at(0, 1).unwrap().own, TEST), [0.4, 0.5]);
    assert_eq!(values(&measures.at(0, 1).unwrap().control, TEST), [0.2, 0.2 + 0.1]);
    assert!(measures.at(1, 0).is_none() && measures.at(2, 0).is_none());
    assert_eq!(values(panel().ceiling(&measures), TEST), [0.9, 1.0]);
    let gains: Vec<f64> = measures.gains().map(|gain| gain.difference.mean).collect();
    assert_eq!(gains.len(), 2, "a line without controls has none");
    assert!((gains[0] - 0.1).abs() < 1e-12 && (gains[1] - 0.2).abs() < 1e-12);
}
