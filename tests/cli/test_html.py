# SPDX-License-Identifier: Apache-2.0
"""tagma info --html: one page that needs nothing else, whatever the names of branches are."""
import html.parser
import os
import re
import shutil
import subprocess
import unittest

from support import Case

VOID = {"meta", "input"}
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page(html.parser.HTMLParser):
    """Elements open and close in order; nothing is loaded."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.rows, self.faults, self.cells = [], 0, [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.rows += tag == "tr"
        for name, value in attrs:
            if name in ("src", "href") or name.startswith("on"):
                self.faults.append(f"{tag} {name}={value}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th", "h1", "h2", "dd"):
            self.cells.append(data)


class Html(Case):
    def page(self, *files):
        self.says("info", *files, "--html", "page.html")
        return (self.dir / "page.html").read_text()

    def store(self, *arguments):
        self.says("convert", "events.root", "--skip-unsupported", *arguments, "-o", "s.tagma")

    def test_a_file_and_a_store(self):
        self.store()
        for file, words in (("events.root", ("Events;2", "Sim;1", "Muon_pt", "f32[nMuon]", "map<int,int> is not read")),
                            ("s.tagma", ("Events;2", "Muon_pt", "offset", "Tagma store, format 1"))):
            text = self.page(file)
            page = Page(text)
            self.assertEqual(page.faults, [])
            self.assertEqual(page.open, [])
            for word in words:
                self.assertIn(word, page.cells)
            self.assertNotRegex(text, r"https?:|url\(|@import")

    def test_each_branch_has_a_row(self):
        page = Page(self.page("demo.root"))
        self.assertGreaterEqual(page.rows, 947)

    def test_hostile_names_are_text(self):
        name = 'x<script>alert(1)</script>&amp;"\'\x01\xff.root'.encode("latin-1").replace(b"/", b"")
        os.rename(self.dir / "y.root", os.path.join(os.fsencode(self.dir), name))
        self.says("info", os.fsdecode(name), "--html", "page.html")
        text = (self.dir / "page.html").read_text()
        self.assertEqual(text.count("<script>"), 1)
        self.assertIn("x&lt;script&gt;alert(1)&lt;script&gt;&amp;amp;&quot;'\\x01\\xff.root", text)
        self.assertEqual(Page(text).faults, [])

    def test_hostile_branches_and_titles_are_text(self):
        self.says("convert", "names.root", "-q", "-o", "n.tagma")
        for file in ("names.root", "n.tagma"):
            text = self.page(file)
            page = Page(text)
            self.assertEqual((text.count("<script>"), page.faults, page.open), (1, [], []))
            for name in ('<script>alert("1")</script>', "a\"b'c&amp;", "</td></table>", "\u00e9\u20ac", "x</script>", "caf\\xe9"):
                self.assertIn(name, page.cells)
            self.assertIn("&lt;/script&gt;&lt;script&gt;alert(2)&lt;/script&gt;", text)

    def test_it_is_written_whole_or_not_at_all(self):
        self.says("info", "events.root", "--html", "events.root", status=2)
        self.says("info", "events.root", "--html", "none/page.html", status=2)
        self.assertEqual(self.says("info", "none.root", "--html", "page.html", status=2).out, "")
        self.assertFalse((self.dir / "page.html").exists())

    @unittest.skipUnless(BROWSER, "no Chromium here")
    def test_it_is_told_what_the_index_of_a_store_says(self):
        self.store()
        cells = Page(self.page("s.tagma")).cells
        self.assertIn("3 runs (273158-275158), 10 luminosity blocks, 38 events", cells)
        self.assertIn("2 ids have several entries", cells)

    def test_a_page_needs_a_name(self):
        self.says("info", "events.root", "--html", "-", status=2, err="tagma: - is no file to write; /dev/stdout is\n")
        self.says("info", "y.root", "--html", "y.root", status=2, err="tagma: y.root is an input (y.root); write somewhere else\n")

    def test_a_browser_sorts_and_filters_it(self):
        self.store()
        for file in ("s.tagma", "events.root"):
            text = self.page(file)
            probe = """<script>
const box = document.querySelector('.branches'), heads = box.querySelectorAll('th button'), first = () => box.querySelector('tbody tr td').textContent;
heads[0].click(); const up = first(); heads[0].click(); const down = first();
const input = box.querySelector('input'); input.value = 'muon'; input.dispatchEvent(new Event('input'));
document.title = [up, down, box.querySelector('.count').textContent].join('|');
</script></body>"""
            self.write("probe.html", text.replace("</body>", probe))
            done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                                   f"--user-data-dir={self.dir}/profile", "--dump-dom", f"file://{self.dir}/probe.html"],
                                  capture_output=True, check=False, timeout=120)
            title = re.search(r"<title>([^<]*)", done.stdout.decode()).group(1)
            self.assertEqual(title, "big|words|3 of 20" if file == "s.tagma" else "big|words|3 of 21")
            self.assertNotIn("CONSOLE", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
