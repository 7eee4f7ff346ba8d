"""Headless Chromium over its debugging pipe: standard library only."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

OPTIONS = [
    "--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic", "--disable-extensions", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--mute-audio", "--remote-debugging-pipe",
]  # fmt: skip


def find():
    """The browser: TWOSAMPLE_BROWSER, or one of the usual names; None if there is none."""
    names = [os.environ.get("TWOSAMPLE_BROWSER"), "chromium", "chromium-browser", "google-chrome", "chrome"]
    return next((found for name in names if name and (found := shutil.which(name))), None)


class Browser:
    """One page in one browser. Every request, console message and error is kept."""

    def __init__(self, command):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()
        options = [*OPTIONS, f"--user-data-dir={self.folder.name}", *(["--no-sandbox"] if os.geteuid() == 0 else [])]

        # Chromium reads commands from descriptor 3 and answers on 4
        script = f'exec {command} "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", script, "browser", *options, "about:blank"], pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.count, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.count:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self, patience=20.0):
        end = time.monotonic() + patience
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.reading], [], [], max(0.0, end - time.monotonic()))
            part = os.read(self.reading, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("the browser does not answer")
            self.buffer += part
        raw, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(raw)
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, path, width=1200, height=900, dark=False):
        """Show a file, and wait until it is loaded."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._next()

    def ask(self, expression):
        """The value of a JavaScript expression on the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def complaints(self):
        """What the console says."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event["params"] for event in self.events if event["method"] in kinds]

    def requests(self):
        """Every address that was asked for."""
        sent = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def pdf(self):
        options = {"printBackground": True, "preferCSSPageSize": True}
        return base64.b64decode(self.call("Page.printToPDF", **options)["data"])

    def close(self):
        self.session = None
        try:
            os.write(self.writing, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
            self.process.wait(timeout=5)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait(timeout=5)
        os.close(self.writing)
        os.close(self.reading)
        self.folder.cleanup()
