package cmd

import (
	"testing"

	"github.com/pubsync/pubsync/connector/desk"
)

// Only exit 1 depends on what stands, and only where the run came to its end.
func TestExitOn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		failOn []string
		s      desk.Summary
		want   int
	}{
		{"all by default", nil, desk.Summary{Exit: 1, Pending: 1}, 1},
		{"named", []string{"held", "pending"}, desk.Summary{Exit: 1, Pending: 1}, 1},
		{"not named", []string{"held", "blocked"}, desk.Summary{Exit: 1, Pending: 1, Rejected: 2, Refused: 3}, 0},
		{"one of those that stand", []string{"refused"}, desk.Summary{Exit: 1, Pending: 1, Refused: 1}, 1},
		{"none at all", []string{}, desk.Summary{Exit: 1, Blocked: 1}, 0},
		{"interrupted", []string{}, desk.Summary{Exit: 1, Error: "context canceled"}, 1},
		{"the marketplace is away", []string{}, desk.Summary{Exit: 3, Blocked: 1, Error: "away"}, 3},
		{"all well", []string{"held"}, desk.Summary{}, 0},
	} {
		if got := exitOn(tt.failOn, tt.s); got != tt.want {
			t.Errorf("%s: got exit %d, want %d", tt.name, got, tt.want)
		}
	}
}
