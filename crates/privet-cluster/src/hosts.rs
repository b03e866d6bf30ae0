//! Who takes part: a file with a `host:port` a line, in the order of the processes.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::Path;

use crate::error::Peer;
use crate::{Error, Result};

/// The addresses of all processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hosts {
    addresses: Vec<String>,
}

impl Hosts {
    /// Reads a file. What follows a `#` is a comment, and empty lines are skipped.
    ///
    /// # Errors
    /// If the file cannot be read, a line is not a host and a port, or two lines are the same.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|cause| Error::file(path, cause))?;
        let mut addresses: Vec<String> = Vec::new();
        for (line, text) in text.lines().enumerate() {
            let found = text.split('#').next().unwrap_or_default().trim();
            let fault = |expected: String| {
                let (path, line, found) = (path.to_path_buf(), line + 1, found.to_owned());
                Error::Hosts { path, line, found, expected }
            };
            if found.is_empty() {
                continue;
            }
            if !is_address(found) {
                return Err(fault("a host and a port, as in 10.0.0.3:7000".to_owned()));
            }
            if let Some(other) = addresses.iter().position(|address| address == found) {
                return Err(fault(format!("another address: it is that of worker {other}")));
            }
            addresses.push(found.to_owned());
        }
        if addresses.is_empty() {
            let place = path.to_path_buf();
            let expected = "a host:port a line".to_owned();
            return Err(Error::Hosts { path: place, line: 1, found: String::new(), expected });
        }
        Ok(Self { addresses })
    }

    /// These addresses.
    ///
    /// # Errors
    /// If there are none, or one is not a host and a port.
    pub fn of(addresses: Vec<String>) -> Result<Self> {
        if let Some(address) = addresses.iter().find(|address| !is_address(address)) {
            return Err(Error::invalid("host", address, "a host and a port"));
        }
        if addresses.is_empty() {
            return Err(Error::invalid("hosts", 0, "at least 1"));
        }
        Ok(Self { addresses })
    }

    /// How many processes there are.
    pub fn count(&self) -> usize {
        self.addresses.len()
    }

    /// A process, as messages name it.
    ///
    /// # Panics
    /// If there is no such process.
    pub fn peer(&self, index: usize) -> Peer {
        Peer { index, address: self.addresses[index].clone() }
    }

    /// Where a process listens.
    ///
    /// # Panics
    /// If there is no such process.
    pub fn resolve(&self, index: usize) -> std::io::Result<Vec<SocketAddr>> {
        Ok(self.addresses[index].to_socket_addrs()?.collect())
    }

    /// The machines that may connect; names that cannot be resolved have none.
    pub fn machines(&self) -> Vec<IpAddr> {
        let all = (0..self.count()).flat_map(|index| self.resolve(index).unwrap_or_default());
        all.map(|address| address.ip().to_canonical()).collect()
    }
}

fn is_address(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let plain = !bare.is_empty() && !bare.contains(char::is_whitespace);
    plain && (bare == host) != bare.contains(':') && port.parse::<u16>().is_ok_and(|port| port > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Hosts> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hosts");
        std::fs::write(&path, text).unwrap();
        Hosts::read(&path)
    }

    #[test]
    fn comments_and_empty_lines_are_skipped() {
        let hosts =
            read("# two machines\n10.0.0.1:7000\n\n  node-b.local:7001 # slow\n[::1]:7002\n");
        let hosts = hosts.unwrap();
        assert_eq!(hosts.count(), 3);
        assert_eq!(hosts.peer(1).to_string(), "worker 1 (node-b.local:7001)");
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (text, message) in [
            ("a:1\nb\n", "line 2: found \"b\""),
            (
                "a:1\n\na:1\n",
                "line 3: found \"a:1\", expected another address: it is that of worker 0",
            ),
            ("a:70000", "line 1"),
            ("a b:7000", "line 1"),
            ("::1:7000", "line 1"),
            ("[a]:7000", "line 1"),
            ("a:0", "line 1"),
            (":7000", "line 1"),
            ("# empty\n", "expected a host:port a line"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text:?}: {error}");
        }
        assert!(
            Hosts::read(Path::new("/nowhere/hosts")).unwrap_err().to_string().contains("nowhere")
        );
    }
}
