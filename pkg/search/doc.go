// Package search is Monte Carlo tree search guided by a network: PUCT over a
// tree that lives in flat arrays.
//
// A [Tree] searches one game. It walks down to a position that it has not
// seen ([Tree.Ask]), which somebody evaluates, and takes the answer back
// up ([Tree.Answer]). Between the two the tree waits, so that whoever drives
// many trees can evaluate their leaves as one batch: [Stepper] does that once for
// a slice of trees, [Run] until all have their visits. A tree that is alone fills
// a batch with several leaves a step (Config.Leaves). A tree is not safe for use
// by several goroutines at once; different trees are independent.
//
// A search is a function of its [Config], its seed, the game and the
// evaluator. Time plays no part in it: there are no clocks, no queues and no
// order of threads.
//
// The formula, with s a position, a a move, N visits, Q the mean of the values
// backed up and P the prior, is that of the OppenheimerZero thesis (equation
// 3.2), after AlphaGo Zero:
//
//	Q(s,a) + c * P(s,a) * sqrt(sum over b of N(s,b)) / (1 + N(s,a))
//
// where c is constant, or grows as in AlphaZero:
//
//	c = log((1 + sum over b of N(s,b) + CBase) / CBase) + CInit
//
// While no move of s has been visited the root is taken as 1 instead of 0, so
// that the first choice is the best prior instead of the first move of the
// list. Ties go to the first move of the list.
//
// The root may be searched in other ways: with forced playouts (see
// Config.ForcedPlayouts) or as a race among a few moves (see Root). What is to be
// learned from a search is its [Tree.Target].
//
// The package knows nothing of networks, of when a game is too long, or of
// how moves are drawn for training. It trusts the rules of package chess for
// the ends of games, repetitions along the path included.
package search
