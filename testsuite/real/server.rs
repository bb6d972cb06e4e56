// SPDX-License-Identifier: GPL-2.0-or-later
// Server that answers each request and prints a line for it; testsuite/real/run counts both.
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

#[inline(never)]
fn handle(first: &str, mut to: &TcpStream) {
    println!("{}", first.trim_end());
    let _ = to.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
}

fn main() {
    let port = std::env::args().nth(1).unwrap();
    let listener = TcpListener::bind(format!("127.0.0.1:{}", port)).unwrap();
    for stream in listener.incoming().flatten() {
        let mut from = BufReader::new(&stream);
        let mut first = String::new();
        let mut line = String::new();
        if from.read_line(&mut first).unwrap_or(0) == 0 {
            continue;
        }
        while from.read_line(&mut line).unwrap_or(0) > 2 {
            line.clear();
        }
        handle(&first, &stream);
    }
}
