//! [`CardKey`]: who issued a card. Without a key a card proves that card, ledger and files agree; an
//! attacker who forges all three passes, too. With one it proves that its owner issued it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::Card;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// Shorter keys can be guessed.
const SHORTEST: usize = 16;
/// Longer files are no keys.
const LONGEST: u64 = 1 << 16;
/// The block of SHA-256.
const BLOCK: usize = 64;

/// A secret that cards are signed and checked with. It is never shown, and wiped when dropped.
pub struct CardKey(Zeroizing<Vec<u8>>);

impl std::fmt::Debug for CardKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl CardKey {
    /// A key from its bytes.
    ///
    /// # Errors
    /// If they are fewer than 16.
    pub fn new(bytes: Vec<u8>) -> Result<Self> {
        let bytes = Zeroizing::new(bytes);
        match bytes.len() {
            ..SHORTEST => {
                Err(Error::range("key", format!("{} bytes", bytes.len()), "16 bytes or more"))
            }
            _ => Ok(Self(bytes)),
        }
    }

    /// The key in a file: all of its bytes.
    ///
    /// # Errors
    /// If it cannot be read, or is too short or too long for a key.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |reason: &dyn std::fmt::Display| Error::card(path.display(), reason);
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| failed(&error))?;
        file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 > LONGEST {
            return Err(failed(&"too long for a key"));
        }
        Self::new(bytes).map_err(|error| failed(&error))
    }

    /// HMAC-SHA256 (RFC 2104) of a message, in hexadecimal digits.
    fn mac(&self, message: &[u8]) -> String {
        let mut block = Zeroizing::new([0_u8; BLOCK]);
        // HMAC (RFC 2104): a key that is longer than a block is replaced by its hash.
        if self.0.len() > BLOCK {
            block[..32].copy_from_slice(&Sha256::digest(self.0.as_slice()));
        } else {
            block[..self.0.len()].copy_from_slice(&self.0);
        }
        let padded = |pad: u8| Zeroizing::new(block.map(|byte| byte ^ pad));
        // H((k ^ opad) || H((k ^ ipad) || message))
        let inner = Sha256::new().chain_update(padded(0x36).as_slice()).chain_update(message);
        let outer = Sha256::new().chain_update(padded(0x5c).as_slice());
        let mac = outer.chain_update(inner.finalize()).finalize();
        mac.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Card {
    /// Signs the card as it stands; whatever changes afterwards breaks the signature.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn signed(mut self, key: &CardKey) -> Result<Self> {
        self.mac = Some(key.mac(&self.message()?));
        Ok(self)
    }

    /// Whether the owner of the key issued the card as it stands.
    pub(super) fn is_signed_by(&self, key: &CardKey) -> Result<bool> {
        let mac = key.mac(&self.message()?);
        // As long for a wrong guess as for a right one.
        let differs = |stated: &str| {
            if fault::on(Fault::SignatureNotChecked) {
                return false;
            }
            stated.len() != mac.len()
                || stated.bytes().zip(mac.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) != 0
        };
        Ok(self.mac.as_deref().is_some_and(|stated| !differs(stated)))
    }

    /// Everything the card says, without the signature. Ledgers' chains and files' digests are in it.
    fn message(&self) -> Result<Vec<u8>> {
        let unsigned = Self { mac: None, ..self.clone() };
        serde_json::to_vec(&unsigned).map_err(|error| Error::card("card", error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test cases 1 and 6 (a key longer than a block).
    #[test]
    fn the_standard_s_own_values() {
        let of = |key: &[u8], message: &[u8]| CardKey(Zeroizing::new(key.to_vec())).mac(message);
        let hi_there = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
        assert_eq!(of(&[0x0b; 20], b"Hi There"), hi_there);
        let long = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54";
        let message = b"Test Using Larger Than Block-Size Key - Hash Key First";
        assert_eq!(of(&[0xaa; 131], message), long);
    }

    #[test]
    fn any_change_breaks_the_signature() {
        let (key, other) = (CardKey::new(vec![1; 16]).unwrap(), CardKey::new(vec![2; 16]).unwrap());
        let card = Card::new("a survey").signed(&key).unwrap();
        assert!(card.is_signed_by(&key).unwrap() && !card.is_signed_by(&other).unwrap());
        let mut edited = card.clone();
        edited.subject = "another survey".into();
        assert!(!edited.is_signed_by(&key).unwrap());
        assert!(!Card::new("a survey").is_signed_by(&key).unwrap());
        assert!(CardKey::new(vec![1; 15]).is_err());
    }

    /// A key of exactly a block is used as it is; the value is from another implementation.
    #[test]
    fn a_key_of_one_block_is_not_hashed() {
        let expected = "1ad77e19fcc989ac07ba50fafcf71659bdf56d14c6f44efc96e03afe7d1252c4";
        let key = CardKey(Zeroizing::new(vec![0xaa; BLOCK]));
        assert_eq!(key.mac(b"a key of one block"), expected);
    }

    #[test]
    fn keys_are_read_up_to_their_greatest_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert!(CardKey::read(&path).is_err());
        for (length, good) in [(15, false), (16, true), (LONGEST, true), (LONGEST + 1, false)] {
            let bytes = vec![7; length as usize];
            std::fs::write(&path, &bytes).unwrap();
            match CardKey::read(&path) {
                Ok(key) => assert!(good && *key.0 == bytes, "{length} bytes"),
                Err(error) => assert!(!good, "{length} bytes: {error}"),
            }
        }
    }
}
