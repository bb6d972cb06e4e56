# SPDX-License-Identifier: GPL-2.0-or-later
"""prometheus_server.py STAPRUN SCRIPT: promtool checks the pages of --prometheus, and a Prometheus
server scrapes them; what it answers to queries is compared with the script's globals."""
import json
import os
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import metrics

CONFIG = """
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs: [{job_name: ustap, static_configs: [{targets: ["%s"]}]}]
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A Prometheus server with its data in the current directory."""

    def __init__(self, target):
        self.at = "127.0.0.1:%d" % free_port()
        with open("prometheus.yml", "w") as f:
            f.write(CONFIG % target)
        subprocess.run(["promtool", "check", "config", "prometheus.yml"], check=True,
                       stdout=subprocess.DEVNULL)
        self.log = open("prometheus.log", "w")
        self.process = subprocess.Popen(
            ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
             "--web.listen-address=" + self.at], stdout=self.log, stderr=self.log)

    def query(self, text):
        """[(labels, value)] of the instant query TEXT; [] before the server answers."""
        url = "http://%s/api/v1/query?%s" % (self.at, urllib.parse.urlencode({"query": text}))
        try:
            reply = json.load(urllib.request.urlopen(url))
        except OSError:
            return []
        assert reply["status"] == "success", reply
        return [(r["metric"], float(r["value"][1])) for r in reply["data"]["result"]]

    def wait_for(self, text):
        while not (found := self.query(text)):
            time.sleep(0.2)
        return found

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def check_page(page):
    r = subprocess.run(["promtool", "check", "metrics"], input=page.encode(), capture_output=True)
    assert r.returncode == 0, (r, page)


def check_queries(server):
    server.wait_for("ustap_ticks_total > 0")
    assert server.query("up") and server.query("up")[0][1] == 1
    [(labels, value)] = server.query('ustap_calls_total{name="a\\"b\\\\c\\nd"}')
    assert value == 3 and labels["script"].endswith(".ust"), labels
    [(labels, value)] = server.query("histogram_quantile(0.5, ustap_sizes_bucket)")
    assert 255 <= value <= 511, value                  # of 1 to 1000, by powers of two
    assert server.query("ustap_sizes_sum / ustap_sizes_count")[0][1] == 500.5
    [(_, value)] = server.query('ustap_parts{quantile="0.9"}')
    assert 890 <= value <= 910, value
    assert sum(v for _, v in server.query("staprun_lost_records_total")) == 0
    # 100 ticks a second, whatever the load; the counter only grows
    rates = server.wait_for("rate(ustap_ticks_total[10s]) > 0")
    assert 1 < rates[0][1] < 150, rates
    assert server.query("resets(ustap_ticks_total[1m])")[0][1] == 0


def main():
    run = metrics.Run([sys.argv[1], "--prometheus=0", sys.argv[2]])
    server = Server(urllib.parse.urlsplit(run.url).netloc)
    try:
        check_page(metrics.fetch(run.url))
        check_queries(server)
    finally:
        server.end()
        code, out, err = run.end()
    assert code == 0, (code, out, err)
    print("Prometheus has the values")


os.umask(0o077)
main()
