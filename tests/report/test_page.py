"""The page: complete, harmless whatever the data say, small, the same every time."""

import base64
import hashlib
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

import twosample as ts
from tests.report.synthetic import HOSTILE, column, comparison, hostile, missing, numbers, shares
from twosample.errors import OptionError, OutputError
from twosample.report import html, write_html
from twosample.tables.parts import Finding, PairPicture, SpeakingRow
from twosample.tables.sentences import told

VOID = {"meta", "link", "br", "wbr", "line", "circle", "rect", "path", "input", "use"}
ALLOWED = {
    "html", "head", "meta", "link", "title", "style", "body", "a", "header", "main", "footer", "nav", "div", "section",
    "article", "h1", "h2", "h3", "p", "span", "b", "small", "bdi", "ul", "li", "dl", "dt", "dd", "figure", "table",
    "caption", "thead", "tbody", "tr", "th", "td", "svg", "desc", "line", "circle", "rect", "path", "text", "wbr",
    "details", "summary", "figcaption", "button", "label", "input", "output", "noscript", "script", "use",
}  # fmt: skip


class Page(HTMLParser):
    """Every element with its attributes, the text, and whether tags are balanced."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "script", "noscript"} & set(self.open):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def test_the_page_says_everything():
    page = Page(html(comparison()))
    for words in (
        "≠ Different", "3 of 5 columns; most: age.", "january.csv", "february.parquet", "1,000", "900",
        "on 500 rows drawn at random", "Lost: only in A", "height", "3 different", "1 same", "1 no difference found",
        "0.200 ( 0.150 to 0.250 )".replace("( ", "(").replace(" )", ")"), "0.004", "city: missing values",
        "1 to 2 in 3.0 % of A and in 9.0 % of B", "missing", "true", "71.25", "a long note", "−1.00", "Seed 7",
        "Level 0.05",
        "effect size 0.1 for a column", "numpy 2.4.6", "Gretton", "a note", "Gaussian(", "Permutation(",
        "10.0 % and 20.0 %", "3×10⁻⁷", "duckdb", "median 40.0 40.0", "mean 40.50 41.25", "missing 0 (0.0 %) 90 (9.0 %)",
        "distinct 321 –", "Wasserstein distance 1.25", "Rows are counted from 0",
    ):  # fmt: skip
        assert words in page.text, words


@pytest.mark.parametrize(
    ("verdict", "words", "colour"),
    [
        ("same", "= Same", "same"),
        ("different", "≠ Different", "different"),
        ("small difference", "≈ Small difference", "undecided"),
        ("no difference found", "? No difference found", "open"),
    ],
)
def test_the_verdict_is_a_word_a_symbol_and_a_colour(verdict, words, colour):
    page = Page(html(comparison(verdict=verdict)))
    assert words in page.text
    assert page.all("title") == [{}] or page.all("title")
    assert {"class": f"verdict {colour}"} in page.all("header")


def test_structure_for_screen_readers():
    page = Page(html(comparison()))
    levels = [int(name[1]) for name, _ in page.elements if re.fullmatch("h[1-6]", name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(next_ <= level + 1 for level, next_ in pairwise(levels))
    assert page.all("html") == [{"lang": "en"}]
    assert all("scope" in attributes for attributes in page.all("th"))
    pictures = [a for a in page.all("svg") if a.get("role") == "img"]
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(pictures) == 2
    assert len(ids) == len(set(ids))
    for attributes in pictures:
        assert set(attributes["aria-labelledby"].split()) <= set(ids)
    links = [a["href"] for a in page.all("a")]
    assert links
    assert all(link.startswith("#") and link[1:] in ids for link in links)
    assert "Half of A lies between about" in page.text
    assert len(page.all("caption")) == len(page.all("table")) - 1  # the table of rows is labelled by its region


def test_one_script_by_its_digest_and_nothing_from_the_net():
    text = html(comparison())
    page = Page(text)
    assert {name for name, _ in page.elements} <= ALLOWED
    assert page.all("link") == [{"rel": "icon", "href": "data:,"}]
    policy = [a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy[0].startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-")
    [script] = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy[0]
    assert not re.search(r"fetch|XMLHttp|import|innerHTML|eval|src=", script)
    assert not re.search(r"https?:|url\(|@import|@font-face", text)


def test_hostile_texts_do_no_harm_and_are_seen():
    text = html(hostile())
    page = Page(text)
    assert {name for name, _ in page.elements} <= ALLOWED
    safe = ("xmlns", "class", "id", "role", "scope", "href", "style", "d", "aria-", "data-label", "tabindex", "lang",
            "charset", "content", "name", "http-equiv", "rel", "x", "y", "cx", "cy", "r", "x1", "x2", "y1", "y2",
            "width", "height", "viewbox", "preserveaspectratio", "text-anchor",
            "open", "data-", "disabled", "hidden", "type", "placeholder",
            "autocomplete", "spellcheck", "dx")  # fmt: skip
    for _, attributes in page.elements:
        assert all(name.startswith(safe) and not name.startswith("on") for name in attributes)
        assert not re.search("script|evil|cmd", attributes.get("href", "") + attributes.get("style", ""))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff\ufffe\uffff]", text)
    text.encode("utf-8")
    for words in (
        "<script>alert(1)</script>", "␛[31mred", "⟨U+202E⟩gnp.exe", "a␊b␍␊c␉d", "=cmd|' /C calc'!A0", "{{ 7 * 7 }}",
        "(10,000 characters)", "(no name)", "(empty text)", "␀␋␡⟨U+0085⟩⟨U+D800⟩⟨U+FFFE⟩⟨U+FFFF⟩⟨U+2028⟩", "שלום",
        "👩\u200d👧", "'; DROP TABLE students; --", "&amp;&#60;",
    ):  # fmt: skip
        assert words in page.text, words
    assert "x" * 700 not in text


def test_every_hostile_text_is_inside_a_direction_of_its_own():
    page = html(hostile())
    assert page.count("<bdi>") > 100
    assert page.count("<bdi>") == page.count("</bdi>")


def test_the_heading_says_what_differs_most():
    gap = told("missing", 0.1, 0.2, ("A", "B"))
    gone = column("coupon", gaps=missing(), adjusted_pvalue=0.9, where=(gap,))
    page = html(comparison([gone, *(column(name) for name in ("age", "day", "city")), column("rare", "same")]))
    heading = page[page.index('<header class="verdict') : page.index("</header>")]
    assert "missing in 10 % of A and in 20 % of B" in heading
    assert heading.count("1 to 2 in 3.0 % of A and in 9.0 % of B") == 2
    assert [name in heading for name in ("coupon", "age", "day", "city", "rare")] == [True, True, True, False, False]
    assert "chance" in heading
    page = html(comparison())
    assert page.index('id="columns"') < page.index('id="findings"') < page.index('id="where"')


def test_the_same_result_gives_the_same_bytes():
    first = html(comparison())
    assert html(comparison()) == first
    code = """
import sys; sys.path.insert(0, sys.argv[1])
from tests.report.synthetic import comparison
from twosample.report import html
sys.stdout.buffer.write(html(comparison()).encode())
"""
    run = [sys.executable, "-c", code, str(Path(__file__).parents[2])]
    source = str(Path(ts.__file__).parents[1])
    environment = {"PYTHONHASHSEED": "5", "LC_ALL": "C", "PYTHONPATH": source}
    done = subprocess.run(run, capture_output=True, timeout=60, check=True, env=environment)
    assert done.stdout.decode() == first


def test_the_page_stays_below_2_mb_and_says_what_it_leaves_out():
    wide = html(hostile(3000))
    assert len(wide.encode()) < 2_000_000
    page = Page(wide)
    assert "further lines with smaller contributions" in page.text
    assert "Figures are drawn for the 100 columns that contribute most; the other 2,900" in page.text
    assert "further findings" in page.text
    assert "9 further columns not shown" in page.text


def test_a_figure_costs_little():
    one, two = (len(html(comparison([column(picture=numbers())] * n))) for n in (1, 2))
    assert two - one < 9000


@pytest.mark.parametrize(
    "result",
    [
        comparison([]),
        comparison([column(picture=None, where=())], findings=(), speaking=(), notes=(), versions=()),
        comparison(joint=None, joint_effect=None),
        comparison(joint_effect=None),
        comparison([column("x", gaps=missing("same"), effect=float("nan"), effect_high=float("inf"))]),
        comparison([column(pvalue=1e-300, adjusted_pvalue=1.0, picture=shares(()))]),
    ],
)
def test_what_is_not_there_leaves_no_hole(result):
    page = Page(html(result))
    assert "None" not in page.text
    assert "nan" not in page.text.lower().split()


def test_jinja_matplotlib_and_polars_are_not_needed_to_import():
    code = "import twosample.report, sys; assert not {'jinja2', 'matplotlib', 'polars'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], timeout=60, check=True)


def test_a_column_that_differs_by_its_gaps_alone_says_so():
    def pages(**changes):
        return html(comparison([column("x", gaps=missing(), picture=numbers(), **changes)]))

    assert "by missing values" not in pages()
    assert "by missing values" in pages(values_verdict="same")
    assert "by missing values" in pages(values_verdict="no difference found")


def test_a_pair_of_columns_is_two_grids():
    picture = PairPicture(
        ("<b>rent</b>", "area"), (("to 3", "above 3"), ("small", "<i>")), ((0.4, 0.1), (0.1, 0.4)), ((0.25,) * 2,) * 2
    )
    told = Finding("together", "<b>rent</b>", "its values go otherwise", ("<b>rent</b>", "area"), picture=picture)
    text = html(comparison(findings=(told,)))
    assert text.count('class="rows heat') == 2
    assert '<td style="--d:1.0">40.0</td><td style="--d:0.5">10.0</td>' in text
    assert "<b>rent" not in text
    assert "<i>" not in text


def test_what_the_user_excluded_is_not_in_the_rows():
    rows = (SpeakingRow("a", 0.5, 0, 0, {"age": 20.0, "salary": "top secret", "height": 180}),)
    page = Page(html(comparison(speaking=rows)))
    assert "180" in page.text
    assert "secret" not in page.text


def test_writing(tmp_path):
    write_html(comparison(), tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text("utf-8") == html(comparison())
    comparison().report(str(tmp_path / "b.html"))
    assert (tmp_path / "b.html").read_bytes() == (tmp_path / "a.html").read_bytes()
    with pytest.raises(OutputError, match="no such folder"):
        write_html(comparison(), tmp_path / "none" / "a.html")
    with pytest.raises(OptionError, match="pass what"):
        write_html({"a": 1}, tmp_path / "c.html")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_hostile_list_is_used():
    assert len(hostile().columns) == len(HOSTILE)


def test_title_date_and_notes(tmp_path):
    text = html(comparison(), title="July <against> June", date="2026-07-01", notes=["first\u202e", "<script>2"])
    page = Page(text)
    assert "July <against> June 2026-07-01 first⟨U+202E⟩ <script>2 twosample" in page.text
    assert "<title>July &lt;against&gt; June</title>" in text
    assert {name for name, _ in page.elements} <= ALLOWED
    comparison().report(tmp_path / "a.html", title="July <against> June", date="2026-07-01", notes="only one")
    assert "only one" in (tmp_path / "a.html").read_text("utf-8")
    assert re.search(r"\d{4}-\d\d-\d\d", html(comparison([]), date="today"))
    assert 'class="heading"' not in html(comparison())
    with pytest.raises(OptionError, match="title=3 must be text"):
        html(comparison(), title=3)


def test_p_values_that_are_bounds_say_so():
    bound = column("x", pvalue=0.004, kernel_pvalue=0.001, adjusted_pvalue=0.008, resamples=999)
    page = Page(html(comparison([bound, column("y", pvalue=1e-300, adjusted_pvalue=1e-300)])))
    assert "p ≤ 0.004 adjusted ≤ 0.008" in page.text
    assert "p < 10⁻⁹⁹" in page.text
    exact = column(
        "x", pvalue=1e-9, kernel_pvalue=0.001, adjusted_pvalue=3e-9, resamples=999
    )  # by a view, not the kernel
    assert "p 1×10⁻⁹ adjusted 3×10⁻⁹" in Page(html(comparison([exact]))).text
