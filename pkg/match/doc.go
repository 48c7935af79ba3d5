// Package match lets players play against each other and measures how strong they are. A
// caller parses two players and plays a match:
//
//	a, err := match.ParseSpec("quickstart/2@last,visits=400")
//	b, err := match.ParseSpec("fairy-stockfish,level=2")
//	players, variant, err := opener.OpenAll([]*match.Spec{a, b}, nil)
//	games := match.Tournament{Variant: variant, Rounds: 100, Workers: 8}
//	summary, err := match.Run(ctx, match.Config{Tournament: games, Players: [2]*match.Opened(players)})
//
// A [Spec] describes a player. Both the YAML of tournament.players and the words of the
// command line ([ParseSpec]) are parsed into a Spec. [Spec.New] makes the [Player] of a
// tournament, which finds moves for many positions at once: the games of a pair are played
// in lock step, so that a network evaluates them as one batch. [Opened.Searcher] makes the
// searcher of `alamos play`, `uci` and `analyze`, which searches one position and reports
// its search.
//
// [Games] plays a [Tournament]: a round robin, a gauntlet or a ladder. Games come in pairs
// with the same opening, from a book ([ReadBook]) or random, and with colors swapped. A
// game is a function of the tournament's seed, the names of its two players and its number.
// Neither the number of workers nor earlier games change it, unless a player is limited by
// time or is an engine that plays at random. Games are kept in a journal, so that a killed
// tournament continues to the same bytes.
//
// [Results] collects games into standings and a crosstable, and [Rate] turns them into Elo
// ratings with intervals. [Run] plays the two-player match of the command line. Its
// sequential test ([SPRT]) takes pairs of games in the order of their numbers, not in the
// order in which they end, so that its verdict does not depend on timing. [Tune] looks for
// better settings of a player with games against itself ([SPSA]).
//
// What the package refuses to do: it keeps no clocks, it adjudicates only games that are
// too long unless a [Judge] or an [Adjudicator] is set, it knows no endgame tablebases, and
// it does not excuse a player. A player that stalls, takes too long, plays an illegal move or
// crashes again and again in one position loses that game, and the fault is recorded as the
// reason. The tournament continues. An engine that ends once is started again, because
// something else may have killed it.
package match
