# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics in Prometheus' text format 0.0.4, and runs of staprun that serve them."""
import re
import subprocess
import urllib.error
import urllib.request

NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(r"(%s)\{(%s(?:,%s)*)\} (-?[0-9]+(?:\.[0-9]+)?)" % (NAME, LABEL, LABEL))
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}


def unescape(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)


def parse(page):
    """The samples of PAGE, {(name, ((label, value), ...)): number}, and the types. Every rule of
    the format that staprun's pages could break is checked."""
    types, samples, family, helped = {}, {}, None, set()
    assert page.endswith("\n")
    for line in page.split("\n")[:-1]:
        if line.startswith("# HELP "):
            family = line.split(" ")[2]
            assert family not in helped, "a second HELP: " + line
            helped.add(family)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == family and name not in types, "TYPE out of place: " + line
            types[name] = kind
        else:
            m = SAMPLE.fullmatch(line)
            assert m, "not a sample: " + repr(line)
            labels = tuple((x.split("=", 1)[0], unescape(x.split("=", 1)[1][1:-1]))
                           for x in re.findall(LABEL, m[2]))
            names = [name for name, _ in labels]
            assert len(set(names)) == len(names), "a label twice: " + line
            assert m[1] in [family + s for s in SUFFIXES.get(types[family], ("",))], line
            assert (m[1], labels) not in samples, "a sample twice: " + line
            samples[m[1], labels] = float(m[3]) if "." in m[3] else int(m[3])
    return samples, types


def check_histograms(samples, types):
    """Buckets are cumulative, their bounds ascend, and the last one is the count."""
    groups = {}
    for (name, labels), value in samples.items():
        if name.endswith("_bucket") and types.get(name[:-len("_bucket")]) == "histogram":
            groups.setdefault((name, labels[:-1]), []).append((float(labels[-1][1]), value))
    for (name, labels), buckets in groups.items():
        assert buckets == sorted(buckets), (name, buckets)
        assert [v for _, v in buckets] == sorted(v for _, v in buckets), (name, buckets)
        assert buckets[-1] == (float("inf"), samples[name[:-7] + "_count", labels]), name
    return len(groups)


def fetch(url):
    """The page at URL; waits for it while the script starts on a slow machine."""
    for _ in range(20):
        try:
            with urllib.request.urlopen(url) as reply:
                kind = reply.headers["Content-Type"]
                assert kind == "text/plain; version=0.0.4; charset=utf-8", kind
                return reply.read().decode("utf-8")
        except urllib.error.HTTPError as e:
            assert e.code == 503, e
    raise AssertionError("no values")


class Run:
    """A staprun that serves metrics at a free port until it is stopped."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.PIPE, text=True, errors="replace")
        line = self.process.stderr.readline()
        assert line.startswith("staprun: metrics at http://"), line
        self.url = line.split()[-1]

    def end(self):
        """End it by SIGTERM; its status, output and messages."""
        self.process.terminate()
        out, err = self.process.communicate()
        return self.process.returncode, out, err
