package store_test

import (
	"fmt"
	"log"
	"os"

	"alamos/pkg/store"
)

// The manifest decides whether a stage must run, and gives the reason.
func Example() {
	dir, err := os.MkdirTemp("", "trial")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	m, err := store.ReadManifest(dir) // empty
	if err != nil {
		log.Fatal(err)
	}
	in := store.Inputs{"code": "1", "seed": "7"}
	fresh := func() {
		ok, why, err := m.Fresh(dir, store.SelfPlayStage(1), in, false)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v %q\n", ok, why)
	}
	fresh()
	m.Put(&store.Stage{Name: store.SelfPlayStage(1), Inputs: in})
	if err := m.Write(dir); err != nil {
		log.Fatal(err)
	}
	fresh()
	in = store.Inputs{"code": "1", "seed": "8"}
	fresh()
	// Output:
	// false "first time"
	// true ""
	// false "seed 7 -> 8"
}
