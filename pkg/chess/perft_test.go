package chess

import "testing"

func BenchmarkPerft(b *testing.B) {
	variants := Variants()
	for _, name := range []string{"losalamos", "torpedo"} { // rules that are data
		variants = append(variants, define(b, rulesOfTests(b)[name]))
	}
	for _, v := range variants {
		b.Run(v.String(), func(b *testing.B) {
			b.ReportAllocs()
			p := StartPosition(v)
			nodes := uint64(0)
			for b.Loop() {
				nodes += Perft(&p, 5)
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}

// A position that escapes to the heap halves the speed and is easily overlooked.
func TestPerftAllocatesNothing(t *testing.T) {
	for _, v := range append(Variants(), define(t, rulesOfTests(t)["torpedo"])) {
		p := StartPosition(v)
		if n := testing.AllocsPerRun(1, func() { Perft(&p, 3) }); n != 0 {
			t.Errorf("%v: %v allocations", v, n)
		}
	}
}

// The moves of all plies share one list until it is nearly full.
func TestPerftBeyondOneList(t *testing.T) {
	// 5 kinds in hand and 56 empty squares make more than 250 moves a ply.
	p, err := ParseFEN(Crazyhouse, "4k3/8/8/8/8/8/8/Q3K2R[QRBNPqrbnp] w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	var l MoveList
	p.LegalMoves(&l)
	if l.Len() < 250 {
		t.Fatalf("%d moves are too few for this test", l.Len())
	}
	want := uint64(0)
	for _, m := range l.Slice() {
		q := p
		q.Play(m)
		want += Perft(&q, 2)
	}
	if got := Perft(&p, 3); got != want {
		t.Errorf("perft 3 is %d, the sum over the moves is %d", got, want)
	}
	var full MoveList
	full.n = len(full.moves) - mostMoves + 1
	if got := perft(&p, 2, &full); got != Perft(&p, 2) {
		t.Errorf("with a full list perft 2 is %d, want %d", got, Perft(&p, 2))
	}
}
