// SPDX-License-Identifier: GPL-2.0-or-later
use crate::Point;

pub fn text(s: *const u8) -> &'static str
{
    unsafe { std::ffi::CStr::from_ptr(s as *const i8) }.to_str().unwrap()
}

#[inline(never)]
pub fn twice(p: &Point, by: i32) -> i32
{
    unsafe { std::arch::asm!("/* {} {} */", in(reg) p, in(reg) by) };   // not optimised out
    println!("twice {} {}", text(p.name), by);
    p.x + p.x + by
}
