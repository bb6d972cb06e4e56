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

// Calls by pointers that the compiler cannot follow: it keeps the functions' parameters and results.
static PAIR: fn(i64, i32) -> Pair = pair;
static MIXED: fn(i32) -> (f64, i32) = mixed;
static THREE: fn(i16) -> (i16, i16, i16) = three;
static TEXT: fn(&str) -> String = text;
static SLOW: fn(u64) -> u64 = slow;

fn unknown<T: Copy>(function: &T) -> T {
    unsafe { std::ptr::read_volatile(function) }
}

fn main() {
    let n = std::env::args().count();
    let p = unknown(&PAIR)(-5, 6);
    let (f, k) = unknown(&MIXED)(n as i32);
    let t = unknown(&THREE)(n as i16);
    let total = p.a as usize + p.b as usize + f as usize + k as usize + (t.0 + t.1 + t.2) as usize;
    println!("rest {}", rest("hello"));
    if total == unknown(&TEXT)("x").len() + unknown(&SLOW)(20) as usize {
        std::process::exit(1);
    }
}
