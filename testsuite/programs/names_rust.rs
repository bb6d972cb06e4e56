// SPDX-License-Identifier: GPL-2.0-or-later
// Paths of Rust, for testsuite/ustap.process/names_rust.stp.
mod shapes {
    pub struct Square(pub u32);
    pub trait Area {
        fn area(&self) -> u32;
    }
    impl Area for Square {
        #[inline(never)]
        fn area(&self) -> u32 { self.0 * self.0 }
    }
    impl Square {
        #[inline(never)]
        pub fn side(&self) -> u32 { self.0 }
    }
    #[inline(never)]
    pub fn pick<T: Copy>(x: T, _y: T) -> T { unsafe { std::ptr::read_volatile(&x) } }
}
use shapes::Area;

fn main() {
    let s = shapes::Square(3);
    let n = s.area() + s.side() + shapes::pick(1u32, 2) + shapes::pick(4u8, 5) as u32;
    std::process::exit((n != 17) as i32);
}
