package puzzle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
)

// Puzzle is a position with a move to find.
type Puzzle struct {
	Line     int    // line in its file, from 1
	ID       string // "" if it has no name
	Position chess.Position
	Best     []chess.Move // any of them solves the puzzle; empty if only Mate is known
	Mate     int          // the side to move wins by force in this many moves; 0 if only Best is known
}

// Set is a file of puzzles.
type Set struct {
	File    string // file name as given by the caller
	Puzzles []Puzzle
}

// Name returns the file's name without folder and extension, such as "mate-in-2".
func (s *Set) Name() string {
	return strings.TrimSuffix(filepath.Base(s.File), filepath.Ext(s.File))
}

// MaxMate is the longest forced win of a puzzle. A proof of one more move takes hundreds of
// times as long.
const MaxMate = 5

// Load reads a set from a file, see [Read].
func Load(file string, v chess.Variant) (*Set, error) {
	f, err := disk.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, file, v)
}

// Read reads a set. Lines without the operation "variant" have the variant v. Read skips
// empty lines and lines that begin with #. Errors name file and line. A set without puzzles
// is an error.
func Read(r io.Reader, file string, v chess.Variant) (*Set, error) {
	s := &Set{File: file}
	err := chess.ReadEPD(r, file, func(line int, fen, operations string) error {
		p, err := parse(fen, operations, v)
		p.Line = line
		s.Puzzles = append(s.Puzzles, p)
		return err
	})
	if err == nil && len(s.Puzzles) == 0 {
		err = fmt.Errorf("%s: no puzzle in it: want lines such as %q", file, `6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; id "back rank";`)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// parse parses a line of a set. The variant is v unless the line names another.
func parse(fen, operations string, v chess.Variant) (Puzzle, error) {
	ops, err := parseOperations(operations)
	if err != nil {
		return Puzzle{}, err
	}
	var p Puzzle
	if name, err := ops.one("variant"); err != nil {
		return Puzzle{}, err
	} else if name != "" {
		if v, err = chess.ParseVariant(name); err != nil {
			return Puzzle{}, fmt.Errorf("variant: %w", err)
		}
	}
	if p.ID, err = ops.one("id"); err != nil {
		return Puzzle{}, err
	}
	if fen, err = ops.withClocks(strings.Fields(fen)); err != nil {
		return Puzzle{}, err
	}
	if p.Position, err = chess.ParseOngoing(v, fen); err != nil {
		return Puzzle{}, err
	}
	for _, san := range ops["bm"] {
		m, err := p.Position.ParseSAN(san)
		if err != nil {
			return Puzzle{}, fmt.Errorf("bm: %w", err)
		}
		p.Best = append(p.Best, m)
	}
	if p.Mate, err = ops.number("dm", 0, 1, MaxMate); err != nil {
		return Puzzle{}, err
	}
	if p.Mate == 0 && len(p.Best) == 0 {
		return Puzzle{}, errors.New("nothing to find: want bm with the best moves, or dm with the moves to mate")
	}
	return p, nil
}

var (
	// operation matches "opcode operand ...;". Quoted operands may contain blanks and
	// semicolons. The last semicolon is optional.
	operation = regexp.MustCompile(`^([A-Za-z]\w*)((?:\s*"[^"]*"|\s+[^\s;"]+)*)\s*(?:;|$)`)
	operand   = regexp.MustCompile(`"[^"]*"|[^\s"]+`)
)

// operations maps each operation of a line to its operands.
type operations map[string][]string

func parseOperations(s string) (operations, error) {
	ops := operations{}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		m := operation.FindStringSubmatch(s)
		if m == nil {
			return nil, fmt.Errorf("want an operation such as %q, have %.20q", "dm 1;", s)
		}
		name := m[1]
		if _, twice := ops[name]; twice {
			return nil, fmt.Errorf("%s: given twice", name)
		}
		ops[name] = operand.FindAllString(m[2], -1)
		for i, o := range ops[name] {
			ops[name][i] = strings.Trim(o, `"`)
		}
		s = s[len(m[0]):]
	}
	return ops, nil
}

// one returns the operand of an operation that takes exactly one, or "" if the operation is
// missing.
func (o operations) one(name string) (string, error) {
	list, ok := o[name]
	if !ok {
		return "", nil
	}
	if len(list) != 1 {
		return "", fmt.Errorf("%s: %d operands: want one (in quotes, if it has blanks)", name, len(list))
	}
	return list[0], nil
}

// number returns the integer operand of an operation, or absent if the operation is
// missing.
func (o operations) number(name string, absent, low, high int) (int, error) {
	if _, ok := o[name]; !ok {
		return absent, nil
	}
	text, err := o.one(name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s: want a whole number from %d to %d, have %q", name, low, high, text)
	}
	return n, nil
}

// withClocks returns the FEN of a position. It takes missing clocks from the operations.
func (o operations) withClocks(fields []string) (string, error) {
	fen := strings.Join(fields, " ")
	_, half := o["hmvc"]
	_, full := o["fmvn"]
	if !half && !full {
		return fen, nil
	}
	if last := fields[len(fields)-1]; len(fields) > 4 && !strings.Contains(last, "+") {
		return "", errors.New("hmvc, fmvn: the position has its clocks already")
	}
	const most = 100_000
	h, err := o.number("hmvc", 0, 0, most)
	if err != nil {
		return "", err
	}
	f, err := o.number("fmvn", 1, 1, most)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %d %d", fen, h, f), nil
}

// String formats the puzzle as a line of a set.
func (p *Puzzle) String() string {
	at := &p.Position
	fields := strings.Fields(at.FEN())
	var b strings.Builder
	b.WriteString(strings.Join(fields[:len(fields)-2], " ")) // without the clocks
	if len(p.Best) > 0 {
		b.WriteString(" bm")
		for _, m := range p.Best {
			b.WriteString(" " + at.SAN(m))
		}
		b.WriteString(";")
	}
	if p.Mate > 0 {
		fmt.Fprintf(&b, " dm %d;", p.Mate)
	}
	fmt.Fprintf(&b, " fmvn %d; hmvc %d;", at.FullMove(), at.Rule50())
	if p.ID != "" {
		fmt.Fprintf(&b, " id \"%s\";", p.ID)
	}
	if v := at.Variant(); v != chess.Standard {
		fmt.Fprintf(&b, " variant %s;", v)
	}
	return b.String()
}

// Write writes comment lines and then one line for each puzzle. Read returns the same
// puzzles from its output.
func Write(w io.Writer, puzzles []Puzzle, comment ...string) error {
	out := bufio.NewWriter(w)
	for _, c := range comment {
		fmt.Fprintf(out, "# %s\n", c)
	}
	for i := range puzzles {
		fmt.Fprintln(out, puzzles[i].String())
	}
	return out.Flush()
}
