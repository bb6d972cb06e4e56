#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""html_page.py PAGE PROGRAM: check in headless Chromium what the PAGE of --output=html shows.

PROGRAM is the path of hostile_strings, whose calls of show() the page is about.
"""
import html.parser
import json
import re
import resource
import subprocess
import sys

TEXTS = ["</script><img src=x onerror=alert(1)>", "<!--<script>",
         "]]><svg onload=alert(1)>&lt;&amp;", "line\u2028paragraph\u2029",
         "bad \ufffd\ufffd\ufffd bytes", "\"'`${1}\\u003c\\"]
STACKS = 200000
LIMIT_MS = 2000
# The same limit for a machine that is slow or busy: a page with few stacks takes a second of
# processor time where the limit by the clock is met with ease.
LIMIT_SMALL_PAGES = 2


def drawn(path):
    """The document after its scripts have run, and the browser's messages of it."""
    run = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         "--user-data-dir=chromium", "--dump-dom", "file://" + path],
        capture_output=True, check=True)
    messages = [line for line in run.stderr.decode(errors="replace").splitlines()
                if "CONSOLE" in line]
    return run.stdout.decode(), messages


def processor_ms(path):
    """The processor time of drawing a page, in all processes of the browser."""
    def used():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1000 * (children.ru_utime + children.ru_stime)
    before = used()
    drawn(path)
    return used() - before


class Page(html.parser.HTMLParser):
    """Rows of the tables of each section, and all elements."""

    def __init__(self):
        super().__init__()
        self.rows, self.elements, self.frames = {}, [], []
        self.section = self.cell = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.elements.append((tag, attrs))
        if tag == "section":
            self.section = attrs["id"]
        elif tag == "tr":
            self.rows.setdefault(self.section, []).append([])
        elif tag in ("td", "th"):
            self.cell = ""
        elif tag == "g" and "aria-label" in attrs:
            self.frames.append(attrs["aria-label"])

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[self.section][-1].append(self.cell)
            self.cell = None


def check_shown(page):
    """Compare tables and frames with what the program did."""
    printed = [f"{i * i} {TEXTS[i % 6]}" for i in range(60)]
    shown = [row[5] for row in page.rows["output"][1:]]
    assert shown == printed, (shown, printed)
    sums = {text: sum(i * i for i in range(k, 60, 6)) for k, text in enumerate(TEXTS)}
    shown = {row[0]: int(row[1]) for row in page.rows["global-by"][1:]}
    assert shown == sums, (shown, sums)
    squares = [i * i for i in range(60)]
    assert page.rows["global-lat"][1] == [
        str(v) for v in (60, 0, max(squares), sum(squares), sum(squares) // 60)], page.rows
    counts = [int(row[2]) for row in page.rows["histogram-lat"][1:]]
    logs = [v.bit_length() for v in squares]
    assert counts == [logs.count(n) for n in sorted(set(logs))], counts
    assert "show: 60 (100.00 %)" in page.frames, page.frames
    assert "main: 60 (100.00 %)" in page.frames, page.frames
    print("shown as printed")


def check_markup(page):
    """The program's text must not have become elements or attributes."""
    assert not [tag for tag, attrs in page.elements
                if tag in ("img", "iframe", "object") or "onload" in attrs or "onerror" in attrs]
    print("no markup")


def check_large(path):
    """A page with 200,000 different stacks."""
    head = open(path, encoding="utf-8").read().split('id="rows">\n')[0]
    tree = []
    for a in range(20):
        tree += [0, a, 0]
        for b in range(100):
            tree += [1, b, 0]
            for c in range(100):
                tree += [2, c, 1, 3, b, 0, 4, a, 2]
    names = [f"function_{i}" for i in range(100)]
    with open("large.html", "w", encoding="utf-8") as out:
        out.write(head + 'id="rows">\n' + json.dumps(["f", "large", names, tree]) +
                  "\n</script></body></html>\n")
    large = path.replace("page.html", "large.html")
    document, _ = drawn(large)
    took = int(re.search(r'data-drawn="(\d+)"', document).group(1))
    if took > LIMIT_MS:
        small, stacks = processor_ms(path), processor_ms(large)
        if stacks - small > LIMIT_SMALL_PAGES * small:
            print(f"{STACKS} stacks took {took} ms, {stacks:.0f} ms of processors; "
                  f"a page with few stacks {small:.0f} ms")
            return
    print(f"{STACKS} stacks in time")


def main():
    """Run all checks."""
    path = subprocess.check_output(["realpath", sys.argv[1]], text=True).strip()
    document, messages = drawn(path)
    page = Page()
    page.feed(document)
    check_shown(page)
    check_markup(page)
    print("\n".join(messages) if messages else "nothing blocked")
    check_large(path)


main()
