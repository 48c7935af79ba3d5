package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	humanize "github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"alamos/pkg/nn"
)

// Row is a row of a table: a layer, or blocks like the one before.
type Row struct {
	Name, Kind, Output string
	Parameters         int
}

// Rows is the table of the layers. Blocks that are like the block before them are
// one row, unless all are wanted.
func (n *Network) Rows(all bool) []Row {
	var rows []Row
	var last []nn.Layer // of the block before
	blocks := n.blocks()
	for i := 0; i < len(blocks); {
		b := blocks[i]
		like := i
		for !all && like < len(blocks) && same(last, blocks[like]) {
			like++
		}
		if like-i > 1 || like-i == 1 && len(b) > 1 {
			rows = append(rows, n.more(blocks[i:like]))
			i = like
			continue
		}
		for _, l := range b {
			rows = append(rows, Row{l.Name, l.Kind, dimensions(l.Output), l.Parameters})
		}
		last = b
		i++
	}
	return rows
}

// blocks are the layers, those of a block of the trunk together.
func (n *Network) blocks() [][]nn.Layer {
	var all [][]nn.Layer
	before := ""
	for _, l := range n.Layers {
		block, _ := split(l.Name)
		if block == "" || block != before {
			all = append(all, nil)
		}
		before = block
		all[len(all)-1] = append(all[len(all)-1], l)
	}
	return all
}

// split takes the name of a layer apart: trunk.3.conv1 is conv1 of the block
// trunk.3. Other layers belong to no block.
func split(name string) (block, rest string) {
	parts := strings.SplitN(name, ".", 3)
	if len(parts) < 3 {
		return "", name
	}
	if _, err := strconv.Atoi(parts[1]); err != nil {
		return "", name
	}
	return parts[0] + "." + parts[1], parts[2]
}

// same tells whether blocks have the same layers, but for their number.
func same(a, b []nn.Layer) bool {
	return slices.EqualFunc(a, b, func(x, y nn.Layer) bool {
		blockX, nameX := split(x.Name)
		blockY, nameY := split(y.Name)
		return blockX != "" && blockY != "" && nameX == nameY && x.Kind == y.Kind && x.Parameters == y.Parameters && slices.Equal(x.Output, y.Output)
	})
}

// more is a row of blocks that are like the one before. Whatever layers a block of the
// trunk ends in, its own output is as wide as the trunk.
func (n *Network) more(blocks [][]nn.Layer) Row {
	first, _ := split(blocks[0][0].Name)
	end := blocks[len(blocks)-1]
	r := Row{Name: first, Kind: "a block like it", Output: dimensions([]int{n.Spec.Width, 8, 8})}
	if len(blocks) > 1 {
		last, _ := split(end[0].Name)
		r.Name, r.Kind = first+" to "+last, fmt.Sprintf("%d blocks like it", len(blocks))
	}
	for _, b := range blocks {
		for _, l := range b {
			r.Parameters += l.Parameters
		}
	}
	return r
}

func dimensions(shape []int) string {
	var words []string
	for _, n := range shape {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, "x")
}

// Formats are the words for forms of a table; JSON is the networks themselves.
var Formats = []string{"text", "markdown"}

// Write writes the tables of networks in one of Formats, each under its name and
// that of where they come from.
func LayersWrite(w io.Writer, format, from string, networks []*Network, all bool) error {
	for i, n := range networks {
		if i > 0 {
			fmt.Fprintln(w)
		}
		var err error
		if format == "markdown" {
			err = n.markdown(w, n.title(from), all)
		} else {
			err = n.text(w, n.title(from), all)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// title is the name, with the number of trials where there are several.
func (n *Network) title(from string) string {
	title := strings.TrimSpace(from + " " + n.Name)
	if n.Trials > 1 {
		title += ", " + english.Plural(n.Trials, "trial", "")
	}
	return title
}

func (n *Network) text(w io.Writer, title string, all bool) error {
	fmt.Fprintf(w, "%s\n%s\n", title, n.Summary())
	// Cells are aligned to the left, so numbers are filled up.
	numbers := []string{"parameters", humanize.Comma(int64(n.Parameters))}
	rows := n.Rows(all)
	for _, r := range rows {
		numbers = append(numbers, humanize.Comma(int64(r.Parameters)))
	}
	wide := 0
	for _, s := range numbers {
		wide = max(wide, len(s))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  layer\tkind\toutput\t%*s\n", wide, numbers[0])
	for i, r := range rows {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%*s\n", r.Name, r.Kind, r.Output, wide, numbers[i+2])
	}
	fmt.Fprintf(t, "  total\t\t\t%*s\n", wide, numbers[1])
	return t.Flush()
}

func (n *Network) markdown(w io.Writer, title string, all bool) error {
	fmt.Fprintf(w, "### %s\n\n%s\n\n", title, n.Summary())
	fmt.Fprint(w, "| layer | kind | output | parameters |\n| --- | --- | --- | ---: |\n")
	for _, r := range n.Rows(all) {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", r.Name, r.Kind, r.Output, humanize.Comma(int64(r.Parameters)))
	}
	_, err := fmt.Fprintf(w, "| total | | | %s |\n", humanize.Comma(int64(n.Parameters)))
	return err
}
