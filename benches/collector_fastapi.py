"""What people write today: a collector of reports in FastAPI and SQLite, for `cargo bench -p privet-collector`.

    pip install fastapi uvicorn
    python benches/collector_fastapi.py 9000
    PRIVET_PEER=http://127.0.0.1:9000 cargo bench -p privet-collector

It takes the same requests, keeps the same bytes in one file, one row a participant, and answers when they are durable. It
does not check that a device could have drawn them, knows no invitations and groups nothing.
"""

import sqlite3
import sys
import tempfile

import uvicorn
from fastapi import FastAPI, Request, Response

store = sqlite3.connect(tempfile.mkdtemp() + "/peer.db", check_same_thread=False)
store.execute("PRAGMA journal_mode = WAL")
store.execute("PRAGMA synchronous = FULL")
store.execute("CREATE TABLE reports (task TEXT, place INTEGER, report BLOB, PRIMARY KEY (task, place))")
app = FastAPI()


def place_of(report: bytes) -> int:
    """The participant's place: seven bits a byte after the version and the task's name."""
    number = 0
    for at, byte in enumerate(report[33:43]):
        number |= (byte & 0x7F) << (7 * at)
        if byte < 0x80:
            return number
    raise ValueError("no place")


@app.post("/api/v1/tasks/{name}/reports")
async def take(name: str, request: Request) -> Response:
    report = await request.body()
    try:
        with store:
            store.execute("INSERT INTO reports VALUES (?, ?, ?)", (name, place_of(report), report))
    except sqlite3.IntegrityError:
        kept = store.execute("SELECT report FROM reports WHERE task = ? AND place = ?", (name, place_of(report)))
        return Response(status_code=200 if kept.fetchone()[0] == report else 409)
    return Response(status_code=201)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
