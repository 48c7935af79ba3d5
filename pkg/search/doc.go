// Package search is Monte Carlo tree search guided by a network: PUCT over a
// tree that lives in flat arrays.
//
// A [Tree] searches one game. It selects and expands leaves ([Tree.Select]), the caller
// evaluates them, and the tree backs them up ([Tree.Backup]). So the leaves of many trees
// can be evaluated as one batch: [Stepper] makes one step of a slice of trees, [Run] steps
// until all are done. A single tree fills a batch with several leaves per step
// (Config.Leaves). A tree is not safe for use by several goroutines at once; different
// trees are independent.
//
// A search is a function of its [Config], its seed, the game and the evaluator. It does
// not depend on time: there are no clocks, no queues and no order of threads.
//
// The formula, with s a position, a a move, N visits, Q the mean of the values
// backed up and P the prior, is that of the OppenheimerZero thesis (equation
// 3.2), after AlphaGo Zero:
//
//	Q(s,a) + c * P(s,a) * sqrt(sum over b of N(s,b)) / (1 + N(s,a))
//
// where c is constant, or grows as in AlphaZero:
//
//	c = CFactor * log((1 + sum over b of N(s,b) + CBase) / CBase) + CInit     (CFactor is 1 in AlphaZero)
//
// While no move of s has been visited, the square root is taken as 1 instead of 0, so that
// the first choice is the best prior instead of the first move of the list. Ties go to the
// first move of the list.
//
// The root may be searched in other ways: with forced playouts (Config.ForcedPlayouts) or
// by sequential halving ([Root]). [Tree.Target] is the policy target of a search.
//
// The package knows no networks, no limits of a game's length and no temperature
// schedules. Package chess decides the ends of games, with repetitions along the path.
package search
