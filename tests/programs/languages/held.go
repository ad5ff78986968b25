// What maps and interfaces hold, for test_held.
package main

import (
	"errors"
	"fmt"
)

type Circle struct {
	Radius int
	Label  string
}

func main() {
	ages := map[string]int{"ann": 31}
	many := map[int]int{}
	for i := 0; i < 20; i++ {
		many[i] = i * i
	}
	var none map[string]int
	var any interface{} = Circle{2, "c"}
	var far interface{} = &Circle{3, "p"}
	var nothing interface{}
	err := errors.New("none yet")
	fmt.Println(len(ages), len(many), len(none)) // look
	fmt.Println(any, far, nothing, err)
}
