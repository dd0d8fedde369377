# SPDX-License-Identifier: Apache-2.0
"""One list of 100,000 ids in every form: the same events each time."""
import json
import random
import unittest

from support import Case


def scan_table(ids):
    """As TTree::Scan prints it."""
    line = "*" * 60
    rows = [line, "*    Row   *       run * luminosit *     event *", line]
    for row, (run, lumi, event) in enumerate(ids):
        rows.append(f"* {row:8} * {run:9} * {lumi:9} * {event:9} *")
    rows.append(line)
    return "\n".join(rows) + "\n"


def savetxt(number):
    return f"{number:.18e}"


FORMS = {
    "colons": lambda ids: "".join("%d:%d:%d\n" % i for i in ids),
    "commas": lambda ids: "".join("%d,%d,%d\n" % i for i in ids),
    "semicolons": lambda ids: "".join("%d;%d;%d\n" % i for i in ids),
    "tabs": lambda ids: "".join("%d\t%d\t%d\n" % i for i in ids),
    "blanks, padded": lambda ids: "".join("   %9d   %9d  %12d  \n" % i for i in ids),
    "windows": lambda ids: "\ufeff" + "".join("%d:%d:%d\r\n" % i for i in ids),
    "quotes": lambda ids: "".join('"%d","%d","%d"\n' % i for i in ids),
    "comments": lambda ids: "# a list\n\n" + "".join("%d:%d:%d  # an event\n" % i for i in ids),
    "several a line": lambda ids: "".join("%d:%d:%d%s" % (*i, "\n" if k % 7 == 6 else "  ") for k, i in enumerate(ids)),
    "header of branches": lambda ids: "run,luminosityBlock,event\n" + "".join("%d,%d,%d\n" % i for i in ids),
    "header in another order": lambda ids: "event lumi run\n" + "".join("%d %d %d\n" % i[::-1] for i in ids),
    "csv with more columns": lambda ids: "pt,event,name,run,lumi\n" + "".join(
        '%.3f,%d,"Muon, two",%d,%d\n' % (k / 7, i[2], i[0], i[1]) for k, i in enumerate(ids)),
    "json objects": lambda ids: "".join(json.dumps({"x": [1], "run": i[0], "luminosityBlock": i[1], "event": i[2]}) + "\n"
                                        for i in ids),
    "json arrays": lambda ids: "".join("[%d, %d, %d]\n" % i for i in ids),
    "one json array": lambda ids: json.dumps([list(i) for i in ids]),
    "json strings": lambda ids: json.dumps(["%d:%d:%d" % i for i in ids]),
    "savetxt": lambda ids: "".join(" ".join(map(savetxt, i)) + "\n" for i in ids),
    "a table of Scan": scan_table,
    "no newline at the end": lambda ids: "".join("%d:%d:%d\n" % i for i in ids)[:-1],
}


class Lists(Case):
    def setUp(self):
        super().setUp()
        there = self.says("scan", "demo.root", "-f", "ids").lines
        rng = random.Random(1)
        self.ids = [tuple(map(int, rng.choice(there).split(":"))) for _ in range(100000)]
        self.expected = "".join("%d:%d:%d\n" % i for i in self.ids)

    def test_every_form_gives_the_same(self):
        for name, form in FORMS.items():
            with self.subTest(form=name):
                self.write("list", form(self.ids))
                said = self.says("pick", "demo.root", "-e", "list", "-f", "ids")
                self.assertTrue(said.out == self.expected, said.err)

    def test_stdin(self):
        said = self.says("pick", "demo.root", "-e", "-", "-f", "ids", stdin=FORMS["colons"](self.ids))
        self.assertTrue(said.out == self.expected)

    def test_arguments_and_a_list_are_added_up(self):
        self.write("list", "1:2272915:227291402\n")
        self.says("pick", "demo.root", "@0", "-e", "list", "-f", "ids",
                  out="1:2272915:227291401\n1:2272915:227291402\n")


class BadLists(Case):
    def test_a_bad_line_refuses_the_list_and_the_first_ten_are_named(self):
        self.write("list.txt", "1:2:3\n" + "x\n" * 12)
        said = self.says("pick", "events.root", "-e", "list.txt", status=2, out="")
        self.assertIn('tagma: list.txt line 2: event "x" is not a number\n', said.err)
        self.assertIn("12 bad lines, the first 10: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11; nothing was read", said.err)

    def test_what_is_no_list(self):
        for name, words in (("absent.txt", "absent.txt: No such file or directory"), ("y.root", "is a ROOT file")):
            said = self.says("pick", "events.root", "-e", name, status=2, out="")
            self.assertIn(words, said.err)
        said = self.says("pick", "events.root", "-e", ".", status=2, out="")
        self.assertIn("tagma: .: Is a directory\n", said.err)


if __name__ == "__main__":
    unittest.main()
