"""The page in a real browser: nothing asked of the net, nothing in the console, nothing wider than a phone."""

import pytest

from tests.report import browser
from tests.report.synthetic import HOSTILE, column, comparison, hostile, numbers
from tests.report.test_matching import matching
from twosample.report import write_html

WIDEST = """
[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .hidden, thead, svg')
    && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))
"""
CONTRAST = """
(() => {
  const channel = v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const parse = t => { const [r, g, b, a = 1] = t.match(/[0-9.]+/g).map(Number);
    return t.startsWith('color(') ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a]; };
  const ground = e => { if (!e) return [255, 255, 255];
    const c = parse(getComputedStyle(e).backgroundColor), under = c[3] < 1 ? ground(e.parentElement) : c;
    return [0, 1, 2].map(k => c[3] * c[k] + (1 - c[3]) * under[k]); };
  const seen = [];
  for (const e of document.querySelectorAll('body :not(svg):not(svg *)')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.closest('.hidden, .skip')) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) seen.push(e.outerHTML.slice(0, 80));
  }
  return seen;
})()
"""


@pytest.fixture(scope="module")
def page():
    command = browser.find()
    if command is None:
        pytest.skip("no Chromium: install it, or set TWOSAMPLE_BROWSER")
    opened = browser.Browser(command)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    many = [column(f"a_rather_long_column_name_{index}", picture=numbers()) for index in range(20)]
    pages = {"plain": comparison(), "hostile": hostile(), "many": comparison(many), "matching": matching(HOSTILE)}
    for name, result in pages.items():
        write_html(result, folder / f"{name}.html")
    return folder


@pytest.mark.parametrize("name", ["plain", "hostile", "many", "matching"])
def test_a_phone_shows_all_of_it_without_a_word_in_the_console(page, files, name):
    for width, dark in ((360, True), (820, False), (1200, False)):
        page.open(files / f"{name}.html", width=width, height=800, dark=dark)
        assert page.ask("document.documentElement.scrollWidth <= innerWidth"), page.ask(WIDEST)
        assert page.ask(WIDEST) == []
        assert page.requests() == [(files / f"{name}.html").as_uri()]
        assert page.complaints() == []
        assert page.ask("document.scripts.length") == (0 if name == "matching" else 1)


def test_light_and_dark_can_be_read(page, files):
    grounds = []
    for dark in (False, True):
        page.open(files / "matching.html", dark=dark)
        assert page.ask(CONTRAST) == []
        page.open(files / "plain.html", dark=dark)
        assert page.ask(CONTRAST) == []
        grounds.append(page.ask("getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1]


def test_the_keyboard_reaches_links_and_what_scrolls(page, files):
    page.open(files / "plain.html", width=360)
    for kind in ("rawKeyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
    assert page.ask("document.activeElement.className") == "skip"
    assert page.ask("document.activeElement.getBoundingClientRect().top") >= 0
    assert page.ask("document.querySelector('.scroll').tabIndex") == 0
    assert page.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_names_are_seen_as_they_are(page, files):
    page.open(files / "hostile.html")
    names = page.ask("[...document.querySelectorAll('.card h3 bdi')].map(e => e.textContent)")
    assert names[0] == HOSTILE[0]
    assert names[5] == "⟨U+202E⟩gnp.exe"
    assert page.ask("getComputedStyle(document.querySelector('.card h3 bdi')).unicodeBidi") == "isolate"


def test_screen_readers_find_tables_pictures_and_headings(page, files):
    page.open(files / "plain.html", width=360)
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in tree if not node.get("ignored")]
    assert roles.count("heading") >= 10
    assert roles.count("rowheader") >= 10
    assert "table" in roles
    pictures = [node for node in tree if node["role"]["value"] in ("image", "img") and not node.get("ignored")]
    assert any("Half of A lies between" in node["name"]["value"] for node in pictures)


def test_paper(page, files):
    page.open(files / "plain.html", dark=True)
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF")
    assert 2 <= pdf.count(b"/Type /Page\n") <= 8


def test_the_index_sorts_and_filters_and_cards_follow(page, files):
    page.open(files / "plain.html")
    names = "[...document.querySelectorAll('tbody.column:not([hidden]) th a')].map(e => e.textContent)"
    assert page.ask(names) == ["age", "day", "city", "note", "rare"]
    page.ask("document.querySelector('button[data-sort=name]').click()")
    assert page.ask(names) == ["age", "city", "day", "note", "rare"]
    cards = "[...document.querySelectorAll('details.card:not([hidden]) h3 bdi')].map(e => e.textContent)"
    assert page.ask(cards) == ["age", "city", "day", "note", "rare"]
    assert page.ask("document.querySelector('th[aria-sort=ascending]').textContent.trim()") == "Column"
    page.ask("document.querySelector('button[data-sort=name]').click()")
    assert page.ask(names)[0] == "rare"
    page.ask("document.querySelector('button[data-sort=name]').click()")
    assert page.ask(names)[1] == "day"
    page.ask("document.querySelector('button[data-sort=effect]').click()")
    assert page.ask(names)[-1] == "note"
    page.ask("document.querySelector('button[data-verdict=Same]').click()")
    assert page.ask(names) == page.ask(cards) == ["note"]
    assert page.ask("document.querySelector('output').textContent") == "1 of 5 shown"
    page.ask("document.querySelector('button[data-verdict=Same]').click()")
    page.ask("(e => { e.value = 'C'; e.dispatchEvent(new Event('input')); })(document.querySelector('input'))")
    assert page.ask(names) == ["city"]
    gap = "document.querySelector('tr.gap').getBoundingClientRect().height > 0"
    assert page.ask(gap)  # the missing values stay with their column
    assert page.complaints() == []


def test_folded_cards_open_for_links_and_all_at_once(page, files):
    page.open(files / "many.html")
    opened = "document.querySelectorAll('details.card[open]').length"
    assert page.ask(opened) == 12
    page.ask("document.querySelector('a[href=\"#column-20\"]').click()")
    page.ask("new Promise(done => setTimeout(done, 50))")
    assert page.ask(opened) == 13
    page.ask("document.querySelector('button.fold').click()")
    assert page.ask(opened) == 20
    page.ask("document.querySelector('button.fold').click()")
    assert page.ask(opened) == 0


def test_without_scripts_everything_is_there(page, files):
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(files / "plain.html")
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)
    assert page.ask("document.querySelector('.tools').hidden")
    assert page.ask("document.querySelector('ul.tally').getBoundingClientRect().height") > 0
    assert page.ask("document.querySelectorAll('tbody.column').length") == 5


def test_small_pictures_are_seen(page, files):
    page.open(files / "plain.html")
    sizes = page.ask("[...document.querySelectorAll('.spark')].map(e => e.getBoundingClientRect().width)")
    assert len(sizes) == 4
    assert min(sizes) > 50
    assert page.ask("document.querySelector('.spark use').getBBox().width") > 500
