//! Meeting, messages, strangers and losses.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use privet_cluster::connect::JoinRequest;
use privet_cluster::{Error, Team};

use crate::support::{free_hosts, invitation, run, run_well};

#[test]
fn all_processes_get_all_messages_in_order() {
    for count in [1, 2, 3, 4] {
        let heard = run_well(count, |exchange| {
            let own = vec![exchange.index() as u8; 3 + exchange.index()];
            let mut all = Vec::new();
            for _ in 0..20 {
                all.push(exchange.all_hear(&own)?);
            }
            Ok(all)
        });
        let expected: Vec<Vec<u8>> = (0..count).map(|index| vec![index as u8; 3 + index]).collect();
        assert!(heard.iter().flatten().all(|round| *round == expected));
    }
}

#[test]
fn long_messages_arrive_whole_and_in_order() {
    let sums = run_well(3, |exchange| {
        let (index, count) = (exchange.index(), exchange.count());
        let message = |from: usize, to: usize| -> Vec<u8> {
            (0..3_000_000 + from * 1000 + to).map(|at| (at * 31 + from * 7 + to) as u8).collect()
        };
        for _ in 0..3 {
            for to in (0..count).filter(|&to| to != index) {
                exchange.send(to, &message(index, to))?;
            }
            for arrived in exchange.arrive() {
                let from = arrived.from;
                assert!(arrived.into_bytes() == message(from, index));
            }
            // The same packed at once.
            for to in (0..count).filter(|&to| to != index) {
                exchange.send_packed(to, |buffer| buffer.extend(message(index, to)))?;
            }
            for arrived in exchange.arrive() {
                let from = arrived.from;
                assert!(arrived.into_bytes() == message(from, index));
            }
        }
        exchange.sum(index as f64)
    });
    assert_eq!(sums, [3.0; 3]);
}

#[test]
fn a_process_that_fails_is_quoted_by_all_others() {
    let results = run(3, |exchange| {
        exchange.all_hear(b"here")?;
        if exchange.index() == 1 {
            let cause = std::io::Error::other("no space left");
            return Err(Error::Io { place: "the disk".to_owned(), cause });
        }
        exchange.all_hear(b"still here").map(|_| ())
    });
    assert!(matches!(&results[1], Err(Error::Io { .. })), "{:?}", results[1]);
    for result in [&results[0], &results[2]] {
        let error_text = result.as_ref().unwrap_err().to_string();
        assert!(
            error_text.contains("worker 1") && error_text.contains("no space left"),
            "{error_text}"
        );
    }
}

#[test]
fn a_job_that_panics_is_told_like_any_other_failure() {
    let results = run(2, |exchange| {
        assert!(exchange.index() == 0, "two and two is five");
        exchange.all_hear(b"still here").map(drop)
    });
    let error_text = |at: usize| results[at].as_ref().unwrap_err().to_string();
    assert!(error_text(1).contains("two and two is five"), "{}", error_text(1));
    assert!(
        error_text(0).contains("worker 1") && error_text(0).contains("five"),
        "{}",
        error_text(0)
    );
}

#[test]
fn who_does_not_come_is_named() {
    let (mut listeners, hosts) = free_hosts(3);
    let absent = listeners.pop().unwrap().local_addr().unwrap().to_string();
    let patience = Duration::from_millis(300);
    let meet = |(index, listener)| {
        let invitation = JoinRequest { patience, ..invitation(&hosts, index) };
        std::thread::spawn(move || Team::meet_on(listener, &invitation).map(|_| ()).unwrap_err())
    };
    let threads: Vec<_> = listeners.into_iter().enumerate().map(meet).collect();
    for thread in threads {
        let error_text = thread.join().unwrap().to_string();
        assert!(error_text.contains(&format!("worker 2 ({absent}) is not there")), "{error_text}");
    }
    // The other way round: the first one is missing.
    let (mut listeners, hosts) = free_hosts(2);
    let own = listeners.pop().unwrap();
    drop(listeners);
    let invitation = JoinRequest { patience, ..invitation(&hosts, 1) };
    let error_text = Team::meet_on(own, &invitation).map(|_| ()).unwrap_err().to_string();
    assert!(error_text.contains("worker 0") && error_text.contains("refused"), "{error_text}");
}

#[test]
fn two_jobs_on_one_port_hear_of_each_other() {
    let (listeners, hosts) = free_hosts(2);
    let error_text = invitation(&hosts, 0).listen().unwrap_err().to_string();
    assert!(error_text.contains("another job running on this port"), "{error_text}");
    // Another job with the same list of hosts: both are told.
    let meet = |(index, listener)| {
        let job = [index as u8; 32];
        let patience = Duration::from_millis(500);
        let invitation = JoinRequest { job, patience, ..invitation(&hosts, index) };
        std::thread::spawn(move || Team::meet_on(listener, &invitation).map(|_| ()).unwrap_err())
    };
    let threads: Vec<_> = listeners.into_iter().enumerate().map(meet).collect();
    let error_text: Vec<String> =
        threads.into_iter().map(|t| t.join().unwrap().to_string()).collect();
    assert!(
        error_text[0].contains("worker 1") && error_text[0].contains("another job"),
        "{}",
        error_text[0]
    );
    assert!(
        error_text[1].contains("worker 0") && error_text[1].contains("another job"),
        "{}",
        error_text[1]
    );
}

#[test]
fn strangers_and_doubles_do_not_disturb_a_job() {
    let (listeners, hosts) = free_hosts(2);
    let door = hosts.resolve(0).unwrap()[0];
    let meet = |(index, listener)| {
        let invitation = invitation(&hosts, index);
        std::thread::spawn(move || {
            if index == 1 {
                // A client of another protocol comes first.
                TcpStream::connect(door).unwrap().write_all(&[b'G'; 100]).unwrap();
            }
            let team = Team::meet_on(listener, &invitation)?;
            if index == 1 {
                // The same worker once more, while the job runs.
                let again = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
                let error_text =
                    Team::meet_on(again, &invitation).map(|_| ()).unwrap_err().to_string();
                assert!(error_text.contains("there is a worker 1 already"), "{error_text}");
            }
            team.run(|exchange| exchange.all_hear(b"x").map(|all| all.len()))
        })
    };
    let threads: Vec<_> = listeners.into_iter().enumerate().map(meet).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap().unwrap(), 2);
    }
}

#[test]
fn an_end_without_goodbye_is_a_loss_at_once() {
    let (listeners, hosts) = free_hosts(2);
    let began = Instant::now();
    let mut listeners = listeners.into_iter();
    let (first, second) = (listeners.next().unwrap(), listeners.next().unwrap());
    let (one, other) = (invitation(&hosts, 0), invitation(&hosts, 1));
    let waiting = std::thread::spawn(move || {
        Team::meet_on(first, &one)?.run(|exchange| exchange.all_hear(b"x").map(|_| ()))
    });
    // It came, and its connections end before it has said anything.
    drop(Team::meet_on(second, &other).unwrap());
    let error_text = waiting.join().unwrap().unwrap_err().to_string();
    assert!(error_text.contains("worker 1") && error_text.contains("is gone"), "{error_text}");
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// A connection from an address that is not in the list is refused before a byte is read.
#[cfg(target_os = "linux")]
#[test]
fn a_stranger_is_not_let_in() {
    use std::io::Read;
    // On Linux, connections within the machine come from 127.0.0.1 wherever they go.
    let listener = std::net::TcpListener::bind("127.0.0.2:0").unwrap();
    let door = listener.local_addr().unwrap();
    let hosts = vec![door.to_string(), "127.0.0.2:9".to_owned()];
    let hosts = privet_cluster::Hosts::of(hosts).unwrap();
    let patience = Duration::from_millis(400);
    let invitation = JoinRequest { patience, ..invitation(&hosts, 0) };
    let meeting = std::thread::spawn(move || Team::meet_on(listener, &invitation).map(|_| ()));
    let mut stranger = TcpStream::connect(door).unwrap();
    let mut answer = Vec::new();
    // Closed without an answer.
    let read = stranger.read_to_end(&mut answer);
    assert!(read.map_or(true, |length| length == 0), "{answer:?}");
    let error_text = meeting.join().unwrap().unwrap_err().to_string();
    assert!(error_text.contains("127.0.0.1 is not in the list of hosts"), "{error_text}");
}
