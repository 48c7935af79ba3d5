package encode_test

import (
	"fmt"
	"log"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// What a network is asked about a position of crazyhouse: its planes, and the
// places of its legal moves in the policy vector. Black's moves have the places of
// the same moves on the board turned upside down.
func ExampleNewCodec() {
	c, err := encode.NewCodec("variants31", "uci2206-mover", chess.Crazyhouse)
	if err != nil {
		log.Fatal(err)
	}
	p, err := chess.ParseFEN(chess.Crazyhouse, "7k/8/8/8/8/8/8/K7[n] b - - 0 1")
	if err != nil {
		log.Fatal(err)
	}
	var l chess.MoveList
	p.LegalMoves(&l)
	var leaf encode.Leaf
	c.Prepare(&leaf, chess.NewGame(p), l.Slice())
	fmt.Println(len(leaf.Planes), "planes,", l.Len(), "moves of", c.Policy.Size())
	names := encode.UCI2206Moves()
	for i, m := range l.Slice()[:4] {
		fmt.Println(p.UCI(m), leaf.Indices[i], names[leaf.Indices[i]])
	}

	_, err = encode.NewCodec("variants31", "uci1968", chess.Crazyhouse)
	fmt.Println(err)
	// Output:
	// 31 planes, 65 moves of 2206
	// h8g7 179 h1g2
	// h8h7 180 h1h2
	// h8g8 177 h1g1
	// N@b1 2007 N@b8
	// encoding uci1968 cannot express variant crazyhouse: it has no indices for drops
}
