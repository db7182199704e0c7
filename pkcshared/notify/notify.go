// Package notify waits for the kernel to tell that a file changed: inotify on
// Linux, kqueue on macOS and FreeBSD, a completion port on Windows. Each is a
// thin layer that adds the two things that every waiter of the suite needs: an
// end by context, and a refusal where the kernel would not tell of every change.
package notify
