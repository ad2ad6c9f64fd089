//go:build !race

package connector_test

const underRace = false
