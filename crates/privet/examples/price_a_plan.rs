//! What would it cost? Asked before there is any data.

use privet::graph::{Bounds, BoundsOrigin, Direction};
use privet::{Facts, System, ldp_ge::LdpGe, ldp_ge::Private, protect};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let facts = Facts {
        name: "a survey".into(),
        people: vec![10_000],
        learners: None,
        direction: Direction::Undirected,
        columns: 40,
        bounds: Some(Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?),
        classes: 5,
        secret: Private { features: true, labels: true, edges: false },
    };
    for epsilon in [0.5, 1.0, 2.0] {
        let all = LdpGe::new(epsilon, 10_000).promise(&facts)?;
        let edges = protect::Edges::dprr(epsilon)?.promise(&facts)?;
        let pair = &edges.guarantees[0].also[0];
        println!("{epsilon}: a record {}, a friendship {}", all.totals[0].loss, pair.loss);
    }
    Ok(())
}
