package dataset

import (
	"errors"
	"fmt"
	"strconv"

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
)

// Meta says what the samples of a file are.
type Meta struct {
	Encoder    string // name of the planes, as encode.PlanesByName knows it
	Policy     string // name of the move encoding
	Variant    string // name of the variant
	Generation int    // number of the generation, not negative
}

// shape is what a Meta says about the sizes of a sample.
type shape struct {
	planes int // words a position
	policy int // length of the policy vector
}

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
	return shape{planes: c.Planes.Count(), policy: c.Policy.Size()}, nil
}

// footer returns the entries of a file's footer.
func (m Meta) footer(games, samples int) map[string]string {
	return map[string]string{
		keyVersion:    version,
		keyEncoder:    m.Encoder,
		keyPolicy:     m.Policy,
		keyVariant:    m.Variant,
		keyGeneration: strconv.Itoa(m.Generation),
		keyGames:      strconv.Itoa(games),
		keySamples:    strconv.Itoa(samples),
	}
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
	return m, number(keyGames), number(keySamples), err
}
