package nn

import "math"

// fold returns the numbers that batch norm multiplies with and adds in evaluation:
// s = gamma/sqrt(variance+eps), and beta - mean*s.
func (l *norm) fold() (scale, shift []float32) {
	scale, shift = make([]float32, len(l.gamma.data)), make([]float32, len(l.gamma.data))
	for c := range scale {
		s := l.scale(c)
		scale[c] = float32(s)
		shift[c] = l.shift(c, s)
	}
	return scale, shift
}

func (l *norm) scale(c int) float64 {
	return float64(l.gamma.data[c]) / math.Sqrt(float64(l.variance.data[c])+normEpsilon)
}

func (l *norm) shift(c int, scale float64) float32 {
	return float32(float64(l.beta.data[c]) - float64(l.mean.data[c])*scale)
}

// fold returns the weights and the bias of a convolution that does what l does
// in evaluation, before its activation.
func (l *convNorm) fold() (weight, bias []float32) {
	weight = make([]float32, len(l.weight.data))
	bias = make([]float32, l.out)
	n := len(weight) / l.out
	for o := range l.out {
		s := l.scale(o)
		for i := o * n; i < (o+1)*n; i++ {
			weight[i] = float32(float64(l.weight.data[i]) * s)
		}
		bias[o] = l.shift(o, s)
	}
	return weight, bias
}

// squareMajor reorders the weights of a linear layer over flattened maps from
// [rows][channels][64], the order of PyTorch, to [rows][64][channels], the order
// of channels-last maps.
func squareMajor(w []float32, rows, channels int) []float32 {
	out := make([]float32, len(w))
	for r := range rows {
		from, to := w[r*channels*Squares:], out[r*channels*Squares:]
		for c := range channels {
			for s := range Squares {
				to[s*channels+c] = from[c*Squares+s]
			}
		}
	}
	return out
}

// mergeConv returns the linear layer equal to a 1x1 convolution (weight
// [out][width], bias [out]) followed by a linear layer (rows [n][64][out], bias
// [n]): weights [n][64][width], bias [n].
func mergeConv(rows, rowBias, weight, bias []float32, width int) (w, b []float32) {
	out := len(bias)
	w = make([]float32, len(rowBias)*Squares*width)
	b = make([]float32, len(rowBias))
	for r := range rowBias {
		sum := float64(rowBias[r])
		for s := range Squares {
			at := r*Squares + s
			to := w[at*width:][:width]
			for o, x := range rows[at*out:][:out] {
				sum += float64(x) * float64(bias[o])
				for i, k := range weight[o*width:][:width] {
					to[i] += x * k
				}
			}
		}
		b[r] = float32(sum)
	}
	return w, b
}
