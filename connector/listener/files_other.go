//go:build !unix

package listener

// mayOpen is how many files this process may have open, sockets among them.
func mayOpen() int { return 1 << 20 }
