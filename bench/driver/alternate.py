# SPDX-License-Identifier: Apache-2.0
# Contestants in turn, A B C A B C ..., so that a change of the machine's mood meets all; then minimum, median, ratios.
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import tempfile
import time

from driver.rootenv import BenchError


class Contestant:
    """
    name     how tables call it
    argv     a command that prints JSON lines on stdout, or anything with `whole`
    pick     field: value; the JSON line that counts, where a command prints several
    field    what is compared: "seconds" of that line, or "process_seconds"
    scale    the measured number times this stands for the same work as the others' (a subsample)
    events   how many its work is, where a table's numbers are those of one event
    rounds   measured in the first so many rounds only, where it is too slow for all
    whole    stdout is thrown away, the whole process is the measurement
    less     a pattern whose group is a number of seconds in the program's words on stderr that do not count
    """

    def __init__(self, name, argv, pick=None, field="seconds", scale=1.0, whole=False, add_open=False, env=None,
                 events=None, rounds=None, less=None):
        self.name, self.argv, self.pick, self.field = name, [str(w) for w in argv], pick or {}, field
        self.events, self.rounds, self.less = events, rounds, less
        if events:
            scale = 1 / events
        self.scale, self.whole, self.add_open, self.env = scale, whole, add_open, env
        self.unit = "s"
        self.values, self.cpus, self.lines = [], [], []

    def measure(self):
        self.keep(run_once(self))

    def keep(self, line):
        self.values.append(self.value_of(line) * self.scale)
        self.cpus.append(self.cpu_of(line) * self.scale)
        self.lines.append(line)

    def value_of(self, line):
        if self.whole:
            value = line["process_seconds"]
        else:
            value = line[self.field] + (line["open_seconds"] if self.add_open else 0)
        if not self.less:
            return value
        found = re.search(self.less, line["stderr"])
        if not found:
            raise BenchError(f"{self.name} did not say {self.less}: {line['stderr']}")
        return value - float(found.group(1))

    def cpu_of(self, line):
        """Processor time of the same work; of the whole process where the program does not tell."""
        return line["cpu_seconds"] + (line.get("open_cpu_seconds", 0) if self.add_open else 0)

    @property
    def best_cpu(self):
        return min(self.cpus)

    @property
    def best(self):
        return min(self.values)

    @property
    def last(self):
        return self.lines[-1]


class Pair(Contestant):
    """Two processes of the same command at once; the slower one's number counts."""

    def measure(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            lines = list(pool.map(run_once, [self, self]))
        self.keep(max(lines, key=self.value_of))


def run_once(contestant):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen(contestant.argv, stdout=subprocess.DEVNULL if contestant.whole else out, stderr=err,
                                   env={**os.environ, **contestant.env} if contestant.env else None)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        err.seek(0)
        words = err.read().decode(errors="replace")
        if process.returncode != 0:
            raise BenchError(f"{' '.join(contestant.argv)} ended with {process.returncode}\n{words}".rstrip())
        found = {}
        if not contestant.whole:
            out.seek(0)
            found = chosen_line(contestant, out.read().decode())
    return {"cpu_seconds": usage.ru_utime + usage.ru_stime, **found, "process_seconds": seconds,
            "process_peak_bytes": usage.ru_maxrss * 1024, "stderr": words[-2000:]}


def chosen_line(contestant, text):
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    lines = [line for line in lines if all(line.get(key) == value for key, value in contestant.pick.items())]
    if not lines:
        raise BenchError(f"{' '.join(contestant.argv)} printed no line of {contestant.pick}")
    best = min(lines, key=lambda line: line[contestant.field])
    return best


def warm(*paths):
    """Into the page cache: nothing here measures the disk."""
    for path in paths:
        with open(path, "rb") as file:
            while file.read(1 << 24):
                pass


def alternate(contestants, runs=5):
    for done in range(runs):
        for contestant in contestants:
            if contestant.rounds is None or done < contestant.rounds:
                contestant.measure()
    return contestants


def ratio(a, b):
    """Best of a over best of b, and the smallest and largest ratio of one round."""
    rounds = [x / y for x, y in zip(a.values, b.values)]
    return a.best / b.best, min(rounds), max(rounds)


def time_text(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
        if seconds * scale >= 1 or unit == "ns":
            return f"{seconds * scale:.3g} {unit}"
    return ""


def value_text(contestant, value):
    return time_text(value) if contestant.unit == "s" else f"{value:.4g} {contestant.unit}"


def rows(contestants, events=None):
    """Table rows: name, best, median, spread, processor time, per event if events are given, requests, bytes, peak."""
    table = []
    for c in contestants:
        line = c.last
        requests = line.get("requests", "")
        if c.events and requests != "":
            requests = f"{requests / c.events:.3g}"
        elif requests != "":
            requests = f"{requests:.15g}"
        n_bytes = line.get("bytes")
        if c.events and n_bytes is not None:
            n_bytes /= c.events
        table.append([c.name, value_text(c, c.best), value_text(c, statistics.median(c.values)),
                      f"{max(c.values) / c.best:.2f}x",
                      time_text(c.best_cpu) if c.unit == "s" else "",
                      *([f"{c.best / events * 1e6:.3g}"] if events else []),
                      requests, size_text(n_bytes), size_text(line.get("peak_rss_bytes", line["process_peak_bytes"]))])
    return table


def head(events=None):
    return ["what", "best", "median", "worst/best", "CPU", *(["us/event"] if events else []), "requests", "read",
            "peak memory"]


def size_text(n):
    if n is None:
        return ""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n >= scale:
            return f"{n / scale:.3g} {unit}"
    return f"{n:.4g} B"


def markdown(head, table):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in table]
    return "\n".join(lines)
