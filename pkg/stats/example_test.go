package stats_test

import (
	"fmt"

	"alamos/pkg/stats"
)

func Example() {
	i := stats.Mean([]float64{10, 12, 11})
	fmt.Printf("%.1f (%.1f to %.1f)\n", i.Value, i.Low, i.High)
	// Output: 11.0 (8.5 to 13.5)
}
