//! How fast a table of people becomes rows of numbers, and how that compares with the `csv` crate splitting the same
//! bytes into cells and doing nothing with them: `cargo bench -p privet-data --bench read_people [-- ROWS]`.
//!
//! Thirty columns: an id, 20 numbers of up to seven digits, six categories, two grades and a note, all encoded into 60
//! columns. One thread each; processor time, the best of several runs.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use cpu_time::ProcessTime;
use privet_data::declared::{
    ColumnKind, DeclaredColumn, MissingRule, PeopleReader, PeopleTable, SchemaColumns,
};
use privet_data::formats::Limits;

const RUNS: usize = 5;
const BATCH: usize = 4096;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let rows = arguments.next().map_or(Ok(1_000_000), |rows| rows.parse())?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("people.csv");
    write_table(&path, rows)?;
    let megabytes = std::fs::metadata(&path)?.len() as f64 / 1e6;
    let people = PeopleReader::new(&declared())?;
    let ours = best(|| encode(&people, &path))?;
    let theirs = best(|| split(&path))?;
    println!(
        "{rows} rows of 30 columns, {megabytes:.0} MB, {} encoded columns",
        people.encoder().width()
    );
    println!("encoded   {ours:.3} s  {:.0} MB/s", megabytes / ours);
    println!("csv crate {theirs:.3} s  {:.0} MB/s, cells alone", megabytes / theirs);
    println!("ratio     {:.2}", ours / theirs);
    println!("peak      {} MB", peak_memory() / 1_000_000);
    Ok(())
}

/// Processor seconds of the fastest of some runs: a busy machine does not slow these down.
fn best(
    mut run: impl FnMut() -> Result<u64, Box<dyn std::error::Error>>,
) -> Result<f64, Box<dyn std::error::Error>> {
    let mut seconds = f64::INFINITY;
    for _ in 0..RUNS {
        let start = ProcessTime::now();
        black_box(run()?);
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    Ok(seconds)
}

fn encode(people: &PeopleReader, path: &Path) -> Result<u64, Box<dyn std::error::Error>> {
    let mut seen = 0;
    for batch in people.batches(path, BATCH, &Limits::default())? {
        seen += black_box(batch?).ids.len() as u64;
    }
    Ok(seen)
}

fn split(path: &Path) -> Result<u64, Box<dyn std::error::Error>> {
    let file = BufReader::with_capacity(1 << 18, std::fs::File::open(path)?);
    let mut reader = csv::ReaderBuilder::new().from_reader(file);
    let (mut record, mut cells) = (csv::ByteRecord::new(), 0);
    while reader.read_byte_record(&mut record)? {
        cells += black_box(&record).len() as u64;
    }
    Ok(cells)
}

fn declared() -> PeopleTable {
    let names = |values: &[&str]| Some(values.iter().map(|value| (*value).to_owned()).collect());
    let mut columns = Vec::new();
    for number in 0..20 {
        let mut column = DeclaredColumn::new(ColumnKind::Number);
        (column.low, column.high) = (Some(0.0), Some(10_000.0));
        column.missing = Some(MissingRule::Middle);
        columns.push((format!("number{number}"), column));
    }
    for number in 0..6 {
        let mut column = DeclaredColumn::new(ColumnKind::Category);
        column.values = names(&["north", "south", "east", "west"]);
        columns.push((format!("category{number}"), column));
    }
    for number in 0..2 {
        let mut column = DeclaredColumn::new(ColumnKind::Ordinal);
        column.values = names(&["low", "mid", "high"]);
        columns.push((format!("grade{number}"), column));
    }
    let mut notes = DeclaredColumn::new(ColumnKind::Text);
    notes.columns = Some(14);
    columns.push(("notes".into(), notes));
    let mut table = PeopleTable::new("people.csv", "id");
    table.columns = SchemaColumns(columns);
    table
}

fn write_table(path: &Path, rows: u64) -> Result<(), Box<dyn std::error::Error>> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    let names: Vec<String> = declared().columns.iter().map(|(name, _)| name.into()).collect();
    writeln!(file, "id,{}", names.join(","))?;
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut line = String::new();
    for row in 0..rows {
        line.clear();
        write!(line, "c-{row}")?;
        for number in 0..20 {
            match (number % 4, random(20)) {
                (_, 0) => line.push_str(",NA"),
                (0 | 1, _) => write!(line, ",{}", random(10_000))?,
                (2, _) => write!(line, ",{}.{:02}", random(10_000), random(100))?,
                _ => write!(line, ",{}", random(100))?,
            }
        }
        for _ in 0..6 {
            write!(line, ",{}", ["north", "south", "east", "west"][random(4) as usize])?;
        }
        for _ in 0..2 {
            write!(line, ",{}", ["low", "mid", "high"][random(3) as usize])?;
        }
        writeln!(line, ",{}", ["late again", "", "pays early", "new"][random(4) as usize])?;
        file.write_all(line.as_bytes())?;
    }
    Ok(file.flush()?)
}

/// The most memory this process has ever held, in bytes; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().map_or(0, |kilobytes| kilobytes * 1024)
}
