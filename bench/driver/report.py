# SPDX-License-Identifier: Apache-2.0
# The report: tables and ratios in Markdown, on stdout and in a file, and every single number beside it as JSON.
import datetime
import json
import os
import platform
import sys

from driver import rootenv, storetables, tables
from driver.alternate import head, markdown, rows
from driver.rootenv import BenchError

TABLES = {**tables.TABLES, **storetables.TABLES}


def processor():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return f"{len(names)} x {names[0]}" if names else platform.machine()


def machine():
    commit = rootenv.run(["git", "-C", rootenv.REPO, "describe", "--always", "--dirty"]).strip()
    compiler = rootenv.run([os.environ.get("CC", "gcc"), "--version"]).splitlines()[0]
    return [f"Commit {commit}, {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC.",
            f"{processor()}, {platform.system()} {platform.release()}, {compiler}, load "
            f"{os.getloadavg()[0]:.1f} at the start. Files in the page cache."]


def verdict(value, direction, bound):
    if bound is None:
        return ""
    return "yes" if (value <= bound if direction == "at most" else value >= bound) else "**no**"


def number(value):
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def section(table):
    lines = [f"### {table.title}", ""]
    if table.contestants:
        lines += [markdown(head(table.events), rows(table.contestants, table.events)), ""]
    if table.ratios:
        cells = [[what, number(best), f"{number(low)} to {number(high)}" if low != high else "",
                  number(cpu) if cpu else "",
                  f"{direction} {bound:g}" if bound is not None else "", verdict(best, direction, bound)]
                 for what, best, low, high, cpu, direction, bound in table.ratios]
        lines += [markdown(["", "of the bests", "by round", "of CPU time", "wanted", "met"], cells), ""]
    return lines + [line for note in table.notes for line in (note, "")]


def write(names, runs, out):
    unknown = [name for name in names if name.partition(":")[0] not in TABLES]
    if unknown:
        raise BenchError(f"no table or command {' '.join(unknown)}. Tables: {' '.join(TABLES)}; see --help")
    out.parent.mkdir(parents=True, exist_ok=True)
    lines, raw, failures = [*machine(), ""], {}, []
    for name in names:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        try:
            table, _, codecs = name.partition(":")
            measured = TABLES[table](runs, codecs.split(",")) if codecs else TABLES[table](runs)
        except BenchError as error:
            failures.append(name)
            lines += [f"### {name}", "", f"Not measured: {error}", ""]
            print(f"  {error}", file=sys.stderr)
            continue
        for table in measured:
            lines += section(table)
            raw[table.title] = {c.name: {"argv": c.argv, "values": c.values, "lines": c.lines}
                                for c in table.contestants}
    text = "\n".join(lines)
    out.write_text(text, encoding="utf-8")
    out.with_suffix(".json").write_text(json.dumps(raw, indent=1), encoding="utf-8")
    print(text)
    print(f"report: {out}, every number: {out.with_suffix('.json')}", file=sys.stderr)
    if failures:
        raise BenchError(f"not measured: {' '.join(failures)}")
