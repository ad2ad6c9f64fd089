package cmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/desk"
)

// The moves of many variants have a line each, up to a bound; the sentence tells a few of itself.
func TestMovedLines(t *testing.T) {
	many := desk.Happened{Kind: "price", More: 7}
	for i := range 25 {
		many.Moves = append(
			many.Moves,
			desk.Moved{Variant: fmt.Sprint("v", i), Option: fmt.Sprint("Red / ", i), Old: "1", New: "2"},
		)
	}
	few := many
	few.Moves, few.More = many.Moves[:3], 0
	names := desk.Happened{Kind: "variants", Moves: []desk.Moved{
		{Variant: "1", Option: "A", New: "A"},
		{Variant: "2", Old: "B"},
		{Variant: "3", Option: "D", Old: "C", New: "D"},
		{Variant: "4", New: "E"},
	}}
	for name, tt := range map[string]struct {
		event desk.Happened
		lines int
		want  string // of the first and the last
	}{
		"many":              {many, 21, "Red / 0 1 -> 2 … and 12 more"},
		"few":               {few, 0, ""},
		"names of variants": {names, 4, "A added … E added"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := movedLines(tt.event)
			if len(lines) != tt.lines {
				t.Fatalf("%d lines, want %d: %q", len(lines), tt.lines, lines)
			}
			if len(lines) == 0 {
				return
			}
			if got := strings.Join([]string{lines[0], lines[len(lines)-1]}, " … "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if lines := movedLines(names); lines[1] != "B removed" {
		t.Errorf("a variant that went is %q, want B removed", lines[1])
	}
}
