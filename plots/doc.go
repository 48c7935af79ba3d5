// Package plots draws the figures of a notebook: data in, picture out.
//
// Every kind of figure is a small struct that holds its data: [Score], [Loss],
// [LossHeads], [Lines], [Multiples], [Heatmap], [Parallel], [Crosstable],
// [Ladder], [Histogram], [Results], [PolicyPlanes], [Board] and [Tree]. Its
// Figure method checks the data, lays the picture out, and returns a [*Figure]
// that renders itself as SVG, as SVG to be inlined in a page, as PNG and as
// PDF. The same data gives the same bytes, whatever the machine's fonts, hour
// and number of processors. A [Stamp] in each file says what it was made from.
//
// All figures share one theme: white ground, thin grid, the colors of Okabe
// and Ito (which color-blind readers can tell apart), a legend above the data
// and never on it, and a marker or dash besides the color wherever there is
// more than one line.
//
// Numbers that become colors take those of viridis, of a scale of blues on
// boards, and of blue against vermilion for scores.
//
// Missing numbers are NaN and leave a gap. Data that cannot be drawn is an
// error that wraps one of the sentinels of this package ([ErrNoData],
// [ErrInvalid], [ErrInvalid], [ErrInvalid], [ErrSize], [ErrInvalid], [ErrInvalid],
// [ErrStamp]); bad data never panics.
//
// The package refuses to know where data comes from: it reads no results and
// computes no statistics beyond the bins of a histogram.
// Ratings and their intervals are made where the games are known.
package plots
