package data

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"alamos/pkg/encode"
)

// setOf is a set of one generation without a file.
func setOf(t rapid.TB, generation int, samples []encode.Sample) *Set {
	m := meta
	m.Generation = generation
	file, err := marshal(m, samples)
	if err != nil {
		t.Fatal(err)
	}
	c, err := unmarshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return newSet(c)
}

// gameID identifies a game across generations, by where its samples are.
type gameID struct {
	generation int
	number     int32
}

func gamesAt(s *Set, indices []int32) map[gameID]int {
	games := map[gameID]int{}
	for _, i := range indices {
		p := 0
		for int(i) >= s.starts[p+1] {
			p++
		}
		games[gameID{s.parts[p].meta.Generation, s.Sample(int(i)).Game}]++
	}
	return games
}

func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		var sets []*Set
		total := 0
		for i := range rapid.IntRange(1, 4).Draw(t, "generations") {
			n := rapid.IntRange(1, 12).Draw(t, "games")
			total += n
			sets = append(sets, setOf(t, i+1, randomGames(newRand(seed+uint64(i)), rapid.IntRange(0, 5).Draw(t, "first"), n, 3, 4)))
		}
		window, err := ReplayWindow(sets...)
		if err != nil {
			t.Fatal(err)
		}
		learn, held := Split(window, seed, share, false)

		all := slices.Concat(learn, held)
		slices.Sort(all)
		if len(all) != window.Len() || len(slices.Compact(all)) != window.Len() {
			t.Fatalf("%d and %d places of %d samples", len(learn), len(held), window.Len())
		}
		learned, heldOut := gamesAt(window, learn), gamesAt(window, held)
		for g := range heldOut {
			if learned[g] > 0 {
				t.Fatalf("game %v is on both sides", g)
			}
		}
		if len(learned) == 0 || share > 0 && total > 1 && len(heldOut) == 0 || share == 0 && len(heldOut) > 0 {
			t.Fatalf("%d games to learn from and %d held out of %d, share %v", len(learned), len(heldOut), total, share)
		}
		// At most half a game a generation off, or what it takes that no side is empty.
		if d := math.Abs(float64(len(heldOut)) - share*float64(total)); d > float64(len(sets)) {
			t.Fatalf("%d games of %d held out, share %v", len(heldOut), total, share)
		}

		slices.Reverse(sets)
		reversed, err := ReplayWindow(sets...)
		if err != nil {
			t.Fatal(err)
		}
		learn2, held2 := Split(reversed, seed, share, false)
		if !slices.Equal(learn, learn2) || !slices.Equal(held, held2) {
			t.Fatal("depends on the order of the sets")
		}
	})
}

// As the window slides, a game stays on its side.
func TestSplitIsTheSameInEveryWindow(t *testing.T) {
	sets := []*Set{
		setOf(t, 1, randomGames(newRand(1), 0, 10, 2, 4)),
		setOf(t, 2, randomGames(newRand(2), 0, 10, 2, 4)),
		setOf(t, 3, randomGames(newRand(3), 0, 10, 2, 4)),
	}
	held := map[gameID]bool{}
	for i, s := range sets {
		_, indices := Split(s, 7, 0.2, false)
		for g := range gamesAt(s, indices) {
			held[g] = true
		}
		if len(held) != 2*(i+1) {
			t.Fatalf("%d games held out of %d", len(held), 10*(i+1))
		}
	}
	window, err := ReplayWindow(sets...)
	if err != nil {
		t.Fatal(err)
	}
	_, indices := Split(window, 7, 0.2, false)
	for g := range gamesAt(window, indices) {
		if !held[g] {
			t.Errorf("game %v is held out in the window only", g)
		}
	}
}

// A recurring game is in the same part in every generation.
func TestSplitOfRecurringGames(t *testing.T) {
	rng := newRand(8)
	part := func(generation, first, games int) *Set {
		m := meta
		m.Generation, m.Recurring = generation, true
		return read(t, write(t, m, randomGames(rng, first, games, 2, 3)))
	}
	sets := []*Set{part(1, 0, 60), part(2, 40, 60), part(3, 20, 80)}
	window, err := ReplayWindow(sets...)
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []float64{0.1, 0.5, 0.9} {
		sides := map[int32][2]bool{}
		for _, set := range append(sets, window) {
			learn, held := Split(set, 5, share, false)
			for side, places := range [][]int32{learn, held} {
				for g := range gamesAt(set, places) {
					on := sides[g.number]
					on[side] = true
					sides[g.number] = on
				}
			}
		}
		held := 0
		for number, on := range sides {
			if on[0] && on[1] {
				t.Errorf("share %v: game %d is held out and learned from", share, number)
			}
			if on[1] {
				held++
			}
		}
		if off := float64(held) - 100*share; len(sides) != 100 || math.Abs(off) > 15 {
			t.Errorf("share %v: %d of %d games are held out", share, held, len(sides))
		}
	}
	// Both parts of a small generation have games.
	for first := range int32(20) {
		for _, share := range []float64{0.001, 0.999} {
			if learn, held := Split(part(1, int(first), 2), 5, share, false); len(learn) != 2 || len(held) != 2 {
				t.Errorf("games %d and %d, share %v: %d positions to learn, %d held out", first, first+1, share, len(learn), len(held))
			}
		}
	}
}

// Where generations are so small that their games are held out, or kept, for the sake of
// having some, a game that comes again in the window is still on one side.
func TestSplitOfFewRecurringGames(t *testing.T) {
	part := func(generation int, games ...int32) *Set {
		m := meta
		m.Generation, m.Recurring = generation, true
		var samples []encode.Sample
		for _, g := range games {
			x := randomGames(newRand(uint64(g)), 0, 1, 2, 3)
			for i := range x {
				x[i].Game = g
			}
			samples = append(samples, x...)
		}
		return read(t, write(t, m, samples))
	}
	for name, sets := range map[string][]*Set{
		"two passes": {part(1, 0, 1, 2), part(2, 3, 4, 5), part(3, 0, 2, 4), part(4, 1, 3, 5)},
		"pairs":      {part(1, 0, 1), part(2, 1, 2), part(3, 2, 0)},
		"singles":    {part(1, 0), part(2, 1), part(3, 0), part(4, 1)},
		"mixed":      {part(1, 0, 1), part(2, 0), setOf(t, 3, randomGames(newRand(1), 0, 1, 2, 3))},
	} {
		window, err := ReplayWindow(sets...)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(50) {
			for _, share := range []float64{0.01, 0.2, 0.99} {
				learn, held := Split(window, seed, share, false)
				if len(learn) == 0 || len(held) == 0 {
					t.Errorf("%s, seed %d, share %v: %d to learn, %d held out", name, seed, share, len(learn), len(held))
				}
				learned := map[int32]bool{}
				for g := range gamesAt(window, learn) {
					learned[g.number] = learned[g.number] || g.generation < 3 || name != "mixed"
				}
				for g := range gamesAt(window, held) {
					if learned[g.number] {
						t.Errorf("%s, seed %d, share %v: game %d is held out and learned from", name, seed, share, g.number)
					}
				}
			}
		}
	}
	// A single game is never held out, even if it recurs.
	window, err := ReplayWindow(part(1, 5), part(2, 5))
	if err != nil {
		t.Fatal(err)
	}
	if learn, held := Split(window, 1, 0.5, false); len(learn) != window.Len() || len(held) > 0 {
		t.Errorf("of an only game %d positions are learned from and %d held out", len(learn), len(held))
	}
}

// Over many seeds, every game is held out about as often as the share says,
// and generations choose independently of each other.
func TestSplitIsFair(t *testing.T) {
	window, err := ReplayWindow(setOf(t, 1, randomGames(newRand(1), 0, 10, 1, 2)), setOf(t, 2, randomGames(newRand(2), 0, 10, 1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	const seeds = 4000
	counts, pairs := map[int32]int{}, 0
	for seed := range uint64(seeds) {
		_, held := Split(window, seed, 0.1, false) // one game of each generation
		for _, i := range held {
			counts[i]++
		}
		if held[1]-held[0] == 10 { // the same number
			pairs++
		}
	}
	// 400 expected, standard deviation 19.
	for i := range int32(20) {
		if math.Abs(float64(counts[i])-seeds/10) > 100 {
			t.Errorf("game %d is held out %d times of %d", i, counts[i], seeds)
		}
	}
	if math.Abs(float64(pairs)-seeds/10) > 100 {
		t.Errorf("both generations hold out the same number %d times of %d", pairs, seeds)
	}
}

func TestShuffle(t *testing.T) {
	order := func(seed uint64) []int32 {
		indices := make([]int32, 1000)
		for i := range indices {
			indices[i] = int32(i)
		}
		Shuffle(indices, seed)
		return indices
	}
	a := order(1)
	if !slices.Equal(a, order(1)) || slices.Equal(a, order(2)) || slices.IsSorted(a) {
		t.Error("not a function of the seed")
	}
	slices.Sort(a)
	if a[0] != 0 || a[999] != 999 || len(slices.Compact(a)) != 1000 {
		t.Error("not a permutation")
	}
}

func TestWindowRefusesToMix(t *testing.T) {
	s := setOf(t, 1, randomGames(newRand(1), 0, 2, 2, 4))
	chess := setOf(t, 2, randomGames(newRand(1), 0, 2, 2, 4))
	chess.parts[0].meta.Variant = "chess"
	for want, sets := range map[string][]*Set{
		"generation 1 is in the replay window twice": {s, s},
		"different kinds":         {s, chess},
		"at least one generation": {},
	} {
		if _, err := ReplayWindow(sets...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// With single positions, each is on one side, in every window the same, and games are on both.
func TestSplitOfPositions(t *testing.T) {
	one, two := setOf(t, 1, randomGames(newRand(1), 0, 10, 20, 20)), setOf(t, 2, randomGames(newRand(2), 0, 10, 20, 20))
	window, err := ReplayWindow(one, two)
	if err != nil {
		t.Fatal(err)
	}
	learn, held := Split(window, 7, 0.2, true)
	if len(learn) != 320 || len(held) != 80 {
		t.Fatalf("%d positions to learn from and %d held out, want 320 and 80", len(learn), len(held))
	}
	if _, alone := Split(one, 7, 0.2, true); !slices.Equal(alone, held[:40]) {
		t.Errorf("alone %v are held out, in the window %v", alone, held[:40])
	}
	if games := gamesAt(window, held); len(games) < 15 {
		t.Errorf("the positions held out are of %d games of 20: want most of them", len(games))
	}
}
