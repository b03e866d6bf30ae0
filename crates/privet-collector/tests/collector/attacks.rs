//! What is tried against a service, and what comes of it.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use privet_collector::TaskAccess;
use privet_collector::client::{ClientError, CollectorClient, ServiceAddress};
use privet_protocol::{SealedTask, TaskName};

use crate::conversation::status;
use crate::service::{Service, TOKEN, answer, drawn, everything, ids, labels};

/// Sends bytes as they are; the answer, whole.
fn raw(service: &Service, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(&service.address.service["http://".len()..]).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // Who refuses early may close before all is sent.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn request(service: &Service, line: &str, headers: &str, body: &[u8]) -> String {
    let length = body.len();
    let head = format!(
        "{line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    raw(service, &[head.as_bytes(), body].concat())
}

fn code(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

const BYTES: &str = "Content-Type: application/octet-stream\r\n";

#[test]
fn a_report_for_one_task_is_none_for_another() {
    let service = Service::start();
    let one = service.create(&labels("One", 10, None), TaskAccess::Open);
    let other = service.create(&labels("Other", 10, None), TaskAccess::Open);
    let report = answer(one, 1, 1);
    assert_eq!(status(service.client().send(other, &report, None).unwrap_err()), 422);
    service.client().send(one, &report, None).unwrap();
}

#[test]
fn a_changed_task_is_refused_on_both_sides() {
    let service = Service::start();
    let task = labels("Winter", 10, None);
    let changed = task.task.replace("\"epsilon\":1.0", "\"epsilon\":9.0");
    assert_ne!(changed, task.task);
    let forged = SealedTask { task: changed, ..task.clone() };
    let refused = service.administrator().create(&forged, &ids(10), TaskAccess::Open).unwrap_err();
    assert_eq!(status(refused), 422);
    let others = service.administrator().create(&task, &ids(9), TaskAccess::Open).unwrap_err();
    assert_eq!(status(others), 422, "other people");
    // A service that lies is found out by the device.
    let name = TaskName::of(task.task.as_bytes());
    for sealed in [forged, labels("Another", 10, None)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = ServiceAddress {
            service: format!("http://{}", listener.local_addr().unwrap()),
            task: None,
        };
        let liar = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let body =
                serde_json::json!({ "sealed": sealed, "open": true, "entry": "open" }).to_string();
            let length = body.len();
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        });
        let found = CollectorClient::new(&address).task(name).unwrap_err();
        assert!(matches!(found, ClientError::Strange { .. }), "{found}");
        liar.join().unwrap();
    }
}

#[test]
fn bodies_that_are_too_long_or_too_deep_are_refused() {
    let service = Service::start();
    let task = everything("Winter", 10);
    let name = service.create(&task, TaskAccess::Open);
    let line = format!("POST /api/v1/tasks/{name}/reports");
    let long = vec![7; 3 << 20];
    assert_eq!(code(&request(&service, &line, BYTES, &long)), 413);
    let nested = "[".repeat(1 << 20);
    let as_administrator =
        format!("Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n");
    let deep = request(&service, "POST /api/v1/tasks", &as_administrator, nested.as_bytes());
    assert!(matches!(code(&deep), 400 | 422), "{deep}");
    // What is said to be long is not waited for, nor reserved.
    let lie = format!("{line} HTTP/1.1\r\nHost: a\r\n{BYTES}Content-Length: 99999999999\r\n\r\n");
    assert_eq!(code(&raw(&service, lie.as_bytes())), 413);
    // Every cut of a good report, and every byte of it changed.
    let report = drawn(&task, 4, 1);
    for cut in 0..report.len() {
        assert_eq!(code(&request(&service, &line, BYTES, &report[..cut])), 422, "{cut}");
    }
    for at in 0..34 {
        let mut changed = report.clone();
        changed[at] ^= 0x40;
        let answer = code(&request(&service, &line, BYTES, &changed));
        assert_eq!(answer, 422, "{at}");
    }
    let headers = format!("X: {}\r\n", "a".repeat(1 << 20));
    assert!(matches!(code(&request(&service, "GET /healthz", &headers, b"")), 400 | 431));
    assert_eq!(code(&raw(&service, &[0xff; 5000])), 400);
    assert_eq!(code(&request(&service, "GET /healthz", "", b"")), 200, "and still serves");
}

#[test]
fn slow_senders_are_let_go() {
    let service = Service::start();
    let name = service.create(&labels("Slow", 10, None), TaskAccess::Open);
    let start = Instant::now();
    let body = format!(
        "POST /api/v1/tasks/{name}/reports HTTP/1.1\r\nHost: a\r\n{BYTES}Content-Length: 35\r\n\r\nabc"
    );
    assert_eq!(code(&raw(&service, body.as_bytes())), 408);
    let head = raw(&service, b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: ");
    assert!(head.is_empty() || code(&head) == 408, "{head}");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

#[test]
fn titles_and_ids_are_text_whatever_they_hold() {
    let service = Service::start();
    let hostile =
        "'; DROP TABLE reports; -- <script>alert(1)</script> \"><img src=x onerror=alert(1)>";
    let name = service.create(&labels(hostile, 10, None), TaskAccess::Open);
    service.client().send(name, &answer(name, 2, 0), None).unwrap();
    assert_eq!(service.administrator().status().unwrap()[0].title, hostile);
    for page in [format!("/t/{name}"), "/".into()] {
        let html = request(&service, &format!("GET {page}"), "", b"");
        assert_eq!(code(&html), 200, "{page}");
        assert!(!html.contains("<script>alert") && !html.contains("<img src=x"), "{html}");
    }
    for path in [
        "/api/v1/tasks/'%20OR%201=1--",
        "/api/v1/tasks/..%2f..%2fcollector.db",
        "/assets/../collector.db",
        "/assets/..%2f..%2fetc%2fpasswd",
        "/t/%00",
        "/admin/t/..%2f",
        "//etc/passwd",
    ] {
        let answer = request(&service, &format!("GET {path}"), "", b"");
        assert!(matches!(code(&answer), 303 | 400 | 404), "{path}: {answer}");
    }
    assert_eq!(service.administrator().status().unwrap()[0].reports, 1);
}

#[test]
fn only_administrators_read_and_change() {
    let service = Service::start();
    let name = service.create(&labels("Theirs", 10, None), TaskAccess::Invitation);
    let codes = service.administrator().invite(name, None).unwrap();
    let stranger = service.client();
    for token in [None, Some(""), Some("a-token-of-test"), Some(&*codes[0].code)] {
        let client =
            token.map_or_else(|| stranger.clone(), |token| stranger.clone().with_token(token));
        assert_eq!(status(client.status().unwrap_err()), 401);
        assert_eq!(status(client.close(name).unwrap_err()), 401);
        assert_eq!(status(client.invite(name, None).unwrap_err()), 401);
        assert_eq!(status(client.reports(name).err().unwrap()), 401);
        let task = labels("Mine", 10, None);
        assert_eq!(status(client.create(&task, &ids(10), TaskAccess::Open).unwrap_err()), 401);
    }
}

/// A body that comes after its header is read before the refusal, so that the connection lives on.
#[test]
fn who_is_refused_hears_why_though_the_body_comes_late() {
    let service = Service::start();
    let name = service.create(&labels("Theirs", 10, None), TaskAccess::Open);
    let mut stream = TcpStream::connect(&service.address.service["http://".len()..]).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "POST /api/v1/tasks/{name}/invitations HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
         Content-Length: 2\r\n\r\n"
    );
    for _ in 0..2 {
        stream.write_all(head.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        stream.write_all(b"{}").unwrap();
        let mut answer = [0; 4096];
        let bytes = stream.read(&mut answer).unwrap();
        assert_eq!(code(&String::from_utf8_lossy(&answer[..bytes])), 401);
    }
}

#[test]
fn other_sites_cannot_send_in_a_visitors_name() {
    let service = Service::start();
    let name = service.create(&labels("Ours", 10, None), TaskAccess::Open);
    let line = format!("POST /api/v1/tasks/{name}/reports");
    let report = answer(name, 3, 1);
    for site in ["cross-site", "same-site"] {
        let headers = format!("{BYTES}Sec-Fetch-Site: {site}\r\n");
        assert_eq!(code(&request(&service, &line, &headers, &report)), 403, "{site}");
    }
    // A form of another site can send these without asking.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let headers = format!("Content-Type: {kind}\r\n");
        assert_eq!(code(&request(&service, &line, &headers, &report)), 415, "{kind}");
    }
    let asked = request(&service, &line.replace("POST", "OPTIONS"), "Origin: http://evil\r\n", b"");
    assert!(!asked.to_lowercase().contains("access-control-allow"), "{asked}");
    // An administrator's browser is used by another site: the cookie is there, the page's own secret is not.
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let login = request(&service, "POST /admin/login", form, format!("token={TOKEN}").as_bytes());
    assert_eq!(code(&login), 303, "{login}");
    let cookie = login.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
    assert!(login.contains("HttpOnly; SameSite=Strict"));
    let with_cookie = format!("{form}Cookie: {cookie}\r\n");
    let close = format!("POST /admin/t/{name}/close");
    assert_eq!(code(&request(&service, &close, &with_cookie, b"form_token=guess")), 401);
    assert_eq!(code(&request(&service, &close, &with_cookie, b"")), 422);
    assert!(service.client().task(name).unwrap().open);
    // The same from our own page.
    let page = request(&service, "GET /admin", &with_cookie, b"");
    let secret = page.split("form_token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let elsewhere = format!("{with_cookie}Sec-Fetch-Site: cross-site\r\n");
    let body = format!("form_token={secret}");
    assert_eq!(code(&request(&service, &close, &elsewhere, body.as_bytes())), 403);
    assert_eq!(code(&request(&service, &close, &with_cookie, body.as_bytes())), 303);
    assert!(!service.client().task(name).unwrap().open);
    assert_eq!(code(&request(&service, "POST /admin/login", form, b"token=wrong")), 403);
}

#[test]
fn who_asks_too_often_is_told_to_wait() {
    let folder = tempfile::tempdir().unwrap();
    let settings =
        privet_collector::CollectorSettings { rate: 5, ..crate::service::settings(folder.path()) };
    let service = Service::with(folder, settings, privet_collector::collector::system_clock);
    let answers: Vec<u16> =
        (0..30).map(|_| code(&request(&service, "GET /healthz", "", b""))).collect();
    assert_eq!(answers[0], 200);
    assert!(answers.contains(&429), "{answers:?}");
    let answer = request(&service, "GET /healthz", "", b"");
    assert!(answer.to_lowercase().contains("retry-after: 1"), "{answer}");
}

#[test]
fn every_answer_tells_browsers_to_trust_nothing_else() {
    let service = Service::start();
    for line in ["GET /", "GET /nothing", "GET /api/v1/tasks", "GET /admin", "GET /metrics"] {
        let answer = request(&service, line, "", b"").to_lowercase();
        for header in [
            "content-security-policy: default-src 'none'",
            "x-content-type-options: nosniff",
            "cache-control: no-",
        ] {
            assert!(answer.contains(header), "{line}: {header}\n{answer}");
        }
    }
}
