# SPDX-License-Identifier: GPL-2.0-or-later
"""otlp_post.py STAPRUN SCRIPT: --otlp posts the values of otlp.stp's script to a server."""
import sys

import otlp
from otlp_server import Server, run


def main():
    staprun, script = sys.argv[1:3]
    server = Server()
    status, out, err, _ = run([staprun, "--otlp=" + server.url + "/", script],
                              OTEL_EXPORTER_OTLP_HEADERS="api-key=a%2Cb%20c, x-two = 2 ,"
                              "content-type=text/plain")
    server.close()
    assert status == 0, (status, err)
    assert out == "", out
    assert "posting to " + server.url in err and "WARNING: --otlp: pair 3 of" in err, err
    for _, _, headers, _ in server.requests:
        assert headers["api-key"] == "a,b c" and headers["x-two"] == "2", headers
    otlp.check_logs(server.records())
    otlp.check_metrics({m["name"]: m for m in server.records("/v1/metrics")})
    print("the server has the values")


main()
