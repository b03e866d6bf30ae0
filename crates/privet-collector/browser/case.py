"""What all tests in a browser begin with: a collector of their own, and hands that fill in its pages."""

import os
import unittest
from pathlib import Path

from driver import Driver
from moods import Collector


class Case(unittest.TestCase):
    # The example `service`, built.
    program = None

    @classmethod
    def setUpClass(cls):
        cls.driver = Driver()
        cls.browser = cls.driver.browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.driver.stop()

    def setUp(self):
        self.collector = Collector(Case.program)
        self.addCleanup(self.collector.stop)
        self.browser.scheme("light")
        self.browser.narrow(1000)

    def open(self, name="winter", fragment=""):
        self.browser.go(self.collector.page(name, fragment))
        self.browser.until("return (document.getElementById('status')?.textContent ?? 'Checking the task…') !== 'Checking the task…'")

    def fill(self, me="p7", lifetime="6", contacts="p1, p2\np90"):
        browser = self.browser
        browser.type("#me", me)
        for column, value in enumerate(["3", "0", "7.5", "10"]):
            browser.type(f"#column-{column}", value)
        browser.click("input[name=label][value='1']")
        browser.type("#contacts", contacts)
        if lifetime:
            browser.type("#lifetime", lifetime)

    def answer(self, **filled):
        self.fill(**filled)
        self.browser.click("#send")

    def receipt(self):
        return self.browser.until("return document.getElementById('hash')?.textContent")

    def picture(self, name):
        if os.environ.get("PRIVET_PICTURES"):
            self.browser.picture(Path(os.environ["PRIVET_PICTURES"]) / f"{name}.png")
            # A picture of all of a page leaves it scrolled elsewhere than the driver thinks.
            self.browser.run("scrollTo(0, 0)")

    def log_in(self):
        self.browser.go(self.collector.url + "/admin")
        if self.browser.run("return document.getElementById('token')"):
            self.browser.type("#token", self.collector.token)
            self.browser.press("enter")
            self.browser.until("return document.querySelector('table')")
