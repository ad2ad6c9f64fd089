// Each command that prints data prints one JSON document with --json.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// All of them work beside a worker, and an id is data to them. Of what is missing here other tests read the document.
func TestEveryCommandThatPrintsDataPrintsOneJSONDocument(t *testing.T) {
	unraced(t)
	const id = "--../x%2e"
	s := open(t, sandbox.Options{})
	s.market.Add(sandbox.Publication{ID: id, Listing: lamp(1)})
	s.lamps(1)
	w := s.work()
	w.settles(2)
	for _, command := range []string{
		"run --once", "plan", "status", "publications", "doctor", "adapters", "backup copy.db", "retry --all",
		"approve --all", "approve --list", "decline --list", "conform",
	} {
		var document any
		s.ends(0, append(strings.Fields(command), "--json")...).decode(t, &document)
	}
	var e struct{ ID string }
	if s.ends(0, "explain", "--json", "--", id).decode(t, &e); e.ID != id {
		t.Errorf("explain %s tells of %q", id, e.ID)
	}
	w.stop()
}
