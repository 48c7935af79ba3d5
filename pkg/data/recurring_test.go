package data

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/encode"
)

// A game that is held out from training in one pass is held out in every other, though
// files come in another order then and chunks are cut elsewhere.
func TestHeldOutInEveryPass(t *testing.T) {
	text, err := os.ReadFile("testdata/games.pgn")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for i, part := range pgnParts(text, 4) {
		if err := os.WriteFile(filepath.Join(folder, string(rune('a'+i))+".pgn"), part, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := codecOf(t, "dtu24", "fromto4096")
	s := open(t, Config{Kind: PGN, Files: []string{folder + "/*.pgn"}, Chunk: 700, Shuffle: 100}, 3, 0)
	learned, held, chunks := map[[32]byte]int{}, map[[32]byte]int{}, map[int]int{} // by game; chunks by pass
	for g := 1; ; g++ {
		info, set := chunk(t, s, g, c)
		if info.Pass == 4 {
			break
		}
		chunks[info.Pass]++
		learn, hold := Split(set, 7, 0.3, false)
		for game := range gamesOf(set, learn) {
			learned[game]++
		}
		for game := range gamesOf(set, hold) {
			held[game]++
		}
	}
	if chunks[1] < 2 {
		t.Errorf("%d chunks in a pass: want several", chunks[1])
	}
	for game, n := range held {
		if learned[game] > 0 {
			t.Errorf("a game is held out %d times and learned from %d times", n, learned[game])
		} else if n != 3 {
			t.Errorf("a game is held out %d times in 3 passes", n)
		}
	}
	if len(held) < 3 || len(learned) < 2*len(held) {
		t.Errorf("%d games are held out and %d learned from, want about 3 of 10", len(held), len(learned))
	}
}

// A file with more games than there are numbers for takes those of the next, which is
// found out where both are in a chunk.
func TestNumbersOfGames(t *testing.T) {
	text, err := os.ReadFile(gamesPGN)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for i, part := range pgnParts(text, 4) { // six games each
		if err := os.WriteFile(filepath.Join(folder, string(rune('a'+i))+".pgn"), part, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := codecOf(t, "dtu24", "fromto4096")
	for share, fault := range map[int64]string{0: "", 6: "", 5: "two games of a chunk have the number 5: of 4 files none may have more than 5 games"} {
		s := open(t, Config{Kind: PGN, Files: []string{folder + "/*.pgn"}, Games: 24}, 3, 0)
		if share > 0 {
			s.share = share
		}
		path := filepath.Join(folder, "chunk")
		switch info, err := s.Chunk(t.Context(), First, c, path, nil, nil); {
		case fault == "" && (err != nil || info.Games != 22):
			t.Errorf("%d numbers a file: %d games, error %v", share, info.Games, err)
		case fault != "" && (err == nil || !strings.Contains(err.Error(), fault)):
			t.Errorf("%d numbers a file: error %v, want %q", share, err, fault)
		}
	}
}

// pgnParts divides games in PGN into so many files of about as many games.
func pgnParts(text []byte, n int) [][]byte {
	var begins []int
	for i := range text {
		if slices.Equal(text[i:min(len(text), i+7)], []byte("[Event ")) {
			begins = append(begins, i)
		}
	}
	parts := make([][]byte, n)
	for i := range parts {
		to := len(text)
		if i < n-1 {
			to = begins[len(begins)*(i+1)/n]
		}
		parts[i] = text[begins[len(begins)*i/n]:to]
	}
	return parts
}

// gamesOf are the games of the samples at the places, by a hash of all their positions.
func gamesOf(set *Set, places []int32) map[[32]byte]bool {
	byGame := map[int32][]encode.Sample{}
	for _, at := range places {
		x := *set.Sample(int(at))
		byGame[x.Game] = append(byGame[x.Game], x)
	}
	out := map[[32]byte]bool{}
	for _, samples := range byGame {
		slices.SortFunc(samples, func(a, b encode.Sample) int { return int(a.Ply - b.Ply) })
		h := sha256.New()
		for _, x := range samples {
			for _, w := range x.Planes {
				h.Write(binary.LittleEndian.AppendUint64(nil, w))
			}
		}
		out[[32]byte(h.Sum(nil))] = true
	}
	return out
}
