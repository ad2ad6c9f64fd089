package cmd

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// A report that is due anew was refused at no time that is known.
func TestExplainARefusedReportThatIsDue(t *testing.T) {
	var out strings.Builder
	sheet{&out}.printExplanation(desk.Explanation{Owed: &store.Report{Tries: 3, Refused: "no"}})
	if got := out.String(); !strings.Contains(got, " tried 3 times, refused: no\n") {
		t.Errorf("got %s, want no time of a refusal", got)
	}
}
