package diff_test

import (
	"fmt"
	"os"
	"path/filepath"

	"alamos/pkg/diff"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			fmt.Println(err)
		}
		return path
	}
	var sides []*diff.Side
	for _, path := range []string{
		write("a.yaml", "alamos: 1\nname: a\ntraining: {schedule: {minimum: 1e-4}}\n"),
		write("b.yaml", "alamos: 1\nname: b\ntraining: {schedule: {minimum: 0.0001, patience: 5}} # spelled otherwise\n"),
	} {
		s, err := diff.Open(path, diff.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		sides = append(sides, s)
	}
	r := diff.Compare(sides[0], sides[1], diff.Options{})
	for _, s := range r.Settings {
		fmt.Printf("%s: %s, then %s\n", s.Key, s.A.Text, s.B.Text)
	}
	// Output:
	// training.schedule.patience: 3, then 5
}
