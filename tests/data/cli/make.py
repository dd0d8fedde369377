#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recipe of events.root, y.root and names.root, which the tests of the command line read. Needs ROOT with Python (6.40 made the
committed files): make.py, in this directory.

events.root: Events, two cycles, friend X in y.root, and two histograms; Sim, whose run is always 1; ntuple, with run and
event only; floats, lists, halves: ids in floating numbers and lists, of which halves has one that is no whole number;
plain, without ids; dir/deep, in a directory. names.root: names and titles that are no names in HTML.
"""
import array
import struct

import ROOT

N = 40
ROOT.gInterpreter.Declare('void no_utf8(std::string &text) { text = "caf\\xe9"; }')
ROOT.gInterpreter.Declare('void no_utf8(TTree &tree, int &value) { tree.Branch("caf\\xe9", &value, "v/I"); }')
NAMES = ['<script>alert("1")</script>', "a\"b'c&amp;", "</td></table>", "\u00e9\u20ac", "x</script>"]


def run_of(i):
    return 273158 + 1000 * (i // 16)


def event_of(i):
    """Entries 30 and 31 repeat 10 and 11; 33 is above 2**53, 34 above 2**63."""
    return {30: 110, 31: 111, 33: 2**53 + 1, 34: 2**63 + 5}.get(i, 100 + i)


def place_of(i):
    return i - 20 if i in (30, 31) else i


def bits(pattern):
    return struct.unpack("<f", struct.pack("<I", pattern))[0]


FLOATS = [0.1, 1e20, 1e-7, 16777217.0, bits(1), bits(0x7f7fffff), -0.0, float("nan"), float("inf"), float("-inf"), 1.5]
DOUBLES = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, float("nan"), float("-inf"), 123456789.123, 1e22]
STRINGS = ["plain", "comma, here", 'quote " here', "line\nbreak", "", "caf\u00e9", "tab\there", " blank "]


def fill_events(tree, n_entries):
    run, lumi = array.array("I", [0]), array.array("I", [0])
    event = array.array("L", [0])
    flag, other = array.array("B", [0]), array.array("B", [0])
    small, big, huge = array.array("b", [0]), array.array("l", [0]), array.array("L", [0])
    f, d = array.array("f", [0]), array.array("d", [0])
    n, n_far = array.array("i", [0]), array.array("i", [0])
    pt, charge, far = array.array("f", [0] * 8), array.array("i", [0] * 8), array.array("d", [0] * 8)
    fixed = array.array("i", [0] * 6)
    text = ROOT.std.string()
    nested = ROOT.std.vector["std::vector<float>"]()
    words = ROOT.std.vector["std::string"]()
    tree.Branch("run", run, "run/i")
    tree.Branch("luminosityBlock", lumi, "luminosityBlock/i")
    tree.Branch("event", event, "event/l")
    tree.Branch("HLT_A", flag, "HLT_A/O")
    tree.Branch("HLT_B", other, "HLT_B/O")
    tree.Branch("small", small, "small/B")
    tree.Branch("big", big, "big/L")
    tree.Branch("huge", huge, "huge/l")
    tree.Branch("f", f, "f/F")
    tree.Branch("d", d, "d/D")
    tree.Branch("nMuon", n, "nMuon/I")
    tree.Branch("Muon_pt", pt, "Muon_pt[nMuon]/F")
    tree.Branch("Muon_charge", charge, "Muon_charge[nMuon]/I")
    tree.Branch("nFar", n_far, "nFar/I")
    tree.Branch("Far_e", far, "Far_e[nFar]/D")
    tree.Branch("Far_x", far, "Far_x[nFar]/D")
    tree.Branch("fixed", fixed, "fixed[2][3]/I")
    tree.Branch("text", text)
    tree.Branch("nested", nested)
    tree.Branch("words", words)
    lookup = ROOT.std.map[int, int]()
    tree.Branch("lookup", lookup, 32000, 0)
    tree.GetBranch("run").SetTitle("run number\tof the tree")
    for i in range(n_entries):
        k = place_of(i)
        run[0], lumi[0], event[0] = run_of(k), 1 + k // 4, event_of(i)
        flag[0], other[0] = k % 2, k % 3 == 0
        small[0], big[0], huge[0] = k - 20, -2**63 + k, 2**64 - 1 - k
        f[0], d[0] = FLOATS[k % len(FLOATS)], DOUBLES[k % len(DOUBLES)]
        n[0], n_far[0] = k % 4, 0 if k % 5 else 6
        for j in range(8):
            pt[j], charge[j], far[j] = 10 * k + j + 0.25, 1 - 2 * (j % 2), 1e6 * k + j
        for j in range(6):
            fixed[j] = 10 * k + j
        # Entry 31 has the id of 11 and another value; 30 and 10 are equal.
        text.assign(STRINGS[k % len(STRINGS)] if i != 31 else "differs")
        if i == 20:
            ROOT.no_utf8(text)
        nested.clear()
        words.clear()
        for j in range(k % 3):
            inner = ROOT.std.vector["float"]()
            for m in range(j + 1):
                inner.push_back(k + m / 4)
            nested.push_back(inner)
            words.push_back(f"word {j}")
        tree.Fill()


def events(file):
    old = ROOT.TTree("Events", "an older cycle")
    fill_events(old, 3)
    old.Write()
    old.SetDirectory(ROOT.nullptr)
    tree = ROOT.TTree("Events", "the events")
    tree.SetAutoFlush(8)
    fill_events(tree, N)
    tree.AddFriend("X", "y.root")
    tree.Write()


def ids_only(name, columns, row_of, n_entries):
    """columns: "run/I event/l"; row_of(i) gives the values."""
    tree = ROOT.TTree(name, name)
    kinds = {"I": "i", "i": "I", "l": "L", "L": "l", "F": "f", "D": "d"}
    buffers = []
    for column in columns.split():
        buffers.append(array.array(kinds[column[-1]], [0]))
        tree.Branch(column[:-2], buffers[-1], column)
    for i in range(n_entries):
        for buffer, value in zip(buffers, row_of(i)):
            buffer[0] = value
        tree.Fill()
    tree.Write()


def lists():
    tree = ROOT.TTree("lists", "ids in lists of one element")
    run, event = ROOT.std.vector["int"](), ROOT.std.vector["unsigned long"]()
    tree.Branch("run", run)
    tree.Branch("event", event)
    for i in range(5):
        run.assign(1, 7)
        event.assign(1, 1000 + i)
        tree.Fill()
    tree.Write()


def names():
    file = ROOT.TFile("names.root", "recreate")
    tree = ROOT.TTree("Ev<b>ents", "</script><script>alert(2)</script>")
    value = array.array("i", [0])
    for name in NAMES:
        tree.Branch(name, value, "v/I")
    ROOT.no_utf8(tree, value)
    for i in range(10):
        value[0] = i
        tree.Fill()
    tree.Write()
    file.Close()


def main():
    names()
    friend = ROOT.TFile("y.root", "recreate")
    ids_only("X", "z/F", lambda i: (i,), N)
    friend.Close()
    file = ROOT.TFile("events.root", "recreate", "", ROOT.RCompressionSetting.EDefaults.kUseGeneralPurpose)
    file.SetCompressionSettings(505)
    events(file)
    ids_only("Sim", "run/i luminosityBlock/i event/l", lambda i: (1, 1 + i // 2, 500 + i), 10)
    ids_only("ntuple", "runNumber/I eventNumber/l", lambda i: (-5 + i, 2**40 + i), 10)
    ids_only("floats", "run/F event/D", lambda i: (3, 2**52 + i), 5)
    ids_only("halves", "run/F event/D", lambda i: (3, i / 2), 5)
    ids_only("plain", "x/F y/F", lambda i: (i, -i), 5)
    ids_only("two", "run/i runNumber/i event/l", lambda i: (1, 1, i), 2)
    lists()
    file.mkdir("dir").cd()
    ids_only("deep", "run/i event/l", lambda i: (1, i), 3)
    file.cd()
    for name in ("h1", "h2"):
        ROOT.TH1D(name, name, 2, 0, 1).Write()
    file.Close()


if __name__ == "__main__":
    main()
