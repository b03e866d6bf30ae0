//! [`Sessions`]: browsers of administrators. A cookie that no script reads and no other site sends, and in every form a
//! second secret, so that another site cannot send one either.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::token;

/// Seconds after which an administrator shows the token again.
const LIFETIME: u64 = 8 * 3600;
/// The most at once: the oldest go first.
const MOST: usize = 256;

/// Sessions by the hash of their cookie. They end when the service stops.
#[derive(Debug, Default)]
pub struct Sessions {
    known: Mutex<HashMap<[u8; 32], AdminSession>>,
}

#[derive(Debug, Clone)]
struct AdminSession {
    form_token: String,
    until: u64,
}

impl Sessions {
    /// A new session: the cookie's value.
    ///
    /// # Errors
    /// If the operating system has no randomness.
    pub fn begin(&self, now: u64) -> Result<String> {
        let (cookie, form_token) = (token::random()?, token::random()?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Expired sessions leave whenever a new one begins.
        known.retain(|_, session| session.until > now);
        if known.len() >= MOST
            && let Some(oldest) =
                known.iter().min_by_key(|(_, session)| session.until).map(|(hash, _)| *hash)
        {
            known.remove(&oldest);
        }
        known.insert(token::hash(&cookie), AdminSession { form_token, until: now + LIFETIME });
        Ok(cookie)
    }

    /// What forms of a session have to send.
    pub fn form_token(&self, cookie: &str, now: u64) -> Option<String> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let session = known.get(&token::hash(cookie)).filter(|session| session.until > now)?;
        Some(session.form_token.clone())
    }

    /// Whether a form came from a page of this session.
    pub fn is_ours(&self, cookie: &str, form_token: &str, now: u64) -> bool {
        let known = self.form_token(cookie, now).unwrap_or_default();
        // An unknown session has no secret: an empty one must not match an empty field.
        !known.is_empty() && token::same(known.as_bytes(), form_token.as_bytes())
    }

    /// Ends a session.
    pub fn end(&self, cookie: &str) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&token::hash(cookie));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_and_its_forms_are_its_own() {
        let sessions = Sessions::default();
        let (one, other) = (sessions.begin(0).unwrap(), sessions.begin(0).unwrap());
        let form = sessions.form_token(&one, 1).unwrap();
        assert!(sessions.is_ours(&one, &form, 1));
        assert!(!sessions.is_ours(&other, &form, 1) && !sessions.is_ours(&one, "", 1));
        assert!(!sessions.is_ours("", "", 1) && !sessions.is_ours(&one, &form, LIFETIME));
        sessions.end(&one);
        assert!(!sessions.is_ours(&one, &form, 1));
        for now in 0..2 * MOST as u64 {
            sessions.begin(now).unwrap();
        }
        assert_eq!(sessions.known.lock().unwrap().len(), MOST);
        assert!(sessions.form_token(&other, 1).is_none());
    }
}
