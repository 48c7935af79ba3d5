package experiment

var sweepKeys = &group{fields: []field{
	{key: "grid", typ: grid{}, doc: "Key paths and the values each takes: network.depth: [2, 5, 10]. Every combination is a trial; the last key varies fastest."},
	{key: "zip", typ: zips{}, doc: "Key paths whose lists, equally long, move together: {selfplay.games: [100, 200], generations: [40, 20]}; or a list of such groups. Zips are crossed with the grid."},
	{key: "random", optional: true, typ: randomKeys, doc: "Values drawn at random, crossed with grid and zip. What is drawn for a key depends on seed and the key only: more trials go on where fewer ended."},
	{key: "include", typ: sequence{elem: combination{}}, doc: "Further combinations, beside the product of the others: {network.depth: 20, network.width: 256}. Keys that one leaves out are as in the file without its sweep."},
	{key: "exclude", typ: sequence{elem: combination{}}, doc: "Combinations of the product that are left out: those that have all of an item's values."},
	{key: "seeds", typ: integer{1, 10_000}, def: int64(1), doc: "Repeat every combination with seed, seed + 1, and so on."},
	{key: "budget", optional: true, typ: &group{fields: []field{
		{key: "trials", typ: atLeast(1), absent: "all", unit: "trials", doc: "Most trials, with all seeds. Combinations beyond them are left out by lot, which depends on seed; what is included stays."},
		{key: "games", typ: atLeast(1), absent: "all", unit: "games", doc: "Most games of self-play of all trials together: trials are taken in order as long as they fit."},
	}}, doc: "What the sweep may cost. What it leaves out is reported."},
	{key: "halving", optional: true, typ: halvingKeys, doc: "Successive halving: all trials train a little, the best go on. Every trial reaches a rung before any goes on (unlike in ASHA), so that the choice does not depend on timing. With seeds, each is a trial that is judged by itself."},
}}

var randomKeys = &group{fields: []field{
	{key: "trials", typ: integer{1, maxTrials}, must: true, unit: "trials", doc: "How many different combinations are drawn."},
	{key: "draw", typ: draws{}, must: true, doc: "Key paths and a distribution each: {uniform: [0.5, 4]}, {log_uniform: [1e-3, 1e-1]}, {int: [2, 20]} with both bounds, or {choice: [zero, 0.2]}. Of a key that wants whole numbers log_uniform draws whole numbers."},
}}

var halvingKeys = &group{fields: []field{
	{key: "metric", typ: enum{"validation_loss", "elo"}, def: "validation_loss", doc: "What decides: the lowest validation loss of the newest generation, or the highest Elo in a match of every pair of trials."},
	{key: "factor", typ: integer{2, 1_000}, def: int64(3), doc: "One in so many goes on, and trains so many times as long."},
	{key: "first", typ: atLeast(1), def: int64(1), unit: "generations", doc: "Generations before the first choice."},
	{key: "games", typ: atLeast(1), def: int64(20), unit: "games", when: only("metric", "elo"), doc: "Games of each pair of trials."},
}}
