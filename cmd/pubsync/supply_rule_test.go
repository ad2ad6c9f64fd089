// Rules of prices and of what is kept out that cannot be meant are told.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A rule whose category the marketplace does not have is told by the doctor and in the log, with the
// one that was likely meant.
func TestRulesAreJudgedByTheTree(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	s.env["PUBSYNC_PRICE_CATEGORIES"] = "GARDEN/TULS=80%; GARDEN=+10%"
	const want = "the marketplace has no category GARDEN/TULS: did you mean GARDEN/TOOLS?"
	if r := s.call("doctor"); !strings.Contains(r.stdout, want) {
		t.Errorf("doctor: got %s, want %q in it", r.stdout, want)
	}
	if r := s.call("run", "--once"); !strings.Contains(r.stderr, want) {
		t.Errorf("the log: got %s, want %q in it", r.stderr, want)
	}
	s.env["PUBSYNC_PRICE_CATEGORIES"] = "GARDEN/TOOLS=80%"
	if r := s.call("doctor"); strings.Contains(r.stdout, "did you mean") {
		t.Errorf("a category that is there: got %s, want no warning", r.stdout)
	}
}
