package conform_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestNoSaboteurIsLost holds the list of saboteurs to the one that is written down, where a law
// that goes, or a saboteur, leaves a trace.
func TestNoSaboteurIsLost(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/saboteurs.txt")
	if err != nil {
		t.Fatal(err)
	}
	written := strings.Split(strings.TrimSpace(string(data)), "\n")
	var got []string
	for law, faults := range saboteurs() {
		for _, fault := range faults {
			got = append(got, law+": "+fault)
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
