// Each command that prints data prints one JSON document with --json.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Of run, plan, explain, doctor, sandbox and version their own tests read the document.
func TestEveryCommandThatPrintsDataPrintsOneJSONDocument(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	s.lamps(2)
	s.imported()
	for _, command := range []string{
		"status", "publications", "adapters", "conform", "backup copy.db", "retry --all", "approve --all", "approve --list",
		"decline --list",
	} {
		var document any
		s.ends(0, append(strings.Fields(command), "--json")...).decode(t, &document)
	}
}
