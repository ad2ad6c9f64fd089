package laws_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestNoSaboteurIsLost holds the list of saboteurs to the one that is written down, where a law
// that goes, or a saboteur, leaves a trace.
func TestNoSaboteurIsLost(t *testing.T) {
	data, err := os.ReadFile("testdata/saboteurs.txt")
	if err != nil {
		t.Fatal(err)
	}
	written := strings.Split(strings.TrimSpace(string(data)), "\n")
	var got []string
	for law, mistakes := range saboteurs() {
		for _, mistake := range mistakes {
			got = append(got, law+": "+string(mistake))
		}
	}
	slices.Sort(got)
	for _, line := range written {
		if !slices.Contains(got, line) {
			t.Errorf("got no saboteur %q, want it, or its line removed with a reason", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(written, line) {
			t.Errorf("testdata/saboteurs.txt: got no line %q, want one", line)
		}
	}
}
