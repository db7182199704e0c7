package registry

import (
	"runtime"
	"sync"
)

// Filter returns those of found that keep takes, in their order. It may be
// called by several goroutines at once: a large registry is much to ask about.
func Filter(found []Found, keep func(*Found) bool) []Found {
	taken := make([]bool, len(found))
	spread(len(found), func(from, to int) {
		for i := from; i < to; i++ {
			taken[i] = keep(&found[i])
		}
	})
	kept := found[:0]
	for i, ok := range taken {
		if ok {
			kept = append(kept, found[i])
		}
	}
	return kept
}

// spread has f see to the numbers from 0 to n, on all processors if there are
// many.
func spread(n int, f func(from, to int)) {
	const many = 64
	workers := 1
	if n > many {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { f(w*n/workers, (w+1)*n/workers) })
	}
	wg.Wait()
}
