// Package hub hands out work to other machines. It knows NATS, and nothing of chess.
//
// A [Job] is a number of items, for example the games of a generation, that do not depend on
// each other. The result of an item is a function of the job's specification and of the item's
// number, so it does not matter who computes it, how often, or when. The process that needs the
// results runs a [Hub]; [Work] is a worker, on any machine that reaches the hub.
//
// The hub keeps nothing on disk. Its owner keeps the results (Job.Take), and a worker's answer is
// acknowledged when that is done. If the hub is killed, its owner starts another one with the
// items that are missing. So there are no queues to lose: all messages are requests and
// replies, and a request that was lost is repeated.
//
//	worker                                hub
//	ask: room for n items, those held ->  items, a job's name, or nothing to do; every second,
//	                                      which is the heartbeat
//	file: SHA-256, offset             ->  part of a job's specification, of a network, ...
//	answer: results, compressed       ->  taken, after they are on disk; or refused
//
// Every item is handed out once. When none is left, a worker without work gets the oldest items
// of the others a second time, and the first answer counts. The items of a worker that is
// silent are handed out again.
//
// Connections are encrypted (TLS 1.3), also on one machine, and every worker has a key of its
// own ([Init]), with which it can send these three requests and nothing else. The hub identifies
// workers by their keys.
package hub
