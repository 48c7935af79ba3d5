package hub

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"alamos/pkg/disk"
)

// check is an item with a result that other workers compute again. Two equal results verify it.
// If the first two differ, further workers decide.
type check struct {
	number int
	sums   map[string]string // key of a worker -> SHA-256 of its result
	holder *worker           // who computes it now, or nil
}

// wants reports whether a worker may compute the item again now.
func (c *check) wants(w *worker, patience time.Duration) bool {
	if c.holder != nil {
		if at, holds := c.holder.held[c.number]; holds && (c.holder == w || time.Since(at) < patience) { // it has neither answered nor left
			return false
		}
	}
	return c.sums[w.key] == ""
}

// draw decides whether a result is computed again.
func (j *job) draw(w *worker, n int) {
	if !j.Any && rand.Float64() < j.Recheck {
		j.checks[n] = &check{number: n, sums: map[string]string{w.key: j.sums[n]}}
	}
}

// recheck hands out items to compute again.
func (j *job) recheck(w *worker, room int) (numbers []int) {
	now := time.Now()
	for _, n := range slices.Sorted(maps.Keys(j.checks)) {
		if len(numbers) == room {
			break
		}
		if c := j.checks[n]; c.wants(w, j.patience()) {
			c.holder = w
			w.held[n] = now
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// compare compares a result with the earlier ones of an item.
func (h *Hub) compare(j *job, c *check, w *worker, r result) (refused, failed error) {
	delete(w.held, c.number)
	if c.sums[w.key] != "" { // it is sent again
		return nil, nil
	}
	votes := map[string]int{}
	c.sums[w.key] = disk.SumOf(r.Result)
	for _, s := range c.sums {
		votes[s]++
	}
	right := ""
	for s, n := range votes {
		if n > 1 {
			right = s
		}
	}
	if right == "" {
		h.tell(fmt.Sprintf("item %d: %s differs from what another worker answered; a further worker decides", c.number, w.Name))
		return nil, nil
	}
	delete(j.checks, c.number)
	j.verified++
	for key, s := range c.sums {
		if s != right {
			h.revoke(j, key, fmt.Sprintf("its result of item %d is not that of two others", c.number))
		}
	}
	for _, of := range h.workers {
		if of.key == j.by[c.number] && c.sums[of.key] == right {
			of.Verified++
			break // one process of the key
		}
	}
	if j.items[c.number] != nil && disk.SumOf(r.Result) == right {
		return h.take(j, w, r)
	}
	h.finish(j)
	return nil, nil
}

// revoke revokes the key of a worker, and has all that it has computed of a job computed again.
func (h *Hub) revoke(j *job, key, why string) {
	h.tell(fmt.Sprintf("%s is put out: %s", h.keys.name(key), why))
	if err := h.keys.revoke(key, why); err != nil {
		h.tell(err.Error())
	}
	for _, w := range h.workers {
		if w.key == key {
			w.leave()
			w.Refused = why
		}
	}
	for n, c := range j.checks {
		if delete(c.sums, key); len(c.sums) == 0 {
			delete(j.checks, n)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(j.by)) {
		if j.by[n] == key && j.items[n] == nil {
			j.items[n] = &item{}
			j.fresh = append(j.fresh, n)
			delete(j.by, n)
			delete(j.checks, n)
		}
	}
}

// finish ends a job whose items are done. A difference must be decided before. A result that
// no other worker can compute again now, or does in time, stays unverified.
func (h *Hub) finish(j *job) {
	if len(j.items) > 0 {
		j.done = time.Time{}
		return
	}
	if j.done.IsZero() {
		j.done = time.Now()
	}
	late := time.Since(j.done) > 2*j.patience()
	for _, c := range j.checks {
		if len(c.sums) > 1 {
			return
		}
		for _, w := range h.workers {
			if w.job == j && c.sums[w.key] == "" && !late {
				return
			}
		}
	}
	if j.verified > 0 {
		h.note(fmt.Sprintf("%d results of %d were verified by other workers", j.verified, len(j.sums)))
	}
	j.end(nil)
}
