package run

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// borrow takes a stage from another trial that has it, and tells whether there was
// one.
func (t *Trial) borrow(name string, in store.Inputs) (bool, error) {
	for _, d := range t.Shelf.find(name, in, t.Dir) {
		st, m := t.Shelf.take(d, in)
		if st == nil {
			continue
		}
		from := filepath.Join(t.Shelf.root, d.dir)
		for _, file := range slices.Sorted(maps.Keys(st.Outputs)) {
			if err := disk.Link(filepath.Join(from, file), t.Path(file)); err != nil {
				return false, fmt.Errorf("taking it from %s: %w", from, err)
			}
		}
		t.Report.Shared(name, from)
		t.Manifest.Put(st)
		t.Manifest.Machine = m.Machine
		return true, t.Manifest.Write(t.Dir)
	}
	return false, nil
}
