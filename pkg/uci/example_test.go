package uci_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// An engine without a network finds a mate in one.
func ExampleServe() {
	commands := strings.NewReader("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\ngo nodes 1000\n")
	var out strings.Builder
	if err := uci.Serve(context.Background(), commands, &out, uci.New(uci.Blank(chess.Standard)), uci.Limit{}); err != nil {
		log.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	fmt.Println(lines[len(lines)-1])
	// Output: bestmove a1a8
}

// An external engine plays a move of atomic chess.
func ExampleStart() {
	ctx := context.Background()
	command, err := uci.Find(ctx, uci.FairyStockfish, chess.Atomic)
	if err != nil {
		log.Fatal(err)
	}
	engine, err := uci.Start(ctx, command, uci.Timeouts{})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	if err := engine.Prove(ctx, chess.Atomic); err != nil {
		log.Fatal(err)
	}
	game := chess.NewGame(chess.StartPosition(chess.Atomic))
	answer, err := engine.Go(ctx, game, uci.Limit{Nodes: 1000})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Move, answer.Score)
}
