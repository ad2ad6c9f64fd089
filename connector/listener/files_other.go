//go:build !unix

package listener

func mayOpen() int { return 2048 }
