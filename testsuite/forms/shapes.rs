// SPDX-License-Identifier: GPL-2.0-or-later
// The program of shapes.c in Rust: two files, and what a script should print.
mod shapes2;
use std::io::Write;

static mut TOTAL: i32 = 40;

pub struct Point { x: i32, y: i16, name: *const u8 }

#[derive(Clone, Copy)]
#[repr(C)]
pub enum Way { Near, Far = 7 }

#[inline(always)]
fn mix(p: &Point, by: i32) -> i32
{
    println!("mix {} {}", p.y, by);
    p.y as i32 * by
}

#[inline(never)]
pub fn area(p: &mut Point, times: i32, way: Way) -> i32
{
    println!("area {} {} {} {}", p.x, shapes2::text(p.name), times, way as i32);
    std::io::stdout().flush().unwrap();
    let sum = mix(p, times + 1) + shapes2::twice(p, times);
    unsafe { TOTAL += sum };
    println!("line {}", unsafe { TOTAL });          // line 29
    println!("back {}", sum);
    std::io::stdout().flush().unwrap();
    sum
}

fn main()
{
    let mut p = Point { x: 3, y: -4, name: b"corner\0".as_ptr() };
    let mut q = Point { x: -70000, y: 12, name: b"far\0".as_ptr() };
    std::process::exit((area(&mut p, 5, Way::Near) + area(&mut q, 2, Way::Far) == 0) as i32)
}
