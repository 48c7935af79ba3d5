package encode_test

import (
	"math/bits"
	"math/rand/v2"
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
			for _, of := range []func(encode.Policy) (encode.Layout, error){encode.MoveMaps, encode.SquarePairs} {
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

func checkIndices(t *testing.T, policy encode.Policy, layouts []encode.Layout, p *chess.Position, l *chess.MoveList) {
	texts, err := encode.MovesOf(policy, p)
	if err != nil {
		t.Fatal(err)
	}
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
