// What containers hold, for test_held.
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

trait Shape {
    fn area(&self) -> f64;
}

struct Square {
    side: f64,
}

impl Shape for Square {
    fn area(&self) -> f64 {
        self.side * self.side
    }
}

fn main() {
    let mut ages: HashMap<String, i32> = HashMap::new();
    ages.insert("ann".to_string(), 31);
    let mut order: BTreeMap<u32, String> = BTreeMap::new(); // more than one node has
    for i in 0..15 {
        order.insert(i, format!("v{}", i));
    }
    let seen: HashSet<i32> = HashSet::from([7]);
    let mut queue = VecDeque::from([1, 2, 3]);
    queue.pop_front();
    queue.push_back(4);
    let shared = Arc::new(Mutex::new(5));
    let other = Arc::clone(&shared);
    let cell = Rc::new(RefCell::new(vec![1, 2]));
    let shape: Box<dyn Shape> = Box::new(Square { side: 3.0 });
    let some = Some("x");
    let none: Option<i32> = None;
    println!("{} {} {}", ages.len() + order.len() + seen.len(), queue.len(), shape.area()); // look
    println!("{:?} {:?} {:?} {:?} {:?}", some, none, shared, other, cell);
}
