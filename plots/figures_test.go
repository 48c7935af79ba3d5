package plots_test

import (
	"fmt"
	"math"
	"strconv"

	"alamos/pkg/chess"
	"alamos/pkg/stats"
	"alamos/plots"
)

// The figures of this file are examples, golden pictures and the subjects of
// most tests. Real data where there is some: the tournament of the thesis on
// atomic chess (its tables 5.1 and 5.2).

var nan = math.NaN()

// Samples trained on, points and interval ends of the eight trained networks.
var (
	thesisSamples = []float64{0, 390e3, 830e3, 1.49e6, 2.33e6, 3.06e6, 3.59e6, 4.16e6, 4.72e6}
	thesisPoints  = []float64{14.5, 72.5, 88, 118, 117.5, 135, 118.5, 106.5, 121}
)

// interval returns 1.96 standard errors of a score of some points in n games,
// were no game drawn, around each score.
func interval(points []float64, n float64) (low, high []float64) {
	for _, p := range points {
		half := 1.96 * math.Sqrt(p/n*(1-p/n)*n)
		low = append(low, p-half)
		high = append(high, p+half)
	}
	return low, high
}

func score() plots.Chart {
	low, high := interval(thesisPoints, 180)
	return plots.Lines{
		Frame:      plots.Frame{Title: "Strength against training"},
		X:          plots.Axis{Label: "samples trained on", FromZero: true},
		Y:          plots.Axis{Label: "tournament score", Unit: "points of 180", Most: 180},
		Series:     []plots.Series{bars("thesis", thesisSamples, thesisPoints, low, high)},
		References: []plots.Reference{{Name: "random moves", Y: 8.5}},
	}
}

// line and bars make series of points without and with intervals.
func line(name string, x, y []float64) plots.Series {
	return plots.Series{Name: name, Points: plots.Points(x, y)}
}

func bars(name string, x, y, low, high []float64) plots.Series {
	s := line(name, x, y)
	for i := range s.Points {
		s.Points[i].Y.Low, s.Points[i].Y.High = low[i], high[i]
	}
	return s
}

func epochs(n int) (x []float64) {
	for e := range n {
		x = append(x, float64(e+1))
	}
	return x
}

func scoreTrials() plots.Chart {
	x := []float64{0, 3, 6, 9, 12}
	return plots.Lines{
		Frame: plots.Frame{Title: "Strength by depth of the network"},
		X:     plots.Axis{Label: "generation", FromZero: true},
		Y:     plots.Axis{Label: "tournament score", Most: 1},
		Series: []plots.Series{
			line("depth 2", x, []float64{.08, .31, .42, .47, .49}),
			line("depth 5", x, []float64{.07, .35, .55, nan, .68}),
			line("depth 10", x, []float64{.09, .28, .58, .71, 1}),
		},
	}
}

// training makes the losses of some epochs with a plateau schedule.
func training(epochs int, level float64) (rate, training, validation []plots.Point) {
	r := 0.05
	for e := range epochs {
		if e == 14 || e == 22 || e == 31 || e == epochs-1 {
			r /= 2
		}
		// Each generation's new data is harder than the last epoch's.
		fresh := 0.12 * math.Exp(-float64(e%10)/3)
		decay := level + 0.9*math.Exp(-float64(e)/9)
		point := func(y float64) plots.Point { return plots.Point{X: float64(e + 1), Y: stats.Exactly(y)} }
		rate = append(rate, point(r))
		training = append(training, point(decay-0.05+fresh-0.004*float64(e%10)))
		validation = append(validation, point(decay+0.03+fresh))
	}
	return rate, training, validation
}

// lossOf stacks the learning rates and the losses of trials.
func lossOf(title string, names []string, levels ...float64) plots.Stack {
	s := plots.Stack{
		X:           "epoch",
		Frame:       plots.Frame{Title: title},
		Panels:      []plots.Panel{{Y: plots.Axis{Label: "learning rate", Log: true, Ticks: []float64{0.05, 0.025, 0.0125, 0.00625, 0.003125}}}, {Y: plots.Axis{Label: "loss"}}},
		Generations: []float64{10, 20, 30, 40},
	}
	for i, name := range names {
		rate, training, validation := training(40, levels[i])
		s.Panels[0].Series = append(s.Panels[0].Series, plots.Series{Name: name, Points: rate, Step: true})
		s.Panels[1].Series = append(s.Panels[1].Series,
			plots.Series{Name: name, Curve: "validation", Points: validation}, plots.Series{Name: name, Curve: "training", Points: training})
	}
	return s
}

func loss() plots.Chart { return lossOf("Learning rate and loss", []string{""}, 1.2) }

func lossTrials() plots.Chart {
	s := lossOf("Learning rate and loss by width", []string{"width 64", "width 128"}, 1.3, 1.1)
	s.Panels[1].Series[2].Points[17].Y.Value = nan
	s.Panels[1].Series[3].Points[17].Y.Value = nan
	return s
}

// lossPublished has a table of losses and a level beside the curves of a trial.
func lossPublished() plots.Chart {
	s := lossOf("Beside a published table", []string{""}, 1.2)
	s.Panels[0].References = []plots.Reference{{Name: "published minimum", Y: 0.004}}
	s.Panels[1].Series = append(s.Panels[1].Series, plots.Series{Name: "published", Points: plots.Points([]float64{10, 20, 30, 40}, []float64{1.7, 1.5, 1.4, 1.45})})
	s.Panels[1].Y.Ticks, s.Panels[1].Y.Labels = []float64{1.4, 2}, map[float64]string{1.4: "good", 2: "bad"}
	return s
}

func crosstable() plots.Chart {
	players := []string{"gen 30", "gen 21", "gen 12", "untrained", "random"}
	r := func(w, d, l int) stats.Record { return stats.Record{Wins: w, Draws: d, Losses: l} }
	return plots.Crosstable{
		Frame:   plots.Frame{Title: "Tournament"},
		Players: players,
		Cells: [][]stats.Record{
			{{}, r(9, 2, 9), r(12, 1, 7), r(20, 0, 0), r(20, 0, 0)},
			{r(9, 2, 9), {}, r(13, 0, 7), r(20, 0, 0), r(20, 0, 0)},
			{r(7, 1, 12), r(7, 0, 13), {}, r(19, 1, 0), {}},
			{r(0, 0, 20), r(0, 0, 20), r(0, 1, 19), {}, r(13, 2, 5)},
			{r(0, 0, 20), r(0, 0, 20), {}, r(5, 2, 13), {}},
		},
	}
}

func crosstableLarge() plots.Chart {
	const n = 12
	t := plots.Crosstable{Frame: plots.Frame{Title: "Twelve players with long names"}}
	for i := range n {
		t.Players = append(t.Players, "depth-10 c_puct-2 generation "+string(rune('a'+i)))
		row := make([]stats.Record, n)
		for j := range row {
			row[j] = stats.Record{Wins: n + j - i, Draws: 3, Losses: n + i - j}
		}
		t.Cells = append(t.Cells, row)
	}
	return t
}

// gauntlet has the results of table 5.3 of the thesis, and of levels made up.
func gauntlet() plots.Chart {
	r := func(w, d, l int) stats.Record { return stats.Record{Wins: w, Draws: d, Losses: l} }
	return plots.Crosstable{
		Frame:     plots.Frame{Title: "Against Fairy-Stockfish"},
		Players:   []string{"gen 24", "gen 17", "gen 8", "untrained"},
		Opponents: []string{"level 3", "level 2", "level 1"},
		Cells:     [][]stats.Record{{r(2, 0, 18), r(13, 0, 7), r(16, 2, 2)}, {r(4, 0, 16), r(12, 0, 8), r(13, 1, 6)}, {r(3, 0, 17), r(7, 2, 11), r(9, 2, 9)}, {r(0, 0, 20), r(1, 6, 13), {}}},
	}
}

func lines() plots.Chart {
	var batches, shallow, deep []float64
	for i := range 8 {
		batch := math.Pow(2, float64(i))
		batches = append(batches, batch)
		shallow = append(shallow, 18000*batch/(batch+6))
		deep = append(deep, 450*batch/(batch+3))
	}
	return plots.Lines{
		Frame:  plots.Frame{Title: "Speed of the network"},
		X:      plots.Axis{Label: "batch", Unit: "positions", Log: true, Ticks: batches},
		Y:      plots.Axis{Label: "evaluations per second", Unit: "1/s", Log: true},
		Series: []plots.Series{line("6 blocks of 64", batches, shallow), line("20 blocks of 256", batches, deep)},
	}
}

func linesMany() plots.Chart {
	l := plots.Lines{
		Frame: plots.Frame{Title: "King moves in self-play"},
		X:     plots.Axis{Label: "generation"},
		Y:     plots.Axis{Label: "king moves", Unit: "share of plies", FromZero: true},
	}
	for i := range 9 {
		s := plots.Series{Name: "c_puct " + string(rune('1'+i)) + ", seed 1"}
		for g := range 12 {
			y := 0.02*float64(i+1) + 0.01*math.Sin(float64(g+i))
			if i == 3 && g == 6 {
				y = nan
			}
			s.Points = append(s.Points, plots.Point{X: float64(g), Y: stats.Exactly(y)})
		}
		l.Series = append(l.Series, s)
	}
	return l
}

func ladder() plots.Chart {
	return plots.Ladder{
		Frame: plots.Frame{Title: "Ratings"},
		X:     plots.Axis{Label: "rating", Unit: "Elo, 95 % interval"},
		Rows: []plots.Rung{
			{Name: "generation 9", Value: stats.Interval{Value: 62, Low: 21, High: 103}},
			{Name: "generation 12", Value: stats.Interval{Value: 118, Low: 74, High: 163}},
			{Name: "fairy-stockfish level 2"},
			{Name: "untrained", Value: stats.Interval{Value: -403, Low: -498, High: -331}},
			{Name: "random moves", Value: stats.Interval{Value: -611, Low: nan, High: -520}},
		},
	}
}

func histogram() plots.Chart {
	var values []float64
	for i := range 250 {
		u := (float64(i) + 0.5) / 250
		values = append(values, math.Min(300, math.Round(28-24*math.Log(1-u)))) // cut at 300 plies
	}
	return plots.Histogram{
		Frame:   plots.Frame{Title: "Length of games, generation 12"},
		X:       plots.Axis{Label: "length", Unit: "plies"},
		Samples: []plots.Sample{{Name: "generation 12", Values: values}},
	}
}

func histogramTrials() plots.Chart {
	sample := func(name string, n int, mean float64) plots.Sample {
		s := plots.Sample{Name: name}
		for i := range n {
			u := (float64(i) + 0.5) / float64(n)
			s.Values = append(s.Values, math.Round(mean*math.Exp(-math.Log(1/u-1)/4)))
		}
		return s
	}
	return plots.Histogram{
		Frame:   plots.Frame{Title: "Length of games by generation"},
		X:       plots.Axis{Label: "length", Unit: "plies"},
		Samples: []plots.Sample{sample("generation 1", 100, 60), sample("generation 12", 300, 90)},
		Share:   true,
	}
}

func results() plots.Chart {
	r := plots.Results{Frame: plots.Frame{Title: "How games ended, share of each generation"}}
	for g := range 40 {
		games := stats.Record{Wins: 100 + 2*g, Draws: 40 - g, Losses: 80}
		if g == 20 { // a generation without games
			games = stats.Record{}
		}
		r.Generations = append(r.Generations, games)
	}
	return r
}

func heatmap() plots.Chart {
	h := plots.Heatmap{
		Frame: plots.Frame{Title: "Strength by depth and exploration", Note: "mean and 95 % interval of 3 seeds"},
		X:     plots.Axis{Label: "network depth (blocks)", Names: []string{"2", "5", "10", "20"}},
		Y:     plots.Axis{Label: "c_puct", Names: []string{"0.5", "1", "2", "4"}},
		Value: plots.Axis{Label: "rating", Unit: "Elo"},
		Best:  stats.Higher,
	}
	for i := range h.Y.Names {
		var row []stats.Interval
		for j := range h.X.Names {
			v := 40*float64(j) - 30*math.Abs(float64(i)-1.6)*float64(j+1) - 100
			row = append(row, stats.Interval{Value: v, Low: v - 21 - 4*float64(i), High: v + 21 + 3*float64(i)})
		}
		h.Cells = append(h.Cells, row)
	}
	h.Cells[3][1] = stats.Unknown()
	h.Cells[0][0].Low = nan
	return h
}

func heatmapLarge() plots.Chart {
	h := plots.Heatmap{
		Frame: plots.Frame{Title: "Validation loss"},
		X:     plots.Axis{Label: "learning rate"},
		Y:     plots.Axis{Label: "batch (positions)"},
		Value: plots.Axis{Label: "validation loss", Unit: "nats", Log: true},
		Best:  stats.Lower,
	}
	for i := range 12 {
		h.Y.Names = append(h.Y.Names, strconv.Itoa(64*(i+1)))
		var row []stats.Interval
		for j := range 24 {
			row = append(row, stats.Exactly(0.5+math.Pow(float64(i-5)/5, 2)+math.Pow(float64(j-14)/6, 2)))
		}
		h.Cells = append(h.Cells, row)
	}
	for j := range 24 {
		h.X.Names = append(h.X.Names, strconv.FormatFloat(0.001*float64(j+1), 'g', 3, 64))
	}
	return h
}

// band makes the mean and the interval of a number over training.
func band(name string, level, noise float64) plots.Series {
	s := plots.Series{Name: name, Band: true}
	for g := range 13 {
		y := 0.08 + level*(1-math.Exp(-float64(g)/4)) + noise/3*math.Sin(float64(5*g))
		half := noise * (1.2 + math.Cos(float64(3*g))) / 2
		s.Points = append(s.Points, plots.Point{X: 390e3 * float64(g), Y: stats.Around(y, half)})
	}
	return s
}

func bands() plots.Chart {
	s := plots.Lines{
		Frame: plots.Frame{Title: "Strength by depth of the network", Note: "bands: mean and 95 % interval of 5 seeds"},
		X:     plots.Axis{Label: "samples trained on", FromZero: true},
		Y:     plots.Axis{Label: "tournament score", Most: 1},
	}
	for i, name := range []string{"2 blocks", "5 blocks", "10 blocks"} {
		s.Series = append(s.Series, band(name, []float64{.4, .55, .8}[i], []float64{.03, .06, .08}[i]))
	}
	s.Series[2].Points[5].Y.Low = nan
	s.References = []plots.Reference{{Name: "untrained", Y: 0.08}}
	return s
}

func multiples() plots.Chart {
	m := plots.Multiples{
		Frame: plots.Frame{Title: "Validation loss of each trial"},
		X:     plots.Axis{Label: "epoch"},
		Y:     plots.Axis{Label: "validation loss", Unit: "nats"},
	}
	for i, name := range []string{"depth 2, c_puct 1", "depth 5, c_puct 1", "depth 10, c_puct 1", "depth 2, c_puct 2", "depth 5, c_puct 2"} {
		_, _, validation := training(40, 1.6-0.2*float64(i%3)-0.05*float64(i))
		s := plots.Series{Name: name, Points: validation}
		if i == 3 {
			s.Points = s.Points[:17] // still training
		}
		m.Panels = append(m.Panels, s)
	}
	m.Panels = append(m.Panels, plots.Series{Name: "depth 10, c_puct 2"})
	return m
}

func multiplesBands() plots.Chart {
	return plots.Multiples{
		Frame:  plots.Frame{Title: "Score by depth", Note: "bands: mean and 95 % interval of 5 seeds"},
		X:      plots.Axis{Label: "samples trained on", FromZero: true},
		Y:      plots.Axis{Label: "score against the untrained network", FromZero: true},
		Panels: []plots.Series{band("2 blocks", .35, .05), band("10 blocks", .55, .05)},
	}
}

func lossHeads() plots.Chart {
	l := plots.Stack{Frame: plots.Frame{Title: "Loss by head"}, X: "epoch", Generations: []float64{10, 20, 30, 40}}
	for h, head := range []plots.Axis{{Label: "policy loss", Unit: "nats"}, {Label: "value loss", Unit: "squared error"}, {Label: "moves left loss", Unit: "Huber"}} {
		panel := plots.Panel{Y: head}
		for k, curve := range []string{"validation", "training"} {
			_, _, points := training(40, 1.3-0.1*float64(k))
			for e := range points {
				y := &points[e].Y.Value
				*y = []float64{1, 0.3, 20}[h] * (*y - []float64{0, 1, 0.5}[h])
			}
			panel.Series = append(panel.Series, plots.Series{Curve: curve, Points: points})
		}
		l.Panels = append(l.Panels, panel)
	}
	return l
}

func parallel() plots.Chart {
	p := plots.Parallel{
		Frame: plots.Frame{Title: "A sweep of 16 trials"},
		Axes: []plots.Axis{
			{Label: "network.depth", Unit: "blocks", Names: []string{"2", "5", "10", "20"}},
			{Label: "search.c_puct"},
			{Label: "training.schedule.initial", Log: true},
			{Label: "schedule", Names: []string{"plateau", "step", "cosine"}},
		},
		Metric: plots.Axis{Label: "rating", Unit: "Elo"},
		Best:   stats.Higher,
	}
	for i := range 16 {
		depth, cpuct, rate, kind := float64(i%4), 0.5+3.5*math.Mod(float64(i)*0.618, 1), math.Pow(10, -3+2*math.Mod(float64(i)*0.414, 1)), float64(i*7%3)
		metric := 60*depth - 40*math.Pow(cpuct-2, 2) - 60*math.Abs(math.Log10(rate)+1.8) + 10*kind
		l := plots.ParallelLine{Name: fmt.Sprintf("trial %d", i+1), Values: []float64{depth, cpuct, rate, kind}, Metric: metric}
		if i == 11 {
			l.Metric = nan // failed
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

func board() plots.Chart {
	return plots.Board{
		Frame:    plots.Frame{Title: "What the search looks at"},
		Position: plots.Position{FEN: "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5"},
		Weight:   plots.Axis{Label: "share of 800 visits"},
		Arrows: []plots.Arrow{
			{From: "d2", To: "d3", Weight: 0.31, Label: "d3", Note: "Q +0.08"},
			{From: "f3", To: "g5", Weight: 0.12, Label: "Ng5", Note: "Q −0.02"},
			{From: "e1", To: "g1", Weight: 0.44, Label: "O-O", Note: "Q +0.11"},
			{From: "c3", To: "d5", Weight: 0.05, Label: "Nd5", Note: "Q −0.21"},
		},
	}
}

// boardLines has moves on one line, drops on one square, and moves to the next square.
func boardLines() plots.Chart {
	return plots.Board{
		Frame:    plots.Frame{Title: "Moves on one line"},
		Position: plots.Position{Variant: "crazyhouse", FEN: "4k3/1P6/8/8/8/8/3PP3/R3K3[QN] w Q - 0 1"},
		Arrows: []plots.Arrow{
			{From: "e2", To: "e4", Weight: 0.35, Label: "e4"}, {From: "e2", To: "e3", Weight: 0.3, Label: "e3"},
			{From: "d2", To: "d3", Weight: 0.05, Label: "d3"}, {From: "e1", To: "f2", Weight: 0.2, Label: "Kf2"},
			{From: "b7", To: "b8", Weight: 0.3, Label: "b8=Q"}, {From: "b7", To: "b8", Weight: 0.25, Label: "b8=N"},
			{To: "d5", Weight: 0.3, Label: "Q@d5"}, {To: "d5", Weight: 0.2, Label: "N@d5"},
			{From: "a1", To: "a3", Weight: 0.1}, {From: "a1", To: "a4", Weight: 0.1}, {From: "a1", To: "a7", Weight: 0.1}, {From: "a1", To: "b1", Weight: 0.35},
		},
	}
}

func boardHand() plots.Chart {
	return plots.Board{
		Frame:    plots.Frame{Title: "Crazyhouse", Width: 10},
		Position: plots.Position{Variant: "crazyhouse", FEN: "r1b1k2r/ppp2Bpp/2n5/8/4P1n1/2P5/P4PPP/RNB1K1NR[QPqpp] b kq - 0 9"},
		Arrows:   []plots.Arrow{{To: "d3", Weight: 3, Label: "Q@d3"}, {From: "e8", To: "f7", Weight: 1}},
	}
}

// little is chess on a board of its own, with a hole, an amazon, and a wazir that captures nothing.
func little() chess.Variant {
	r := chess.RulesOf(chess.Standard)
	r.Name, r.Files, r.Ranks, r.Start = "little", 5, 6, "rakbn/ppppp/5/2*2/PPPPP/RAKBN w - - 0 1"
	r.Castling, r.DoubleStep, r.EnPassant, r.PromoteOn = false, []int{}, []int{}, []int{6}
	r.Pieces = append(r.Pieces, chess.Piece{Name: "amazon", Letter: "a", Moves: "QN", Region: "all"}, chess.Piece{Name: "wazir", Letter: "w", Moves: "mW", Region: "all"})
	v, err := chess.Define(r)
	if err != nil {
		panic(err)
	}
	return v
}

func boardLittle() plots.Chart {
	return plots.Board{
		Frame:    plots.Frame{Title: "A smaller board"},
		Position: plots.Position{Variant: little().Spec(), FEN: "rakb1/pppp1/3np/2*2/PPPPP/RAKBN w - - 2 2"},
		Arrows:   []plots.Arrow{{From: "b1", To: "a3", Weight: 2}, {From: "d2", To: "d3", Weight: 1}},
	}
}

func variantMoves() plots.Chart {
	return plots.VariantMoves{Frame: plots.Frame{Title: "little"}, Variant: little()}
}

func diagram() plots.Chart {
	return plots.Diagram{
		Frame: plots.Frame{Title: "A network"},
		Stack: []plots.Part{
			{Title: "input", Lines: []string{"16 planes"}},
			{Title: "block 0", Lines: []string{"convolution 3x3 64x8x8", "batch norm 64x8x8"}, Skips: true},
			{Title: "block 1 to block 5", Lines: []string{"5 blocks like the one above"}},
		},
		Heads: [][]plots.Part{
			{{Title: "policy", Lines: []string{"convolution 1x1 73x8x8"}}},
			{{Title: "value", Lines: []string{"linear 256", "linear 3"}}, {Title: "more below"}},
			{{Title: "moves left", Lines: []string{"linear 1"}}},
		},
	}
}

func planes() plots.Chart {
	p := plots.PolicyPlanes{
		Frame:    plots.Frame{Title: "Policy of generation 12", Note: "chance that a move leaves a square, and that it enters it"},
		Planes:   []plots.Plane{{Title: "from"}, {Title: "to"}},
		Position: plots.Position{FEN: "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5"},
	}
	for _, m := range []struct {
		from, to int
		p        float64
	}{{4, 6, .41}, {11, 19, .27}, {21, 38, .12}, {18, 35, .08}, {26, 33, .05}, {8, 16, .04}, {15, 23, .03}} {
		p.Planes[0].Squares[m.from] += m.p
		p.Planes[1].Squares[m.to] += m.p
	}
	return p
}

func planesMany() plots.Chart {
	p := plots.PolicyPlanes{Frame: plots.Frame{Title: "Probability by kind of move"}, Columns: 6, Log: true}
	for i, name := range []string{"north 1", "north 2", "northeast 1", "east 1", "southeast 1", "south 1", "southwest 1", "west 1", "northwest 1", "knight 1", "knight 2", "to a knight"} {
		plane := plots.Plane{Title: name}
		for s := range plane.Squares {
			plane.Squares[s] = math.Exp(3*math.Sin(float64(i+s/8))-math.Abs(float64(s%8)-float64(i%8))) / 300
		}
		p.Planes = append(p.Planes, plane)
	}
	for s := range 48 {
		p.Planes[11].Squares[s] = nan // no such move from there
	}
	return p
}

// searched is a small search as a real one leaves it: visits of children add
// up to one less than their parent's.
var searched = []plots.Node{
	{Visits: 800, Prior: nan, Q: 0.09},
	{Parent: 0, Move: "O-O", Visits: 352, Prior: .41, Q: .11},
	{Parent: 0, Move: "d3", Visits: 248, Prior: .27, Q: .08},
	{Parent: 0, Move: "Ng5", Visits: 96, Prior: .12, Q: -.02},
	{Parent: 0, Move: "Nd5", Visits: 41, Prior: .08, Q: -.21},
	{Parent: 0, Move: "Bxf7+", Visits: 62, Prior: .05, Q: -.64},
	{Parent: 1, Move: "O-O", Visits: 211, Prior: .5, Q: -.1},
	{Parent: 1, Move: "d6", Visits: 140, Prior: .4, Q: -.12},
	{Parent: 2, Move: "d6", Visits: 170, Prior: .6, Q: -.07},
	{Parent: 2, Move: "O-O", Visits: 77, Prior: .3, Q: -.1},
	{Parent: 3, Move: "O-O", Visits: 95, Prior: .9, Q: .03},
	{Parent: 5, Move: "Kxf7", Visits: 61, Prior: .98, Q: .66},
	{Parent: 6, Move: "d3", Visits: 150, Prior: .5, Q: .1},
	{Parent: 6, Move: "Re1", Visits: 60, Prior: .3, Q: .1},
	{Parent: 7, Move: "d3", Visits: 139, Prior: .7, Q: .12},
	{Parent: 8, Move: "O-O", Visits: 169, Prior: .7, Q: .07},
	{Parent: 12, Move: "d6", Visits: 149, Prior: .8, Q: -.09},
	{Parent: 15, Move: "O-O", Visits: 100, Prior: .6, Q: -.07},
	{Parent: 15, Move: "Bg4", Visits: 68, Prior: .2, Q: -.05},
	{Parent: 16, Move: "Bg5", Visits: 148, Prior: .5, Q: .08},
	{Parent: 14, Move: "O-O", Visits: 138, Prior: .5, Q: -.12},
	{Parent: 0, Move: "a3", Visits: 0, Prior: .04, Q: nan},
	{Parent: 0, Move: "h3", Visits: 0, Prior: .03, Q: nan},
}

func tree() plots.Chart {
	return plots.Tree{Frame: plots.Frame{Title: "A search of 800 visits"}, Nodes: searched}
}

func treeSmall() plots.Chart {
	return plots.Tree{Frame: plots.Frame{Title: "Two moves"}, Nodes: searched[:3]}
}

func linesNamed() plots.Chart {
	return plots.Lines{
		Frame: plots.Frame{Title: "Strength by learning-rate schedule", Note: "mean and 95 % interval of 3 seeds"},
		X:     plots.Axis{Label: "schedule", Names: []string{"plateau to 1e-4", "plateau to 1e-6", "step", "cosine", "constant"}},
		Y:     plots.Axis{Label: "rating", Unit: "Elo"},
		Series: []plots.Series{
			bars("5 blocks", []float64{0, 1, 2, 3, 4}, []float64{20, 28, 11, 35, -40}, []float64{2, 3, -12, 14, -61}, []float64{38, 52, 34, 57, -18}),
			bars("10 blocks", []float64{0, 1, 2, 3, 4}, []float64{71, 76, 50, nan, -12}, []float64{50, 51, nan, nan, -33}, []float64{92, 103, nan, nan, 9}),
		},
	}
}

func sweep() plots.Chart {
	rates, l := []float64{0.01, 0.02, 0.05}, plots.Lines{
		Frame: plots.Frame{Title: "Score by learning rate", Note: "bars: 95 % intervals"},
		Y:     plots.Axis{Label: "score", Most: 1},
	}
	l.X = plots.Axis{Label: "learning rate", Log: true, Ticks: rates}
	for i, name := range []string{"visits=4", "visits=16", "visits=64"} {
		var y, low, high []float64
		for j := range rates {
			y = append(y, 0.4+0.1*float64(i)-0.05*float64((i+j)%3))
			low, high = append(low, y[j]-0.2), append(high, y[j]+0.25)
		}
		l.Series = append(l.Series, bars(name, rates, y, low, high))
	}
	return l
}

// linesStyled is for a column of a journal in German.
func linesStyled() plots.Chart {
	l := bands().(plots.Lines)
	words := map[string]string{l.Y.Label: "Anteil der Punkte", l.X.Label: "Stellungen", l.Series[0].Name: "ein sehr langer deutscher Name der ersten Reihe"}
	l.Style = plots.Style{Preset: "column", Font: "serif", Decimal: "comma", Colors: []string{"#aa0000"}, Words: words}
	l.Y.From, l.Y.To = plots.End{Fixed: true, At: 0.25}, plots.End{Fixed: true, At: 0.75}
	return l
}

func parallelGray() plots.Chart {
	p := parallel().(plots.Parallel)
	p.Style = plots.Style{Colors: []string{"gray"}, Width: 30, Size: 12}
	return p
}

// gallery has every kind of figure by the name of its golden pictures.
var gallery = []struct {
	name  string
	chart func() plots.Chart
}{
	{"score", score},
	{"score_trials", scoreTrials},
	{"loss", loss},
	{"loss_trials", lossTrials},
	{"loss_published", lossPublished},
	{"crosstable", crosstable},
	{"crosstable_large", crosstableLarge},
	{"crosstable_gauntlet", gauntlet},
	{"lines", lines},
	{"lines_styled", linesStyled},
	{"parallel_gray", parallelGray},
	{"lines_many", linesMany},
	{"ladder", ladder},
	{"histogram", histogram},
	{"histogram_trials", histogramTrials},
	{"results", results},
	{"bands", bands},
	{"lines_named", linesNamed},
	{"sweep", sweep},
	{"parallel", parallel},
	{"board", board},
	{"board_hand", boardHand},
	{"board_lines", boardLines},
	{"board_little", boardLittle},
	{"variant_moves", variantMoves},
	{"diagram", diagram},
	{"planes", planes},
	{"planes_many", planesMany},
	{"tree", tree},
	{"tree_small", treeSmall},
	{"multiples", multiples},
	{"multiples_bands", multiplesBands},
	{"loss_heads", lossHeads},
	{"heatmap", heatmap},
	{"heatmap_large", heatmapLarge},
}
