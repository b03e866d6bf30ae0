"""A collector and what lies before it: the real service, behind something that drops, delays and lies at a word.

A browser sees a port that no test before it had, which is an origin of its own: every test begins with an empty device.
"""

import html
import http.client
import http.server
import json
import subprocess
import threading
import urllib.request

# What belongs to one connection is not passed on.
OWN = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Collector:
    def __init__(self, program):
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        told = json.loads(self.process.stdout.readline())
        self.tasks, self.codes, self.token = told["tasks"], told["codes"], told["token"]
        self.behind = told["service"]
        self.mode = "ok"
        self.change = lambda path, text: text
        self.asked, self.posted = [], []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                collector.asked.append((self.path, dict(self.headers)))
                collector.pass_on(self, None)

            def do_POST(self):
                collector.pass_on(self, self.rfile.read(int(self.headers["Content-Length"])))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def page(self, task, fragment=""):
        return f"{self.url}/t/{self.tasks[task]}{fragment}"

    def pass_on(self, request, body):
        report = request.command == "POST" and request.path.endswith("/reports")
        if report:
            self.posted.append((request.path, dict(request.headers), body))
        if report and self.mode == "down":
            request.close_connection = True
            return request.connection.close()
        if report and self.mode == "busy":
            return self.answer(request, 503, [("Content-Type", "application/json")], b'{"error": "busy"}')
        behind = http.client.HTTPConnection(self.behind.removeprefix("http://"), timeout=30)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in OWN | {"host"}}
        behind.request(request.command, request.path, body, headers)
        answer = behind.getresponse()
        told = answer.read()
        if answer.headers.get_content_type().startswith("text/"):
            told = self.change(request.path, told.decode()).encode()
        headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in OWN]
        self.answer(request, answer.status, headers, told)
        behind.close()

    @staticmethod
    def answer(request, status, headers, body):
        request.send_response(status)
        for name, value in headers:
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def administrate(self, path, body=None):
        """As an administrator's program does, past the browser."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.behind + path, data, headers)) as answer:
            return answer.read()

    def reports(self, task):
        """All reports that the collector kept; each has its length before it."""
        kept, found = self.administrate(f"/api/v1/tasks/{self.tasks[task]}/reports"), []
        while kept:
            length, at = 0, 0
            while True:
                byte = kept[at]
                length |= (byte & 127) << (7 * at)
                at += 1
                if byte < 128:
                    break
            # A report has some bytes: none says that this is the end.
            if length == 0:
                break
            found.append(kept[at : at + length])
            kept = kept[at + length :]
        return found

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=30)


def participant(report):
    """The place behind the version and the task's name: seven bits a byte, the lowest first."""
    number = shift = 0
    for byte in report[33:]:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number
    raise ValueError("no participant")


def forged(old, new):
    """A change of the signed task within a page, where it stands as JSON within JSON within an attribute."""

    def change(path, text):
        if not path.startswith("/t/"):
            return text
        quoted = lambda words: html.escape(json.dumps(words)[1:-1], quote=True).replace("&#x27;", "'")
        assert quoted(old) in text, old
        return text.replace(quoted(old), quoted(new))

    return change
