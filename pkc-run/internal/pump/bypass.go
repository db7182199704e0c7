package pump

// How a bypass of our own memory went.
type bypassResult int

const (
	bypassUnusable   bypassResult = iota // read and write instead
	bypassEnd                            // the stream is at its end
	bypassEchoFailed                     // the echo is given up, the stream goes on
)
