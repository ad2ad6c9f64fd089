//go:build !unix

package listener

func mayOpen() int { return 1 << 20 }
