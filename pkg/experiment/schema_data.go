package experiment

import (
	"encoding/json"
	"path/filepath"
	"slices"
)

// The words of the open choices of data.
var (
	dataKinds     = enum{"lc0", "parquet", "pgn", "engine"}
	policyTargets = enum{"played", "engine"}
	brokenGames   = enum{"error", "skip"}
)

var (
	fileKinds  = []any{"lc0", "parquet", "pgn"}
	labelKinds = []any{"pgn", "engine"}
)

var dataKeys = &group{fields: []field{
	{key: "kind", typ: dataKinds, must: true, doc: "Where positions come from: lc0 is training records of Leela Chess Zero (V6), parquet samples of alamos or the 77-integer files of ChessMarro, pgn games, engine games of a UCI engine against itself."},
	{key: "files", typ: sequence{elem: dataFiles{}, single: true, min: 1}, must: true, when: only("kind", fileKinds...), doc: "Files, or patterns of files with * and ?, relative to the folder of the experiment file. What is in the files decides results, where they lie does not."},
	{key: "engine", typ: &group{oneOf: limitKeys, fields: slices.Concat(engineFields("The engine that plays both sides, by its name on the path."), []field{
		{key: "random_plies", typ: integer{0, 1_000}, def: int64(8), unit: "plies", doc: "Random legal moves at the start of a game, which are not learned from."},
	})}, must: true, when: only("kind", "engine"), doc: "Who plays."},
	{key: "games", typ: atLeast(1), absent: "all", unit: "games", doc: "Of kind engine, where it must be given: games of a chunk. Else games that are read of the files, the first of them in the order of their names."},
	{key: "positions", typ: amount{}, def: "all", unit: "positions", doc: "Positions drawn of each game."},
	{key: "chunk", typ: amount{}, def: int64(200_000), unit: "positions", when: only("kind", fileKinds...), doc: "Positions that a generation learns from: it ends with the game that reaches them; all is the whole of the files. After the last chunk the files begin again, in another order and with other positions drawn."},
	{key: "shuffle", typ: integer{0, 100_000_000}, def: int64(50_000), unit: "positions", doc: "Positions from which the next one is drawn: neighbors in a file are that far apart on average; 0 leaves them in their order."},
	{key: "policy", typ: policyTargets, def: "played", when: only("kind", labelKinds...), doc: "What the policy learns: the move that was played, or the best move of the engine that labels; lc0 and parquet have targets of their own."},
	{key: "label", optional: true, typ: &group{oneOf: limitKeys, fields: slices.Concat(engineFields("The engine that values positions, by its name on the path."), []field{
		{key: "finish", optional: true, typ: &group{oneOf: limitKeys, fields: limitFields}, doc: "Games that ended before the rules ended them are played out by the engine, to this limit a move; absent: they count as they ended."},
	})}, when: only("kind", labelKinds...), doc: "An engine says what the value learns: the expected score of each position, from its odds of win, draw and loss, or else from its centipawns. Absent: the results of the games."},
	{key: "broken", typ: brokenGames, def: "error", when: only("kind", "pgn", "lc0"), doc: "What becomes of a game that cannot be read, in lc0's data a chunk: it ends the run, or is passed over and counted, as is the game in which a tar is cut off."},
}}

var (
	limitKeys   = []string{"depth", "nodes"}
	limitFields = []field{
		{key: "depth", typ: integer{1, 1_000}, unit: "plies", doc: "Depth of its search."},
		{key: "nodes", typ: integer{1, 1_000_000_000_000}, unit: "positions", doc: "Positions of its search."},
	}
)

// engineFields are the keys of a UCI engine with a limit that does not hang on time.
func engineFields(doc string) []field {
	return slices.Concat([]field{{key: "uci", typ: text{what: "the name of a UCI engine"}, must: true, doc: doc}}, limitFields, []field{
		{key: "options", typ: table{}, doc: "UCI options, such as Skill Level: 3."},
	})
}

// amount is a whole number of at least 1, or all there are.
type amount struct{}

const allWord = "all"

func (amount) want() string { return atLeast(1).want() + " or the word " + allWord }

func (a amount) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind == scalar && t.text == allWord {
		return allWord, true
	}
	if _, hint, ok := number(t); !ok {
		if t.kind == scalar && hint == "" {
			hint = didYouMean(t.text, []string{allWord})
		}
		return c.refuse(t, path, a, hint)
	}
	return atLeast(1).read(c, path, t)
}

// Amount is how many of something; 0, written all, is all there are.
type Amount int

// MarshalJSON writes a number, or "all".
func (a Amount) MarshalJSON() ([]byte, error) {
	if a == 0 {
		return json.Marshal(allWord)
	}
	return json.Marshal(int(a))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (a *Amount) UnmarshalJSON(b []byte) error {
	if string(b) == `"`+allWord+`"` {
		*a = 0
		return nil
	}
	return json.Unmarshal(b, (*int)(a))
}

// dataFiles is the path of a file or a pattern of several, given relative to the file
// that names it. Whether they are there is not for the language to say: they may be
// many, big, and on another machine.
type dataFiles struct{}

func (dataFiles) want() string { return "the path of a file, or a pattern with * and ?" }

func (d dataFiles) read(c *checker, path string, t *tree) (any, bool) {
	if _, ok := (text{}).read(c, path, t); !ok {
		return nil, false
	}
	if _, err := filepath.Match(t.text, ""); err != nil {
		return c.refuse(t, path, d, "a [ begins a set of characters that ends with ]")
	}
	if c.files != nil { // nil: read before
		t.text = c.files.beside(t.at.File, t.text)
	}
	return t.text, true
}

// Files are the files that a pattern matches.
type Files struct {
	Pattern string // from the working directory
	// Beside is the pattern as seen from the folder of the experiment file, with
	// slashes: part of a trial's identity in its place, so that it does not hang on
	// the working directory.
	Beside string
}

// MarshalJSON writes Beside where it is known, else the pattern.
func (f Files) MarshalJSON() ([]byte, error) {
	if f.Beside != "" {
		return json.Marshal(f.Beside)
	}
	return json.Marshal(f.Pattern)
}

// UnmarshalJSON reads a pattern.
func (f *Files) UnmarshalJSON(b []byte) error {
	*f = Files{}
	return json.Unmarshal(b, &f.Pattern)
}

// withData returns a copy in which the patterns of the data's files are what change
// makes of them.
func (s *Settings) withData(change func(Files) Files) Settings {
	c := *s
	if s.Data != nil {
		d := *s.Data
		d.Files = slices.Clone(d.Files)
		for i, f := range d.Files {
			d.Files[i] = change(f)
		}
		c.Data = &d
	}
	return c
}

// besideFolder is a path from the working directory as seen from a folder.
func besideFolder(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}
