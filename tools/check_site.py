"""Check a built site: every link within it leads somewhere, and no page asks the net for anything.

``python tools/check_site.py FOLDER`` prints one line per problem; the exit code is 1 if there is any. Links to other
sites are allowed, and not followed: the site must be made without a network.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
NOT_LOADED = {"canonical", "next", "prev", "search", "index", "author"}
"""Kinds of <link> that name a page and do not fetch it."""


class Page(HTMLParser):
    """The anchors of a page, the places that it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what the tag names."""
        values = {name: value for name, value in attrs if value}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        place = values.get(LOADED.get(tag, ""))
        if place and values.get("rel") not in NOT_LOADED:
            self.loads.append(place)


def main(folder: Path) -> int:
    """Print the problems and return the exit code."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    if not pages:
        print(f"{folder} holds no pages: run make docs first")
        return 1
    offences = [
        f"{path.relative_to(folder.resolve())}: {problem}" for path in pages for problem in problems(path, pages)
    ]
    print(*offences, sep="\n", end="\n" if offences else "")
    links = sum(len(page.links) for page in pages.values())
    print(f"pages: {len(pages)}, links: {links}, problems: {len(offences)}")
    return 1 if offences else 0


def problems(path: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield what is wrong with one page."""
    page = pages[path]
    for place in page.loads:
        if urlsplit(place).scheme not in {"", "data"} or urlsplit(place).netloc:
            yield f"loads {place} from the net"
    for place in page.links + page.loads:
        parts = urlsplit(place)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file():
            yield f"{place} is not there"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
            yield f"{place} has no such anchor"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
