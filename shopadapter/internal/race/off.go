//go:build !race

package race

// Stride is one: each place is tried.
const Stride = 1
