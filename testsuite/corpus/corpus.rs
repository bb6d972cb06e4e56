// SPDX-License-Identifier: GPL-2.0-or-later
// As corpus.c: functions of Rust that print what they were given.

macro_rules! d { ($f:expr, $e:expr, $v:expr) => { println!("{} {} {}", $f, $e, $v) } }

#[derive(Clone, Copy)]
pub struct Pair { pub a: i64, pub b: i16 }
pub struct Big { pub v: [i32; 8], pub name: &'static str }
#[derive(Clone, Copy)]
pub enum Colour { Red = 1, Green = 200 }
pub trait Area { fn area(&self, k: i32) -> i32; }

// probe: corpus::ints d $a
// probe: corpus::ints d $b
// probe: corpus::ints d $c
// probe: corpus::ints d $d
// probe: corpus::ints d $e
// probe: corpus::ints d $f
// probe: corpus::ints d $g
// probe: corpus::ints d $h
#[inline(never)]
fn ints(a: i8, b: u8, c: i16, d: u16, e: i32, f: u32, g: i64, h: bool) -> i64 {
    d!("corpus::ints", "$a", a);
    d!("corpus::ints", "$b", b);
    d!("corpus::ints", "$c", c);
    d!("corpus::ints", "$d", d);
    d!("corpus::ints", "$e", e);
    d!("corpus::ints", "$f", f);
    d!("corpus::ints", "$g", g);
    d!("corpus::ints", "$h", h as i32);
    g
}

// probe: corpus::floats x $a
// probe: corpus::floats x $b
// probe: corpus::floats d $n
#[inline(never)]
fn floats(a: f64, b: f32, n: usize) -> f64 {
    println!("corpus::floats $a {:x}", a.to_bits());
    println!("corpus::floats $b {:x}", (b as f64).to_bits());
    d!("corpus::floats", "$n", n);
    a
}

// probe: corpus::text n $s->data_ptr $s->length
// probe: corpus::text d $v->length
// probe: corpus::text d $v->data_ptr[1]
#[inline(never)]
fn text(s: &str, v: &[i32]) -> usize {
    println!("corpus::text $s->data_ptr,$s->length {}", s);
    d!("corpus::text", "$v->length", v.len());
    d!("corpus::text", "$v->data_ptr[1]", v[1]);
    s.len()
}

// probe: corpus::structs d $p->a
// probe: corpus::structs d $p->b
// probe: corpus::structs d $big->v[3]
// probe: corpus::structs n $big->name->data_ptr $big->name->length
// probe: corpus::structs d $last
#[inline(never)]
fn structs(p: Pair, big: &Big, last: i32) -> i64 {
    d!("corpus::structs", "$p->a", p.a);
    d!("corpus::structs", "$p->b", p.b);
    d!("corpus::structs", "$big->v[3]", big.v[3]);
    println!("corpus::structs $big->name->data_ptr,$big->name->length {}", big.name);
    d!("corpus::structs", "$last", last);
    p.a + big.v[0] as i64
}

// probe: corpus::moved d $b->v[7]
// probe: corpus::moved d $n
#[inline(never)]
fn moved(b: Big, n: u16) -> i32 {
    d!("corpus::moved", "$b->v[7]", b.v[7]);
    d!("corpus::moved", "$n", n);
    b.v[0]
}

// probe: corpus::enums p $c
// probe: corpus::enums d $r[0]
#[inline(never)]
fn enums(c: Colour, r: &i64) -> i32 {
    println!("corpus::enums $c$ {}", match c { Colour::Red => "Red", Colour::Green => "Green" });
    d!("corpus::enums", "$r[0]", *r);
    c as i32
}

// probe: corpus::Pair::sum d $self->a
// probe: corpus::Pair::sum d $self->b
// probe: corpus::Pair::sum d $k
impl Pair {
    #[inline(never)]
    pub fn sum(&self, k: i8) -> i64 {
        d!("corpus::Pair::sum", "$self->a", self.a);
        d!("corpus::Pair::sum", "$self->b", self.b);
        d!("corpus::Pair::sum", "$k", k);
        self.a + self.b as i64 + k as i64
    }
}

// probe: <corpus::Big as corpus::Area>::area d $self->v[2]
// probe: <corpus::Big as corpus::Area>::area d $k
impl Area for Big {
    #[inline(never)]
    fn area(&self, k: i32) -> i32 {
        d!("<corpus::Big as corpus::Area>::area", "$self->v[2]", self.v[2]);
        d!("<corpus::Big as corpus::Area>::area", "$k", k);
        self.v[2] * k
    }
}

// probe: corpus::free_hand d $a
// probe: corpus::free_hand d $b
fn free_hand(a: i32, b: i32) -> i32 {
    d!("corpus::free_hand", "$a", a);
    d!("corpus::free_hand", "$b", b);
    a * b
}

fn main() {
    let n = std::env::args().count() as i32;
    let p = Pair { a: -9000000000, b: -7 };
    let big = Big { v: [n, 2, -3, 4, 5, 6, 7, -8], name: "big one" };
    let mut sum = ints(-128, 200, -30000, 60000, n - 2000000000, 4000000000, -5000000000, true);
    sum += floats(1.5, -2.25, n as usize + 6) as i64 + text("some text", &[n, -22, 3]) as i64;
    sum += structs(p, &big, n + 41)
        + enums(if n > 100 { Colour::Red } else { Colour::Green }, &sum) as i64;
    sum += p.sum(n as i8 - 5) + big.area(n + 8) as i64 + moved(big, 65000) as i64
        + free_hand(n + 20, n + 21) as i64;
    std::process::exit((sum == 0) as i32);
}
