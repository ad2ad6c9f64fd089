//go:build race

package race

// Stride is four: see the package.
const Stride = 4
