//go:build race

package connector_test

// underRace tells a test that the race detector makes it ten times as slow.
const underRace = true
