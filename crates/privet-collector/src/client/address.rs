//! [`ServiceAddress`]: where a task is.

use privet_protocol::TaskName;

use super::ClientError;

/// Where a task is: a service, and a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAddress {
    /// The service, without a slash at its end.
    pub service: String,
    /// The task, if one is named.
    pub task: Option<TaskName>,
}

impl ServiceAddress {
    /// What `https://HOST/t/NAME` or `https://HOST` says; whatever follows `#` is for people.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<Self, ClientError> {
        let wrong = || ClientError::Address(text.split('#').next().unwrap_or_default().to_owned());
        let address = text.split('#').next().unwrap_or_default().trim_end_matches('/');
        let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
        let rest =
            rest.filter(|rest| !rest.is_empty() && !rest.starts_with('/')).ok_or_else(wrong)?;
        match address.rsplit_once("/t/") {
            Some((service, name)) => {
                let task = TaskName::from_hex(name).ok_or_else(wrong)?;
                Ok(Self { service: service.to_owned(), task: Some(task) })
            }
            None if rest.contains(['/', '?']) => Err(wrong()),
            None => Ok(Self { service: address.to_owned(), task: None }),
        }
    }

    /// Where people see a task of this service.
    pub fn of(&self, task: TaskName) -> String {
        format!("{}/t/{task}", self.service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_service_and_perhaps_a_task() {
        let name = "ab".repeat(32);
        let task = TaskName::from_hex(&name);
        for (text, service, task) in [
            ("http://127.0.0.1:8420", "http://127.0.0.1:8420", None),
            ("https://a.org/", "https://a.org", None),
            (&*format!("https://a.org/t/{name}"), "https://a.org", task),
            (&*format!("https://a.org/t/{name}#code=x"), "https://a.org", task),
            (&*format!("https://a.org/under/t/{name}"), "https://a.org/under", task),
        ] {
            let expected = ServiceAddress { service: service.into(), task };
            assert_eq!(ServiceAddress::parse(text).unwrap(), expected, "{text}");
        }
        for wrong in
            ["", "ftp://a", "http://", "https:///t", "https://a/t/abc", "https://a/b", "a.org"]
        {
            assert!(ServiceAddress::parse(wrong).is_err(), "{wrong}");
        }
        let shown = ServiceAddress::parse("https://a/t/x#code=secret").unwrap_err().to_string();
        assert!(!shown.contains("secret"), "a code is not shown");
    }
}
