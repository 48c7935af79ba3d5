package web

import (
	"strings"
	"testing"
)

// A review evaluates every position, finds the blunders, and ends.
func TestReview(t *testing.T) {
	h := open(t, PlayConfig{})
	game := h.begin(`{"variant": "chess", ` + people + `}`)
	for ply, m := range []string{"e4", "d5", "Qh5", "a6", "Qxf7+"} { // it takes a pawn and is lost
		h.must(game+"/move", move(ply, m))
	}
	if status, v := h.ask(game+"/review", `{"player": "random"}`); status != 400 || !strings.Contains(v["error"], "cannot analyze") {
		t.Errorf("%d %v", status, v)
	}
	h.must(game+"/review", `{"player": "material"}`)
	know := &heard{}
	marks := map[int]mark{}
	know = h.watch(game, func(k *heard) bool {
		for i, m := range k.Marks {
			marks[i] = m
		}
		return k.Reviewer == "" && len(k.reports) == 6
	})
	if know.Left != 0 || len(marks) != 6 || marks[5].Lost < 30 || marks[1].Lost != 0 || marks[1].Score != "50 %" {
		t.Errorf("%+v: %d marks, %+v", know.update, len(marks), marks[5])
	}
	for i, m := range marks {
		if (m.Lost > 0) != (i == 5) {
			t.Errorf("move %d: %+v", i, m)
		}
	}
	// It can be repeated, and ended before.
	h.must(game+"/review", `{"player": "material"}`)
	h.watch(game, func(k *heard) bool { return k.Reviewer == "" && k.Left == 0 })
	h.must(game+"/review", `{"player": "uniform"}`)
	h.must(game+"/review", `{"player": ""}`)
	h.watch(game, func(k *heard) bool { return k.Reviewer == "" && k.Thinking == "" })
}

// The search that finds a mate also evaluates the positions after its moves.
func TestEvaluationOfMates(t *testing.T) {
	h := open(t, PlayConfig{})
	game := h.begin(`{"variant": "chess", "fen": "k7/8/2K5/8/8/8/8/1R6 w - - 0 1", "white": "material,depth=5", "black": "human"}`)
	h.at(game, 1)
	h.must(game+"/move", move(1, "Ka7"))
	marks := map[int]mark{}
	h.watch(game, func(k *heard) bool {
		for i, m := range k.Marks {
			marks[i] = m
		}
		return k.Outcome != nil
	})
	if marks[0].Score != "+#2" || marks[1].Score != "+#1" || marks[2].Score != "+#1" || marks[3] != (mark{}) {
		t.Errorf("%+v", marks)
	}
	if f := h.pgn(game); f.Comment(0) != "[%eval #2] depth 3" || f.Comment(1) != "[%eval #1]" || strings.Contains(f.Comment(3), "eval") {
		t.Errorf("%q", f.Comments)
	}
}
