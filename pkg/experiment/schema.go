package experiment

import (
	"regexp"
	"slices"
)

// schema is the language: every key, in the order in which it is shown.
//
// To add a key: add its line here (of the notebook in schema_notebook.go, of the
// sweep in schema_sweep.go, of the data in schema_data.go) and its field in settings.go; a test holds the two
// together. To add a trunk, an encoder or a search: add its word to the
// enum, and its own keys with a condition (when).
var schema = &group{fields: []field{
	{key: "alamos", typ: version{}, def: int64(1), must: true, own: true, doc: "Version of the language that this file is written in."},
	{key: "name", typ: text{"a name of a-z, 0-9 and -", regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)}, must: true, own: true, aside: true,
		doc: "Name of the experiment and of its folder of results."},
	{key: "about", typ: text{}, own: true, aside: true, doc: "What the experiment asks, in Markdown: the opening of its notebook."},
	{key: "extends", typ: sequence{elem: text{what: "the path of a file"}, single: true, min: 1}, own: true, offPath: true,
		doc: "Experiment files that this one starts from, relative to its own folder, with or without .yaml. Later ones override earlier ones, and this file overrides all."},
	{key: "seed", typ: integer{0, 1 << 53}, def: int64(1), doc: "The one source of chance: equal seed and settings give equal results."},
	{key: "game", typ: gameKeys, doc: "What is played."},
	{key: "network", typ: networkKeys, doc: "What is trained."},
	{key: "search", typ: searchKeys, doc: "How a move is looked for in self-play."},
	{key: "data", optional: true, typ: dataKeys, doc: "Positions to learn from that others have made: generation g learns from chunk g of them in the place of games of its own. Absent: self-play."},
	{key: "selfplay", typ: selfplayKeys, when: without("data"), doc: "How a generation's games are made."},
	{key: "generations", typ: atLeast(1), def: int64(30), doc: "How often self-play, or a chunk of data, and training alternate."},
	{key: "stop", typ: script{}, doc: "Go script that is asked after each generation whether training ends there; generations is then the most there can be."},
	{key: "training", typ: trainingKeys, doc: "How the network learns from the games."},
	{key: "tournament", typ: tournamentKeys, doc: "The round robin that measures strength after training."},
	{key: "evaluation", optional: true, typ: evaluationKeys, aside: true, doc: "What checkpoints are asked after training; absent: nothing. It is no part of a trial's identity."},
	{key: "hooks", typ: sequence{elem: hookKeys}, def: []any{}, aside: true, doc: "Go scripts that measure something of our own on the games or the checkpoint of each generation."},
	{key: "notebook", typ: sequence{elem: cellKeys}, def: defaultNotebook(nil), fitted: defaultNotebook, aside: true,
		doc: "The cells of the page that a run writes, from top to bottom. By default they show what the experiment does: without a tournament no standings, with data no games of self-play, with an evaluation the tables puzzles and accuracy; a sweep begins with its trials."},
	{key: "sweep", typ: sweepKeys, offPath: true, doc: "What is varied: every combination is a trial."},
}}

// The words of the open choices. They are names that other packages know.
var (
	variants     = enum{"chess", "atomic", "antichess", "kingofthehill", "3check", "horde", "racingkings", "crazyhouse"}
	inputs       = enum{"atomic16", "mover15", "variants31", "alphazero119", "lc0-112", "marro77", "dtu24"}
	policies     = enum{"uci1968", "uci1968-mover", "uci2206-mover", "alphazero4672", "lc0-1858", "fromto4096", "marro4096", "none"}
	trunks       = enum{"residual", "preactivation", "plain"}
	activations  = enum{"relu", "mish"}
	attentions   = enum{"none", "squeeze-excitation", "cbam"}
	valueHeads   = enum{"tanh", "wdl", "linear"}
	policyHeads  = enum{"conv73-linear", "conv-linear", "conv73"}
	searches     = enum{"mcts"}
	roots        = enum{"puct", "gumbel"}
	selections   = enum{"lowest-validation-loss", "last"}
	optimizers   = enum{"sgd", "adam", "adamw"}
	schedules    = enum{"plateau", "step", "constant", "cosine", "hook"}
	tableKinds   = enum{"crosstable", "standings", "models", "pairs", "trials", "generations", "settings", "network", "puzzles", "accuracy"}
	epochFigures = []any{"loss", "loss-heads", "learning-rate"}
	genFigures   = []any{"hook", "lengths"}
	boardFigures = []any{"policy", "tree", "board"}
	figureKinds  = enum{
		"score", "loss", "loss-heads", "learning-rate", "crosstable", "hook", "elo", "results", "lengths", "length-histogram",
		"sweep", "heatmap", "multiples", "parallel", "policy", "tree", "board",
	}
)

var gameKeys = &group{fields: []field{
	{key: "variant", typ: variants, def: "atomic", doc: "Rules of the game, as lichess plays them."},
	{key: "start", typ: sequence{elem: text{what: "chess960 or a position in FEN"}, single: true}, def: []any{}, doc: "Where games of self-play and of the tournament start: a position, or chess960, one of the 960 drawn for each game (for the two games of a pair in a tournament). Of several each is equally likely; empty is the start position of the variant."},
	{key: "max_moves", typ: integer{1, 10_000}, def: int64(150), unit: "moves of each side", doc: "A longer game of self-play is thrown away and started again; one of a tournament is a draw."},
}}

var networkKeys = &group{fields: []field{
	{key: "input", typ: inputs, def: "atomic16", doc: "Encoder of positions into planes: atomic16 and mover15 know the board only, variants31 every variant; mover15 and variants31 see it from the side to move. alphazero119 is AlphaZero's, with eight positions of history, lc0-112 Leela Chess Zero's, marro77 ChessMarro's, dtu24 that of the convolutional networks for minimax search."},
	{key: "policy", typ: policies, def: "uci1968", doc: "Numbering of moves at the policy output: uci1968 is of moves on the board, uci2206-mover of those of every variant; -mover is from the view of the side to move. alphazero4672 is AlphaZero's 73 kinds of moves from each square, lc0-1858 Leela's list, fromto4096 origin by destination and marro4096 ChessMarro's 64 kinds from each square; the last two promote to queens only. none is no policy: all legal moves have equal priors."},
	{key: "trunk", typ: trunks, def: "residual", doc: "Blocks between input and heads: residual has two convolutions a block, the activation after the addition; preactivation two, with batch norm and activation before each; plain one, the first of them from the input, and adds nothing."},
	{key: "depth", typ: integer{1, 100}, def: int64(6), unit: "blocks", doc: "Number of blocks of the trunk, in plain of its convolutions."},
	{key: "width", typ: integer{1, 2048}, def: int64(64), unit: "channels", doc: "Channels of the trunk."},
	{key: "activation", typ: activations, def: "relu", doc: "Activation function of the trunk: mish is x tanh(log(1 + e^x)). The heads have relu."},
	{key: "attention", typ: attentions, def: "none", doc: "What weighs the maps at the end of each block: squeeze-excitation its channels, by their means; cbam (convolutional block attention) its channels, by means and maxima, and then its squares."},
	{key: "attention_reduction", typ: integer{1, 2048}, def: int64(16), unit: "channels", when: only("attention", "squeeze-excitation", "cbam"), doc: "Channels for each hidden unit of the attention; it has at least one."},
	{key: "dropout", typ: real{min: 0, max: 1, openMax: true}, def: 0.0, doc: "Share of channels that training leaves out of what each block computes, drawn anew for each position; in residual and preactivation before the addition."},
	{key: "value", typ: valueHeads, def: "tanh", doc: "Value head: what the expected result is told in. tanh is a number squashed to -1..1, linear one as it is, cut to that range when it is used, wdl the probabilities of win, draw and loss, whose value is win - loss."},
	{key: "value_channels", typ: integer{0, 2048}, def: int64(1), unit: "channels", doc: "Channels of the 1x1 convolution before the dense layers of the value head; 0: the maps of the trunk go straight into them."},
	{key: "value_hidden", typ: sequence{elem: integer{1, 16_384}, single: true}, def: []any{int64(256)}, unit: "features", doc: "Widths of the dense layers (relu) of the value head before its output."},
	{key: "moves_left", typ: boolean{}, def: false, doc: "A head that predicts how many plies are left in the game, shaped as Leela Chess Zero's. It is learned and told, and no search uses it."},
	{key: "policy_head", typ: policyHeads, def: "conv73-linear", when: unless("policy", "none"), doc: "Policy head: conv73-linear is a convolution to 73 channels and a linear layer; conv-linear a 1x1 convolution to policy_channels and a linear layer; conv73 AlphaZero's, a convolution to the 73 maps that are the moves of alphazero4672."},
	{key: "policy_channels", typ: integer{1, 2048}, def: int64(8), unit: "channels", when: only("policy_head", "conv-linear"), doc: "Channels before the linear layer of the policy head."},
}}

var searchKeys = &group{fields: []field{
	{key: "kind", typ: searches, def: "mcts", doc: "Algorithm: mcts is PUCT tree search guided by the network. Alpha-beta search on the value of a network is a player of tournaments: {alphabeta: last, depth: 2}."},
	{key: "visits", typ: integer{1, 10_000_000}, def: int64(800), unit: "visits", doc: "Visits of the root before a move is made."},
	{key: "nodes", typ: integer{0, 1_000_000_000}, def: int64(0), unit: "positions", doc: "Positions below the root, those kept from the search before included, after which a move is made even with fewer visits; 0: visits alone decide."},
	{key: "c_puct", typ: real{min: 0, openMin: true, max: 1e9}, def: 2.0, doc: "Weight of the prior in PUCT; unused when c_base is above 0."},
	{key: "c_base", typ: factor, def: 0.0, doc: "Above 0: the weight grows with the visits N of the parent, log((1 + N + c_base) / c_base) + c_init."},
	{key: "c_init", typ: factor, def: 1.25, doc: "Where the growing weight starts; unused when c_base is 0."},
	{key: "fpu", typ: real{min: 0, max: 10, word: "zero"}, def: "zero", doc: "First play urgency, the Q of a move not visited yet: the word zero, or how far below the value of its position it is taken to be, times the root of the priors visited; 0 is the parent's value itself."},
	{key: "policy_temperature", typ: real{min: 0, max: 100, openMin: true}, def: 1.0, doc: "Temperature T of the policy: priors are P to the power 1/T over their sum. Above 1 the search trusts a policy less that is young and surer than it should be; Leela Chess Zero takes 1.36 or more."},
	{key: "expand_at", typ: integer{1, 1_000}, def: int64(2), unit: "visits", doc: "Visit of a leaf at which its children are made and the network is asked."},
	{key: "leaves", typ: integer{1, 4096}, def: int64(1), unit: "positions", doc: "Positions of one tree that the network is asked about at once. With more than 1 the later ones are chosen before the answers to the earlier ones are known: batches are fuller where there are few games, and visits worth a little less."},
	{key: "cache", typ: integer{0, 100_000_000}, def: int64(0), unit: "positions", doc: "Evaluations that a tree remembers during a game, so that the network is not asked twice about positions that it would see alike. It changes no result, only the number of evaluations. Its memory grows as it fills, by up to 1 kB for each, to 200 bytes for each that it may have; 0 is none."},
	{key: "solver", typ: boolean{}, def: false, doc: "Make results that the rules force known beyond the end of the game (MCTS-Solver): a move that wins by force ends the search, is played and has the rest of the visits in the training data, and moves that lose by force are avoided."},
	{key: "lookahead", typ: integer{0, 1}, def: int64(0), unit: "plies", when: only("solver", true), doc: "With 1 the rules look for a move that wins at once in every position that the search meets, before the network is asked about it: what a position threatens is then seen at its first visit, whatever the priors say. It costs little beside a network."},
	{key: "tree_reuse", typ: boolean{}, def: true, doc: "Keep the tree below the move that was played."},
	{key: "noise", typ: &group{fields: []field{
		{key: "alpha", typ: real{min: 1e-6, max: 1e6}, def: 0.3, doc: "Parameter of the Dirichlet distribution."},
		{key: "weight", typ: share, def: 0.0, doc: "Share of the noise in the priors of the root; 0 is none."},
	}}, doc: "Noise on the priors of the root."},
	{key: "root", typ: &group{short: "kind", fields: []field{
		{key: "kind", typ: roots, def: "puct", doc: "puct: as everywhere in the tree. gumbel: moves drawn by their priors are compared by sequential halving, the best is played, and what is learned is the policy that the values found imply (Gumbel AlphaZero); noise.weight then has no part in it, nor has selfplay.temperature where the draw has noise."},
		{key: "considered", typ: integer{1, 1_000}, def: int64(16), unit: "moves", when: only("kind", "gumbel"), doc: "Moves that are drawn."},
		{key: "c_visit", typ: factor, def: 50.0, when: only("kind", "gumbel"), doc: "Values, from 0 to 1, weigh against the logarithms of priors with c_scale times c_visit and the visits of the most visited move."},
		{key: "c_scale", typ: factor, def: 1.0, when: only("kind", "gumbel"), doc: "Weight of the values: see c_visit."},
		{key: "noise", typ: factor, def: 1.0, when: only("kind", "gumbel"), doc: "Factor of the Gumbel noise; 0: the moves with the highest priors are considered."},
	}}, doc: "How visits are shared out among the moves of the root."},
	{key: "forced_playouts", typ: factor, def: 0.0, doc: "Forced playouts and policy target pruning (KataGo: 2): above 0, every move of the root that is visited at all gets at least the square root of this times prior times visits of the root, in searches with noise; visits that were only forced are taken out of what is learned and of how moves are drawn."},
}}

var (
	power = real{min: 0, openMin: true, max: 1_000, word: "max"}
	plies = integer{0, 10_000}
)

var selfplayKeys = &group{fields: []field{
	{key: "games", typ: integer{1, 100_000_000}, def: int64(250), unit: "games", doc: "Games of a generation."},
	{key: "temperature", typ: &group{fields: []field{
		{key: "power", typ: power, def: 1.0, doc: "A move is drawn with probability in proportion to visits to this power; max plays the most visited one."},
		{key: "plies", typ: plies, def: int64(0), unit: "plies", doc: "Length of the phase that power rules; 0 is the whole game."},
		{key: "then", typ: power, def: "max", doc: "Power after that phase."},
	}}, doc: "How a move is drawn from the visits."},
	{key: "opening", typ: &group{fields: []field{
		{key: "random_plies", typ: integer{0, 1_000}, def: int64(0), unit: "plies", doc: "Random legal moves at the start, which are not learned from."},
		{key: "share", typ: share, def: 1.0, doc: "Share of the games that start from random_plies or fens; the others start from game.start."},
		{key: "fens", typ: sequence{elem: text{what: "a position in FEN"}}, def: []any{}, doc: "Positions to start from, each equally likely; empty is game.start."},
	}}, doc: "Where games start."},
	{key: "playout_cap", optional: true, typ: &group{fields: []field{
		{key: "full", typ: real{min: 0, max: 1, openMin: true}, def: 0.25, doc: "Share of the moves with a full search, drawn for each move."},
		{key: "visits", typ: integer{1, 10_000_000}, def: int64(20), unit: "visits", doc: "Visits of the root before one of the other moves is made, those kept in the tree included."},
	}}, doc: "Playout cap randomization (KataGo): only a share of the moves has a full search and is learned from; the others are made with few visits and without noise, so that there are more games. Absent: every move has a full search."},
	{key: "surprise", typ: share, def: 0.0, doc: "Policy surprise weighting (KataGo: 0.5): the share of a game's samples that goes to positions in proportion to how far the search went from the priors (their Kullback-Leibler divergence), by repeating and leaving out samples; 0: every position is a sample once."},
	{key: "value_mix", typ: share, def: 0.0, doc: "Share of the value of the search in what the value learns from; the rest is the result of the game."},
	{key: "adjudicate", typ: script{}, doc: "Go script that may end a game before the rules do, with the result that it names."},
}}

var trainingKeys = &group{fields: []field{
	{key: "epochs", typ: integer{1, 100_000}, def: int64(10), unit: "epochs", doc: "Epochs of a generation."},
	{key: "batch", typ: integer{1, 1_000_000}, def: int64(256), unit: "positions", doc: "Positions of a training step."},
	{key: "window", typ: atLeast(1), def: int64(1), unit: "generations", doc: "Generations of games to learn from, the newest included."},
	{key: "validation", typ: real{min: 0, max: 1, openMax: true}, def: 0.2, doc: "Share of the games kept apart to measure the loss on."},
	{key: "select", typ: selections, def: "lowest-validation-loss", doc: "Which epoch's network is kept. lowest-validation-loss: the best of the generation, or the last one when none beats the generation before."},
	{key: "optimizer", typ: &group{fields: []field{
		{key: "kind", typ: optimizers, def: "sgd", doc: "Algorithm of the steps: stochastic gradient descent with momentum; adam (Kingma and Ba 2015); adamw, with the weight decay apart from the gradient (Loshchilov and Hutter 2019)."},
		{key: "momentum", typ: real{min: 0, max: 1, openMax: true}, def: 0.9, when: only("kind", "sgd"), doc: "Momentum."},
		{key: "weight_decay", typ: real{min: 0, max: 1, openMax: true}, def: 1e-4, doc: "Weight decay, added to the gradient; with adamw the weights shrink by it times the learning rate."},
		{key: "beta1", typ: real{min: 0, max: 1, openMin: true, openMax: true}, def: 0.9, when: only("kind", "adam", "adamw"), doc: "Share of the running mean of the gradient that a step keeps."},
		{key: "beta2", typ: real{min: 0, max: 1, openMin: true, openMax: true}, def: 0.999, when: only("kind", "adam", "adamw"), doc: "Share of the running mean of its square that a step keeps."},
		{key: "epsilon", typ: real{min: 0, max: 1, openMin: true}, def: 1e-8, when: only("kind", "adam", "adamw"), doc: "What is added to the root of that mean before the division by it."},
	}}, doc: "How weights are changed."},
	{key: "schedule", typ: &group{fields: []field{
		{key: "kind", typ: schedules, def: "plateau", doc: "plateau lowers the rate when the validation loss no longer falls, step at fixed epochs, cosine along half a wave, constant never; hook asks a script. Its state lives across generations."},
		{key: "initial", typ: real{min: 0, openMin: true, max: 1_000}, def: 0.05, doc: "Learning rate of the first epoch after the warm-up."},
		{key: "warmup", typ: integer{0, 100_000}, def: int64(0), unit: "epochs", doc: "Epochs at the start in which the rate climbs in equal steps towards initial."},
		{key: "factor", typ: real{min: 0, max: 1, openMin: true, openMax: true}, def: 0.5, when: only("kind", "plateau", "step"), doc: "What the rate is multiplied with."},
		{key: "patience", typ: integer{0, 100_000}, def: int64(3), unit: "epochs", when: only("kind", "plateau"), doc: "Epochs without improvement that are put up with."},
		{key: "every", typ: integer{1, 100_000}, def: int64(3), unit: "epochs", when: only("kind", "step"), doc: "Epochs between two steps."},
		{key: "minimum", typ: rate, def: 1e-4, when: only("kind", "plateau", "step", "cosine"), doc: "Lowest rate."},
		{key: "period", typ: integer{1, 100_000}, must: true, unit: "epochs", when: only("kind", "cosine"), doc: "Epochs, of all generations together, in which the rate falls from initial to minimum; then it stays there."},
		{key: "file", typ: script{}, must: true, when: only("kind", "hook"), doc: "Go script that returns the learning rate of each epoch."},
	}}, doc: "How the learning rate changes."},
	{key: "loss", typ: &group{fields: []field{
		{key: "policy", typ: weight, def: 1.0, doc: "Weight of the cross-entropy between visits and policy; nothing where there is no policy."},
		{key: "value", typ: weight, def: 1.0, doc: "Weight of the squared error of the value; with wdl of the cross-entropy of win, draw and loss."},
		{key: "moves_left", typ: weight, def: 1.0, doc: "Weight of the error of the moves left, where network.moves_left is true: Huber's, of plies over 20, quadratic to 10 plies, as in the training of Leela Chess Zero."},
	}}, doc: "Weights of the parts of the loss."},
	{key: "patience", typ: integer{0, 100_000}, def: int64(0), unit: "epochs", doc: "Early stopping: the training of a generation ends after so many epochs in a row without a validation loss below its lowest; 0: never."},
	{key: "carry", typ: enum{"all", "weights"}, def: "all", doc: "What a generation goes on with: all that the one before left, or the weights alone, so that optimizer and schedule begin anew."},
	{key: "value_target", optional: true, typ: &group{fields: []field{
		{key: "file", typ: script{}, must: true, doc: "Go script that evaluates positions, from -1 to 1 for the side to move."},
		{key: "weight", typ: share, def: 0.5, doc: "Share of the script's evaluation in the target; the rest is the result of the game."},
	}}, doc: "What the value learns from beside the results of games; absent: the results alone."},
}}

var tournamentKeys = &group{fields: []field{
	{key: "rounds", typ: integer{0, 1_000_000}, def: int64(20), unit: "games", doc: "Games of each pair, colors alternating; 0 is no tournament."},
	{key: "search", typ: tournamentSearch(), doc: "How checkpoints look for a move; what is left out is as in search, except that there is no noise, that of a gumbel root included, and no forced_playouts."},
	{key: "limit", optional: true, typ: &group{fields: []field{
		{key: "depth", typ: integer{0, 1_000}, def: int64(0), unit: "plies", doc: "Length of the line of best play at which a search ends; 0: none."},
		{key: "movetime", typ: integer{0, 86_400_000}, def: int64(0), unit: "ms", doc: "Time for a move; 0: none. Games that end by the clock are others in every run, and on every machine."},
	}}, doc: "What ends a checkpoint's search before its visits do; absent: nothing."},
	{key: "temperature", typ: &group{fields: []field{
		{key: "power", typ: power, def: 4.0, doc: "As selfplay.temperature.power, for the whole game."},
	}}, doc: "How a checkpoint draws its move from the visits."},
	{key: "format", optional: true, typ: &group{short: "kind", fields: []field{
		{key: "kind", typ: enum{"gauntlet", "ladder"}, must: true, doc: "gauntlet: the first players of the list meet all behind them, who do not meet each other; ladder: everybody meets those near in the list."},
		{key: "first", typ: atLeast(1), def: int64(1), unit: "players", when: only("kind", "gauntlet"), doc: "How many players run the gauntlet."},
		{key: "span", typ: atLeast(1), def: int64(1), unit: "players", when: only("kind", "ladder"), doc: "How far apart in the list those may stand who meet."},
	}}, doc: "Who meets whom; absent: a round robin, everybody meets everybody."},
	{key: "openings", optional: true, typ: &group{short: "file", fields: []field{
		{key: "file", typ: book, must: true, doc: "Games in PGN, or positions in EPD or FEN, a line each."},
		{key: "plies", typ: plies, def: int64(0), unit: "plies", doc: "How much of each game of the book is played; 0: all of it."},
	}}, doc: "Book of openings, in place of game.start: all pairs of players meet in the same, each twice with the colors changed, in an order drawn by seed."},
	{key: "random_plies", typ: integer{0, 1_000}, def: int64(0), unit: "plies", doc: "Random legal moves at the start, or after the opening of the book; the two games of a pair share them."},
	{key: "max_moves", typ: integer{1, 10_000}, as: "game.max_moves", unit: "moves of each side", doc: "A longer game is a draw."},
	{key: "resign", optional: true, typ: &group{fields: []field{
		{key: "score", typ: real{min: -1, max: 0, openMin: true, openMax: true}, def: -0.95, doc: "Expected result, from -1 to 1, at which a player gives up."},
		{key: "moves", typ: integer{1, 1_000}, def: int64(3), unit: "moves of each side", doc: "For how many moves it has thought no better, and its opponent no worse of its own game."},
	}}, doc: "Players who both think that one is lost end the game; absent: they play on."},
	{key: "draw", optional: true, typ: &group{fields: []field{
		{key: "score", typ: real{min: 0, max: 1, openMax: true}, def: 0.02, doc: "Expected result, to either side, of a game that is thought drawn."},
		{key: "moves", typ: integer{1, 1_000}, def: int64(8), unit: "moves of each side", doc: "For how many moves both have thought so."},
		{key: "from", typ: integer{0, 10_000}, def: int64(40), unit: "moves", doc: "Not before this move."},
	}}, doc: "Players who both think the game drawn end it; absent: they play on."},
	{key: "adjudicate", typ: script{}, doc: "Go script that may end a game before the rules do, with the result that it names."},
	{key: "players", typ: sequence{elem: playerKeys, min: 2}, def: []any{
		map[string]any{"every": int64(4)}, map[string]any{"player": "untrained"}, map[string]any{"player": "random"},
	}, doc: "Who plays: every: N or generations: [N, ...] (checkpoints), last, untrained, random, a UCI engine, alpha-beta on a script, on the value of a network or on material, a checkpoint's policy without search, or a model from elsewhere."},
}}

// tournamentSearch is the search section again, with the values of search as
// defaults. Noise and forced playouts are for exploring, so the tournament has none
// unless it asks. A key that has a meaning only beside another one may have none in
// search, and then has its own default here, too.
func tournamentSearch() *group { return inherit(searchKeys, "search") }

func inherit(g *group, path string) *group {
	exploring := []string{"search.noise.weight", "search.root.noise", "search.forced_playouts"}
	c := *g
	c.fields = slices.Clone(g.fields)
	for i := range c.fields {
		f := &c.fields[i]
		here := join(path, f.key)
		switch inner, ok := f.typ.(*group); {
		case ok:
			f.typ = inherit(inner, here)
		case slices.Contains(exploring, here):
			f.def = 0.0
		default:
			f.as = here
			if f.when == nil {
				f.def = nil
			}
		}
	}
	return &c
}

var playerKeys = &group{short: "player", oneOf: []string{"every", "generations", "player", "uci", "hook", "alphabeta", "material", "policy", "model"}, fields: []field{
	{key: "every", typ: integer{1, 1_000_000}, unit: "generations", doc: "The checkpoints of every N-th generation, and always the last one."},
	{key: "generations", typ: sequence{elem: atLeast(1), single: true, min: 1}, unit: "generations", doc: "The checkpoints of these generations, where training comes so far."},
	{key: "player", typ: enum{"last", "untrained", "random"}, doc: "last: the last checkpoint; untrained: the network before training; random: random legal moves."},
	{key: "uci", typ: text{what: "the name of a UCI engine"}, doc: "A UCI engine, by its name on the path."},
	{key: "hook", typ: script{}, doc: "Alpha-beta search on the evaluation of a Go script."},
	{key: "alphabeta", typ: checkpoint{}, doc: "Alpha-beta search on the value of a network: the last, the untrained, or that of a generation, where training comes so far."},
	{key: "material", typ: integer{1, 100}, unit: "plies", doc: "Alpha-beta search of this depth on a count of material, as suits the variant."},
	{key: "policy", typ: checkpoint{}, doc: "A checkpoint without any search, the last, the untrained, or that of a generation, where training comes so far: the move that its policy gives the most."},
	{key: "model", typ: model{}, doc: "A checkpoint from elsewhere: of another run, as tiny@3, tiny@untrained or, of a sweep with the first digits of a trial's hash, quickstart/24b4@last; or a file, relative to the folder of the experiment file. It plays with its own encoder and policy and the search of this tournament."},
	{key: "level", typ: integer{1, 8}, when: only("uci"), doc: "Strength as lichess sets it for Fairy-Stockfish."},
	{key: "movetime", typ: integer{1, 86_400_000}, when: only("uci"), unit: "ms", doc: "Time for a move."},
	{key: "depth", typ: integer{1, 1_000}, when: only("uci"), unit: "plies", doc: "Depth of the engine's search."},
	{key: "depth", typ: integer{1, 100}, must: true, when: only("hook"), unit: "plies", doc: "Depth of the search."},
	{key: "depth", typ: integer{1, 100}, must: true, when: only("alphabeta"), unit: "plies", doc: "Depth of the search."},
	{key: "nodes", typ: atLeast(1), when: only("uci"), unit: "nodes", doc: "Nodes of the engine's search."},
	{key: "options", typ: table{}, when: only("uci"), doc: "UCI options, such as Skill Level: 3."},
	{key: "rounds", typ: atLeast(1), unit: "games", absent: "as tournament.rounds", doc: "Games against each other player."},
}}

var hookKeys = &group{short: "file", fields: []field{
	{key: "file", typ: script{}, must: true, doc: "Go source, relative to the folder of the experiment file."},
	{key: "metric", typ: text{what: "a name of letters, digits, - and _", pattern: metricName}, absent: "the name of the file", doc: "Name of what it measures."},
	{key: "on_error", typ: enum{"empty", "stop"}, absent: "empty", doc: "What a fault of the script does: leave the metrics of that generation empty, or stop the run."},
}}

// lookup returns the key at a dotted path, or nil. Keys inside lists have no
// such path.
func lookup(path string) *field {
	var found *field
	eachKey(func(p string, f *field) {
		if p == path {
			found = f
		}
	})
	return found
}

// pathsOf returns the paths of all keys with a name.
func pathsOf(key string) []string {
	var paths []string
	eachKey(func(p string, f *field) {
		if f.key == key {
			paths = append(paths, p)
		}
	})
	return paths
}

// eachKey visits the keys outside of lists in schema order, groups before their
// members.
func eachKey(visit func(path string, f *field)) { eachKeyOf(schema, "", visit) }

func eachKeyOf(g *group, path string, visit func(path string, f *field)) {
	for i := range g.fields {
		f := &g.fields[i]
		here := join(path, f.key)
		visit(here, f)
		if inner, ok := f.typ.(*group); ok {
			eachKeyOf(inner, here, visit)
		}
	}
}
