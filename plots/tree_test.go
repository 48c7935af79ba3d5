package plots

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Boxes of a level keep their distance and their order, and a parent stands
// in the middle of its children.
func TestTidyTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tree Tree
		depth, most := rapid.IntRange(1, 8).Draw(t, "depth"), rapid.IntRange(1, 60).Draw(t, "most")
		n := rapid.IntRange(1, 100).Draw(t, "n")
		for i := range n {
			n := Node{Visits: rapid.IntRange(0, 50).Draw(t, "visits"), Prior: math.NaN(), Q: math.NaN()}
			if i > 0 {
				n.Parent = rapid.IntRange(0, i-1).Draw(t, "parent")
				n.Visits = min(n.Visits, tree.Nodes[n.Parent].Visits)
			}
			tree.Nodes = append(tree.Nodes, n)
		}
		root, err := tree.pick(depth, most)
		if err != nil {
			t.Fatal(err)
		}
		last := map[int]float64{}
		shown, hidden := 0, 0
		root.walk(func(b *treeBox) {
			shown++
			hidden += b.hidden
			if y, ok := last[b.depth]; ok && b.row < y+1-1e-9 {
				t.Fatalf("at depth %d a box at row %g is followed by one at %g", b.depth, y, b.row)
			}
			last[b.depth] = b.row
			for i, c := range b.children {
				if i > 0 && c.Visits > b.children[i-1].Visits {
					t.Fatalf("children are not in the order of their visits")
				}
			}
			if k := len(b.children); k > 0 && math.Abs(b.row-(b.children[0].row+b.children[k-1].row)/2) > 1e-9 {
				t.Fatalf("a parent at row %g has children from %g to %g", b.row, b.children[0].row, b.children[k-1].row)
			}
			if b.depth > depth {
				t.Fatalf("a box at depth %d", b.depth)
			}
		})
		if shown > most || most >= n && depth >= n && (shown != n || hidden != 0) {
			t.Fatalf("%d of %d boxes are shown, %d moves hidden; at most %d are wanted", shown, n, hidden, most)
		}
	})
}

// Where Graphviz is installed, it reads what we write, whatever the moves.
func TestDOT(t *testing.T) {
	tree := Tree{Frame: Frame{Title: `a "title" \N <b>`}}
	for _, move := range []string{"e4", `"`, `\`, `\"]; evil [label="`, "<b>bold</b>", "a\nb", "名前", "\x00", "->", ""} {
		tree.Nodes = append(tree.Nodes, Node{Move: move, Visits: 1, Prior: math.NaN(), Q: 0})
	}
	figure, err := tree.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if have := strings.Join(figure.Extensions(), " "); have != ".svg .png .pdf .dot" {
		t.Errorf("formats %s", have)
	}
	doc, err := figure.Render(".dot")
	if err != nil {
		t.Fatal(err)
	}
	// Every quotation mark of a name is escaped: outside of strings there is
	// nothing that a name could have brought.
	inside := false
	var outside []byte
	for i := 0; i < len(doc); i++ {
		switch {
		case inside && doc[i] == '\\':
			i++
		case doc[i] == '"':
			inside = !inside
		case !inside:
			outside = append(outside, doc[i])
		}
	}
	if inside || bytes.Contains(outside, []byte("evil")) || bytes.Contains(outside, []byte("bold")) {
		t.Errorf("a name leaves its string: %s", outside)
	}
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("Graphviz is not installed")
	}
	cmd := exec.Command(dot, "-Tplain")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(doc), os.Stderr
	out, err := cmd.Output()
	if err != nil || bytes.Count(out, []byte("\nnode ")) != len(tree.Nodes) {
		t.Errorf("dot: %v\n%s", err, out)
	}
}
