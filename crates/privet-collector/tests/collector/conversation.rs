//! What a service answers to well-behaved devices.

use privet::collected::{Collection, ReportReceipt};
use privet_collector::TaskAccess;
use privet_collector::client::ClientError;

use crate::service::{Service, TOKEN, answer, drawn, everything, ids, labels};

pub fn status(failed: ClientError) -> u16 {
    match failed {
        ClientError::Refused { status, .. } => status,
        other => panic!("{other}"),
    }
}

#[test]
fn reports_come_out_as_they_went_in() {
    let service = Service::start();
    let task = everything("Winter", 20);
    let name = service.create(&task, TaskAccess::Open);
    let given = service.client().task(name).unwrap();
    assert_eq!((given.sealed, given.people, given.open), (task.clone(), ids(20), true));
    let reports: Vec<Vec<u8>> = (0..20).map(|place| drawn(&task, place, 7)).collect();
    for report in reports.iter().rev() {
        assert!(!service.client().send(name, report, None).unwrap(), "kept now");
        assert!(service.client().send(name, report, None).unwrap(), "kept before");
    }
    let other = drawn(&task, 3, 8);
    assert_ne!(other, reports[3]);
    assert_eq!(status(service.client().send(name, &other, None).unwrap_err()), 409);
    // What comes over the network is what files would have given.
    let mut collected = Collection::new(&task, ids(20)).unwrap();
    let streamed = collected.add_stream(service.administrator().reports(name).unwrap()).unwrap();
    assert_eq!((streamed.new, collected.len()), (20, 20));
    for report in &reports {
        assert_eq!(collected.add(report).unwrap(), ReportReceipt::Again);
    }
    let progress = service.administrator().status().unwrap();
    assert_eq!((progress[0].reports, progress[0].people, progress[0].open), (20, 20, true));
    assert_eq!(&progress[0].title, "Winter");
}

#[test]
fn many_reports_are_judged_one_by_one() {
    let service = Service::start();
    let name = service.create(&labels("Passed on", 1_000, None), TaskAccess::Open);
    let reports: Vec<Vec<u8>> = (0..900).map(|place| answer(name, place, 1)).collect();
    let many = service.client().send_many(name, &reports[..500]).unwrap();
    assert_eq!((many.new, many.again, many.refused.len()), (500, 0, 0));
    let mut mixed = reports[400..].to_vec();
    (mixed[0], mixed[450]) = (answer(name, 400, 0), vec![9; 40]);
    mixed.push(mixed[499].clone());
    let many = service.client().send_many(name, &mixed).unwrap();
    assert_eq!((many.new, many.again), (399, 100));
    let why: Vec<(usize, &str)> = many.refused.iter().map(|one| (one.at, &*one.error)).collect();
    assert_eq!(why.len(), 2, "{why:?}");
    assert!(why[0].0 == 0 && why[0].1.contains("another report"), "{why:?}");
    assert!(why[1].0 == 450 && why[1].1.contains("version"), "{why:?}");
    assert_eq!(service.administrator().status().unwrap()[0].reports, 899);
    let too_many = vec![reports[0].clone(); 2_001];
    assert_eq!(status(service.client().send_many(name, &too_many).unwrap_err()), 422);
    service.administrator().close(name).unwrap();
    let many = service.client().send_many(name, &reports[..2]).unwrap();
    assert_eq!((many.new, many.again, many.refused.len()), (0, 0, 2));
    // Codes are for one each.
    let name = service.create(&labels("Invited", 10, None), TaskAccess::Invitation);
    let refused = service.client().send_many(name, &[answer(name, 1, 1)]).unwrap_err();
    assert_eq!(status(refused), 409);
}

#[test]
fn a_closed_task_never_grows() {
    let service = Service::start();
    let name = service.create(&labels("Once", 10, None), TaskAccess::Open);
    service.client().send(name, &answer(name, 0, 1), None).unwrap();
    let progress = service.administrator().close(name).unwrap();
    assert_eq!((progress.open, progress.reports), (false, 1));
    assert_eq!(status(service.client().send(name, &answer(name, 1, 1), None).unwrap_err()), 410);
    assert_eq!(status(service.client().send(name, &answer(name, 0, 1), None).unwrap_err()), 410);
    assert!(!service.client().task(name).unwrap().open);
    assert_eq!(service.administrator().status().unwrap()[0].reports, 1);
}

#[test]
fn the_last_moment_is_the_collectors_word() {
    fn late() -> u64 {
        1_000_001
    }
    let folder = tempfile::tempdir().unwrap();
    let settings = crate::service::settings(folder.path());
    let service = Service::with(folder, settings, late);
    let over = service.create(&labels("Over", 5, Some(1_000_000)), TaskAccess::Open);
    let last = service.create(&labels("Last", 5, Some(1_000_001)), TaskAccess::Open);
    assert_eq!(status(service.client().send(over, &answer(over, 0, 1), None).unwrap_err()), 410);
    service.client().send(last, &answer(last, 0, 1), None).unwrap();
}

#[test]
fn an_invitation_is_for_one_person_once() {
    let service = Service::start();
    let name = service.create(&labels("Invited", 10, None), TaskAccess::Invitation);
    let all = service.administrator().invite(name, None).unwrap();
    assert_eq!(all.iter().map(|one| one.id.clone()).collect::<Vec<_>>(), ids(10));
    let send = |place: u32, code: Option<&str>| {
        service.client().send(name, &answer(name, place, 1), code).map_err(status)
    };
    assert_eq!(send(0, None), Err(403));
    assert_eq!(send(0, Some(&all[1].code)), Err(403), "another participant's");
    assert_eq!(send(0, Some("")), Err(403));
    assert_eq!(send(0, Some(&all[0].code)), Ok(false));
    assert_eq!(send(0, Some(&all[0].code)), Ok(true), "the same bytes again");
    let other = answer(name, 0, 0);
    let second = service.client().send(name, &other, Some(&all[0].code)).unwrap_err();
    assert_eq!(status(second), 409, "used");
    // A new code takes the place of the old one.
    let new = service.administrator().invite(name, Some(&["person 4".into()])).unwrap();
    assert_eq!(new.len(), 1);
    assert_eq!(send(4, Some(&all[4].code)), Err(403));
    assert_eq!(send(4, Some(&new[0].code)), Ok(false));
    let stranger = service.administrator().invite(name, Some(&["stranger".into()]));
    assert_eq!(status(stranger.unwrap_err()), 422);
    // A stolen database holds no code and no token.
    let bytes = std::fs::read(service.database()).unwrap();
    for secret in [&*all[0].code, &*new[0].code, TOKEN] {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
}

#[test]
fn a_service_that_stops_has_written_what_it_said() {
    let mut service = Service::start();
    let name = service.create(&labels("Stop", 100, None), TaskAccess::Open);
    (0..50).for_each(|place| {
        service.client().send(name, &answer(name, place, 0), None).unwrap();
    });
    service.running.take().unwrap().stop().unwrap();
    assert!(service.client().send(name, &answer(name, 60, 0), None).unwrap_err().may_pass());
    let folder = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
    let settings = crate::service::settings(folder.path());
    let again = Service::with(folder, settings, privet_collector::collector::system_clock);
    assert_eq!(again.administrator().status().unwrap()[0].reports, 50);
    assert!(again.client().send(name, &answer(name, 7, 0), None).unwrap());
}

#[test]
fn an_export_is_a_dataset_with_its_card() {
    let service = Service::start();
    let task = everything("Winter", 20);
    let name = service.create(&task, TaskAccess::Open);
    let get = |format: &str| {
        let url = format!("{}/api/v1/tasks/{name}/export?format={format}", service.address.service);
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(false).build().into();
        agent.get(url).header("Authorization", format!("Bearer {TOKEN}")).call().unwrap()
    };
    assert_eq!(get("npz").status(), 409, "no report yet");
    assert_eq!(get("exe").status(), 400);
    for place in 0..20 {
        service.client().send(name, &drawn(&task, place, 1), None).unwrap();
    }
    for (format, file) in [("npz", "reports.npz"), ("csv", "reports/edges.csv")] {
        let bytes = get(format).body_mut().read_to_vec().unwrap();
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        assert!(archive.by_name(file).unwrap().size() > 0, "{format}");
        let folder = tempfile::tempdir().unwrap();
        archive.extract(folder.path()).unwrap();
        let data = folder.path().join(if format == "npz" { "reports.npz" } else { "reports" });
        assert!(
            privet::cardfile::of_input(&data).unwrap().is_some(),
            "{format}: a card of its own"
        );
        assert!(privet::data::read(&data).is_ok());
    }
}

/// Every route stands in the document, and everything in the document answers.
#[test]
fn the_document_says_what_there_is() {
    let document: serde_json::Value = serde_json::from_str(privet_collector::api::OPENAPI).unwrap();
    let service = Service::start();
    let name = service.create(&labels("Documented", 5, None), TaskAccess::Invitation);
    service.administrator().invite(name, Some(&["person 0".into()])).unwrap();
    let agent: ureq::Agent =
        ureq::Agent::config_builder().http_status_as_error(false).build().into();
    for (path, item) in document["paths"].as_object().unwrap() {
        let url =
            format!("{}{}", service.address.service, path.replace("{name}", &name.to_string()));
        for (method, operation) in
            item.as_object().unwrap().iter().filter(|(key, _)| *key != "parameters")
        {
            let status = match &**method {
                "get" => agent.get(&url).call().unwrap().status(),
                _ => agent.post(&url).send_empty().unwrap().status(),
            };
            let known = operation["responses"].get(status.as_str()).is_some();
            assert!(known, "{method} {path}: {status} is not in the document");
            let guarded = operation.get("security").is_some();
            assert_eq!(guarded, status == 401, "{method} {path}: {status}");
        }
        // What is not in the document is not there.
        assert_eq!(agent.delete(&url).call().unwrap().status(), 405, "{path}");
    }
}
