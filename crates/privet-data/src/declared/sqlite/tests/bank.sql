-- What bank.sqlite.gz was made of: sqlite3 bank.sqlite < bank.sql && gzip -9n bank.sqlite
-- Pages of 512 bytes, so that a few hundred rows need a tree of pages and notes overflow.
PRAGMA page_size = 512;
CREATE TABLE gone(x);
INSERT INTO gone SELECT randomblob(2000) FROM (VALUES (1), (2), (3));
CREATE TABLE customers(
    number INTEGER PRIMARY KEY,  -- the rowid, by another name
    name TEXT NOT NULL,
    age INT,
    score REAL DEFAULT 0.5,
    twice AS (age * 2),
    notes TEXT
);
WITH RECURSIVE n(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 400)
INSERT INTO customers(number, name, age, score, notes)
SELECT n * 7, 'c-' || n, CASE WHEN n % 10 = 0 THEN NULL ELSE n % 80 END, n / 4.0,
    CASE WHEN n % 50 = 0 THEN hex(zeroblob(n * 10)) ELSE 'note ' || n END
FROM n;
DELETE FROM customers WHERE number % 3 = 0;
ALTER TABLE customers ADD COLUMN region TEXT;
ALTER TABLE customers ADD COLUMN grade TEXT DEFAULT 'mid';
UPDATE customers SET region = 'north' WHERE number % 2 = 0;
DROP TABLE gone;
CREATE INDEX by_name ON customers(name);
CREATE TABLE payments("from" TEXT, "to" TEXT, amount REAL, at INTEGER);
INSERT INTO payments VALUES ('c-1', 'c-2', 10, 1767225600), ('c-2', 'c-4', 2.5, 1767225601),
    ('c-4', 'c-1', 1e300, -5), ('c-4', 'c-5', -3, 9000000000), ('c-5', 'c-1', NULL, NULL);
CREATE TABLE empty(id TEXT);
CREATE TABLE blobs(id BLOB);
INSERT INTO blobs VALUES (x'00ff');
CREATE TABLE keyed(id TEXT PRIMARY KEY, age INT) WITHOUT ROWID;
CREATE VIEW adults AS SELECT * FROM customers WHERE age >= 18;
CREATE VIRTUAL TABLE search USING fts5(notes);
