//go:build !race

package main_test

// raced says that the tests, and so the program under test, are built with the race detector.
const raced = false
