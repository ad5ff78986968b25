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

type Ages map[string]int

type Wide struct {
	Number int
	Rest   [40]int
}

func main() {
	ages := map[string]int{"ann": 31}
	named := Ages{"bob": 40}
	many := map[int]int{}
	for i := 0; i < 20; i++ {
		many[i] = i * i
	}
	huge := map[int]int{}
	for i := 0; i < 7168; i++ { // about half of the tables that a new Go makes of it have been split
		huge[i] = 2 * i
	}
	for i := 0; i < 7168; i++ {
		if i%150 != 0 {
			delete(huge, i)
		}
	}
	wide := map[Wide]Wide{{Number: 7}: {Number: 8}}
	far_keys := map[*Wide]string{{Number: 9}: "nine"}
	var none map[string]int
	empty := map[string]int{}
	var any interface{} = Circle{2, "c"}
	var far interface{} = &Circle{3, "p"}
	var nothing interface{}
	err := errors.New("none yet")
	fmt.Println(len(ages), len(named), len(many), len(huge), len(none), len(empty)) // look
	fmt.Println(any, far, nothing, err, len(wide), len(far_keys))
}
