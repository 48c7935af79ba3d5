package nn

import "math"

// fold returns the weights and the bias of a convolution that does what l does
// in evaluation, before its ReLU: with s = gamma/sqrt(variance+eps), weights w*s
// and bias beta - mean*s.
func (l *convNorm) fold() (weight, bias []float32) {
	weight = make([]float32, len(l.weight.data))
	bias = make([]float32, l.out)
	n := len(weight) / l.out
	for o := range l.out {
		s := float64(l.gamma.data[o]) / math.Sqrt(float64(l.variance.data[o])+normEpsilon)
		for i := o * n; i < (o+1)*n; i++ {
			weight[i] = float32(float64(l.weight.data[i]) * s)
		}
		bias[o] = float32(float64(l.beta.data[o]) - float64(l.mean.data[o])*s)
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
