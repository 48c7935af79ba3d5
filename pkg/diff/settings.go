package diff

import (
	"cmp"
	"slices"
	"strings"

	"alamos/pkg/config"
	"alamos/pkg/experiment"
)

// Setting is a setting that differs. A side is nil if the key does not apply or is not set.
type Setting struct {
	Key   string `json:"key"` // the whole path: "search.visits"
	A     *Value `json:"a"`
	B     *Value `json:"b"`
	Items []Item `json:"items,omitempty"` // for lists: the edits from A to B
}

// Value is the value on one side.
type Value struct {
	Text   string `json:"value"`  // one line of YAML; for a swept key the list of its values
	Origin string `json:"origin"` // file:line after the revision; "" for a default; "as search.visits" for the default of another key
	Swept  bool   `json:"swept,omitempty"`
	// Source is a prefix of the hash of a script, if both sides have one.
	Source string `json:"source,omitempty"`
}

// Item is an entry of a list that differs. It was added if A is nil, removed if B is nil,
// moved if both are equal, and otherwise changed.
type Item struct {
	IndexA int    `json:"index_a"` // from 0; -1 if it is not in this list
	IndexB int    `json:"index_b"`
	A      *Value `json:"a"`
	B      *Value `json:"b"`
}

// settings compares two sides.
func settings(a, b *Side) []Setting {
	all := []Setting{}
	// Values of an axis are trials and have no order, unless several keys move together or
	// a budget takes trials in order.
	ordered := slices.ContainsFunc(slices.Concat(a.rows, b.rows), func(r config.Explained) bool {
		return strings.HasPrefix(r.Path, "sweep.zip") || strings.HasPrefix(r.Path, "sweep.budget")
	})
	for _, path := range paths(a.rows, b.rows) {
		x, y := find(a.rows, path), find(b.rows, path)
		if alike(path, x, y, ordered) {
			continue
		}
		s := Setting{Key: path, A: a.value(x), B: b.value(y)}
		if x != nil && y != nil {
			if x.Items != nil && y.Items != nil && x.Swept == y.Swept {
				s.Items = items(a, b, x.Items, y.Items)
				if i := changedFile(x, y); i >= 0 {
					s.A.Source, s.B.Source = source(x.Items[i].Meaning), source(y.Items[i].Meaning)
				}
			} else {
				s.A.Source, s.B.Source = source(x.Meaning), source(y.Meaning)
			}
		}
		all = append(all, s)
	}
	return all
}

// find returns the row of a key, or nil.
func find(rows []config.Explained, path string) *config.Explained {
	for i := range rows {
		if rows[i].Path == path {
			return &rows[i]
		}
	}
	return nil
}

// paths returns the paths of both sides without duplicates. Paths only in b are placed
// beside their neighbors in b.
func paths(a, b []config.Explained) []string {
	var all []string
	for _, r := range a {
		all = append(all, r.Path)
	}
	after := -1
	for _, r := range b {
		if i := slices.Index(all, r.Path); i >= 0 {
			after = i
			continue
		}
		after++
		all = slices.Insert(all, after, r.Path)
	}
	return all
}

// alike reports whether two values mean the same.
func alike(path string, x, y *config.Explained, ordered bool) bool {
	switch {
	case x == nil || y == nil:
		return strings.HasPrefix(path, "sweep.") && experiment.IsDefault(path, cmp.Or(x, y).Meaning)
	case x.Swept && y.Swept && x.Items != nil && y.Items != nil && !ordered:
		return slices.Equal(sorted(x.Items), sorted(y.Items))
	case x.Swept != y.Swept:
		return false
	case path == "notebook" && x.Origin.Default() && y.Origin.Default():
		return true // it follows from other settings that differ
	}
	return x.Meaning == y.Meaning
}

func sorted(items []config.Item) []string {
	var all []string
	for _, x := range items {
		all = append(all, x.Meaning)
	}
	slices.Sort(all)
	return all
}

func (s *Side) value(r *config.Explained) *Value {
	if r == nil {
		return nil
	}
	return &Value{Text: r.Value, Origin: s.origin(r.Origin), Swept: r.Swept}
}

// changedFile returns the index of the first file of a swept key that says something else on the
// other side, if the names of all are the same, or -1.
func changedFile(x, y *config.Explained) int {
	if !x.Swept || x.Value != y.Value {
		return -1
	}
	for i := range min(len(x.Items), len(y.Items)) {
		if x.Items[i].Meaning != y.Items[i].Meaning {
			return i
		}
	}
	return -1
}

// source returns a prefix of the hash in the meaning of a script, or "" if there is none.
func source(meaning string) string {
	_, sum, ok := strings.Cut(meaning, "sha256:")
	if !ok {
		return ""
	}
	return sum[:min(7, len(sum))]
}

// items returns the edits from list x to list y. The entries of a longest common
// subsequence stay. Entries between two of these change pair by pair. An entry that is
// removed in one place and added in another has moved.
func items(a, b *Side, x, y []config.Item) []Item {
	value := func(s *Side, item config.Item) *Value {
		return &Value{Text: item.Value, Origin: s.origin(item.Origin)}
	}
	change := func(i, j int) Item {
		c := Item{i, j, nil, nil}
		if i >= 0 {
			c.A = value(a, x[i])
		}
		if j >= 0 {
			c.B = value(b, y[j])
		}
		if i >= 0 && j >= 0 {
			c.A.Source, c.B.Source = source(x[i].Meaning), source(y[j].Meaning)
		}
		return c
	}
	gone, added := unmatched(x, y)
	take := func(fits func(unmatchedItem) bool) int {
		k := slices.IndexFunc(added, fits)
		if k < 0 {
			return -1
		}
		j := added[k].index
		added = slices.Delete(added, k, k+1)
		return j
	}
	var out []Item
	var rest []unmatchedItem
	for _, g := range gone {
		if j := take(func(u unmatchedItem) bool { return y[u.index].Meaning == x[g.index].Meaning }); j >= 0 {
			out = append(out, change(g.index, j))
		} else {
			rest = append(rest, g)
		}
	}
	for _, g := range rest {
		out = append(out, change(g.index, take(func(u unmatchedItem) bool { return u.before == g.before })))
	}
	for _, u := range added {
		out = append(out, change(-1, u.index))
	}
	slices.SortStableFunc(out, func(p, q Item) int { return p.place() - q.place() })
	return out
}

// place returns the index by which a change is sorted.
func (i Item) place() int {
	if i.B != nil {
		return i.IndexB
	}
	return i.IndexA
}

// unmatchedItem is an entry outside the common subsequence, with the number of common
// entries before it.
type unmatchedItem struct{ index, before int }

// unmatched returns the entries of x and of y outside a longest common subsequence.
func unmatched(x, y []config.Item) (gone, added []unmatchedItem) {
	long := make([][]int, len(x)+1) // long[i][j] is the length for x[i:] and y[j:]
	for i := range long {
		long[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i].Meaning == y[j].Meaning {
				long[i][j] = long[i+1][j+1] + 1
			} else {
				long[i][j] = max(long[i+1][j], long[i][j+1])
			}
		}
	}
	for i, j, stay := 0, 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i].Meaning == y[j].Meaning:
			i, j, stay = i+1, j+1, stay+1
		case j == len(y) || i < len(x) && long[i+1][j] >= long[i][j+1]:
			gone = append(gone, unmatchedItem{i, stay})
			i++
		default:
			added = append(added, unmatchedItem{j, stay})
			j++
		}
	}
	return gone, added
}
