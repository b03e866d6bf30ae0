//! What comes out: all reports as they came in, or a dataset with its card.

use std::io::{Cursor, Write as _};
use std::path::Path;
use std::sync::Arc;

use axum::http::StatusCode;
use bytes::Bytes;
use http_body_util::channel::Channel;
use privet::collected::Collection;
use privet::collected::stream::{put_end, put_report};
use privet::data::formats;
use serde::Deserialize;
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::collector::{Collector, KnownTask};
use crate::error::{Error, Result};
use crate::refusal::Refusal;
use crate::store::CollectorStore;

/// What a dataset is written as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// One file of arrays.
    #[default]
    Npz,
    /// A folder of text tables.
    Csv,
    /// A folder of Parquet tables.
    Parquet,
}

impl ExportFormat {
    /// What the dataset is called in the archive, and how it is written.
    fn target(self) -> (&'static str, formats::Format) {
        match self {
            Self::Npz => ("reports.npz", formats::Format::Npz),
            Self::Csv => ("reports", formats::Format::Csv),
            Self::Parquet => ("reports", formats::Format::Parquet),
        }
    }
}

/// All reports of a task in the order of places, each with its length before it, then an end mark with their number: a
/// stream that broke off can be distinguished from a whole one. Some thousand reports are in memory at a time.
pub fn stream(store: CollectorStore, task: i64) -> Channel<Bytes, Error> {
    // Two pages at most wait for a slow receiver.
    let (mut sender, channel) = Channel::new(2);
    tokio::spawn(async move {
        let mut place = -1;
        let mut count = 0u64;
        loop {
            let page = match store.reports_after(task, place).await {
                Ok(page) => page,
                // Without the end mark, so that the receiver sees that the stream is not whole.
                Err(error) => return sender.abort(error),
            };
            let Some((last, _)) = page.last() else { break };
            (place, count) = (*last, count + page.len() as u64);
            let mut bytes = Vec::new();
            page.iter().for_each(|(_, report)| put_report(&mut bytes, report));
            if sender.send_data(bytes.into()).await.is_err() {
                return;
            }
        }
        let mut end = Vec::new();
        put_end(&mut end, count);
        // The receiver may have gone.
        let _ = sender.send_data(end.into()).await;
    });
    channel
}

/// The dataset of a task and its card, as a zip archive.
///
/// # Errors
/// If there is no report yet, or the store fails.
pub async fn archive(
    collector: &Collector,
    task: &Arc<KnownTask>,
    format: ExportFormat,
) -> Result<Vec<u8>, Refusal> {
    let ids = std::str::from_utf8(&task.people).unwrap_or_default().lines().map(str::to_owned);
    let mut collected = Collection::new(&task.sealed, ids.collect()).map_err(Error::from)?;
    let mut place = -1;
    loop {
        let page = collector.store().reports_after(task.number, place).await?;
        let Some((last, _)) = page.last() else { break };
        place = *last;
        // The same code as for report files: an export and `privet collect gather` give the same dataset.
        for (_, report) in &page {
            collected.add(report).map_err(Error::from)?;
        }
    }
    if collected.is_empty() {
        let error = "no report has been sent yet";
        return Err(Refusal::new(StatusCode::CONFLICT, error, "at least one report"));
    }
    // Decoding and compressing are work, and others wait for this thread.
    let packed = tokio::task::spawn_blocking(move || pack(&collected, format)).await;
    Ok(packed.map_err(|_| Error::Stopping)??)
}

fn pack(collected: &Collection, format: ExportFormat) -> Result<Vec<u8>> {
    let place = tempfile::tempdir().map_err(|error| Error::io("temporary folder", error))?;
    let (name, format) = format.target();
    let (_, files) = collected.write(&place.path().join(name), Some(format))?;
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        let path = Path::new(&file);
        let name = path.strip_prefix(place.path()).unwrap_or(path).display().to_string();
        let bytes = std::fs::read(path).map_err(|error| Error::io(&name, error))?;
        let failed = |error: zip::result::ZipError| Error::io("archive", error.into());
        archive.start_file(name, SimpleFileOptions::default()).map_err(failed)?;
        archive.write_all(&bytes).map_err(|error| Error::io("archive", error))?;
    }
    let done = archive.finish().map_err(|error| Error::io("archive", error.into()))?;
    Ok(done.into_inner())
}
