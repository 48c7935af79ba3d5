package data

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// ErrDamaged is in the tree of every error about a file that exists but is not
// a whole sample file: truncated, changed, foreign, or of another version.
var ErrDamaged = errors.New("not a whole sample file")

// version is the version of the file format. Readers accept no other.
const version = "1"

// Keys of the footer, beside keyChecksum.
const (
	keyVersion    = "alamos.version"
	keyEncoder    = "alamos.encoder"
	keyPolicy     = "alamos.policy"
	keyVariant    = "alamos.variant"
	keyGeneration = "alamos.generation"
	keyGames      = "alamos.games"
	keySamples    = "alamos.samples"
	// keyColumns names the columns that a file need not have, separated by spaces;
	// absent where it has none of them.
	keyColumns = "alamos.columns"
	// keyRecurring is there, and recurringYes, where Meta.Recurring is true.
	keyRecurring = "alamos.recurring"
	recurringYes = "yes"
)

// Meta says what the samples of a file are.
type Meta struct {
	Encoder    string // name of the planes, as encode.PlanesByName knows it
	Policy     string // name of the move encoding
	Variant    string // name of the variant
	Generation int    // number of the generation, not negative

	// What is kept of a sample beside the rest: its probability of a draw, and the
	// plies to the end of its game. Where it is not, reading gives what
	// [encode.Sample] says is unknown.
	Draw, MovesLeft bool

	// Recurring says that other generations may have the same games again, and then
	// under the same numbers. See [Split].
	Recurring bool
}

// HasResult tells whether the result of a sample's game is known. One without is kept
// as of value 0 and with draw and plies left unknown; in a file without the column of
// draws that is a draw.
func (m Meta) HasResult(s *encode.Sample) bool {
	return !m.Draw || s.Draw >= 0 || s.Value != 0 || s.MovesLeft > 0
}

// SameKind tells whether samples of both can be in one window.
func (m Meta) SameKind(o Meta) bool {
	return m.Encoder == o.Encoder && m.Policy == o.Policy && m.Variant == o.Variant
}

// shape is what a Meta says about the columns of a file.
type shape struct {
	planes  int   // words a position
	policy  int   // length of the policy vector
	columns []int // in the order of the file
}

// has tells whether the file has a column.
func (h *shape) has(column int) bool { return slices.Contains(h.columns, column) }

// shape checks the names and returns the sizes that belong to them.
func (m Meta) shape() (shape, error) {
	v, err := chess.ParseVariant(m.Variant)
	if err != nil {
		return shape{}, err
	}
	c, err := encode.NewCodec(m.Encoder, m.Policy, v)
	if err != nil {
		return shape{}, err
	}
	if m.Generation < 0 {
		return shape{}, fmt.Errorf("generation %d is negative", m.Generation)
	}
	h := shape{planes: c.Planes.Count(), policy: c.Policy.Size()}
	for column := range columnCount {
		switch {
		case column == columnDraw && !m.Draw, column == columnMovesLeft && !m.MovesLeft:
		case (column == columnIndices || column == columnPolicy) && h.policy == 0:
		default:
			h.columns = append(h.columns, column)
		}
	}
	return h, nil
}

// extra names the columns that a file need not have.
func (m Meta) extra() string {
	var names []string
	if m.Draw {
		names = append(names, columnNames[columnDraw])
	}
	if m.MovesLeft {
		names = append(names, columnNames[columnMovesLeft])
	}
	return strings.Join(names, " ")
}

// footer returns the entries of a file's footer.
func (m Meta) footer(games, samples int) map[string]string {
	f := map[string]string{
		keyVersion:    version,
		keyEncoder:    m.Encoder,
		keyPolicy:     m.Policy,
		keyVariant:    m.Variant,
		keyGeneration: strconv.Itoa(m.Generation),
		keyGames:      strconv.Itoa(games),
		keySamples:    strconv.Itoa(samples),
	}
	if extra := m.extra(); extra != "" {
		f[keyColumns] = extra
	}
	if m.Recurring {
		f[keyRecurring] = recurringYes
	}
	return f
}

// parseMeta is the inverse of footer; lookup returns the value of a key.
func parseMeta(lookup func(key string) (string, bool)) (m Meta, games, samples int, err error) {
	text := func(key string) string {
		s, ok := lookup(key)
		if !ok && err == nil {
			err = fmt.Errorf("footer has no %s", key)
		}
		return s
	}
	number := func(key string) int {
		s := text(key)
		n, e := strconv.Atoi(s)
		if e != nil && err == nil {
			err = fmt.Errorf("footer has %s = %q, want a number", key, s)
		}
		return n
	}
	if v := text(keyVersion); err == nil && v != version {
		err = fmt.Errorf("format version %q, this alamos reads version %s", v, version)
	}
	m = Meta{
		Encoder:    text(keyEncoder),
		Policy:     text(keyPolicy),
		Variant:    text(keyVariant),
		Generation: number(keyGeneration),
	}
	recurring, _ := lookup(keyRecurring)
	m.Recurring = recurring == recurringYes
	extra, _ := lookup(keyColumns)
	for _, name := range strings.Fields(extra) {
		switch name {
		case columnNames[columnDraw]:
			m.Draw = true
		case columnNames[columnMovesLeft]:
			m.MovesLeft = true
		default:
			if err == nil {
				err = fmt.Errorf("footer names a column %q, which this alamos does not know", name)
			}
		}
	}
	return m, number(keyGames), number(keySamples), err
}
