// Sending: the same bytes until the collector has them. What cannot be sent now is kept and tried again.
function sender(name, { say, done }) {
  const WAITS = [2, 5, 15, 60];
  const LATER = [408, 429, 502, 503, 504];
  let tries = 0;
  let timer;
  let busy = false;

  async function send(report, code) {
    if (busy) return;
    busy = true;
    clearTimeout(timer);
    const headers = { "Content-Type": "application/octet-stream" };
    if (code) headers["Privet-Invitation"] = code;
    let answer;
    try {
      const url = `/api/v1/tasks/${name}/reports`;
      answer = await fetch(url, { method: "POST", headers, body: new Uint8Array(report), credentials: "omit" });
    } catch {
      return later(report, code, "There is no connection.");
    }
    if (LATER.includes(answer.status)) return later(report, code, "The collector is busy.");
    busy = false;
    if (answer.ok) return done(answer.status === 200);
    const why = await answer.json().catch(() => ({ error: `the collector answered ${answer.status}` }));
    const expected = why.expected ? ` Expected: ${why.expected}.` : "";
    say(`The collector refused it: ${why.error}.${expected}`, "wrong");
  }

  function later(report, code, why) {
    busy = false;
    const wait = WAITS[Math.min(tries++, WAITS.length - 1)];
    const again = () => send(report, code);
    timer = setTimeout(again, wait * 1000);
    window.addEventListener("online", again, { once: true });
    say(`${why} Your report is kept on this device and is tried again; the same bytes, at no further cost.`, "waiting");
  }

  return send;
}
