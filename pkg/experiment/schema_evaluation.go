package experiment

var evaluationKeys = &group{fields: []field{
	{key: "every", typ: integer{0, 1_000_000}, def: int64(0), unit: "generations", doc: "The checkpoints of every N-th generation are asked, and always the last one; 0: the last one only."},
	{key: "puzzles", typ: sequence{elem: puzzleKeys}, def: []any{}, doc: "Files of puzzles, which the network solves alone and with a search. The measures of a trial are puzzles.NAME (the share solved with the search) and policy.NAME (by the network alone), NAME being that of the file."},
	{key: "search", typ: inherit(searchKeys, "tournament.search"), doc: "How checkpoints look for the move that solves a puzzle; what is left out is as in tournament.search. There is no noise, and the most visited move is the answer."},
	{key: "accuracy", typ: boolean{}, def: true, doc: "Measure on the held-out games of the last window how often the move that was played or visited most is the network's first (accuracy.top1) and among its first five (accuracy.top5), and the squared error of its value (accuracy.value_error), by phase of the game: opening with more than 10 of the queens, rooks, bishops and knights of both sides on the board, endgame with at most 6, middlegame between."},
}}

var puzzleKeys = &group{short: "file", fields: []field{
	{key: "file", typ: puzzleFile, must: true, doc: "Puzzles in EPD, a line each, with bm (the best moves, in SAN) or dm (the moves to mate); relative to the folder of the experiment file. Lines without the operation variant are of game.variant."},
}}
