//! Teams of threads: every thread is what a process would be, connected over loopback.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use privet_cluster::connect::JoinRequest;
use privet_cluster::{Error, Exchange, Hosts, Result, Team};

/// Listeners on free ports, and the list that names them.
pub fn free_hosts(count: usize) -> (Vec<TcpListener>, Hosts) {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let addresses = listeners.iter().map(|l| l.local_addr().unwrap().to_string()).collect();
    (listeners, Hosts::of(addresses).unwrap())
}

/// What a process knows when it is started.
pub fn invitation(hosts: &Hosts, index: usize) -> JoinRequest {
    let patience = Duration::from_secs(10);
    JoinRequest { hosts: hosts.clone(), index, job: [1; 32], patience }
}

/// Runs a job by so many processes; the results in their order.
pub fn run<T: Send + 'static>(
    count: usize,
    job: impl Fn(&mut Exchange) -> Result<T> + Send + Sync + 'static,
) -> Vec<Result<T, Error>> {
    if count == 1 {
        return vec![Team::alone().run(job)];
    }
    let (listeners, hosts) = free_hosts(count);
    let job = Arc::new(job);
    let start = |(index, listener)| {
        let (job, invitation) = (Arc::clone(&job), invitation(&hosts, index));
        std::thread::spawn(move || {
            Team::meet_on(listener, &invitation)?.run(move |exchange| job(exchange))
        })
    };
    let threads: Vec<_> = listeners.into_iter().enumerate().map(start).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// Like [`run`], where nothing may go wrong.
pub fn run_well<T: Send + 'static>(
    count: usize,
    job: impl Fn(&mut Exchange) -> Result<T> + Send + Sync + 'static,
) -> Vec<T> {
    run(count, job).into_iter().map(|result| result.unwrap()).collect()
}
