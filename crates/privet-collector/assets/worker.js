// The worker: the module that draws noise, and storage that lasts. Both are here because a worker can write a file and wait
// until it is on disk, which a page cannot; the module draws only after a line is.
async function worker() {
  const encode = (text) => new TextEncoder().encode(text);
  const decode = (bytes) => new TextDecoder().decode(bytes);
  const ACCOUNTS = ["features", "label", "contacts"];
  let module;
  let open = new Map(); // Files that may be written while a question is answered.

  const bytesAt = (place, length) => new Uint8Array(module.memory.buffer, place >>> 0, length);
  const imports = {
    privet: {
      random(place, length) {
        crypto.getRandomValues(bytesAt(place, length));
        return 1;
      },
      keep(name, nameLength, line, length) {
        return write(decode(bytesAt(name, nameLength)) + ".ledger", bytesAt(line, length).slice(), true);
      },
      put(name, nameLength, bytes, length) {
        const body = bytesAt(bytes, length).slice();
        // Its length stands before it: a report that was torn off was never sent, and is none.
        const framed = new Uint8Array(4 + length);
        new DataView(framed.buffer).setUint32(0, length);
        framed.set(body, 4);
        return write(decode(bytesAt(name, nameLength)) + ".report", framed, false);
      },
    },
  };

  // Writes and waits until it is on disk: 1, or 0 if it may be lost.
  function write(name, bytes, atTheEnd) {
    const file = open.get(name);
    try {
      const at = atTheEnd ? file.getSize() : 0;
      const written = file.write(bytes, { at });
      file.flush();
      return written === bytes.length ? 1 : 0;
    } catch {
      return 0;
    }
  }

  async function load() {
    const answer = await fetch("/assets/privet.wasm");
    if (!answer.ok) throw new Error("the part that adds the noise could not be loaded");
    const made = await WebAssembly.instantiate(await answer.arrayBuffer(), imports);
    module = made.instance.exports;
  }

  // A question to the module, and how long it took.
  function ask(question) {
    const bytes = encode(JSON.stringify(question));
    const place = module.room(bytes.length);
    bytesAt(place, bytes.length).set(bytes);
    const begun = performance.now();
    const told = BigInt.asUintN(64, module.ask(place, bytes.length));
    const took = performance.now() - begun;
    const [at, length] = [Number(told >> 32n), Number(told & 0xffffffffn)];
    const answer = JSON.parse(decode(bytesAt(at, length)));
    module.give_back(at, length);
    if (answer.error !== undefined) throw new Error(answer.error);
    return { ...answer.ok, took };
  }

  const folder = async () =>
    (await navigator.storage.getDirectory()).getDirectoryHandle("privet-device", { create: true });

  async function read(name) {
    try {
      const file = await (await folder()).getFileHandle(name);
      return new Uint8Array(await (await file.getFile()).arrayBuffer());
    } catch (error) {
      if (error.name === "NotFoundError") return new Uint8Array();
      throw error;
    }
  }

  async function put(name, bytes) {
    const file = await (await (await folder()).getFileHandle(name, { create: true })).createSyncAccessHandle();
    try {
      file.truncate(0);
      file.write(bytes, { at: 0 });
      file.flush();
    } finally {
      file.close();
    }
  }

  // What this device keeps, as the module takes it.
  async function kept(name, lifetime) {
    const about = await read("device.json");
    const device = about.length > 0 ? JSON.parse(decode(about)) : null;
    const accounts = {};
    for (const account of ACCOUNTS) {
      const text = decode(await read(account + ".ledger"));
      // Half a line was never charged: nothing was drawn for it.
      accounts[account] = text.slice(0, text.lastIndexOf("\n") + 1);
    }
    const framed = await read(name + ".report");
    const length = framed.length >= 4 ? new DataView(framed.buffer).getUint32(0) : -1;
    const report = framed.length === length + 4 ? Array.from(framed.slice(4)) : null;
    return { device, kept: { lifetime: device?.lifetime ?? lifetime, accounts, report } };
  }

  // One at a time, over all tabs: two cannot see the same budget and both spend it.
  const alone = (work) => navigator.locks.request("privet-device", work);

  const answers = {
    // Whether the task is what was signed, and what this device has to do with it.
    async open({ sealed, people, name }) {
      const { device, kept: state } = await alone(() => kept(name, 20));
      const told = ask({ ask: "task", sealed, people, kept: state });
      if (told.name !== name) throw new Error("this page shows another task than its address says");
      const before = state.report && ask({ ask: "show", sealed, report: state.report });
      const sent = decode(await read(name + ".sent")) === "yes";
      const code = decode(await read(name + ".code"));
      return { ...told, device, before, sent, code };
    },
    async example({ sealed, participant, mine, seed }) {
      return ask({ ask: "example", sealed, participant, mine, seed });
    },
    async answer({ sealed, participant, mine, lifetime, name, code }) {
      return alone(async () => {
        const { device, kept: state } = await kept(name, lifetime);
        // A budget for life is not written down for an answer that it has no room for.
        const { refused } = ask({ ask: "task", sealed, kept: state });
        if (refused && !state.report) throw new Error(refused);
        if (!device) await put("device.json", encode(JSON.stringify({ lifetime })));
        if (!state.report && code) await put(name + ".code", encode(code));
        try {
          for (const file of [...ACCOUNTS.map((account) => account + ".ledger"), name + ".report"]) {
            const handle = await (await folder()).getFileHandle(file, { create: true });
            open.set(file, await handle.createSyncAccessHandle());
          }
          for (const account of ACCOUNTS) {
            open.get(account + ".ledger").truncate(encode(state.accounts[account]).length);
          }
          return ask({ ask: "answer", sealed, participant, mine, kept: state });
        } finally {
          open.forEach((file) => file.close());
          open = new Map();
        }
      });
    },
    async show({ sealed, report }) {
      return ask({ ask: "show", sealed, report });
    },
    async task({ sealed }) {
      return ask({ ask: "task", sealed });
    },
    // The collector has it: the code is not needed any more.
    async sent({ name }) {
      await put(name + ".sent", encode("yes"));
      await put(name + ".code", encode(""));
      return {};
    },
  };

  self.onmessage = async ({ data }) => {
    try {
      if (!module) await load();
      postMessage({ id: data.id, ok: await answers[data.ask](data) });
    } catch (error) {
      // Where a module stopped in the middle, what is in its memory is not known.
      if (error instanceof WebAssembly.RuntimeError) module = undefined;
      postMessage({ id: data.id, error: String(error.message || error) });
    }
  };
}

if (typeof document === "undefined") worker();
else if (document.getElementById("answer")) page(document.getElementById("answer"));
