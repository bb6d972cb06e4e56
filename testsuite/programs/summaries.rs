// SPDX-License-Identifier: GPL-2.0-or-later
// Values of the Rust library; ustap.process/summaries_rust.stp says what they are.
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
#[inline(never)]
fn black_box<T>(t: T) -> T {
    unsafe { std::ptr::read_volatile(&std::mem::ManuallyDrop::new(t) as *const _ as *const T) }
}
#[derive(Debug)]
enum Shape {
    Circle { radius: u32 },
    Rect(u32, u32),
    Empty,
}
#[derive(Debug)]
enum Plain {
    A,
    B,
}
struct Who {
    name: String,
    age: u32,
    mood: Option<Plain>,
}
#[no_mangle]
#[inline(never)]
fn f_text(a: String, b: &str, c: &String) -> usize {
    black_box(a.len() + b.len())
}
#[no_mangle]
#[inline(never)]
fn f_vec(a: Vec<i32>, b: &Vec<String>, c: &[u8]) -> usize {
    black_box(a.len() + b.len())
}
#[no_mangle]
#[inline(never)]
fn f_opt(
    a: Option<u32>,
    b: Option<u32>,
    c: Option<Box<i32>>,
    d: Option<&str>,
    e: &Option<String>,
) -> bool {
    black_box(a.is_some() && b.is_some() && c.is_some() && d.is_some() && e.is_some())
}
#[no_mangle]
#[inline(never)]
fn f_res(a: &Result<u32, String>, b: &Result<u32, String>) -> bool {
    black_box(a.is_ok() && b.is_ok())
}
#[no_mangle]
#[inline(never)]
fn f_enum(a: &Shape, b: &Shape, c: &Shape, d: &Plain) -> usize {
    black_box(
        a as *const _ as usize
            + b as *const _ as usize
            + c as *const _ as usize
            + d as *const _ as usize,
    )
}
#[no_mangle]
#[inline(never)]
fn f_box(a: Box<i32>, b: Rc<String>, c: Arc<u64>, d: &RefCell<i32>) -> i32 {
    black_box(*a + b.len() as i32 + *c as i32 + *d.borrow())
}
#[no_mangle]
#[inline(never)]
fn f_coll(a: &HashMap<String, i32>, b: &VecDeque<i32>) -> usize {
    black_box(a.len() + b.len())
}
#[no_mangle]
#[inline(never)]
fn f_trees(a: &BTreeMap<String, i32>, b: &BTreeSet<u16>, c: &BTreeMap<u8, u8>, d: &HashSet<u32>) -> usize {
    black_box(a.len() + b.len() + c.len() + d.len())
}
#[no_mangle]
#[inline(never)]
fn f_who(w: &Who) -> u32 {
    black_box(w.age + w.name.len() as u32 + w.mood.is_some() as u32)
}
fn main() {
    let s = String::from("borrowed");
    f_text(String::from("owned"), "slice", &s);
    f_vec(
        vec![1, -2, 3],
        &vec![String::from("x"), String::from("yé")],
        b"ab",
    );
    f_opt(Some(5), None, Some(Box::new(9)), Some("hi"), &None);
    f_res(&Ok(3), &Err(String::from("bad")));
    f_enum(
        &Shape::Circle { radius: 4 },
        &Shape::Rect(2, 3),
        &Shape::Empty,
        &Plain::B,
    );
    black_box(Plain::A);
    f_box(
        Box::new(11),
        Rc::new(String::from("shared")),
        Arc::new(12),
        &RefCell::new(13),
    );
    let mut h = HashMap::new();
    h.insert(String::from("k"), 1);
    let mut d: VecDeque<i32> = (0..5).collect();
    d.rotate_left(2);
    d.push_front(77);
    f_coll(&h, &d);
    let mut t = BTreeMap::new();
    for (i, k) in ["b", "c", "a"].iter().enumerate() {
        t.insert(k.to_string(), i as i32);
    }
    let mut s: BTreeSet<u16> = (0..500).collect();
    for i in 0..400 {
        s.remove(&(i + 30));
    }
    f_trees(&t, &s, &BTreeMap::new(), &HashSet::from([9]));
    f_who(&Who {
        name: String::from("Eve"),
        age: 3,
        mood: Some(Plain::A),
    });
}
