//! Connections: accepted, limited, answered, and let go of in order.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tower::ServiceExt as _;
use tower_http::timeout::TimeoutLayer;

use crate::collector::{Clock, Collector, system_clock};
use crate::error::{Error, Result};
use crate::metrics::Event;
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::{admin, api};

/// Seconds that connections have to end when the service stops.
const LAST: Duration = Duration::from_secs(10);

/// What browsers are told with every answer: nothing from elsewhere, no frames, no guesses, nothing kept.
const HEADERS_OF_ALL: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; \
         img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
];

/// Who is at the other end.
#[derive(Debug, Clone, Copy)]
struct Peer(IpAddr);

/// Everything that can be asked.
pub fn router(collector: &Collector) -> Router {
    let seconds = Duration::from_secs(collector.settings().seconds);
    Router::new()
        .merge(api::routes(collector))
        .merge(admin::routes())
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, seconds))
        .layer(from_fn_with_state(collector.clone(), limited))
        .layer(map_response(with_headers))
        .with_state(collector.clone())
}

async fn with_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS_OF_ALL {
        let name = HeaderName::from_static(name);
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    let keep = HeaderName::from_static("cache-control");
    response.headers_mut().entry(keep).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Refuses who asks too often.
async fn limited(State(collector): State<Collector>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().copied();
    if peer.is_some_and(|Peer(address)| !collector.rate().allows(address, Instant::now())) {
        collector.metrics().report(Event::Limited, Duration::ZERO);
        let status = StatusCode::TOO_MANY_REQUESTS;
        return Refusal::new(status, "too many requests", "the same again, later").into_response();
    }
    next.run(request).await
}

/// A service that runs in a thread of its own, until it is told to stop.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<Result<()>>>,
}

impl Running {
    /// Starts a service that whoever has the token administrates. It listens when this returns.
    ///
    /// # Errors
    /// If the store or the address cannot be had.
    pub fn start(settings: Settings, token: &str) -> Result<Self> {
        Self::start_at(settings, token, system_clock)
    }

    /// The same with a clock of one's own.
    ///
    /// # Errors
    /// As for [`start`](Self::start).
    pub fn start_at(settings: Settings, token: &str, now: Clock) -> Result<Self> {
        crate::log::set_quiet(!settings.log);
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = std::sync::mpsc::channel();
        let token = token.to_owned();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .map_err(|error| Error::io("threads", error))?;
            runtime.block_on(async move {
                let (collector, writer) = Collector::open(settings, now).await?;
                collector.add_administrator(&token).await?;
                let listen = collector.settings().listen.clone();
                let tls = tls::Acceptor::new(collector.settings())?;
                let listener =
                    TcpListener::bind(&listen).await.map_err(|error| Error::io(listen, error))?;
                let address = listener.local_addr().map_err(|error| Error::io("address", error))?;
                let writer = tokio::spawn(writer);
                // Who does not wait for it stops it.
                let _ = ready.send(address);
                serve(collector, tls, listener, async { drop(stopped.await) }).await?;
                // All that was handed in is written, then the store is let go of.
                writer.await.map_err(|_| Error::Stopping)?.shut().await;
                Ok(())
            })
        });
        match started.recv() {
            Ok(address) => Ok(Self { address, stop: Some(stop), thread: Some(thread) }),
            Err(_) => Err(join(thread).err().unwrap_or(Error::Stopping)),
        }
    }

    /// Waits until the service has ended.
    ///
    /// # Errors
    /// If it failed.
    pub fn wait(mut self) -> Result<()> {
        self.thread.take().map_or(Ok(()), join)
    }

    /// What stops it, for whoever hears of it elsewhere.
    pub fn stopper(&mut self) -> impl FnOnce() + Send + use<> {
        let stop = self.stop.take();
        move || drop(stop)
    }

    /// Takes no more, finishes what was begun, and ends.
    ///
    /// # Errors
    /// If it failed.
    pub fn stop(mut self) -> Result<()> {
        self.stopper()();
        self.wait()
    }
}

fn join(thread: std::thread::JoinHandle<Result<()>>) -> Result<()> {
    thread.join().unwrap_or(Err(Error::Stopping))
}

/// Answers requests until `stop` is there, then finishes those that were begun.
async fn serve(
    collector: Collector,
    tls: Option<tls::Acceptor>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> Result<()> {
    let patience = Duration::from_secs(collector.settings().seconds);
    let room = Arc::new(Semaphore::new(collector.settings().connections));
    let router = router(&collector);
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let place = tokio::select! {
            place = room.clone().acquire_owned() => place.map_err(|_| Error::Stopping)?,
            () = &mut stop => break,
        };
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Too many open files, most likely: those that are open end some time.
                    crate::log::failure("accept", &error);
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let (router, tls, watcher) = (router.clone(), tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            // Small answers leave at once.
            let _ = stream.set_nodelay(true);
            match tls {
                None => converse(stream, peer, router, watcher, patience).await,
                Some(tls) => {
                    if let Some(stream) = tls.accept(stream, patience).await {
                        converse(stream, peer, router, watcher, patience).await;
                    }
                }
            }
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(LAST, graceful.shutdown()).await.is_err() {
        crate::log::event("stopping", serde_json::json!("connections that did not end were cut"));
    }
    Ok(())
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    router: Router,
    watcher: hyper_util::server::graceful::Watcher,
    patience: Duration,
) {
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer.ip()));
        router.clone().oneshot(request)
    });
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(patience);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    // Who breaks off was told nothing, and sends again.
    let _ = watcher.watch(connection).await;
}

/// HTTPS, where there is a certificate.
#[cfg(feature = "tls")]
mod tls {
    use super::*;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use tokio_rustls::server::TlsStream;

    #[derive(Clone)]
    pub struct Acceptor(tokio_rustls::TlsAcceptor);

    impl Acceptor {
        pub fn new(settings: &Settings) -> Result<Option<Self>> {
            let Some(tls) = &settings.tls else { return Ok(None) };
            let wrong =
                |place: &std::path::Path, reason: &dyn std::fmt::Display| Error::Certificate {
                    place: place.display().to_string(),
                    reason: reason.to_string(),
                };
            let certificates = CertificateDer::pem_file_iter(&tls.certificate)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(|error| wrong(&tls.certificate, &error))?;
            let key =
                PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| wrong(&tls.key, &error))?;
            let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
            let config = ServerConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .map_err(|error| wrong(&tls.certificate, &error))?
                .with_no_client_auth()
                .with_single_cert(certificates, key)
                .map_err(|error| wrong(&tls.certificate, &error))?;
            Ok(Some(Self(Arc::new(config).into())))
        }

        pub async fn accept(
            &self,
            stream: TcpStream,
            patience: Duration,
        ) -> Option<TlsStream<TcpStream>> {
            tokio::time::timeout(patience, self.0.accept(stream)).await.ok()?.ok()
        }
    }
}

#[cfg(not(feature = "tls"))]
mod tls {
    use super::*;

    #[derive(Clone)]
    pub struct Acceptor;

    impl Acceptor {
        pub fn new(settings: &Settings) -> Result<Option<Self>> {
            match &settings.tls {
                None => Ok(None),
                Some(tls) => Err(Error::Certificate {
                    place: tls.certificate.display().to_string(),
                    reason: "HTTPS is not compiled in (cargo feature `tls`)".into(),
                }),
            }
        }

        pub async fn accept(&self, _: TcpStream, _: Duration) -> Option<TcpStream> {
            None
        }
    }
}
