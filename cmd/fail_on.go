package cmd

import (
	"slices"
	"strings"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
)

// standings are the states that --fail-on knows, each with the number of publications, or of
// reports, that stand so at the end of a run.
var standings = []struct {
	name string
	of   func(desk.Summary) int
}{
	{"rejected", func(s desk.Summary) int { return s.Rejected }},
	{"blocked", func(s desk.Summary) int { return s.Blocked }},
	{"held", func(s desk.Summary) int { return s.Held }},
	{"pending", func(s desk.Summary) int { return s.Pending }},
	{"refused", func(s desk.Summary) int { return s.Refused }},
}

// standingNames are the names of standings.
func standingNames() (names []string) {
	for _, s := range standings {
		names = append(names, s.name)
	}
	return names
}

// checkFailOn returns an error of wrong usage for a state that --fail-on does not know.
func checkFailOn(failOn []string) error {
	for _, name := range failOn {
		if !slices.Contains(standingNames(), name) {
			return exit.Usage("--fail-on is a list of %s", strings.Join(standingNames(), ","))
		}
	}
	return nil
}

// exitOn is the exit code of a run where the named states alone make exit 1; nil is all of them. A
// run that ended early keeps its code.
func exitOn(failOn []string, s desk.Summary) int {
	if failOn == nil || s.Exit != desk.ExitStanding || s.Error != "" {
		return s.Exit
	}
	for _, standing := range standings {
		if slices.Contains(failOn, standing.name) && standing.of(s) > 0 {
			return desk.ExitStanding
		}
	}
	return desk.ExitOK
}
