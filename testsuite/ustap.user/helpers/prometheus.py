# SPDX-License-Identifier: GPL-2.0-or-later
"""prometheus.py STAPRUN SCRIPT: the pages of --prometheus, read by Python."""
import http.client
import os
import socket
import subprocess
import sys
import time
import urllib.parse

import metrics

staprun, script = sys.argv[1:3]
me = (("script", os.path.basename(script)),)


def value(samples, name, **labels):
    found = [v for (n, ls), v in samples.items() if n == name and ls[1:] == tuple(labels.items())]
    assert len(found) == 1, (name, labels, found)
    return found[0]


def status(url, method="GET", path="/metrics", headers=()):
    where = urllib.parse.urlsplit(url)
    c = http.client.HTTPConnection(where.hostname, where.port)
    c.request(method, path, headers=dict(headers))
    r = c.getresponse()
    return r.status, r.read()


def check_values(samples, types):
    assert value(samples, "ustap_calls_total", pp="begin", key2="a\"b\\c\nd\\x01\\xff") == 3
    assert value(samples, "ustap_large_total") == 2 ** 63 - 1
    assert value(samples, "ustap_level", n="7", b="x") == -5
    assert value(samples, "ustap_twice", n="7", n_2="8") == 1
    assert value(samples, "ustap_sizes_count") == 6
    assert value(samples, "ustap_sizes_sum") == 1006
    assert value(samples, "ustap_sizes_min") == -4
    assert value(samples, "ustap_sizes_max") == 1000
    for le, n in (("-4", 1), ("-2", 1), ("-1", 1), ("0", 2), ("1", 3), ("3", 4), ("7", 5),
                  ("511", 5), ("1023", 6), ("9223372036854775807", 6), ("+Inf", 6)):
        assert value(samples, "ustap_sizes_bucket", le=le) == n, le
    for le, n in (("-1", 0), ("9", 1), ("19", 2), ("29", 2), ("+Inf", 3)):
        assert value(samples, "ustap_steps_bucket", key1="s", le=le) == n, le
    assert value(samples, "ustap_parts", key1="p", quantile="0.5") == 50
    assert value(samples, "ustap_parts_count", key1="p") == 100
    assert value(samples, "ustap_total") == 1
    assert types["ustap_total"] == "counter"
    assert types["ustap_level"] == "gauge" and types["ustap_deleted"] == "gauge"
    assert types["ustap_sizes"] == "histogram" and types["ustap_parts"] == "summary"
    assert value(samples, "ustap_deleted", key1="k") == 1
    assert value(samples, "ustap_word", quantile_1="q") == 2
    assert value(samples, "staprun_running") == 1
    assert value(samples, "staprun_errors_total") == 0
    assert not [n for n, _ in samples if "text" in n], "strings are left out"
    assert metrics.check_histograms(samples, types) == 2
    assert all(labels[:1] == me for _, labels in samples)


def check_names(samples):
    """Globals whose metrics would have the same name have different ones."""
    assert value(samples, "ustap_same_total") == 1
    assert value(samples, "ustap_same__total") == 2


def check_server(url):
    assert status(url, path="/")[0] == 404 and status(url, path="/metrics/x")[0] == 404
    assert status(url, method="POST")[0] == 405
    assert status(url, method="HEAD") == (200, b"")
    assert status(url, headers=[("X", "y" * 100000)])[0] in (413, 431)


def count(samples):
    return value(samples, "ustap_ticks_total")


def check_crowd(url):
    """Clients that connect and say nothing do not stop the script; the server has room again when
    they are gone."""
    where = urllib.parse.urlsplit(url)
    before = count(metrics.parse(metrics.fetch(url))[0])
    crowd = [socket.create_connection((where.hostname, where.port)) for _ in range(40)]
    for c in crowd[:10]:
        c.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n")
    time.sleep(2)
    for c in crowd:
        c.close()
    for tries in range(50):
        try:
            after = count(metrics.parse(metrics.fetch(url))[0])
            break
        except OSError:
            time.sleep(0.2)
    assert after > before + 50, (before, after)


def check_refused(words, text):
    r = subprocess.run([staprun, *words, script], capture_output=True, text=True,
                       errors="replace")
    assert r.returncode == 3 and text in r.stderr, (words, r)


def check_file():
    path = os.path.join(os.getcwd(), "m.prom")
    r = subprocess.run([staprun, "--prometheus=" + path, script, "stop=1"],
                       errors="replace", capture_output=True, text=True)
    samples, types = metrics.parse(open(path, encoding="utf-8").read())
    assert r.returncode == 0, r
    assert value(samples, "staprun_running") == 0
    assert value(samples, "ustap_ticks_total") == 20      # after exit(), before the end probes
    assert not os.path.exists(path + ".new")
    check_refused(["--prometheus=missing/m.prom"], "missing/m.prom.new: No such file")


def main():
    # guests start without it
    subprocess.run(["ip", "link", "set", "lo", "up"], stderr=subprocess.DEVNULL)
    run = metrics.Run([staprun, "--prometheus=127.0.0.1:0", script])
    try:
        samples, types = metrics.parse(metrics.fetch(run.url))
        check_values(samples, types)
        check_names(samples)
        check_server(run.url)
        check_crowd(run.url)
        check_refused(["--prometheus=" + urllib.parse.urlsplit(run.url).netloc], "in use")
    finally:
        code, out, err = run.end()
    assert code == 0 and "ended" in out, (code, out, err)
    assert "metrics" not in err, err
    check_refused(["--prometheus=host.invalid:1"], "is not an address")
    check_refused(["--prometheus=1:2:3"], "is not an address")
    check_file()
    print("all metrics agree")


main()
