use super::*;

#[test]
fn names_on_disk_are_stable() {
    let event = Event::MixtureOfGaussians { noise_multiplier: 1.5, max_rows: 3, rate: 0.25 }
        .repeated(800)
        .then(Event::Pure { epsilon: Epsilon::new(0.5).unwrap() })
        .subsampled_once(0.09);
    let text = serde_json::to_string(&event).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"kind":"subsampled-once","rate":0.09,"event":{"kind":"sequence","events":["#,
            r#"{"kind":"repeated","event":{"kind":"mixture-of-gaussians","noise_multiplier":1.5,"#,
            r#""max_rows":3,"rate":0.25},"times":800},{"kind":"pure","epsilon":0.5}]}}"#
        )
    );
    assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
    let infinite = Event::Pure { epsilon: Epsilon::INFINITE };
    let text = serde_json::to_string(&infinite).unwrap();
    assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), infinite);
}

#[test]
fn what_is_read_is_checked() {
    for bad in [
        r#"{"kind":"gaussian","noise_multiplier":0}"#,
        r#"{"kind":"gaussian","noise_multiplier":-1}"#,
        r#"{"kind":"gaussian"}"#,
        r#"{"kind":"gaussian","noise_multiplier":1,"rate":0.5}"#,
        r#"{"kind":"pure","epsilon":-1}"#,
        r#"{"kind":"approximate","epsilon":1,"delta":2}"#,
        r#"{"kind":"poisson-sampled","rate":1.5,"event":{"kind":"nothing"}}"#,
        r#"{"kind":"fixed-size-sampled","size":3,"population":2,"event":{"kind":"nothing"}}"#,
        r#"{"kind":"randomized-response","epsilon":1,"categories":1}"#,
        r#"{"kind":"mixture-of-gaussians","noise_multiplier":1,"max_rows":0,"rate":0.5}"#,
        r#"{"kind":"repeated","times":-1,"event":{"kind":"nothing"}}"#,
        r#"{"kind":"magic"}"#,
        r#"{"kind":"replaced-rows","noise_multiplier":1,"max_rows":1,"batch":{"poisson":{"rate":2}}}"#,
    ] {
        assert!(serde_json::from_str::<Event>(bad).is_err(), "{bad}");
    }
}

#[test]
fn depth_is_bounded() {
    let mut event = Event::Nothing;
    for _ in 0..=MAX_DEPTH {
        event = event.repeated(1);
    }
    assert!(event.validate().is_err());
}

#[test]
fn people_can_read_it() {
    let event = Event::BoundedRange { eta: 0.5 }.repeated(2).then(Event::NonPrivate);
    assert_eq!(
        event.to_string(),
        "2 times (a pick of bounded range 0.5); then a release without protection"
    );
}
