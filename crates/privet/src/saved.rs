//! What a system handed out, kept in a folder: [`Save::save`] writes it with a card that was issued for exactly these
//! files, [`Save::load`] reads it back and refuses what does not belong together.

use std::path::Path;

use crate::cardfile::{OF_FOLDER, beside, issue_for_folder};
use crate::data;
use crate::data::formats::write::{self, Overwrite};
use crate::graph::{Dataset, DenseMatrix, LoadedData};
use crate::learn::models::{LinkScorer, Mlp, file};
use crate::learn::parameters::{Parameter, Parameters};
use crate::privacy::Card;
use crate::privacy::card::CardKey;
use crate::publish::PublishedData;
use crate::{Error, Protected, Result, dpar, dprr, ldp_ge};

/// A value that can be kept in files.
pub trait StoredValue: Sized {
    /// Writes it into a folder that is there.
    ///
    /// # Errors
    /// If the disk refuses.
    fn write(&self, folder: &Path) -> Result<()>;

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// If it is not there, or is something else.
    fn read(folder: &Path) -> Result<Self>;
}

/// Keeping [`Protected`] values.
pub trait Save: Sized {
    /// Writes value and card into a folder, beside ledgers that may lie there: all of it, or nothing.
    ///
    /// # Errors
    /// If there is a card already, or the disk refuses.
    fn save(&self, folder: impl AsRef<Path>) -> Result<Card> {
        self.save_signed(folder, None)
    }

    /// The same, with a card issued by the holder of the key.
    ///
    /// # Errors
    /// As for [`save`](Self::save).
    fn save_signed(&self, folder: impl AsRef<Path>, key: Option<&CardKey>) -> Result<Card>;

    /// Reads value and card. What the card says is computed again from the files and from the ledgers beside it.
    ///
    /// # Errors
    /// If something is missing, was changed, or does not follow.
    fn load(folder: impl AsRef<Path>) -> Result<Self>;
}

impl<T: StoredValue> Save for Protected<T> {
    fn save_signed(&self, folder: impl AsRef<Path>, key: Option<&CardKey>) -> Result<Card> {
        let folder = folder.as_ref();
        // A link counts too: following it would overwrite a release elsewhere.
        if folder.join(OF_FOLDER).symlink_metadata().is_ok() {
            let message = format!("{}: refused: there is a release already", folder.display());
            return Err(Error::Refused { message, remedy: "name a new folder" });
        }
        // Everything is written beside, and moved in at the end.
        let draft = beside(folder, "part");
        let _unfinished = TemporaryFolder(&draft);
        for folder in [folder, &draft] {
            std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
        }
        self.get().write(&draft)?;
        let card = issue_for_folder(&draft, self.card().clone(), key)?;
        move_in(&draft, folder).map_err(|error| Error::file(folder, error))?;
        Ok(card)
    }

    fn load(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        Self::restored(folder, &folder.join(OF_FOLDER), T::read)
    }
}

/// Moves what is finished to its place; the card last, for without a card a folder is only an account.
///
/// # Errors
/// If the disk refuses.
pub fn move_in(draft: &Path, folder: &Path) -> std::io::Result<()> {
    let entries = std::fs::read_dir(draft)?;
    let mut names: Vec<_> =
        entries.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<_>>()?;
    // The card goes last: a folder with a card is complete.
    names.sort_by_key(|name| name == OF_FOLDER);
    names.iter().try_for_each(|name| std::fs::rename(draft.join(name), folder.join(name)))
}

/// Removes a folder, if it still has this name in the end.
#[derive(Debug)]
pub struct TemporaryFolder<'a>(pub &'a Path);

impl Drop for TemporaryFolder<'_> {
    fn drop(&mut self) {
        // After a success it is empty or gone; after a failure what stays is only litter.
        let _ = std::fs::remove_dir_all(self.0);
    }
}

impl StoredValue for Dataset {
    fn write(&self, folder: &Path) -> Result<()> {
        let loaded = LoadedData::Nodes(self.clone());
        write::write(&loaded, &folder.join(DATA), None, Overwrite::Refuse)?;
        Ok(())
    }

    fn read(folder: &Path) -> Result<Self> {
        Ok(data::read(folder.join(DATA))?.into_nodes()?)
    }
}

impl StoredValue for PublishedData {
    fn write(&self, folder: &Path) -> Result<()> {
        self.dataset.write(folder)
    }

    fn read(folder: &Path) -> Result<Self> {
        Ok(Self { dataset: Dataset::read(folder)?, grown: None })
    }
}

impl StoredValue for ldp_ge::NodeClassifier {
    fn write(&self, folder: &Path) -> Result<()> {
        self.model.save(&folder.join(MODEL))?;
        Tables::of([("embedding", self.embedding.clone()), classes(&self.predicted)?]).save(folder)
    }

    fn read(folder: &Path) -> Result<Self> {
        let [embedding, predicted] = Tables::read(folder)?.take(["embedding", CLASSES])?;
        let model = Mlp::load(&folder.join(MODEL))?;
        Ok(Self { embedding, model, predicted: as_classes(&predicted), way: None })
    }
}

impl StoredValue for ldp_ge::Linker {
    fn write(&self, folder: &Path) -> Result<()> {
        self.scorer.save(&folder.join(MODEL))?;
        if let Some(known) = &self.known {
            known.save(folder)?;
        }
        Tables::of([("embedding", self.embedding.clone())]).save(folder)
    }

    fn read(folder: &Path) -> Result<Self> {
        let [embedding] = Tables::read(folder)?.take(["embedding"])?;
        let known = ldp_ge::KnownLinks::load(folder, embedding.rows())?;
        Ok(Self { embedding, scorer: LinkScorer::load(&folder.join(MODEL))?, known })
    }
}

impl StoredValue for dprr::GraphClassifier {
    fn write(&self, folder: &Path) -> Result<()> {
        self.model.save(&folder.join(MODEL))?;
        Tables::of([("scores", self.scores.clone()), classes(&self.predicted)?]).save(folder)
    }

    fn read(folder: &Path) -> Result<Self> {
        let [scores, predicted] = Tables::read(folder)?.take(["scores", CLASSES])?;
        let model = dprr::GraphScorer::load(&folder.join(MODEL))?;
        Ok(Self { scores, model, predicted: as_classes(&predicted) })
    }
}

impl StoredValue for dpar::TrainedClassifier {
    fn write(&self, folder: &Path) -> Result<()> {
        self.model.save(&folder.join(MODEL))?;
        if let Some(encoder) = &self.encoder {
            encoder.save(&folder.join(ENCODER))?;
        }
        let shared = DenseMatrix::new(1, 2, vec![self.most_shared as f32, self.doubt as f32])?;
        Tables::of([("most-shared", shared), classes(&self.predicted)?]).save(folder)
    }

    fn read(folder: &Path) -> Result<Self> {
        let [shared, predicted] = Tables::read(folder)?.take(["most-shared", CLASSES])?;
        let encoder = folder.join(ENCODER);
        Ok(Self {
            model: Mlp::load(&folder.join(MODEL))?,
            encoder: encoder.exists().then(|| Mlp::load(&encoder)).transpose()?,
            predicted: as_classes(&predicted),
            scores: None,
            most_shared: as_classes(&shared).first().copied().unwrap_or_default(),
            doubt: shared.values().get(1).copied().map_or(0.0, f64::from),
        })
    }
}

/// Writes a value where people can read it.
pub(crate) fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| Error::file(path, error))?;
    std::fs::write(path, text).map_err(|error| Error::file(path, error))
}

/// What a file says, if there is one.
pub(crate) fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    match std::fs::read(path) {
        Ok(text) => {
            serde_json::from_slice(&text).map(Some).map_err(|error| Error::file(path, error))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file(path, error)),
    }
}

const DATA: &str = "data.npz";
const MODEL: &str = "model.safetensors";
const ENCODER: &str = "encoder.safetensors";
const TABLES: &str = "tables.safetensors";
const CLASSES: &str = "predicted";

/// Classes as a column of numbers: there are fewer of them than a float tells apart.
fn classes(predicted: &[u32]) -> Result<(&'static str, DenseMatrix)> {
    let column = predicted.iter().map(|&class| class as f32).collect();
    Ok((CLASSES, DenseMatrix::new(predicted.len(), 1, column)?))
}

fn as_classes(column: &DenseMatrix) -> Vec<u32> {
    column.values().iter().map(|&class| class as u32).collect()
}

/// Named matrices in one file.
pub(crate) struct Tables(Vec<Parameter>);

/// Name, rows and columns of each.
type Shapes = Vec<(String, usize, usize)>;

impl Tables {
    pub fn of<const N: usize>(named: [(&str, DenseMatrix); N]) -> Self {
        Self(named.into_iter().map(|(name, table)| Parameter::buffer(name, table)).collect())
    }

    pub fn save(&self, folder: &Path) -> Result<()> {
        let shape = |table: &Parameter| {
            (table.name().to_owned(), table.value.rows(), table.value.columns())
        };
        let shapes: Shapes = self.0.iter().map(shape).collect();
        Ok(file::save(&folder.join(TABLES), "tables", &shapes, self)?)
    }

    pub fn read(folder: &Path) -> Result<Self> {
        let make = |shapes: Shapes, stored: usize| {
            // No header asks for more memory than its file is worth.
            let fits = |&(_, rows, columns): &_| usize::checked_mul(rows, columns) <= Some(stored);
            let fitting = shapes.into_iter().filter(fits);
            let empty = fitting.map(|(name, rows, columns)| {
                Parameter::buffer(name, DenseMatrix::zeros(rows, columns))
            });
            Ok(Self(empty.collect()))
        };
        Ok(file::load(&folder.join(TABLES), "tables", make)?)
    }

    pub fn take<const N: usize>(self, names: [&str; N]) -> Result<[DenseMatrix; N]> {
        let found = names.map(|name| self.0.iter().find(|table| table.name() == name));
        match found.iter().all(Option::is_some) {
            true => {
                Ok(found.map(|table| table.map_or(DenseMatrix::zeros(0, 0), |t| t.value.clone())))
            }
            false => Err(Error::invalid("tables", "some", names.join(", "))),
        }
    }
}

impl Parameters for Tables {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        self.0.iter().for_each(visitor);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        self.0.iter_mut().for_each(visitor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::karate_club;
    use crate::{Run, protect};

    #[test]
    fn what_is_saved_is_loaded_with_its_card_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("release");
        let run = Run { noise: crate::Noise::Replay(1), ..Run::in_folder(&folder).unwrap() };
        let noisy = protect::Edges::dprr(2.0).unwrap().run(karate_club().unwrap(), &run).unwrap();
        let card = noisy.save(&folder).unwrap();
        assert_eq!((card.files.len(), &card.guarantees), (1, &noisy.card().guarantees));
        let again = Protected::<Dataset>::load(&folder).unwrap();
        assert_eq!(again.get().graph(), noisy.get().graph());
        assert_eq!((again.card(), again.origin()), (&card, noisy.origin()));
        assert!(noisy.save(&folder).is_err(), "a release is not replaced");
        let raw = Protected::<PublishedData>::load(&folder).unwrap();
        assert!(raw.get().grown.is_none());
        let other = folder.join(DATA);
        std::fs::write(&other, b"something else").unwrap();
        let told = Protected::<Dataset>::load(&folder).unwrap_err().to_string();
        assert!(told.contains(DATA), "{told}");
    }

    #[test]
    fn tables_are_what_they_were() {
        let place = tempfile::tempdir().unwrap();
        let rows = DenseMatrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.5]).unwrap();
        Tables::of([("rows", rows.clone())]).save(place.path()).unwrap();
        let [again] = Tables::read(place.path()).unwrap().take(["rows"]).unwrap();
        assert_eq!(again, rows);
        assert!(Tables::read(place.path()).unwrap().take(["others"]).is_err());
    }
}
