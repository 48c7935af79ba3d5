package encode_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// typeOf names the type of a move from its squares, seen by the side to move.
func typeOf(files, ranks int) string {
	size := max(files, -files, ranks, -ranks)
	if files*ranks == 0 || files == ranks || files == -ranks {
		return fmt.Sprintf("%d squares to %d,%d", size, files/size, ranks/size)
	}
	return fmt.Sprintf("knight to %d,%d", files, ranks)
}

// In random games of all variants, the logit of every legal move is that of its type at the
// square where it begins, and no other legal move has it. Moves of one type have one map.
func TestLayouts(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, policy := range allPolicies(t) {
		t.Run(policy.Name(), func(t *testing.T) {
			byMove, err := encode.MoveMaps(policy)
			if err != nil {
				t.Fatal(err)
			}
			bySquares, err := encode.SquarePairs(policy)
			if err != nil {
				t.Fatal(err)
			}
			c := conventions[policy.Name()]
			types := map[string]int32{} // map of a type
			names := map[int32]string{} // and the type of a map
			check := func(p *chess.Position, m chess.Move, place int32, what string, square chess.Square) {
				t.Helper()
				if place%64 != int32(square) {
					t.Fatalf("%s, %s: at square %d, want %s, in %s", m, what, place%64, square, p.FEN())
				}
				if x, ok := types[what]; ok && x != place/64 || names[place/64] != "" && names[place/64] != what {
					t.Fatalf("%s, %s: map %d is that of %q, this type has map %d, in %s", m, what, place/64, names[place/64], x, p.FEN())
				}
				types[what], names[place/64] = place/64, what
			}
			var l chess.MoveList
			for _, v := range chess.Variants() {
				if policy.Supports(v) != nil {
					continue
				}
				g := chess.NewGame(chess.StartPosition(v))
				for range 500 {
					p := g.Position()
					p.LegalMoves(&l)
					if g.Outcome(&l).Over() || g.Ply() > 200 {
						start := chess.StartPosition(v)
						if shuffled, err := chess.Chess960(v, rng.IntN(960)); err == nil && rng.IntN(3) == 0 {
							start = shuffled
						}
						g.Reset(start)
						continue
					}
					turned := chess.Square(0)
					switch {
					case !c.mover || p.Turn() == chess.White:
					case v == chess.RacingKings:
						turned = 7
					default:
						turned = 56
					}
					moves, pairs := map[[2]int32]bool{}, map[[2]int32]bool{}
					for _, m := range l.Slice() {
						i := policy.Index(p, m)
						if i < 0 {
							continue
						}
						move, pair := byMove.Places[i], bySquares.Places[i]
						if moves[move] || pairs[pair] {
							t.Fatalf("%s has the logit of another move in %s", m, p.FEN())
						}
						moves[move], pairs[pair] = true, true
						from, to := m.From()^turned, m.To()^turned
						if m.IsCastle() && !c.kingTakes && from.File() == 4 {
							switch to.File() {
							case 0:
								to = from&^7 | 2
							case 7:
								to = from&^7 | 6
							}
						}
						files, ranks := to.File()-from.File(), to.Rank()-from.Rank()
						piece := strings.ToLower(m.Promotion().String())
						switch {
						case m.IsDrop():
							check(p, m, move[0], "drop of "+m.Dropped().String(), to)
							if pair != [2]int32{pair[0], -1} || pair[0] < 4096 || pair[0]%64 != int32(to) {
								t.Fatalf("drop %s has the places %v", m, pair)
							}
							continue
						case m.Promotion() != chess.NoPieceType && m.Promotion() != plain(c.unwritten):
							check(p, m, move[0], fmt.Sprintf("promotion to %s, %d", piece, files), from)
							if pair[1] < 4096 || pair[1]%64 != int32(to) {
								t.Fatalf("promotion %s has the places %v", m, pair)
							}
						default:
							check(p, m, move[0], typeOf(files, ranks), from)
							if pair[1] != -1 {
								t.Fatalf("%s has the places %v", m, pair)
							}
						}
						if pair[0] != 64*int32(from)+int32(to) {
							t.Fatalf("%s has the places %v", m, pair)
						}
					}
					m := l.At(rng.IntN(l.Len()))
					for k := 0; k < 2 && !lively(p, m); k++ {
						m = l.At(rng.IntN(l.Len()))
					}
					g.Play(m)
				}
			}
			if len(names) < byMove.Maps*3/4 {
				t.Errorf("moves of %d types, of %d", len(names), byMove.Maps)
			}
		})
	}
}

// plain is the promotion that is the plain move of the pawn, in an encoding whose list leaves
// out the letter of a promotion: to a queen unless the list has another.
func plain(unwritten string) chess.PieceType {
	if unwritten == "n" {
		return chess.Knight
	}
	return chess.Queen
}

// AlphaZero's numbering is its own layout; the others have as many maps as types of moves,
// and indices that no piece can use have places of their own.
func TestLayoutSizes(t *testing.T) {
	for name, want := range map[string][2]int{
		"uci1968": {73, 67}, "uci1968-mover": {73, 67}, "uci2206-mover": {81, 73}, "alphazero4672": {73, 67},
		"lc0-1858": {73, 67}, "fromto4096": {64, 64}, "marro4096": {64, 64},
	} {
		policy, err := encode.PolicyByName(name)
		if err != nil {
			t.Fatal(err)
		}
		moves, err := encode.MoveMaps(policy)
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := encode.SquarePairs(policy)
		if err != nil {
			t.Fatal(err)
		}
		if have := [2]int{moves.Maps, pairs.Maps}; have != want {
			t.Errorf("%s: %d maps, want %d", name, have, want)
		}
		list := conventions[name].list
		for _, l := range []encode.Layout{moves, pairs} {
			if len(l.Places) != policy.Size() {
				t.Fatalf("%s: %d places of %d moves", name, len(l.Places), policy.Size())
			}
			owner := map[[2]int32]int{}
			for i, p := range l.Places {
				if j, taken := owner[p]; taken && list[i] != list[j]+"q" && list[i] != "" {
					t.Errorf("%s: %q and %q share a place", name, list[i], list[j])
				}
				owner[p] = i
				if p[0] < 0 || int(max(p[0], p[1])) >= 64*l.Maps {
					t.Errorf("%s: places %v of %d maps", name, p, l.Maps)
				}
			}
		}
		if name == "alphazero4672" {
			for i, p := range moves.Places {
				if p != [2]int32{int32(i), -1} {
					t.Fatalf("%s: index %d is at %v", name, i, p)
				}
			}
		}
	}
	none, _ := encode.PolicyByName("none")
	if _, err := encode.MoveMaps(none); err == nil || !strings.Contains(err.Error(), "policy none has no moves") {
		t.Errorf("none: error %v", err)
	}
}
