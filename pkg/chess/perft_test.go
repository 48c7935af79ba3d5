package chess

import "testing"

func BenchmarkPerft(b *testing.B) {
	for _, v := range Variants() {
		b.Run(v.String(), func(b *testing.B) {
			p := StartPosition(v)
			nodes := uint64(0)
			for b.Loop() {
				nodes += Perft(&p, 5)
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}
