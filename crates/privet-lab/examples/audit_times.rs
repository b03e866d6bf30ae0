//! Every audit once, with its time; or so many times with fresh seeds.
use std::time::Instant;

use privet_lab::audit::{mechanisms, repeat};

fn main() {
    rayon::scope(|_| all());
}

fn all() {
    let mut words = std::env::args().skip(1);
    let first = words.next().unwrap_or_default();
    if let Ok(runs) = first.parse::<u64>() {
        let seed = words.next().map_or(7, |word| word.parse().unwrap_or(7));
        let start = Instant::now();
        for tally in repeat::repeat(&mechanisms::all(), runs, seed).expect("audits run") {
            println!("{tally:?}");
        }
        println!("{:.1} s", start.elapsed().as_secs_f64());
        return;
    }
    let mut total = 0.0;
    for audit in mechanisms::all().into_iter().filter(|a| first.is_empty() || a.name == first) {
        let start = Instant::now();
        let findings = match audit.findings(1) {
            Ok(findings) => findings,
            Err(error) => {
                println!("{} ERROR {error}", audit.name);
                continue;
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        total += seconds;
        println!("{:28} {seconds:7.2} s  {} findings", audit.name, findings.len());
        for finding in findings {
            let verdict = match (finding.holds(), finding.is_tight()) {
                (false, _) => "BROKEN",
                (true, true) => continue,
                (true, false) if audit.tight => "LOOSE",
                (true, false) => "holds",
            };
            println!("    {verdict} {} {} {}", finding.claimed, finding.measured, finding.subject);
        }
    }
    println!("total {total:.1} s");
}
