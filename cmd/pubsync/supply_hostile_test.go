// An id is data, whatever it would mean to a file system or a shell.

package main_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestAnIDIsDataEverywhere imports publications whose ids mean something to a file system, an
// address, a shell, a spreadsheet, a page or a terminal, and asks for each by its id, beside the
// worker and without it.
func TestAnIDIsDataEverywhere(t *testing.T) {
	unraced(t)
	ids := []string{
		"..", ".", "...", "../../x", "a/b", "/etc/passwd", `..\..\x`, "%2e%2e", "%2F", "a%00b", "x?state=live", "x#y", "x;y",
		"a b", "+", "&", "NUL", "aux.txt", "Id", "iD",
		"=cmd|' /C calc'!A0", "@SUM(1)", "<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "{{.}}", "$(id)",
		"--json", "-x", "\x1b[2J\x1b]0;owned\x07",
		"line\nbreak", "tab\tstop", "nul\x00", "turned\u202eexe", "e\u0301", "\u00e9", "pubsync.db",
		strings.Repeat("long", 200),
	}
	s := open(t, sandbox.Options{})
	for i, id := range ids {
		l := lamp(i)
		l.Texts["en"] = sandbox.Text{Title: "Lamp \x1b[31m" + id, Description: "<p>" + id}
		if got := s.market.Add(sandbox.Publication{ID: id, Listing: l})[0]; got != id {
			t.Fatalf("the marketplace made %q of %q", got, id)
		}
	}
	w := s.work()
	w.settles(len(ids))
	listed := s.lines("")
	for _, id := range ids {
		if listed[id].State != "live" {
			t.Errorf("%q is not live: %+v", id, listed[id])
		}
	}
	for _, id := range []string{"..", ".", "../../x", "%2e%2e", "\x1b[2J\x1b]0;owned\x07"} {
		var e struct{ ID string }
		r := s.call("explain", "--json", "--", id)
		if r.code != 0 {
			t.Errorf("explain %q: exit %d, want 0, %s", id, r.code, r.stderr)
			continue
		}
		if r.decode(t, &e); e.ID != id {
			t.Errorf("explain %q tells of %q", id, e.ID)
		}
	}
	// no argument holds one
	asked := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return strings.Contains(id, "\x00") })
	if r := s.call(append([]string{"retry", "--"}, asked...)...); r.code != 0 ||
		!strings.HasPrefix(r.stdout, strconv.Itoa(len(asked))+" ") {
		t.Errorf("retry: exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	w.settles(len(ids))
	w.stop()
	for _, id := range ids {
		if p := s.shop.product(t, id); string(p.ID) != id || !p.OnSale {
			t.Errorf("the shop holds %q for %q", p.ID, id)
		}
	}
}
