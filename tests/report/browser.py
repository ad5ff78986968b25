"""A headless Chromium, driven over DevTools' pipe: no port, no package, no network."""
import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
ANSWER_S = 120


def find():
    """The path of an installed Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def high(fd):
    """Moves a descriptor out of the way of 3 and 4."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(fd)
    return moved


class Browser:
    def __init__(self, path):
        # Chromium reads commands from its descriptor 3 and answers on 4.
        commands, self.to = map(high, os.pipe())
        self.answers, answers = map(high, os.pipe())

        def place():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.profile = tempfile.mkdtemp(prefix="rr-warden-browser.")
        arguments = ["--headless", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]
        arguments += ["--no-first-run", "--disable-background-networking", "--disable-extensions"]
        # A frame without rights then has its context in the page's own process, where value_in_frame finds it.
        arguments += ["--disable-features=IsolateSandboxedIframes"]
        arguments += [f"--user-data-dir={self.profile}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # it has none for root
        self.process = subprocess.Popen(
            [path, *arguments, "about:blank"],
            preexec_fn=place,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self.buffer, self.events, self.last_id, self.session = b"", [], 0, None
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.buffer:
            chunk = os.read(self.answers, 1 << 16)
            if not chunk:
                raise SystemExit("Chromium ended")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **params):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + ANSWER_S
        while time.monotonic() < end:
            answer = self.receive()
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)
        raise SystemExit(f"{method}: no answer")

    def open(self, url):
        self.events.clear()
        self.send("Page.navigate", url=url)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def value_in_frame(self, expression):
        """The same in the page's newest frame."""
        made = [e["context"] for e in self.happened("Runtime.executionContextCreated")]
        main = self.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        context = [c["id"] for c in made if c["auxData"]["frameId"] != main][-1]
        return self.value(expression, contextId=context)

    def value(self, expression, **where):
        """The value of a JavaScript expression in the page."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, **where)
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def happened(self, method):
        return [e["params"] for e in self.events if e.get("method") == method]

    def resize(self, width, height):
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def show_as(self, scheme, media=""):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, path, width=None, height=None):
        """Saves a PNG: of the whole page, or of its top."""
        more = {}
        if height:
            more["clip"] = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        data = self.send("Page.captureScreenshot", captureBeyondViewport=True, **more)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])

    def close(self):
        self.session = None
        self.send("Browser.close")
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
