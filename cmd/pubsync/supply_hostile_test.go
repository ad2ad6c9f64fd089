// An id is data, whatever it would mean to a file system or a shell.

package main_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestAnIDIsDataEverywhere imports publications whose ids mean something to a file system, an
// address, a shell, a spreadsheet, a page or a terminal, and asks a worker for them by their ids.
func TestAnIDIsDataEverywhere(t *testing.T) {
	unraced(t)
	ids := []string{
		"..", ".", "../../x", "/etc/passwd", `..\..\x`, "%2e%2e", "%2F", "a%00b", "x?state=live", "x#y", "x;y", "a b", "+",
		"NUL", "Id", "iD", "=cmd|' /C calc'!A0", `"><img src=x onerror=alert(1)>`, "{{.}}", "$(id)", "--json", "-x",
		"\x1b[2J\x1b]0;owned\x07", "line\nbreak", "nul\x00", "turned\u202eexe", "e\u0301", "\u00e9", "pubsync.db",
		strings.Repeat("long", 200),
	}
	s := open(t, sandbox.Options{})
	for i, id := range ids {
		l := lamp(i)
		l.Texts["en"] = sandbox.Text{Title: "Lamp \x1b[31m" + id, Description: "<p>" + id}
		s.market.Add(sandbox.Publication{ID: id, Listing: l})
	}
	w := s.work()
	w.settles(len(ids))
	listed := s.lines("")
	retry := []string{"retry", "--"}
	for _, id := range ids {
		if listed[id].State != "live" {
			t.Errorf("%q is not live: %+v", id, listed[id])
		}
		if p := s.shop.product(t, id); string(p.ID) != id || !p.OnSale {
			t.Errorf("the shop holds %q for %q", p.ID, id)
		}
		if !strings.Contains(id, "\x00") { // no argument holds one
			retry = append(retry, id)
		}
	}
	for _, id := range []string{"..", "../../x", "%2e%2e", "\x1b[2J\x1b]0;owned\x07"} {
		var e struct{ ID string }
		if s.ends(0, "explain", "--json", "--", id).decode(t, &e); e.ID != id {
			t.Errorf("explain %q tells of %q", id, e.ID)
		}
	}
	if r := s.ends(0, retry...); !strings.HasPrefix(r.stdout, strconv.Itoa(len(retry)-2)+" ") {
		t.Errorf("retry: %s", r.stdout)
	}
	w.settles(len(ids))
	w.stop()
}
