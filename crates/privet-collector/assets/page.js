// The page of a task: what is typed, an example of what would be sent, one button, a receipt.
function page(form) {
  const find = (id) => document.getElementById(id);
  const name = form.dataset.name;
  const sealed = JSON.parse(form.dataset.sealed);
  const [fields, send, example, status] = ["fields", "send", "example", "status"].map(find);
  const code = invitation(name);
  let engine, told, ids, places;

  const say = (text, kind = "") => {
    status.textContent = text;
    status.className = kind;
  };

  const sending = sender(name, {
    say,
    done(again) {
      engine("sent", { name });
      say(again ? "The collector had it already: the same bytes count once." : "The collector has it. Thank you.", "right");
    },
  });

  start().catch((error) => {
    say(`This page refuses to go on: ${error.message}`, "wrong");
    find("signature").textContent = "not what was signed, or could not be checked";
  });

  async function start() {
    const able = isSecureContext && navigator.locks && navigator.storage?.getDirectory && window.Worker && window.WebAssembly;
    if (!able) {
      throw new Error("this browser cannot keep an account here (it needs HTTPS and storage); answer with `privet collect answer`");
    }
    engine = caller(new Worker("/assets/device.js"));
    const answer = await fetch(`/api/v1/tasks/${name}/people`, { credentials: "omit" });
    if (!answer.ok) throw new Error("the list of people could not be loaded");
    const people = await answer.text();
    told = await engine("open", { sealed, people, name });
    ids = people.split("\n");
    if (ids.at(-1) === "") ids.pop();
    places = new Map(ids.map((id, at) => [id, at]));
    find("signature").textContent = "checked on this device";
    find("signature").className = "right";
    if (told.before) return answered(told.before, null, told.spent, !told.sent);
    ready();
  }

  function ready() {
    showBudget(told.device ? told.spent : null);
    if (told.device && told.refused) return say(told.refused, "wrong");
    fields.disabled = false;
    send.disabled = false;
    const me = new URLSearchParams(code.fragment).get("me");
    if (me) find("me").value = me;
    say("Ready. Nothing has been drawn or sent.");
    form.addEventListener("input", soon);
    example.addEventListener("click", () => preview());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      submit();
    });
  }

  function showBudget(spent) {
    find("budget").hidden = spent !== null;
    find("left").hidden = spent === null;
    if (spent === null) return;
    const left = (used) => rounded(Math.max(spent.lifetime - used, 0));
    find("left").textContent =
      `Your budget for life is ${rounded(spent.lifetime)}. Left for answers about yourself: ${left(spent.record)}; ` +
      `for lists of people: ${left(spent.contacts)}.`;
  }

  // What is held, or the field that is not right and why.
  function held() {
    const wrong = (field, why) => ({ field, why });
    const me = find("me").value.trim();
    const participant = places.get(me);
    if (participant === undefined) return wrong(find("me"), "This id is not on the list of those who can take part.");
    const mine = {};
    const asks = told.task.asks;
    if (asks.features) {
      const all = numbers();
      if (all.why) return all;
      mine.features = all;
    }
    if (asks.label) {
      const chosen = form.querySelector("input[name=label]:checked");
      if (!chosen) return wrong(form.querySelector("input[name=label]"), "Choose one of the answers.");
      mine.label = Number(chosen.value);
    }
    if (asks.contacts) {
      const named = find("contacts").value.split(/[\n,;]+/).map((id) => id.trim()).filter((id) => id !== "");
      const unknown = named.filter((id) => !places.has(id));
      if (unknown.length > 0) return wrong(find("contacts"), `${unknown.length} of the ids are not on the list; the first is “${unknown[0]}”.`);
      const list = new Set(named.map((id) => places.get(id)));
      if (list.has(participant)) return wrong(find("contacts"), "The list names yourself; it is about others.");
      mine.contacts = [...list].sort((a, b) => a - b);
    }
    return { participant, mine };
  }

  function numbers() {
    const columns = told.task.asks.features.columns;
    const single = [...form.querySelectorAll("input[data-column]")];
    const texts = single.length > 0 ? single.map((input) => input.value) : find("columns").value.split(/[\s,;]+/).filter((text) => text !== "");
    const at = texts.findIndex((text) => text.trim() === "" || !Number.isFinite(Number(text)));
    if (at >= 0) return { field: single[at] ?? find("columns"), why: `A number is missing: ${columns[at]?.name ?? at + 1}.` };
    if (texts.length !== columns.length) return { field: find("columns"), why: `${columns.length} numbers are asked, ${texts.length} are there.` };
    return texts.map(Number);
  }

  let timer;
  function soon(event) {
    // The budget changes nothing about what is sent.
    if (event.target.id === "lifetime") return;
    clearTimeout(timer);
    timer = setTimeout(preview, 250);
  }

  // What could be sent: drawn with throw-away noise, shown, and never sent.
  async function preview() {
    form.querySelectorAll("[aria-invalid]").forEach((field) => field.removeAttribute("aria-invalid"));
    const now = held();
    if (now.why || fields.disabled) return;
    const seed = crypto.getRandomValues(new Uint32Array(1))[0];
    try {
      const drawn = await engine("example", { sealed, ...now, seed });
      if (fields.disabled) return;
      example.disabled = false;
      const mark = element("p", { class: "mark", text: "An example. What is sent is drawn when you press the button, once." });
      const box = find("comparison");
      // What stands below does not jump up under a finger.
      box.style.minHeight = `${box.offsetHeight}px`;
      box.replaceChildren(mark, ...comparison(told.task, ids, now.mine, drawn.shown));
    } catch (error) {
      say(error.message, "wrong");
    }
  }

  async function submit() {
    const now = held();
    if (now.why) {
      now.field.setAttribute("aria-invalid", "true");
      now.field.focus();
      return say(now.why, "wrong");
    }
    const lifetime = Number(find("lifetime").value);
    if (!told.device && !(lifetime > 0 && lifetime <= 20)) {
      find("lifetime").focus();
      return say("A budget for life is a number above 0, up to 20.", "wrong");
    }
    if (form.dataset.invitation !== undefined && !code.value) {
      return say("This task is by invitation: open the link that you were given.", "wrong");
    }
    send.disabled = true;
    say("Writing down what it costs, then adding the noise…");
    try {
      // Asked for, so that the browser does not throw the account away when it wants room.
      navigator.storage.persist?.();
      const drawn = await engine("answer", { sealed, ...now, lifetime, name, code: code.value });
      answered(drawn, now.mine, drawn.spent, true);
    } catch (error) {
      send.disabled = false;
      say(error.message, "wrong");
    }
  }

  // A report is there: it is shown, and sent unless the collector has it.
  function answered(drawn, mine, spent, toSend) {
    fields.disabled = true;
    send.disabled = true;
    example.hidden = true;
    find("me").value = ids[drawn.shown.participant];
    showBudget(spent);
    const words = drawn.again || !mine ? "This was drawn before. The same bytes are sent again, at no further cost." : "This is what is sent.";
    const mark = element("p", { class: "mark real", text: words });
    const known = drawn.again ? null : mine;
    find("comparison").replaceChildren(mark, ...comparison(told.task, ids, known, drawn.shown));
    find("receipt-text").replaceChildren(
      element("p", { text: `${drawn.report.length} bytes, whose SHA-256 is` }),
      element("p", {}, element("code", { class: "long", id: "hash", text: drawn.receipt })),
      element("p", { text: "They are kept on this device. If you are asked again, the same bytes are sent, so that the noise cannot be averaged away." }),
    );
    find("receipt").hidden = false;
    find("receipt").dataset.took = drawn.took;
    find("receipt").dataset.report = drawn.report.map((byte) => byte.toString(16).padStart(2, "0")).join("");
    if (!toSend) return say("You have answered this, and the collector has it.", "right");
    find("receipt").focus();
    say("Sending…");
    sending(drawn.report, code.value || told.code);
  }
}

// Questions to the worker, each with its answer.
function caller(worker) {
  const waiting = new Map();
  let next = 0;
  worker.onmessage = ({ data }) => {
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error !== undefined) reject(new Error(data.error));
    else resolve(data.ok);
  };
  worker.onerror = () => waiting.forEach(({ reject }) => reject(new Error("the part that adds the noise could not be started")));
  return (ask, question) =>
    new Promise((resolve, reject) => {
      waiting.set(next, { resolve, reject });
      worker.postMessage({ ...question, ask, id: next++ });
    });
}

// The code of an invitation stands behind the #, which no browser sends. It is taken out of the address at once, so that it
// is not in the history, and kept for this tab until the report is drawn.
function invitation(name) {
  const key = `privet-${name}`;
  const fragment = location.hash.slice(1) || sessionStorage.getItem(key) || "";
  if (location.hash) {
    sessionStorage.setItem(key, fragment);
    history.replaceState(null, "", location.pathname);
  }
  return { fragment, value: new URLSearchParams(fragment).get("code") ?? "" };
}
