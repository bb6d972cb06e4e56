// SPDX-License-Identifier: GPL-2.0-or-later
// Functions whose results are scalars, pairs, small structs and structs in memory; prints them.
pub struct Pair {
    a: i64,
    b: i32,
}

#[inline(never)]
fn pair(a: i64, b: i32) -> Pair {
    println!("pair {} {}", a, b);
    Pair { a, b }
}

#[inline(never)]
fn mixed(a: i32) -> (f64, i32) {
    println!("mixed {} {}", a == 1, a + 3);
    (f64::from(a), a + 3)
}

#[inline(never)]
fn three(a: i16) -> (i16, i16, i16) {
    println!("three {} {} {}", a, a + 1, -a);
    (a, a + 1, -a)
}

#[inline(never)]
fn text(s: &str) -> String {
    let t = format!("<{}>", s);
    println!("text {}", t.len());
    t
}

#[inline(never)]
fn rest(s: &str) -> &str {
    &s[1..]
}

#[inline(never)]
fn slow(n: u64) -> u64 {
    println!("slow {}", n);
    std::thread::sleep(std::time::Duration::from_millis(n));
    n
}

fn main() {
    let n = std::env::args().count();
    let p = pair(-5, 6);
    let (f, k) = mixed(n as i32);
    let t = three(n as i16);
    let total = p.a as usize + p.b as usize + f as usize + k as usize + (t.0 + t.1 + t.2) as usize;
    println!("rest {}", rest("hello"));
    if total == text("x").len() + slow(20) as usize {
        std::process::exit(1);
    }
}
