# SPDX-License-Identifier: Apache-2.0
# A table: contestants measured in turn and what is said about them; and what several tables share.
from driver import data, rootenv
from driver.alternate import alternate, ratio
from driver.rootenv import BENCH, BenchError


class Table:
    """Contestants measured in turn, and what is said about them."""

    def __init__(self, title, contestants, events=None):
        self.title, self.contestants, self.events = title, contestants, events
        self.ratios, self.notes = [], []

    def measure(self, runs):
        alternate(self.contestants, runs)
        return self

    def at_most(self, what, a, b, bound=None, cpu=True):
        """Time of a over time of b; cpu: their processor times are of the same work, too."""
        best, low, high = ratio(a, b)
        self.ratios.append((what, best, low, high, a.best_cpu / b.best_cpu if cpu else None, "at most", bound))

    def at_least(self, what, slow, fast, bound=None, cpu=True):
        """How many times faster `fast` is."""
        best, low, high = ratio(slow, fast)
        self.ratios.append((what, best, low, high, slow.best_cpu / fast.best_cpu if cpu else None, "at least", bound))

    def number(self, what, value, direction, bound=None):
        self.ratios.append((what, value, value, value, None, direction, bound))


def chosen(bounds, codecs):
    unknown = [codec for codec in codecs if codec not in bounds]
    if unknown:
        raise BenchError(f"not measured for {' '.join(unknown)}, but for {' '.join(bounds)}")
    return [(codec, bounds[codec]) for codec in codecs]


def root(*words, **options):
    return [rootenv.root_program("root_read"), *words], options


def tagma(*words):
    return [rootenv.tagma_program("tagma_scan"), *words]


def random_list(data_set, codec, n=2000):
    """Entries and ids of n different random events of a set, the same for every codec."""
    stem = rootenv.BUILD / f"list-{data_set}-{n}"
    if not stem.with_suffix(".ids").exists():
        rootenv.BUILD.mkdir(parents=True, exist_ok=True)
        rootenv.run([rootenv.python(), BENCH / "make_list.py", data.path(data_set, codec), n, 11, stem])
    return stem.with_suffix(".entries"), stem.with_suffix(".ids")
