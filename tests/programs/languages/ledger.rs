// See ledger.c.
struct Ledger {
    balance: i64,
    worst: i64,
    history: Vec<i64>,
}

#[inline(never)]
fn rate(amount: i64) -> i64 {
    amount * 3 - 700 // origin
}

#[inline(never)]
fn deposit(ledger: &mut Ledger, name: &str, place: String, amount: i64) {
    let rated = rate(amount);
    ledger.balance += amount; // changed
    ledger.worst = rated;
    println!("{} has paid {} in {}", name, amount, place); // printed
}

#[inline(never)]
fn report(ledger: &Ledger) {
    let title = String::from("worst");
    let mut seen = vec![ledger.balance, ledger.worst];
    seen.push(ledger.history[ledger.worst as usize]); // crash
    println!("{} {:?}", title, seen);
}

fn main() {
    let names = ["alice", "bob", "carol", "dave"];
    let amounts = [300, 250, 270, 120];
    let mut ledger = Box::new(Ledger { balance: 0, worst: 0, history: vec![0; 4] }); // made
    for i in 0..4 {
        let place = if i < 2 { "Bern" } else { "Basel" };
        deposit(&mut ledger, names[i], place.to_string(), amounts[i]);
    }
    report(&ledger);
}
