package encode_test

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// rulesToEncode are rules with other boards, pieces, pawns and drops.
func rulesToEncode(t *testing.T) []chess.Variant {
	variants := chess.Variants()
	for _, text := range []string{
		`{"name":"torpedo","double_step":[2,3,4,5,6],"en_passant":[2,3,4,5,6]}`,
		`{"name":"small","files":6,"ranks":6,"start":"rnzknr/pppppp/6/6/PPPPPP/RNZKNR w - - 0 1","pieces":[{"name":"pawn","letter":"p","moves":"mfFcfW","region":"all"},{"name":"knight","letter":"n","moves":"N","region":"all"},{"name":"rook","letter":"r","moves":"R","region":"all"},{"name":"king","letter":"k","moves":"K","region":"all"},{"name":"zebra","letter":"z","moves":"ZCNN","region":"all"}],"double_step":[2],"promotion_ranks":[5,6],"promotion":"rnz","castling":false}`,
		`{"name":"house","hand":"captures","quiet_plies":0,"self_capture":true}`,
		`{"name":"may-promote","promotion_optional":true,"promotion_ranks":[7,8],"double_step":[2,6]}`,
		`{"name":"no-pawns","start":"rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w KQkq - 0 1","pieces":[{"name":"knight","letter":"n","moves":"N","region":"all"},{"name":"bishop","letter":"b","moves":"B","region":"all"},{"name":"rook","letter":"r","moves":"R","region":"all"},{"name":"queen","letter":"q","moves":"Q","region":"all"},{"name":"king","letter":"k","moves":"K","region":"all"}]}`,
		`{"name":"black-promotes","promotion":"none","promotion_black":"qn","quiet_plies":0}`,
	} {
		v, err := chess.ParseVariant(text)
		if err != nil {
			t.Fatal(err)
		}
		variants = append(variants, v)
	}
	return variants
}

// Every legal move has an index of its own, whose text is that of the move, and both sides'
// pieces are on the planes as the mover sees them.
func TestRulesEncodings(t *testing.T) {
	for _, v := range rulesToEncode(t) {
		t.Run(v.String(), func(t *testing.T) {
			codec, err := encode.NewCodec(encode.Rules, encode.Rules, v)
			if err != nil {
				t.Fatal(err)
			}
			byName, err := encode.PolicyByName(codec.Policy.Name())
			if err != nil || byName != codec.Policy {
				t.Fatalf("%s: another policy, %v", codec.Policy.Name(), err)
			}
			layouts := []encode.Layout{}
			for _, of := range []func(*encode.Policy) (encode.Layout, error){encode.MoveMaps, encode.SquarePairs} {
				l, err := of(codec.Policy)
				if err != nil {
					t.Fatal(err)
				}
				layouts = append(layouts, l)
			}
			r := rand.New(rand.NewPCG(4, uint64(v)))
			words := make([]uint64, codec.Planes.Count())
			for range 20 {
				g := chess.NewGame(chess.StartPosition(v))
				var l chess.MoveList
				for range 120 {
					p := g.Position()
					p.LegalMoves(&l)
					if g.Outcome(&l).Over() {
						break
					}
					checkIndices(t, codec.Policy, layouts, p, &l)
					codec.Planes.Encode(words, g)
					pieces := 0
					for _, w := range words[:2*len(v.Kinds())] {
						pieces += bits.OnesCount64(w)
					}
					if pieces != p.Occupied().Count() {
						t.Fatalf("%s: %d pieces on the planes", p.FEN(), pieces)
					}
					if own := bits.OnesCount64(words[0]); own != p.Pieces(p.Turn(), v.Kinds()[0]).Count() {
						t.Fatalf("%s: plane 0 has %d squares", p.FEN(), own)
					}
					g.Play(l.At(r.IntN(l.Len())))
				}
			}
		})
	}
}

func checkIndices(t *testing.T, policy *encode.Policy, layouts []encode.Layout, p *chess.Position, l *chess.MoveList) {
	texts := encode.MovesOf(policy, p)
	seen := map[int]chess.Move{}
	var places [2]map[[2]int32]bool
	for i := range places {
		places[i] = map[[2]int32]bool{}
	}
	for _, m := range l.Slice() {
		i := policy.Index(p, m)
		if other, twice := seen[i]; twice || i < 0 || i >= policy.Size() {
			t.Fatalf("%s: %v and %v have the index %d of %d", p.FEN(), m, other, i, policy.Size())
		}
		if seen[i] = m; texts[i] != m.String() {
			t.Fatalf("%s: the text of %v is %s", p.FEN(), m, texts[i])
		}
		for k, layout := range layouts {
			if places[k][layout.Places[i]] {
				t.Fatalf("%s: layout %d has two moves where %v is", p.FEN(), k, m)
			}
			places[k][layout.Places[i]] = true
		}
	}
}

// With the other side to move, each plane is what Sides says.
func TestSides(t *testing.T) {
	for _, v := range rulesToEncode(t) {
		names := []string{encode.Rules, "variants31"}
		if v.Defined() || v == chess.RacingKings { // where Black sees the ranks as White does
			names = names[:1]
		}
		for _, name := range names {
			planes, err := encode.PlanesOf(name, v)
			if err != nil {
				t.Fatal(err)
			}
			sides, err := encode.SidesOf(planes)
			if err != nil {
				t.Fatal(err)
			}
			r, compared := rand.New(rand.NewPCG(6, uint64(v))), 0
			for range 10 {
				g := chess.NewGame(chess.StartPosition(v))
				var l chess.MoveList
				for range 100 {
					p := g.Position()
					p.LegalMoves(&l)
					if g.Outcome(&l).Over() {
						break
					}
					fields := strings.Fields(p.FEN())
					fields[1] = map[string]string{"w": "b", "b": "w"}[fields[1]]
					fields[3] = "-"
					if other, err := chess.ParseFEN(v, strings.Join(fields, " ")); err == nil && p.EnPassant() == chess.NoSquare && g.Repetitions() == 0 {
						compared++
						own, theirs := make([]uint64, planes.Count()), make([]uint64, planes.Count())
						planes.Encode(own, g)
						planes.Encode(theirs, chess.NewGame(other))
						colors := 0 // planes of the color to move
						for i, from := range sides.Other {
							if from < 0 {
								continue
							}
							want := own[from]
							if planes.Constant()[i] {
								if want != theirs[i] {
									colors++
								}
								continue
							}
							if want = bits.ReverseBytes64(want) >> (8 * (8 - sides.Ranks)); want != theirs[i] {
								t.Fatalf("%s of %v: %s: plane %d is %x, want %x", name, v, p.FEN(), i, theirs[i], want)
							}
						}
						if colors > 1 {
							t.Fatalf("%s of %v: %s: %d numbers differ", name, v, p.FEN(), colors)
						}
					}
					g.Play(l.At(r.IntN(l.Len())))
				}
			}
			if compared < 100 {
				t.Errorf("%s of %v: only %d positions", name, v, compared)
			}
		}
	}
}

// A board that the sides see differently has no encoding: a square's index would be of one side.
func TestBoardOfOneSide(t *testing.T) {
	v, err := chess.ParseVariant(`{"name":"hole","start":"rnbqkbnr/pppppppp/8/3*4/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encode.NewCodec(encode.Rules, encode.Rules, v); err == nil || !strings.Contains(err.Error(), "the board has d4 but not d5") {
		t.Errorf("error %v", err)
	}
}

func TestBoardOfRules(t *testing.T) {
	const board = "rq*k/4/4/RQ*K"
	v, err := chess.ParseVariant(`{"name":"hole","files":4,"ranks":4,"start":"` + board + ` w - - 0 1","castling":false,"double_step":[],"en_passant":[],"promotion_ranks":[4]}`)
	if err != nil {
		t.Fatal(err)
	}
	codec, err := encode.NewCodec(encode.Rules, encode.Rules, v)
	if err != nil {
		t.Fatal(err)
	}
	planes := make([]uint64, codec.Planes.Count())
	codec.Planes.Encode(planes, chess.NewGame(chess.StartPosition(v)))
	if have, err := encode.Board(codec.Planes, planes); err != nil || have != "rq*k/4/4/RQ*K" {
		t.Errorf("%s (%v), want %s", have, err, board)
	}
}

func TestSymmetric(t *testing.T) {
	for text, want := range map[string]bool{
		`atomic`: true,
		`{"name":"torpedo","double_step":[2,3,4,5,6]}`:                                                        true,
		`{"name":"small","files":6,"start":"rnqknr/pppppp/6/6/6/6/PPPPPP/RNQKNR w - - 0 1","castling":false}`: false,
		`{"name":"goal","goals":[{"pieces":"k","squares":"d4","squares_black":"same"}]}`:                      false,
		`{"name":"goals","goals":[{"pieces":"k","squares":"d4 e4","squares_black":"same"}]}`:                  true,
		`{"name":"hole","start":"rnbqkbnr/pppppppp/8/3*4/3*4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}`:              false,
		`{"name":"left","pieces":[{"name":"king","letter":"k","moves":"K","region":"all"},{"name":"queen","letter":"q","moves":"QlN","region":"all"}],"start":"3qk3/8/8/8/8/8/8/3QK3 w - - 0 1","castling":false,"promotion":"none"}`: false,
	} {
		v, err := chess.ParseVariant(text)
		if err != nil {
			t.Fatal(err)
		}
		if v.Symmetric() != want {
			t.Errorf("%s: symmetric is %t", text, !want)
		}
		c, err := encode.NewCodec(encode.Rules, encode.Rules, v)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := encode.NewMirror(c); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
