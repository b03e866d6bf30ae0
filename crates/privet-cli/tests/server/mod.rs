//! A tiny HTTP/1.1 server on this machine that behaves as badly as a test asks it to.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// How to answer one request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Manner {
    /// Correctly, ranges included.
    Honest,
    /// Correctly, but the connection ends after this many bytes of the body.
    CutAfter(usize),
    /// With the whole file, whatever range was asked for.
    IgnoreRange,
    /// With one byte changed.
    Corrupt,
    /// With more bytes than the file has, and no length.
    Endless,
    /// With a range that starts elsewhere.
    WrongRange,
    /// That the file is at `/moved/...`.
    Redirect,
    /// With this status and no file.
    Status(u16),
    /// With the beginning of the file, and then nothing for a while.
    Silent,
}

/// A request as it came: the path, and the `Range` header if there was one.
pub type Request = (String, Option<String>);

pub struct Server {
    pub address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Serves `files` (by path): the first requests in the given manners, all others honestly.
    pub fn start(
        files: impl Fn(&str) -> Option<Vec<u8>> + Send + 'static,
        manners: impl Into<VecDeque<Manner>>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, mut manners) = (requests.clone(), manners.into());
        // Ends with the test process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(request) = read_request(&stream) else { continue };
                log.lock().unwrap().push(request.clone());
                let manner = manners.pop_front().unwrap_or(Manner::Honest);
                let file = files(request.0.trim_start_matches("/moved").trim_start_matches('/'));
                // A client that hangs up is no fault of the server.
                let _ = answer(stream, &request, file, manner);
            }
        });
        Self { address, requests }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn read_request(stream: &TcpStream) -> Option<Request> {
    let (mut path, mut range) = (String::new(), None);
    for line in BufReader::new(stream).lines() {
        let line = line.ok()?;
        if let Some(rest) = line.strip_prefix("GET ") {
            path = rest.split(' ').next()?.to_owned();
        } else if let Some((name, value)) = line.split_once(": ") {
            if name.eq_ignore_ascii_case("range") {
                range = Some(value.to_owned());
            }
        } else if line.is_empty() {
            return Some((path, range));
        }
    }
    None
}

fn answer(
    mut stream: TcpStream,
    (path, range): &Request,
    file: Option<Vec<u8>>,
    manner: Manner,
) -> std::io::Result<()> {
    let close = "Connection: close\r\n\r\n";
    let Some(file) = file else {
        return write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n{close}");
    };
    match manner {
        Manner::Status(status) => {
            return write!(stream, "HTTP/1.1 {status} So\r\nContent-Length: 0\r\n{close}");
        }
        Manner::Redirect => {
            let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n";
            return write!(stream, "{head}Location: /moved{path}\r\n{close}");
        }
        Manner::Endless => {
            write!(stream, "HTTP/1.1 200 OK\r\n{close}")?;
            stream.write_all(&file)?;
            return stream.write_all(b"and more");
        }
        _ => {}
    }
    let asked = range.as_deref().filter(|_| manner != Manner::IgnoreRange);
    let start: usize =
        asked.map_or(0, |r| r["bytes=".len()..].trim_end_matches('-').parse().unwrap());
    if start > file.len() {
        return write!(stream, "HTTP/1.1 416 No\r\nContent-Length: 0\r\n{close}");
    }
    let mut body = file[start..].to_vec();
    let told = if manner == Manner::WrongRange { start + 1 } else { start };
    match asked {
        None => write!(stream, "HTTP/1.1 200 OK\r\n")?,
        Some(_) => {
            let (last, total) = (file.len() - 1, file.len());
            let head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes";
            write!(stream, "{head} {told}-{last}/{total}\r\n")?;
        }
    }
    write!(stream, "Content-Length: {}\r\n{close}", body.len())?;
    match manner {
        Manner::CutAfter(count) => body.truncate(count),
        Manner::Corrupt => body[0] ^= 1,
        Manner::Silent => {
            stream.write_all(&body[..100])?;
            stream.flush()?;
            // Longer than the client's patience.
            std::thread::sleep(std::time::Duration::from_millis(600));
            return Ok(());
        }
        _ => {}
    }
    stream.write_all(&body)
}
