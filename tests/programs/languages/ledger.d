/* See ledger.c. */
import std.stdio;

struct Ledger
{
    long balance, worst;
    long[] history;
}

long rate(long amount)
{
    return amount * 3 - 700; // origin
}

void deposit(Ledger* ledger, string name, long amount)
{
    long rated = rate(amount);
    ledger.balance += amount; // changed
    ledger.worst = rated;
    writefln("%s has paid %d", name, amount); // printed
    stdout.flush();
}

void report(Ledger* ledger)
{
    string title = "worst";
    long[] seen = [ledger.balance, ledger.worst];
    seen ~= ledger.history[ledger.worst]; // crash
    writeln(title, seen);
}

void main()
{
    string[] names = ["alice", "bob", "carol", "dave"];
    long[] amounts = [300, 250, 270, 120];
    auto ledger = new Ledger; // made
    ledger.history = new long[4];
    foreach (i; 0 .. 4)
        deposit(ledger, names[i], amounts[i]);
    report(ledger);
}
