package nn

import (
	"time"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// matrixSize is large enough for a graphics card to be at its best.
const matrixSize = 8192

// MatrixSpeed is how many operations a second (two for each multiplication with its
// addition) a device does in products of large square matrices, for about so long:
// the most that convolutions there could reach.
func MatrixSpeed(device, precision string, d time.Duration) (perSecond float64, err error) {
	return matrixSpeed(device, precision, matrixSize, d)
}

func matrixSpeed(device, precision string, size int64, d time.Duration) (perSecond float64, err error) {
	err = caught(func() {
		g := &graph{place: place{device: deviceOf(device)}}
		defer g.close()
		kind := gotch.Float
		if precision == BF16 {
			kind = gotch.BFloat16
		}
		// Random numbers: a card multiplies equal ones with less power, and clocks higher.
		a := g.keep(g.keep(ts.Randn([]int64{size, size}, gotch.Float, g.device)).Totype(kind, false))
		products := func(n int) {
			for range n {
				c, err := a.Matmul(a, false)
				must(err)
				must(c.Drop())
			}
			// The work of a device is done in the order asked for: this waits for it.
			g.number(g.keep(g.keep(a.Slice(0, []int64{0}, []int64{1}, 1, false)).Sum(gotch.Float, false)))
		}
		products(1) // in which libraries are loaded
		n, began := 0, time.Now()
		for n == 0 || time.Since(began) < d {
			products(8)
			n += 8
		}
		perSecond = float64(n) * 2 * float64(size) * float64(size) * float64(size) / time.Since(began).Seconds()
	})
	return perSecond, err
}
