// Package plots draws the figures of a notebook: data in, picture out.
//
//	figure, err := plots.Lines{X: plots.Axis{Label: "generation"}, Series: series}.Figure()
//	...
//	svg, err := figure.Render(".svg") // or ".png", ".pdf"
//
// Every kind of figure is a small struct that holds its data: [Lines], [Stack],
// [Multiples], [Heatmap], [Parallel], [Crosstable], [Ladder], [Histogram],
// [Results], [PolicyPlanes], [Board], [VariantMoves], [Tree] and [Diagram]. Its Figure
// method checks the data, lays the picture out, and returns a [*Figure] that renders
// itself as SVG, as SVG to be inlined in a page, as PNG and as PDF. The same
// data gives the same bytes, independent of the machine's fonts, the time and
// the number of processors. A [Stamp] in each file says what it was made from.
//
// The plotters of gonum draw what they can; this package adds the layout, the
// theme, and the kinds that gonum lacks. All figures share one theme: white
// ground, thin grid, the colors of Okabe and Ito (which color-blind readers can
// tell apart), a legend above the data and never on it, and a marker or dash
// besides the color wherever there is more than one line. Colors for numbers
// are viridis, a scale of blues on boards, and blue against vermilion for
// scores.
//
// A number with its interval is a [stats.Interval]. Missing numbers are NaN and
// leave a gap. Data that cannot be drawn is an error that wraps [ErrNoData],
// [ErrInvalid] or [ErrSize]; bad data never panics.
//
// The package refuses to know where data comes from: it reads no results and
// computes no statistics beyond the bins of a histogram.
package plots
