# SPDX-License-Identifier: BSL-1.0
"""site.build: the pages are made, each link leads somewhere, and what is wrong is a sentence. With a browser each page is opened besides, and
nothing that it asks for is missing, its search among that; the first page is kept as a picture.

usage: site.py build
       site.py browser PICTURE.png
"""

import http.server
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path

from common import Failure, main, run, tool

ROOT = Path(__file__).resolve().parents[2]


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
    opened("index.html", "--window-size=1280,1400", f"--screenshot={Path(picture).resolve()}")
    if not Path(picture).read_bytes().startswith(b"\x89PNG") or Path(picture).stat().st_size < 50000:
        raise Failure("the first page is empty")
    server.shutdown()
    return [f"{len(names)} pages opened, {len(asked)} files asked for, none missing; {picture}"]


def check(way, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        return {"build": build, "browser": browser}[way](Path(folder), *arguments)


if __name__ == "__main__":
    main(check, *sys.argv[1:])
