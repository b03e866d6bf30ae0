//! [`SealedTask`]: a task as its collector signed it. Its name is the hash of its bytes, so a task with another epsilon is
//! another task, and a collector that did not sign it cannot pass it off as its own.

use ed25519_dalek::{Signature, Signer as _, VerifyingKey};
use serde::{Deserialize, Serialize};

use privet_privacy::fault::{self, Fault};
use privet_privacy::noise::{NoiseRng, RandomWords as _};

use crate::task::{from_hex, hex};
use crate::{CheckedTask, Error, Result, Task};

/// What a collector signs with: 32 bytes that it keeps to itself.
pub struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    /// The key of 32 random bytes.
    pub fn from_bytes(secret: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(secret))
    }

    /// The key that hexadecimal digits say.
    pub fn from_secret(digits: &str) -> Option<Self> {
        from_hex(digits).map(|secret: [u8; 32]| Self::from_bytes(&secret))
    }

    /// New hexadecimal digits, by the operating system's randomness.
    ///
    /// # Errors
    /// If there is none.
    pub fn new_secret() -> Result<String> {
        let mut stream = NoiseRng::from_operating_system()?.next_release().into_stream();
        let words: Vec<u8> = (0..4).flat_map(|_| stream.next_u64().to_le_bytes()).collect();
        Ok(hex(&words))
    }

    /// The half of the key that is public.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Signs a task.
    ///
    /// # Errors
    /// If the task makes no sense.
    pub fn seal(&self, task: &Task) -> Result<SealedTask> {
        let task = String::from_utf8(task.to_bytes()?)
            .map_err(|_| Error::refused("task", "bytes", "text"))?;
        let signature = hex(&self.0.sign(&signed(task.as_bytes())).to_bytes());
        Ok(SealedTask { task, collector: hex(&self.public().0), signature })
    }
}

/// Who signed: a device remembers it, and shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(pub [u8; 32]);

/// A task, who asks, and the proof that they do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedTask {
    /// The bytes of the task, which are a text.
    pub task: String,
    /// The public key, in hexadecimal digits.
    pub collector: String,
    /// Its signature of the task, in hexadecimal digits.
    pub signature: String,
}

impl SealedTask {
    /// The task, and who signed it.
    ///
    /// # Errors
    /// If the signature is not that of this collector for this task, or the task makes no sense.
    pub fn open(&self) -> Result<(CheckedTask, PublicKey)> {
        let forged = || {
            Error::refused("task", "a signature that is not the collector's", "an unchanged task")
        };
        let key: [u8; 32] = from_hex(&self.collector).ok_or_else(forged)?;
        let signature: [u8; 64] = from_hex(&self.signature).ok_or_else(forged)?;
        let verifying = VerifyingKey::from_bytes(&key).map_err(|_| forged())?;
        let genuine = verifying
            .verify_strict(&signed(self.task.as_bytes()), &Signature::from_bytes(&signature));
        if !fault::on(Fault::TaskSignatureNotChecked) {
            genuine.map_err(|_| forged())?;
        }
        Ok((CheckedTask::from_bytes(self.task.as_bytes())?, PublicKey(key)))
    }
}

/// What is signed: nothing else that a key may sign begins like this.
fn signed(task: &[u8]) -> Vec<u8> {
    // A prefix names what is signed: a signature made for another purpose is not valid for a task.
    [b"privet task 1\n", task].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskName;
    use crate::task::tests::survey;

    #[test]
    fn a_changed_task_is_found_out() {
        let key = SigningKey::from_bytes(&[7; 32]);
        let sealed = key.seal(&survey()).unwrap();
        let (asked, by) = sealed.open().unwrap();
        assert_eq!((asked.task, by), (survey(), key.public()));
        assert_eq!(asked.name, TaskName::of(sealed.task.as_bytes()));
        let other = SigningKey::from_bytes(&[8; 32]).seal(&survey()).unwrap();
        let changed = sealed.task.replace("\"epsilon\":1.0", "\"epsilon\":9.0");
        assert_ne!(changed, sealed.task);
        for forged in [
            SealedTask { task: changed, ..sealed.clone() },
            SealedTask { signature: other.signature, ..sealed.clone() },
            SealedTask { collector: other.collector, ..sealed.clone() },
            SealedTask { signature: "00".into(), ..sealed.clone() },
            SealedTask { collector: "xyz".into(), ..sealed },
        ] {
            assert!(forged.open().is_err(), "{forged:?}");
        }
    }
}
