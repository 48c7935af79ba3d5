package data

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"alamos/pkg/chess"

	"alamos/pkg/disk"
	"alamos/pkg/encode"
)

// KindOf tells by the name of a file what kind of source it is.
func KindOf(path string) (string, error) {
	base := strings.ToLower(filepath.Base(path))
	for _, of := range []struct{ part, kind string }{{".pgn", PGN}, {".parquet", Parquet}, {".gz", LC0}, {".tar", LC0}, {".tgz", LC0}} {
		if strings.Contains(base, of.part) {
			return of.kind, nil
		}
	}
	return "", fmt.Errorf("%s: its name does not tell what it holds: want .pgn (compressed or not), .parquet, or .gz or .tar of lc0's", path)
}

// OpenFile opens one file by itself, as it is: all positions of all its games, not
// shuffled. The kind may be empty for what its name says. The variant is that of the
// games; a sample file has its own.
func OpenFile(path, kind string, v chess.Variant, seed uint64) (*SourceSet, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	if kind == "" {
		var err error
		if kind, err = KindOf(path); err != nil {
			return nil, err
		}
	}
	if kind == Parquet {
		if meta, err := ReadMeta(path); err == nil {
			if v, err = chess.ParseVariant(meta.Variant); err != nil {
				return nil, fmt.Errorf("data: %s: %w", path, err)
			}
		} // else it is ChessMarro's, or damaged: who reads it will say
	}
	return Open(Config{Kind: kind, Variant: v, Files: []string{disk.Pattern(path)}}, seed, Machine{})
}

// Summary is what a file holds.
type Summary struct {
	File    string `json:"file"`
	Kind    string `json:"kind"`
	Bytes   int64  `json:"bytes"`
	Variant string `json:"variant"`
	// Encoder and Policy are the encodings of a file that has its positions encoded.
	Encoder string `json:"encoder,omitempty"`
	Policy  string `json:"policy,omitempty"`

	Games     int `json:"games"` // that positions come from
	Positions int `json:"positions"`
	// Games that none come from: they have no result, or no move.
	NoResult int `json:"games_without_result"`
	NoMoves  int `json:"games_without_moves"`
	// The results of the games; of Unknown ones the file does not tell who won.
	White   int `json:"white_wins"`
	Draws   int `json:"draws"`
	Black   int `json:"black_wins"`
	Unknown int `json:"unknown_results"`

	Damage string `json:"damage,omitempty"` // why it could be read no further
}

// Summarize reads a file to its end or to its first damage; see [OpenFile]. The error
// is one of asking, not of the file: there is no such file or kind, or ctx has ended.
func Summarize(ctx context.Context, path, kind string, v chess.Variant, p *Progress) (*Summary, error) {
	set, err := OpenFile(path, kind, v, 0)
	if err != nil {
		return nil, err
	}
	defer set.Close() // nothing was written
	p.Size.Store(set.size)
	out := &Summary{File: path, Kind: set.cfg.Kind, Bytes: set.size, Variant: set.cfg.Variant.String()}
	game := int32(-1)
	each := func(pos *Position) error {
		p.Positions.Add(1)
		out.Positions++
		if c := pos.Coded; c != nil {
			out.Encoder, out.Policy = c.Encoder, c.Policy
		}
		if pos.Game == game {
			return nil
		}
		game = pos.Game
		out.Games++
		p.Games.Add(1)
		switch result, known := pos.whoWon(); {
		case !known:
			out.Unknown++
		case result > 0:
			out.White++
		case result < 0:
			out.Black++
		default:
			out.Draws++
		}
		return nil
	}
	err = set.walk(ctx, each, func(it item, t *tally) {
		p.Bytes.Store(it.bytes)
		switch {
		case t.noResult:
			out.NoResult++
		case t.noMoves:
			out.NoMoves++
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		out.Damage = strings.TrimPrefix(err.Error(), "data: ")
	}
	return out, nil
}

// whoWon is the result of the position's game for White, where its targets tell it.
func (p *Position) whoWon() (result float32, known bool) {
	result = p.Value
	switch {
	case p.NoResult:
		return 0, false
	case p.At != nil && p.At.Position().Turn() == chess.Black:
		result = -result
	case p.At == nil:
		planes, err := encode.PlanesByName(p.Coded.Encoder)
		if err != nil || !planes.White() { // nobody knows who was to move
			return 0, false
		}
	}
	return result, result == 1 || result == -1 || result == 0 && p.Draw == 1
}
