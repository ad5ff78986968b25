// See ledger.c.
package main

import "fmt"

type Ledger struct {
	balance, worst int
	history        []int
}

var book *Ledger

//go:noinline
func rate(amount int) int {
	return amount*3 - 700 // origin
}

//go:noinline
func deposit(ledger *Ledger, name string, amount int) {
	rated := rate(amount)
	ledger.balance += amount // changed
	ledger.worst = rated
	fmt.Printf("%s has paid %d\n", name, amount) // printed
}

//go:noinline
func report(ledger *Ledger) {
	title := "worst"
	seen := []int{ledger.balance, ledger.worst}
	seen = append(seen, ledger.history[ledger.worst]) // crash
	fmt.Println(title, seen)
}

func main() {
	names := []string{"alice", "bob", "carol", "dave"}
	amounts := []int{300, 250, 270, 120}
	book = &Ledger{history: make([]int, 4)} // made
	for i, name := range names {
		deposit(book, name, amounts[i])
	}
	report(book)
}
