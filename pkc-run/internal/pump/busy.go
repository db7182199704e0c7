package pump

import "os"

// busyness decides when a stream deserves more memory. Pipes start small: the
// pipes of one user share a budget (pipe-user-pages-soft, pipe(7)), and most
// runs say little. A stream that fills its chunk several times in a row gets
// larger pipes and chunks.
type busyness struct {
	source, echo *os.File
	full         int
	grown        bool
}

const (
	fullBeforeGrowth = 4
	largePipe        = 1 << 20
	largeBuffer      = 256 << 10 // stays in the cache of one core
)

func (b *busyness) saw(n int) {
	if b.grown {
		return
	}
	if n < firstBuffer {
		b.full = 0
		return
	}
	if b.full++; b.full >= fullBeforeGrowth {
		b.grown = true
		enlarge(b.source)
		if b.echo != nil {
			enlarge(b.echo)
		}
	}
}

// chunk is how much to read at once.
func (b *busyness) chunk() int {
	if b.grown {
		return largeBuffer
	}
	return firstBuffer
}
