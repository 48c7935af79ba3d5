package experiment

var cellKeys = &group{oneOf: []string{"text", "figure", "table"}, fields: []field{
	{key: "text", typ: text{what: "Markdown"}, doc: "Markdown."},
	{key: "figure", typ: &group{short: "kind", fields: []field{
		{key: "kind", typ: figureKinds, must: true, doc: "What is drawn."},
		{key: "x", typ: enum{"samples", "generation"}, def: "samples", when: only("kind", "score"), doc: "Horizontal axis: training positions seen, or generations."},
		{key: "x", typ: enum{"epoch"}, def: "epoch", when: only("kind", epochFigures...), doc: "Horizontal axis."},
		{key: "x", typ: enum{"samples", "generation"}, def: "generation", when: only("kind", genFigures...), doc: "Horizontal axis."},
		{key: "x", typ: keyPath{}, when: only("kind", "sweep", "heatmap"), absent: "the first key of the sweep", doc: "Horizontal axis: a key that the sweep varies."},
		{key: "y", typ: keyPath{}, when: only("kind", "sweep"), absent: "every other key of the sweep", doc: "A line for each value of this key."},
		{key: "y", typ: keyPath{}, when: only("kind", "heatmap"), absent: "the second key of the sweep", doc: "Vertical axis: a key that the sweep varies."},
		{key: "metric", typ: text{what: "the name of a metric"}, must: true, when: only("kind", "hook"), doc: "Which metric of the hooks is drawn."},
		{key: "metric", typ: trialMetric{}, def: "score", when: only("kind", "sweep", "heatmap", "parallel"), doc: "Measure of a trial at its end: score in its tournament, Elo, score against the untrained network or random moves, validation losses, training positions, seconds, puzzles solved or accuracy (see evaluation), or a metric of a hook in the last generation."},
		{key: "metric", typ: enum{"score", "loss"}, def: "score", when: only("kind", "multiples"), doc: "What each small figure shows of its trial."},
		{key: "position", typ: text{what: "start or a position in FEN"}, def: "start", when: only("kind", boardFigures...), doc: "Position that is shown; start is that of the game."},
		{key: "generation", typ: integer{0, maxCount}, when: only("kind", boardFigures...), absent: "the last", doc: "Checkpoint that is asked; 0 is the untrained network."},
		{key: "generation", typ: atLeast(1), when: only("kind", "length-histogram"), absent: "the last", doc: "Generation whose games are counted."},
		{key: "visits", typ: integer{1, 10_000_000}, as: "tournament.search.visits", when: only("kind", "tree", "board"), unit: "visits", doc: "Visits of the search that is drawn."},
		{key: "title", typ: text{}, doc: "Title above the figure."},
	}}, doc: "A figure."},
	{key: "table", typ: tableKinds, doc: "A table; models tells the checkpoints of the tournament apart; pairs has its games by color; network is the layers of each different network, with their parameters."},
}}

// defaultNotebook is the notebook of a file that has none: cells of what the
// experiment does, given the other values of the file, and of nothing else.
func defaultNotebook(values map[string]any) any {
	var cells []any
	text := func(markdown string) { cells = append(cells, map[string]any{"text": markdown}) }
	table := func(kind string) { cells = append(cells, map[string]any{"table": kind}) }
	figure := func(kind string, x ...string) {
		f := map[string]any{"kind": kind}
		if len(x) > 0 {
			f["x"] = x[0]
		}
		cells = append(cells, map[string]any{"figure": f})
	}
	rounds, _ := valueAt(values, "tournament.rounds")
	puzzles, _ := valueAt(values, "evaluation.puzzles")
	accuracy, _ := valueAt(values, "evaluation.accuracy")
	sets, _ := puzzles.([]any)
	plays, solves := rounds != int64(0), len(sets) > 0

	if plays || solves {
		text("## Strength")
	}
	if plays {
		figure("score", "samples")
		table("standings")
		figure("crosstable")
	}
	if solves {
		table("puzzles")
	}
	text("## Training")
	figure("loss", "epoch")
	if accuracy == true {
		table("accuracy")
	}
	if _, given := values["data"]; given {
		text("## Data")
	} else {
		text("## Games")
		figure("lengths", "generation")
	}
	table("generations")
	text("## Trials and settings")
	table("trials")
	table("network")
	table("settings")
	return cells
}
