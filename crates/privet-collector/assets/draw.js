"use strict";
// Pictures of what a person holds beside what is sent. Texts are set as texts, never as markup: titles, ids and answers are
// other people's words.
const SVG = "http://www.w3.org/2000/svg";
const MOST_CHIPS = 40;
const MOST_TRACKS = 30;
const MOST_BITS = 400;

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key === "text") made.textContent = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function shape(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const rounded = (number) => Number(number.toPrecision(3)).toString();

// All parts, side by side. `held` is null where only the sent half is known.
function comparison(task, ids, held, shown) {
  const parts = [];
  if (task.asks.label) parts.push(drawLabel(task.asks.label, held?.label, shown.label));
  if (task.asks.features) parts.push(drawNumbers(task.asks.features, held?.features, shown.columns));
  if (task.asks.contacts) parts.push(drawContacts(task.asks.contacts, ids, held?.contacts, shown));
  return parts;
}

function drawLabel(asked, held, sent) {
  const row = (word, at) =>
    element("p", { class: "pick" }, element("span", { class: "quiet", text: word }), element("strong", { text: asked.classes[at] }));
  const same = held === sent;
  const said = held === undefined ? "" : same ? "This time chance left it as it is." : "This time chance put another answer in its place.";
  return element(
    "div",
    { class: "part" },
    element("h3", { text: asked.question }),
    element("div", { class: "pair" }, held === undefined ? null : row("You hold", held), row("Sent", sent)),
    element("p", { class: "quiet", text: `${said} No one else can tell.`.trim() }),
  );
}

// A line a number: where yours is in its range, and where the one is that is sent.
function drawNumbers(asked, held, sent) {
  const by = new Map(sent.map((column) => [column.column, column]));
  const left = asked.columns.length - by.size;
  const list = element("ul", { class: "tracks" });
  const order = asked.columns.map((_, at) => at).sort((a, b) => by.has(b) - by.has(a) || a - b);
  for (const at of order.slice(0, MOST_TRACKS)) list.append(track(asked.columns[at], held?.[at], by.get(at)));
  const more = asked.columns.length - MOST_TRACKS;
  return element(
    "div",
    { class: "part" },
    element("h3", { text: "Your numbers" }),
    list,
    key(held !== undefined && held !== null),
    more > 0 ? element("p", { class: "quiet", text: `And ${more} more.` }) : null,
    element("p", { class: "quiet", text: `${by.size} sent with noise, ${left} left out.` }),
  );
}

// What the marks on a line mean.
function key(both) {
  const line = element("p", { class: "quiet key", "aria-hidden": "true" });
  if (both) line.append(element("span", { class: "shape-held", text: "○" }), " what you hold  ");
  line.append(element("span", { class: "shape-sent", text: "◆" }), " what is sent");
  return line;
}

function track(column, held, sent) {
  const words = [];
  if (held !== undefined) words.push(`you hold ${rounded(held)}`);
  words.push(sent ? `sent as ${rounded(sent.value)}` : "left out");
  const item = element("li", { class: sent ? "" : "left" });
  item.append(element("span", { class: "name", text: column.name }), element("span", { class: "said", text: words.join(", ") }));
  const range = sent ? sent.range : [column.low, column.high];
  const [low, high] = [Math.min(range[0], column.low), Math.max(range[1], column.high)];
  const place = (value) => 6 + (288 * (Math.min(Math.max(value, low), high) - low)) / (high - low || 1);
  const [from, to] = [place(column.low), place(column.high)];
  const picture = shape("svg", { viewBox: "0 0 300 18", preserveAspectRatio: "xMinYMid", "aria-hidden": "true" });
  picture.append(shape("line", { class: "axis", x1: 6, x2: 294, y1: 9, y2: 9 }));
  picture.append(shape("line", { class: "range", x1: from, x2: to, y1: 9, y2: 9 }));
  if (held !== undefined) picture.append(shape("circle", { class: "held", cx: place(held), cy: 9, r: 5 }));
  if (sent) {
    const x = place(sent.value);
    picture.append(shape("path", { class: "sent", d: `M${x} 2l7 7-7 7-7-7z` }));
  }
  item.append(picture);
  return item;
}

// Whom one names, whom chance leaves out, and whom it puts in.
function drawContacts(asked, ids, held, shown) {
  const sent = new Set(shown.contacts);
  const mine = new Set(held ?? []);
  const stay = [...mine].filter((at) => sent.has(at));
  const out = [...mine].filter((at) => !sent.has(at));
  const added = [...sent].filter((at) => !mine.has(at));
  const part = element("div", { class: "part" }, element("h3", { text: asked.question }));
  if (held && ids.length <= MOST_BITS) part.append(bits(ids.length, mine, sent));
  if (held) {
    part.append(
      chips("Sent as they are", "stay", stay, ids),
      chips("Left out by chance", "out", out, ids),
      chips("Put in by chance", "added", added, ids),
    );
  } else {
    part.append(chips("Sent", "stay", added, ids));
  }
  const words = `The list that is sent has ${sent.size} of ${ids.length.toLocaleString("en")} people`;
  part.append(element("p", { class: "quiet", text: `${words}, and says that you know about ${shown.degree}: a number with noise.` }));
  return part;
}

function chips(title, kind, places, ids) {
  const list = element("ul", { class: `chips ${kind}` });
  for (const at of places.slice(0, MOST_CHIPS)) list.append(element("li", { text: ids[at] }));
  if (places.length > MOST_CHIPS) list.append(element("li", { class: "more", text: `and ${places.length - MOST_CHIPS} more` }));
  if (places.length === 0) list.append(element("li", { class: "more", text: "none" }));
  return element("div", { class: "group" }, element("h4", { text: `${title}: ${places.length}` }), list);
}

// Two rows of bits, one square a person: above what is held, below what is sent. Those that flipped stand out.
function bits(count, mine, sent) {
  const columns = Math.min(count, innerWidth < 560 ? 24 : 50);
  const bands = Math.ceil(count / columns);
  const said = "One column a person. Above: whom you name. Below: whom the report names. Framed: flipped by chance.";
  const picture = shape("svg", { class: "bits", viewBox: `0 0 ${columns * 10} ${bands * 28}`, role: "img", "aria-label": said });
  for (let at = 0; at < count; at++) {
    const [x, y] = [(at % columns) * 10 + 1, Math.floor(at / columns) * 28 + 1];
    const flipped = mine.has(at) !== sent.has(at) ? " flipped" : "";
    picture.append(shape("rect", { class: mine.has(at) ? "one" : "zero", x, y, width: 8, height: 10, rx: 1 }));
    picture.append(shape("rect", { class: (sent.has(at) ? "one" : "zero") + flipped, x, y: y + 12, width: 8, height: 10, rx: 1 }));
  }
  return element("figure", { class: "strip" }, picture, element("figcaption", { class: "quiet", text: said }));
}
