"""Pages in the system's Chromium: opened, listened to, and dropped files onto."""

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

# what a hand that drops a file does: the way of the operating system is not open to tests
DROP = """([selector, name, kind, content]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const carried = new DataTransfer();
  carried.items.add(new File([bytes], name, {type: kind}));
  const target = document.querySelector(selector);
  for (const event of ["dragenter", "dragover", "drop"])
    target.dispatchEvent(new DragEvent(event, {bubbles: true, cancelable: true, dataTransfer: carried}));
}"""


@contextmanager
def chromium_browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    # a container has no GPU, little shared memory, and often only root, whom Chromium's sandbox refuses
    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


class Visit:
    """A page that was opened, and what it complained about and asked for."""

    def __init__(self, browser: Any, address: str, width: int = 1280, scheme: str = "light", **look: object) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, **look)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)

    def drop(self, selector: str, path: Path, kind: str = "image/png") -> None:
        """Drop a file onto an element."""
        content = base64.b64encode(path.read_bytes()).decode()
        self.page.evaluate(DROP, [selector, path.name, kind, content])
