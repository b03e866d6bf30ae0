"""Reports in a real browser: not empty, not wider than the window, legible in light and dark.

    python3 test_reports.py PROGRAM [-v]     PROGRAM: the command `privet`, built

`cargo xtask browser` does it. PRIVET_PICTURES=FOLDER leaves pictures of all pages there.
"""

import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "privet-collector" / "browser"))
from driver import Driver  # noqa: E402

PROGRAM = None
SHOP = Path(__file__).resolve().parents[3] / "docs" / "projects"

# A page of each kind, on generated people.
PAGES = {
    "demo": "demo --html",
    "ldp-ge": "run ldp-ge --dataset synthetic --epsilon 1 --runs 3 --html",
    "hetero-rr": "run hetero-rr --dataset in.npz --bounds 0,1 --epsilon-edges 1 --runs 2 --html",
    "dpar": "run dpar --dataset synthetic --epsilon 4 --delta 1e-4 --runs 1 --html",
    "membership": "attack membership --dataset synthetic --epsilon 4 --delta 1e-4 --shadows 8 --targets 4 --html",
}


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name)
        cls.pages = {name: root / f"{name}.html" for name in PAGES}
        cls.privet(root, *"data generate sbm --nodes 210 --classes 3 --features 12 --mean-degree 6 -o in.npz".split())
        for name, line in PAGES.items():
            cls.privet(root, *line.split(), str(cls.pages[name]))
        shop = root / "shop"
        shop.mkdir()
        for table in ("customers.csv", "payments.csv"):
            (shop / table).write_bytes((SHOP / table).read_bytes())
        cls.privet(
            shop, *"init --name shop --people customers.csv --id customer --label segment".split(),
            *"--classes retail,business,student --column age=number:16..100".split(),
            *"--edges payments.csv:payer:payee --protects people --epsilon 3 --delta 1e-6".split())
        cls.privet(shop, *"train -o model --epsilon 1".split())
        cls.pages["status"] = root / "status.html"
        cls.privet(shop, "status", "--html", str(cls.pages["status"]))
        cls.driver = Driver()
        cls.browser = cls.driver.browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.driver.stop()
        cls.folder.cleanup()

    @staticmethod
    def privet(folder, *words):
        told = subprocess.run([PROGRAM, *words, "--quiet"], cwd=folder, env={**os.environ, "HOME": str(folder)},
                              capture_output=True, text=True)
        assert told.returncode == 0, (words, told.stderr)

    def everywhere(self, width, scheme="light"):
        self.browser.narrow(width)
        self.browser.scheme(scheme)
        for name, path in self.pages.items():
            self.browser.go(path.as_uri())
            yield name

    def test_nothing_is_wider_than_the_window(self):
        for width in (360, 830, 1600):
            for name in self.everywhere(width):
                self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width, name)
                # What scrolls by itself does so only where the window is narrower than any table could be.
                cut = self.browser.run("return [...document.querySelectorAll('.wide')].filter((box) => box.clientWidth"
                                       " && box.scrollWidth > box.clientWidth + 1).map((box) => box.textContent.slice(0, 40))")
                self.assertEqual(cut, [], (width, name))

    def test_the_answer_is_seen_first_and_nothing_is_empty(self):
        for width in (360, 1600):
            for name in self.everywhere(width):
                top, height = self.browser.run(
                    "const box = document.querySelector('.summary').getBoundingClientRect(); return [box.top, innerHeight]")
                self.assertLess(top, height / 3, name)
                self.assertEqual(self.browser.run("return document.body.innerText.split(document.querySelector('.summary').innerText).length"), 2, f"{name}: the answer is said once")
                hollow = self.browser.run("return [...document.querySelectorAll('figure')].filter((figure) => "
                                          "[...figure.querySelectorAll('svg')].filter((svg) => svg.clientWidth > 200).length !== 1).length")
                self.assertEqual(hollow, 0, (width, name))
                if name != "status":
                    self.assertGreater(self.browser.run("return document.querySelectorAll('figure').length"), 0, name)
                self.assertGreater(self.inked(f"{name}-{width}"), 0.01, (width, name))

    def test_words_stand_out_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            for name in self.everywhere(1000, scheme):
                self.assertEqual(self.browser.run(CONTRAST), [], (scheme, name))
                self.assertGreater(self.inked(f"{name}-{scheme}"), 0.01, (scheme, name))

    def test_values_show_and_tables_sort(self):
        for name in self.everywhere(1000):
            self.assertEqual(self.browser.complaints(), [], name)
        self.browser.go(self.pages["ldp-ge"].as_uri())
        told = self.browser.run(
            "const hint = [...document.querySelector('.broad').querySelectorAll('.hint')].at(-1);"
            "hint.dispatchEvent(new PointerEvent('pointerenter', {clientX: 50, clientY: 50}));"
            "const tip = document.querySelector('.tip'); return tip.hidden ? '' : tip.textContent")
        self.assertRegex(told, r"epsilon 1: [\d.]+ %")
        order = ("return [...document.querySelector('table').tBodies[0].rows]"
                 ".map((row) => row.cells[2].dataset.value).filter(Boolean).map(Number)")
        self.browser.run("document.querySelector('table').tHead.rows[0].cells[2].querySelector('button').click()")
        rising = self.browser.run(order)
        self.assertEqual(rising, sorted(rising))
        self.browser.run("document.querySelector('table').tHead.rows[0].cells[2].querySelector('button').click()")
        self.assertEqual(self.browser.run(order), sorted(rising, reverse=True))

    def inked(self, name):
        """The share of a picture of the page that is not its ground."""
        size = self.browser.run("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 4000), "scale": 0.25}
        import base64
        shot = self.browser.cdp("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        if os.environ.get("PRIVET_PICTURES"):
            self.browser.picture(Path(os.environ["PRIVET_PICTURES"]) / f"{name}.png")
        rows, depth = pixels(base64.b64decode(shot["data"]))
        ground = rows[0][:depth]
        spots = [row[at:at + depth] for row in rows for at in range(0, len(row), depth)]
        return sum(spot != ground for spot in spots) / len(spots)


def pixels(png):
    """The rows of a PNG of 8 bits a channel, and its bytes a pixel."""
    at, packed = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, _, _, colour = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    depth = {2: 3, 6: 4}[colour]
    data, wide, rows = zlib.decompress(packed), width * depth, []
    above = bytearray(wide)
    for start in range(0, len(data), wide + 1):
        rule, row = data[start], bytearray(data[start + 1:start + 1 + wide])
        for x in range(wide):
            a = row[x - depth] if x >= depth else 0
            b, c = above[x], above[x - depth] if x >= depth else 0
            if rule == 4:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            else:
                near = (0, a, b, (a + b) // 2)[rule]
            row[x] = (row[x] + near) & 255
        rows.append(bytes(row))
        above = row
    return rows, depth


# Every text and its own ground, by the ratio of WCAG 2: 4.5 at least. Letters of pictures have their fill as colour.
CONTRAST = """
const parse = (color) => color.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
const ground = (node) => {
  for (; node; node = node.parentElement) {
    const color = parse(getComputedStyle(node).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
const poor = [];
for (const node of document.querySelectorAll('body *')) {
  const words = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  if (!words || node.closest('[hidden], script, title, desc') || !node.getClientRects().length) continue;
  const style = getComputedStyle(node);
  const [a, b] = [luminance(parse(node.closest('svg') ? style.fill : style.color)), luminance(ground(node))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) poor.push(`${node.tagName} ${node.getAttribute('class')} ${ratio.toFixed(2)}: ${node.textContent.slice(0, 30)}`);
}
return poor;
"""

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = sys.argv.pop(1)
    unittest.main()
