//! `privet account`: published numbers, and the same numbers backwards.

use crate::ran::Folder;

fn price(priced: &serde_json::Value, accountant: &str) -> Option<f64> {
    let prices = priced["prices"].as_array().unwrap();
    let found = prices.iter().find(|price| price["accountant"] == accountant);
    found.unwrap_or_else(|| panic!("no {accountant} in {priced}"))["epsilon"].as_f64()
}

#[test]
fn a_thousand_sampled_steps_cost_what_the_literature_says() {
    let line = "account gaussian --noise 1 --rate 0.01 --steps 1000 --delta 1e-5";
    let priced = Folder::new().json(line);
    let best = priced["epsilon"].as_f64().unwrap();
    assert!((1.828..1.829).contains(&best), "{best}");
    assert_eq!(priced["accountant"], "PLD");
    assert_eq!(price(&priced, "PLD"), Some(best));
    assert!(
        price(&priced, "Rényi DP").is_some_and(|renyi| renyi > best && renyi < 2.5),
        "{priced}"
    );
    assert_eq!(price(&priced, "analytic Gaussian"), None, "no theorem for samples");
}

#[test]
fn one_release_is_exact() {
    let priced = Folder::new().json("account gaussian --noise 1 --delta 1e-5");
    assert_eq!(priced["accountant"], "analytic Gaussian");
    assert!((priced["epsilon"].as_f64().unwrap() - 4.377_178).abs() < 1e-6, "{priced}");
}

#[test]
fn noise_from_epsilon_stays_within_it() {
    let priced = Folder::new().json("account gaussian --epsilon 1 --steps 70 --delta 1e-3");
    // sigma / sqrt(2) = 30.464 / sqrt(2) for 70 rows of sensitivity sqrt(2).
    let noise = priced["noise_multiplier"].as_f64().unwrap();
    assert!((noise - 30.464 / 2f64.sqrt()).abs() < 1e-3, "{noise}");
    assert!(priced["epsilon"].as_f64().unwrap() <= 1.0, "{priced}");
}

#[test]
fn the_text_marks_the_best_and_draws_the_way_there() {
    let text = Folder::new().ok("account gaussian --noise 2 --steps 48 --plot");
    let best: Vec<&str> = text.lines().filter(|line| line.ends_with("best")).collect();
    assert!(best.len() == 1 && best[0].contains("analytic Gaussian"), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains('█')).count(), 10, "{text}");
    assert!(text.ends_with("48 steps\n"), "{text}");
    let curve = Folder::new().json("account gaussian --noise 2 --steps 48 --plot");
    let points = curve["curve"].as_array().unwrap();
    assert_eq!((points.len(), &points[23]["steps"]), (24, &48.into()));
    assert_eq!(points[23]["epsilon"], curve["epsilon"]);
}

#[test]
fn events_compose() {
    let folder = Folder::with(&[
        ("two.json", br#"[{"kind":"pure","epsilon":0.5},{"kind":"pure","epsilon":0.25}]"#),
        ("one.json", br#" {"kind":"repeated","times":3,"event":{"kind":"pure","epsilon":1.0}}"#),
        ("none.json", br#"{"kind":"non-private"}"#),
        ("typo.json", br#"[{"kind":"pure","epsilom":0.5}]"#),
    ]);
    assert_eq!(folder.json("account compose two.json --delta 0")["epsilon"], 0.75);
    assert_eq!(folder.json("account compose one.json --delta 0")["epsilon"], 3.0);
    assert_eq!(folder.json("account compose none.json")["epsilon"], "inf");
    folder.fails("account compose typo.json", 1, &["typo.json", "epsilom", "line 1"]);
    folder.fails("account compose missing.json", 1, &["missing.json"]);
}

#[test]
fn senseless_questions_are_usage_errors() {
    let folder = Folder::new();
    folder.fails("account gaussian", 2, &["--noise"]);
    folder.fails("account gaussian --noise 1 --epsilon 1", 2, &["--epsilon"]);
    folder.fails("account gaussian --noise -1", 2, &["-1"]);
    folder.fails("account gaussian --noise=-1", 2, &["noise_multiplier is -1"]);
    folder.fails("account gaussian --noise 1 --rate 2", 2, &["rate is 2"]);
    folder.fails("account gaussian --noise 1 --delta 1", 2, &["delta is 1"]);
}

/// More and smaller steps than the tight accountant resolves: another one answers, and the tight one says why not.
#[test]
fn a_quintillion_steps_have_a_price() {
    let line = "account gaussian --noise 1e6 --rate 0.001 --steps 1000000000000000000 --delta 1e-5";
    let priced = Folder::new().json(line);
    let epsilon = priced["epsilon"].as_f64().unwrap_or_default();
    assert!((4.377..4.8).contains(&epsilon), "{epsilon}");
    assert_eq!(priced["accountant"], "Rényi DP");
    assert_eq!(price(&priced, "PLD"), None);
    let text = Folder::new().ok(line);
    assert!(text.contains("cannot resolve a sum of 1e18 losses"), "{text}");
    // And backwards: the noise for that epsilon.
    let line = format!(
        "account gaussian --epsilon {epsilon} --rate 0.001 --steps 1000000000000000000 --delta 1e-5"
    );
    let noise = Folder::new().json(&line)["noise_multiplier"].as_f64().unwrap_or_default();
    assert!((noise / 1e6 - 1.0).abs() < 1e-3, "{noise}");
}

/// At a noise of 1e16 a delta of 1e-18 still costs something.
#[test]
fn enormous_noise_is_not_free() {
    let priced = Folder::new().json("account gaussian --noise 1e16 --delta 1e-18");
    let epsilon = priced["epsilon"].as_f64().unwrap_or_default();
    assert!((epsilon / 1.938_356_307e-16 - 1.0).abs() < 1e-6, "{epsilon:e}");
}

/// Picks that would fill forty gigabytes, and a list of a thousand different releases.
#[test]
fn no_price_fills_the_memory() {
    let folder = Folder::new();
    folder.write(
        "picks.json",
        br#"{"kind":"repeated","times":10000000000000000,"event":{"kind":"bounded-range","eta":1e-8}}"#,
    );
    let picks = folder.json("account compose picks.json --delta 1e-5");
    let epsilon = picks["epsilon"].as_f64().unwrap_or_default();
    assert!((2.0..2.4).contains(&epsilon), "{epsilon}");
    let text = folder.ok("account compose picks.json --delta 1e-5");
    assert!(text.contains("would need") && text.contains("GB"), "{text}");
    let step = |index: u32| {
        let noise = 5.0 + f64::from(index) / 1e3;
        format!(
            r#"{{"kind":"poisson-sampled","rate":0.01,"event":{{"kind":"gaussian","noise_multiplier":{noise}}}}}"#
        )
    };
    let list: Vec<String> = (0..1000).map(step).collect();
    folder.write("steps.json", format!("[{}]", list.join(",")).as_bytes());
    let steps = folder.json("account compose steps.json --delta 1e-10");
    let epsilon = steps["epsilon"].as_f64().unwrap_or_default();
    assert!((0.3..1.0).contains(&epsilon), "{epsilon}");
}
