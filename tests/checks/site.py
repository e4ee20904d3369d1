# SPDX-License-Identifier: BSL-1.0
"""site.build: the pages are made, each link leads somewhere, and what is wrong is a sentence. With a browser each page is opened besides, and
nothing that it asks for is missing; its search finds what it should; the first page is kept as a picture.

usage: site.py build
       site.py browser PICTURE.png
"""

import http.server
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from functools import partial
from pathlib import Path

from common import Failure, main, run, tool

ROOT = Path(__file__).resolve().parents[2]
# What somebody types, and the page that is among the first.
SEARCHES = {"earliest deadline": "scheduling.html", "STDP rule": "rules.html", "spalloc": "machine.html", "exclusive or chains Fifo": "traces.html",
            "qwxyzzy": None}


def built(folder):
    made = run(["/usr/bin/python3", "-B", ROOT / "tools/site", "--output", folder])
    if made.returncode:
        raise Failure(f"tools/site: {made.stdout[-2000:]}")
    return folder


def build(folder):
    site = built(folder / "site")
    index = (site / "search/search_index.json").read_text()
    for words in ("earliest deadline", "Not here: PyNN"):
        if words not in index:
            raise Failure(f"the search does not know '{words}'")
    if not (site / "api/search").is_dir() or len(list((site / "api").glob("*.html"))) < 500:
        raise Failure("the reference has no search, or few pages")
    # A link that is broken, and one to a place that is not there, are noticed.
    site_tool, page = tool("site"), site / "core.html"
    text = page.read_text()
    for link in ("nothing.html", "glossary.html#no-such-word"):
        page.write_text(text.replace("</body>", f'<a href="{link}">x</a></body>'))
        if list(site_tool.broken(site)) != [("core.html", link)]:
            raise Failure(f"a link to {link} is not noticed")
    page.write_text(text)
    for heading, right in (("What a step means", "what-a-step-means"), ("`fits<Chip>`: a sentence", "fitschip-a-sentence"), ("A & B", "a--b")):
        if site_tool.slug(heading.replace("`", "")) != right:
            raise Failure(f"the place of '{heading}' is {site_tool.slug(heading)}")
    return [f"{len(list(site.glob('*.html')))} pages"]


class Tab:
    """A page of a browser that answers questions by its pipe of the DevTools protocol: JSON, each message with a zero behind it."""

    def __init__(self, program, profile):
        read, self._write = os.pipe()
        self._read, write = os.pipe()
        self._browser = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3<&{read} 4>&{write}', "sh", program, "--headless", "--no-sandbox", "--disable-gpu",
             f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            pass_fds=(read, write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read), os.close(write)
        self._number, self._rest, self._session = 0, b"", {}
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = {"sessionId": self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}

    def ask(self, method, **parameters):
        self._number += 1
        os.write(self._write, json.dumps({"id": self._number, "method": method, "params": parameters, **self._session}).encode() + b"\0")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            while b"\0" in self._rest:
                message, _, self._rest = self._rest.partition(b"\0")
                answer = json.loads(message)
                if answer.get("id") == self._number:
                    return answer["result"]
            if select.select([self._read], [], [], 1)[0]:
                self._rest += os.read(self._read, 1 << 16)
        raise Failure(f"chromium does not answer to {method}")

    def found(self, address):
        """Addresses that the search of a page shows for what its own address asks for."""
        self.ask("Page.navigate", url=address)
        look = ("JSON.stringify([document.querySelector('.md-search-result__meta')?.innerText ?? '', "
                "Array.from(document.querySelectorAll('.md-search-result__item a')).map(one => one.href)])")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            said, links = json.loads(self.ask("Runtime.evaluate", expression=look)["result"]["value"])
            if "matching" in said:
                return links
            time.sleep(0.2)
        raise Failure(f"{address}: the search says nothing but '{said}'")

    def close(self):
        os.close(self._write), os.close(self._read)
        self._browser.terminate()
        self._browser.wait()


def browser(folder, picture):
    chromium = shutil.which("chromium")
    if chromium is None:
        raise Failure("chromium is not there: install Debian's chromium")
    site, asked = built(folder / "site"), []

    class Server(http.server.SimpleHTTPRequestHandler):
        def send_response(self, code, message=None):
            asked.append((code, self.path))
            super().send_response(code, message)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"

    def opened(path, *words):
        done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", "--virtual-time-budget=4000", *words, f"{address}/{path}"],
                              capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise Failure(f"chromium fails on {path}: {done.stderr[-500:]}")
        return done.stdout

    names = sorted(path.name for path in site.glob("*.html") if path.name != "404.html") + ["api/index.html", "api/annotated.html"]
    for name in names:
        if "</html>" not in opened(name, "--dump-dom"):
            raise Failure(f"{name} does not open")
    missing = sorted({path for code, path in asked if code >= 400})
    if missing:
        raise Failure(f"pages ask for what is not there: {missing[:10]}")
    if not {path.partition("?")[0].rsplit(".", 1)[-1] for _, path in asked} >= {"html", "js", "css", "svg", "json"}:
        raise Failure("the pages were opened without their scripts, styles or pictures")
    for part in ("search/search_index.json", "workers/search"):
        if not any(part in path for _, path in asked):
            raise Failure(f"the pages have no search: nothing asks for {part}")
    tab = Tab(chromium, folder / "profile_of_search")
    try:
        for words, page in SEARCHES.items():
            links = tab.found(f"{address}/index.html?{urllib.parse.urlencode({'q': words})}")
            pages = [link.partition("?")[0].rsplit("/", 1)[-1] for link in links[:4]]
            if (page not in pages) if page else pages:
                raise Failure(f"the search for '{words}' finds {pages or 'nothing'} first, and not {page or 'nothing'}")
    finally:
        tab.close()
    opened("index.html", "--window-size=1280,1400", f"--screenshot={Path(picture).resolve()}")
    if not Path(picture).read_bytes().startswith(b"\x89PNG") or Path(picture).stat().st_size < 50000:
        raise Failure("the first page is empty")
    server.shutdown()
    return [f"{len(names)} pages opened, {len(asked)} files asked for, none missing; {len(SEARCHES)} searches; {picture}"]


def check(way, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        return {"build": build, "browser": browser}[way](Path(folder), *arguments)


if __name__ == "__main__":
    main(check, *sys.argv[1:])
