"""A browser, driven over the WebDriver protocol: JSON over HTTP, so nothing but Python is needed."""

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"tab": "\ue004", "enter": "\ue007", "space": " ", "down": "\ue015"}


class Driver:
    """Starts a driver; browsers are its sessions."""

    def __init__(self):
        program = shutil.which("chromedriver")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [program, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.folder = tempfile.mkdtemp(prefix="privet-browser-")
        for _ in range(100):
            try:
                if self.call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("the driver does not answer")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def browser(self):
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1000,1200"]
        options.append("--user-data-dir=" + tempfile.mkdtemp(dir=self.folder))
        wanted = {"args": options}
        if os.environ.get("PRIVET_CHROMIUM"):
            wanted["binary"] = os.environ["PRIVET_CHROMIUM"]
        asked = {"browserName": "chrome", "goog:chromeOptions": wanted, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": asked}})
        return Browser(self, made["sessionId"])

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Browser:
    def __init__(self, driver, session):
        self.driver, self.session = driver, session

    def call(self, method, path, body=None):
        return self.driver.call(method, f"/session/{self.session}{path}", body)

    def go(self, url):
        self.call("POST", "/url", {"url": url})

    def reload(self):
        self.call("POST", "/refresh", {})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_run(self, script, *arguments):
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def find(self, selector):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        return found[ELEMENT]

    def type(self, selector, text):
        element = self.find(selector)
        self.call("POST", f"/element/{element}/clear", {})
        self.call("POST", f"/element/{element}/value", {"text": text})

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def press(self, *keys):
        """Keys alone, to whatever has the focus."""
        actions = []
        for key in keys:
            for stroke in [KEYS[key]] if key in KEYS else list(key):
                actions += [{"type": "keyDown", "value": stroke}, {"type": "keyUp", "value": stroke}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def until(self, script, *arguments, seconds=15):
        """Waits until a script gives something, and gives that."""
        end = time.monotonic() + seconds
        while True:
            told = self.run(script, *arguments)
            if told:
                return told
            if time.monotonic() > end:
                status = self.text("#status")
                raise AssertionError(f"still not after {seconds} s: {script} {arguments}; the page says: {status}")
            time.sleep(0.05)

    def shows(self, selector, words, seconds=15):
        """Waits until an element contains words: a page that is still being built has no text yet."""
        script = "return document.querySelector(arguments[0])?.textContent.includes(arguments[1])"
        self.until(script, selector, words, seconds=seconds)

    def says(self, words, seconds=15):
        self.until("return document.getElementById('status')?.textContent.includes(arguments[0])", words, seconds=seconds)

    def tab(self):
        """A new tab, which is looked at from now on."""
        self.look(self.call("POST", "/window/new", {"type": "tab"})["handle"])

    def tabs(self):
        return self.call("GET", "/window/handles")

    def look(self, handle):
        self.call("POST", "/window", {"handle": handle})

    def narrow(self, width):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def complaints(self):
        """What the browser complained about: errors of scripts, and what the page's own rules refused."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def picture(self, path):
        size = self.run("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 4000), "scale": 1}
        shot = self.cdp("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def close(self):
        self.call("DELETE", "")
