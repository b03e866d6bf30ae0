'use strict';
// What a report does beside being read: values under the pointer, and tables that sort. All of it is in
// the page without this, too: as titles of shapes, and as rows in the order of the report.
const tip = document.createElement('div');
tip.className = 'tip';
tip.hidden = true;
tip.setAttribute('role', 'status');
document.body.append(tip);
for (const hint of document.querySelectorAll('.hint')) {
  const title = hint.querySelector('title');
  hint.setAttribute('aria-label', title.textContent);
  // The browser's own tip would come late, and beside this one.
  title.remove();
  hint.addEventListener('pointerenter', (event) => {
    tip.textContent = hint.getAttribute('aria-label');
    tip.hidden = false;
    const right = scrollX + document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = Math.max(scrollX + 8, Math.min(event.pageX + 12, right)) + 'px';
    tip.style.top = event.pageY + 16 + 'px';
  });
  hint.addEventListener('pointerleave', () => { tip.hidden = true; });
}
const value = (row, at) => {
  const cell = row.cells[at];
  const number = cell.dataset.value;
  return number === undefined ? cell.textContent.trim() : Number(number);
};
const compare = (a, b) => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  return a.localeCompare(b, 'en', { numeric: true });
};
for (const table of document.querySelectorAll('table')) {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 3) continue;
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const falls = head.getAttribute('aria-sort') === 'ascending';
      for (const other of head.parentElement.cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', falls ? 'descending' : 'ascending');
      const rows = [...body.rows].sort((a, b) => compare(value(a, at), value(b, at)));
      body.append(...(falls ? rows.reverse() : rows));
    });
  });
}
