package disk_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"alamos/pkg/disk"
)

// A journal keeps finished parts of long work. The second process makes only the rest, and
// writes the result as one file.
func Example() {
	dir, err := os.MkdirTemp("", "work")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "squares.journal")
	for _, most := range []int{2, 4} { // the first process is killed after two parts
		var done []byte
		j, err := disk.OpenJournal(path, []byte("squares"), func(entry []byte) error {
			done = append(done, entry...)
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d parts are done\n", len(done))
		for n := len(done); n < most; n++ {
			done = append(done, byte(n*n))
			if err := j.Add(done[n:]); err != nil {
				log.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			log.Fatal(err)
		}
		if err := disk.WriteBytes(filepath.Join(dir, "squares"), done); err != nil {
			log.Fatal(err)
		}
	}
	squares, err := os.ReadFile(filepath.Join(dir, "squares"))
	fmt.Println(squares, err)
	// Output:
	// 0 parts are done
	// 2 parts are done
	// [0 1 4 9] <nil>
}
