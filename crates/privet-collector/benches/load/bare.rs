//! What is compared with: the same bytes into the same table, without a service. Places have no names in SQLite, which would
//! look for each of them among all.

use std::time::Instant;

use privet_collector::store::CollectorStore;
use sqlx::{AnyConnection, Connection as _, Executor as _};

/// Rows as they are into the same table, 512 a statement and 1,024 a transaction, each durable before the next; reports a
/// second.
pub fn inserts(address: &str, reports: &[Vec<u8>]) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // Makes the tables.
        CollectorStore::open(address).await.unwrap().shut().await;
        let sqlite = !address.starts_with("postgres");
        let url = if sqlite { format!("sqlite:{address}") } else { address.to_owned() };
        let mut connection = AnyConnection::connect(&url).await.unwrap();
        if sqlite {
            connection.execute("PRAGMA synchronous = FULL").await.unwrap();
        }
        let start = Instant::now();
        let mut place = 0i64;
        for batch in reports.chunks(1024) {
            let mut step = connection.begin().await.unwrap();
            for some in batch.chunks(512) {
                let name = |number: usize| if sqlite { "?".into() } else { format!("${number}") };
                let row = |at: usize| {
                    format!("({}, {}, {})", name(3 * at + 1), name(3 * at + 2), name(3 * at + 3))
                };
                let rows = (0..some.len()).map(row).collect::<Vec<_>>().join(", ");
                let insert = format!("INSERT INTO reports (task, place, report) VALUES {rows}");
                let mut query = sqlx::query(&insert);
                for bytes in some {
                    query = query.bind(-1i64).bind(place).bind(&bytes[..]);
                    place += 1;
                }
                query.execute(&mut *step).await.unwrap();
            }
            step.commit().await.unwrap();
        }
        let rate = reports.len() as f64 / start.elapsed().as_secs_f64();
        connection.execute("DELETE FROM reports WHERE task = -1").await.unwrap();
        rate
    })
}
