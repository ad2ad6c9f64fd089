package cmd

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/desk"
)

// A report that is due anew was refused at no time that is known.
func TestExplainARefusedReportThatIsDue(t *testing.T) {
	var out strings.Builder
	sheet{&out}.printExplanation(desk.Explanation{Report: desk.Reporting{Refusals: 3, Error: "no"}})
	if got := out.String(); !strings.Contains(got, " tried 3 times, refused: no\n") {
		t.Errorf("got %s, want no time of a refusal", got)
	}
}
