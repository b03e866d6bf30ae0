"""What pages look like: on small screens, in the dark, by keyboard, and with hostile words."""

from case import Case

HOSTILE = "<img src=x onerror=document.title='stolen'>\"'&</script>"


class Looks(Case):
    def test_an_administrator_gets_in_looks_and_closes(self):
        browser, task = self.browser, self.collector.tasks["winter"]
        self.open()
        self.answer()
        browser.says("The collector has it")
        browser.go(self.collector.url + f"/admin/t/{task}")
        browser.type("#token", "a-token-of-another-server")
        browser.press("enter")
        browser.until("return document.body.textContent.includes('not one of this server')")
        self.log_in()
        browser.until(
            "const link = [...document.links].find((link) => link.textContent === 'Winter'); link?.click(); return !!link"
        )
        told = browser.until("return document.querySelector('.hours') && document.querySelector('main').textContent")
        self.assertIn("1 of 120", told)
        self.assertIn("1 reports in the last 48 hours", told)
        self.assertIn("the mean of cups of tea", told)
        get = "const done = arguments[1]; fetch(arguments[0]).then(async (a) => done([a.status, (await a.blob()).size]))"
        for kind in ("npz", "csv", "parquet"):
            link = browser.run("return [...document.links].find((link) => link.textContent === arguments[0]).href", kind)
            if kind == "parquet":
                continue  # A build of this crate alone has no Parquet.
            status, size = browser.wait_run(get, link)
            self.assertEqual(status, 200, kind)
            self.assertGreater(size, 300)
        browser.click("button.danger")
        browser.until("return document.querySelector('.facts').textContent.includes('closed')")
        browser.go(self.collector.page("winter"))
        browser.shows("main", "no report is taken any more")
        browser.go(self.collector.url + "/admin")
        browser.click("button.second")
        browser.until("return document.getElementById('token')")

    def test_other_peoples_words_are_words(self):
        self.open("hostile")
        self.browser.shows("h1", HOSTILE)
        self.browser.type("#me", "ann")
        self.browser.click("input[name=label][value='0']")
        self.browser.type("#contacts", HOSTILE)
        self.browser.click("#send")
        self.browser.says("The collector has it")
        self.browser.shows("#comparison", HOSTILE)
        self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)
        self.assertNotEqual(self.browser.run("return document.title"), "stolen")
        self.log_in()
        for page in ("/", "/admin", f"/admin/t/{self.collector.tasks['hostile']}"):
            self.browser.go(self.collector.url + page)
            self.browser.shows("main", HOSTILE)
            self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)

    def test_a_keyboard_is_enough(self):
        self.open()
        browser = self.browser
        browser.run("document.activeElement.blur()")

        def tab_to(field):
            for _ in range(40):
                browser.press("tab")
                if browser.run("return document.activeElement.matches(arguments[0])", field):
                    # Where the focus is can be seen.
                    self.assertNotEqual(browser.run("return getComputedStyle(document.activeElement).outlineStyle"), "none")
                    return
            self.fail(f"the keyboard does not get to {field}")

        tab_to("#me")
        browser.press("p7")
        for column in range(4):
            tab_to(f"#column-{column}")
            browser.press("5")
        tab_to("input[name=label]")
        browser.press("down")
        tab_to("#contacts")
        browser.press("p1")
        tab_to("#send")
        browser.press("enter")
        browser.says("The collector has it")
        self.assertEqual(len(self.collector.posted), 1)

    def test_everything_has_a_name_for_who_cannot_see(self):
        script = """return [...document.querySelectorAll('input:not([type=hidden]), textarea, button, svg[role=img], progress')]
            .filter((field) => !(field.labels?.length || field.getAttribute('aria-label') || field.textContent.trim()))
            .map((field) => field.outerHTML)"""
        for page in self.everywhere():
            self.assertEqual(self.browser.run(script), [], page)
            self.assertEqual(self.browser.run("return document.querySelectorAll('h1').length"), 1, page)
            self.assertEqual(self.browser.run("return document.documentElement.lang"), "en")

    def everywhere(self):
        task = self.collector.tasks["winter"]
        self.browser.call("DELETE", "/cookie")
        for name in ("/", "/admin", "/admin#in", "/missing", f"/admin/t/{task}", f"/t/{task}"):
            if name == "/admin#in":
                self.log_in()
            else:
                self.browser.go(self.collector.url + name)
            if name.startswith("/t/"):
                self.browser.says("Ready")
            yield name

    def test_narrow_screens_have_room(self):
        self.browser.narrow(360)
        for page in self.everywhere():
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360, page)
            self.picture("narrow-" + (page[1:9].replace("/", "-") or "front"))
        self.answer()
        self.browser.says("The collector has it")
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
        self.picture("narrow-sent")
        self.open("hostile")
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)

    def test_words_stand_out_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            self.browser.scheme(scheme)
            for page in self.everywhere():
                if page.startswith("/t/"):
                    self.fill(lifetime=None)
                    self.browser.until("return document.querySelector('#comparison .mark')")
                poor = self.browser.run(CONTRAST)
                self.assertEqual(poor, [], (scheme, page))
                self.picture(f"{scheme}-" + (page[1:9].replace("/", "-") or "front"))


# Every text and its own ground, by the ratio of WCAG 2: 4.5 at least; what cannot be pressed is let off.
CONTRAST = """
const parse = (color) => color.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
const ground = (node) => {
  for (; node; node = node.parentElement) {
    const color = parse(getComputedStyle(node).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
};
const poor = [];
for (const node of document.querySelectorAll('body *')) {
  const words = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  if (!words || node.closest('[disabled], [hidden], svg, noscript')) continue;
  const [a, b] = [luminance(parse(getComputedStyle(node).color)), luminance(ground(node))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) poor.push(`${node.tagName} ${node.className} ${ratio.toFixed(2)}: ${node.textContent.slice(0, 30)}`);
}
return poor;
"""
