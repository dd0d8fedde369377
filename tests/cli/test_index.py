# SPDX-License-Identifier: Apache-2.0
"""tagma index and sidecars: found where they are, refused when they do not fit, never needed."""
import shutil
import stat
import unittest

from support import EDGE, Case, environment

IDS = "ids: run=run lumi=luminosityBlock event=event\n"
FRIEND = "friend X in y.root not read\n"


class Index(Case):
    def test_it_says_what_it_kept(self):
        said = self.says("index", "events.root", err=IDS)
        self.assertRegex(said.out, r"\Aevents.root Events;2: 40 entries, 38 ids, 2 with several entries, [\d.]+ bytes an "
                                   r"entry, in \d+\.\d s\n\Z")
        self.assertTrue((self.dir / "events.root.tgx").exists())

    def test_json(self):
        said = self.says("index", "events.root", "-t", "Sim", "--json", err=IDS).objects[0]
        self.assertEqual({key: said[key] for key in ("file", "tree", "cycle", "entries", "distinct", "repeated", "ids")},
                         {"file": "events.root", "tree": "Sim", "cycle": 1, "entries": 10, "distinct": 10, "repeated": 0,
                          "ids": {"run": "run", "lumi": "luminosityBlock", "event": "event"}})

    def test_with_it_nothing_is_built(self):
        without = self.says("pick", "events.root", "110", "105", "-f", "jsonl")
        self.assertIn("index built in 0.0 s, not kept; tagma index FILE keeps it\n", without.err)
        self.says("index", "events.root", "-q")
        with_it = self.says("pick", "events.root", "110", "105", "-f", "jsonl")
        self.assertNotIn("index built", with_it.err)
        self.assertEqual(with_it.raw, without.raw)
        self.assertIn("index built", self.says("pick", "events.root", "110", "--no-sidecar", "-f", "ids").err)

    def test_every_command_is_the_same_with_it(self):
        commands = (("show", "events.root", "105"), ("scan", "events.root", "-f", "jsonl"),
                    ("pick", "events.root", "7:7:7", "-f", "ids"))
        before = [self.tagma(*command) for command in commands]
        self.says("index", "events.root", "-q")
        after = [self.tagma(*command) for command in commands]
        self.assertEqual([(said.status, said.raw) for said in before], [(said.status, said.raw) for said in after])

    def test_a_section_for_each_tree_and_ids(self):
        self.says("index", "events.root", "-q")
        self.says("index", "events.root", "-t", "Sim", "-q")
        self.says("index", "events.root", "-t", "Events", "--ids", "run,event", "-q")
        for arguments in (("110",), ("-t", "Sim", "1:1:500"), ("--ids", "run,event", "273158:110")):
            said = self.says("pick", "events.root", *arguments, "-f", "ids")
            self.assertNotIn("index built", said.err, arguments)

    def test_a_section_that_is_not_there_is_no_error(self):
        self.says("index", "events.root", "-q")
        said = self.says("pick", "events.root", "-t", "ntuple", "-5:1099511627776", "-f", "ids")
        self.assertIn("index built", said.err)

    def test_a_sidecar_elsewhere(self):
        self.says("index", "events.root", "-o", "other.tgx", "-q")
        self.assertFalse((self.dir / "events.root.tgx").exists())
        said = self.says("pick", "events.root", "110", "--index", "other.tgx", "-f", "ids")
        self.assertNotIn("index built", said.err)
        self.says("pick", "events.root", "110", "--index", "absent.tgx", "-f", "ids", status=2, out="")

    def test_keep_index(self):
        said = self.says("pick", "events.root", "110", "--keep-index", "-f", "ids")
        self.assertIn("index built in 0.0 s and kept\n", said.err)
        self.assertNotIn("index built", self.says("pick", "events.root", "110", "-f", "ids").err)

    def test_a_tree_without_ids(self):
        said = self.says("index", "events.root", "-t", "plain", status=2, out="")
        self.assertIn("tagma: no id columns found in tree plain.", said.err)

    def test_no_sidecar_for_an_unclosed_file_without_force(self):
        shutil.copy(EDGE / "killed-autosave.root", self.dir / "open.root")
        said = self.says("index", "open.root", status=2, out="")
        self.assertFalse((self.dir / "open.root.tgx").exists(), said)
        self.assertIn("--force", said.err)
        self.says("index", "open.root", "--force")
        self.assertTrue((self.dir / "open.root.tgx").exists())

    def test_a_full_disk(self):
        said = self.says("index", "events.root", "-o", "/dev/full", status=2, out="")
        self.assertIn("/dev/full", said.err)


class Unfit(Case):
    """A cut, foreign or stale sidecar: exit 2 and no rows."""

    def refused(self, name="events.root"):
        for arguments in (("pick", name, "110", "-f", "csv"), ("show", name, "110"), ("scan", name, "-f", "csv"),
                          ("info", name, "-t", "Events")):
            said = self.says(*arguments, status=2)
            self.assertNotIn("273158", said.out)
        self.says("pick", name, "110", "--no-sidecar", "-f", "ids", out="273158:3:110\n273158:3:110\n")
        return said

    def test_stale(self):
        """The file was written anew with other entries."""
        self.says("index", "events.root", "-t", "Events;1", "-q")
        shutil.move(self.dir / "events.root.tgx", self.dir / "old.tgx")
        self.says("index", "events.root", "-q")
        self.damage("events.root", "events.root", [])
        with open(self.dir / "events.root", "ab") as file:
            file.write(b"\0" * 10)
        said = self.says("pick", "events.root", "110", status=2, out="")
        self.assertRegex(said.err, r"tagma: events.root.tgx was made for another state of events.root \(then .*, now .*\). "
                                   r"Rebuild: tagma index events.root, or ignore it: --no-sidecar\n")

    def test_other_entries(self):
        """Word for word: the sidecar of a file that held fewer entries."""
        path = self.dir / "x.root"
        path.write_bytes((self.dir / "demo.root").read_bytes())
        self.says("index", "x.root", "-q")
        path.write_bytes((self.dir / "events.root").read_bytes())
        self.says("pick", "x.root", "110", status=2, out="",
                  err="tagma: x.root.tgx was made for another state of x.root (then 200 entries, now 40). "
                      "Rebuild: tagma index x.root, or ignore it: --no-sidecar\n")

    def test_foreign(self):
        self.says("index", "demo.root", "-q")
        shutil.move(self.dir / "demo.root.tgx", self.dir / "events.root.tgx")
        self.refused()

    def test_cut_or_spoiled(self):
        self.says("index", "events.root", "-q")
        whole = (self.dir / "events.root.tgx").read_bytes()
        for content in (b"", whole[:10], whole[:300], whole[:-1], b"no sidecar", bytes([whole[0] ^ 1]) + whole[1:]):
            (self.dir / "events.root.tgx").write_bytes(content)
            self.refused()
        for place in range(0, len(whole), max(1, len(whole) // 40)):
            self.damage("events.root.tgx", "events.root.tgx", [])
            content = bytearray(whole)
            content[place] ^= 0x40
            (self.dir / "events.root.tgx").write_bytes(content)
            said = self.tagma("pick", "events.root", "110", "-f", "ids")
            self.assertIn((said.status, said.out), ((0, "273158:3:110\n273158:3:110\n"), (2, "")), said)
            if said.status == 2:
                self.assertRegex(said.err, r"(Rebuild: tagma index events.root|Take it away), or ignore it: --no-sidecar\n\Z")

    def test_what_is_no_sidecar_is_left_alone(self):
        self.write("events.root.tgx", "something else")
        said = self.says("index", "events.root", status=2, out="")
        self.assertIn("events.root.tgx is no sidecar", said.err)
        self.assertEqual((self.dir / "events.root.tgx").read_text(), "something else")

    def test_rebuilding_helps(self):
        self.says("index", "events.root", "-q")
        path = self.dir / "events.root.tgx"
        path.write_bytes(path.read_bytes()[:100])
        self.refused()
        self.says("index", "events.root", "-q")
        self.says("pick", "events.root", "105", "-f", "ids", out="273158:2:105\n")


class Cache(Case):
    """Where the folder cannot be written."""

    def setUp(self):
        super().setUp()
        self.dir.chmod(0o755)
        self.shut = self.dir / "shut"
        self.shut.mkdir()
        shutil.copy(self.dir / "events.root", self.shut)
        self.shut.chmod(0o555)
        self.addCleanup(self.shut.chmod, stat.S_IRWXU)

    def test_pick_works_with_nowhere_to_write(self):
        self.says("pick", "shut/events.root", "105", "--keep-index", "-f", "ids", out="273158:2:105\n",
                  unprivileged=True)

    def test_the_cache_keeps_it(self):
        (self.dir / "cache").mkdir()
        (self.dir / "cache").chmod(0o777)
        more = {"env": environment(XDG_CACHE_HOME=self.dir / "cache"), "unprivileged": True}
        said = self.says("index", "shut/events.root", **more)
        self.assertIn("its folder cannot be written; the sidecar is kept in ", said.err)
        said = self.says("pick", "shut/events.root", "105", "-f", "ids", **more)
        self.assertNotIn("index built", said.err)


if __name__ == "__main__":
    unittest.main()
