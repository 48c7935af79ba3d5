package disk

import "sync/atomic"

var watcher atomic.Pointer[func(step, path string)]

// Watch has f called just before each step of this package that changes what
// another process would find: "rename" (a file is written whole, under another
// name), "append" (to a journal) and "remove". It is for tests that kill a
// process at each of them; f may be called by many goroutines at once.
func Watch(f func(step, path string)) { watcher.Store(&f) }

func step(name, path string) {
	if f := watcher.Load(); f != nil {
		(*f)(name, path)
	}
}
