# A TLS handshake with a server of openssl on loopback.
import socket, ssl, subprocess, tempfile, time

with tempfile.TemporaryDirectory() as d:
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
                    d + "/key", "-out", d + "/cert",
                    "-days", "1", "-subj", "/CN=example.org"], stderr=subprocess.DEVNULL,
                    check=True)
    server = subprocess.Popen(["openssl", "s_server", "-accept", "127.0.0.1:0", "-key", d + "/key",
                               "-cert", d + "/cert"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    for line in server.stdout:
        if line.startswith("ACCEPT 127.0.0.1:"):
            break
    context = ssl.create_default_context(cafile=d + "/cert")
    with socket.create_connection(("127.0.0.1", int(line.rsplit(":", 1)[1]))) as s:
        with context.wrap_socket(s, server_hostname="example.org"):
            pass
    server.kill()
    server.wait()
