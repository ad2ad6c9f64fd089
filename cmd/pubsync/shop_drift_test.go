// A full run notices what was changed in the shop by hand.

package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A full run notices changes made in the shop by hand, though the supplier has changed nothing.
func TestAFullRunNoticesWhatWasChangedInTheShopByHand(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(12)
	dir := filepath.Join(s.dir, "pages")
	s.set("SHOP_ADAPTER", "catalog", "CATALOG_DIR", dir, "CATALOG_URL", "https://lamps.example/", "HTTP_URL", "",
		"HTTP_TOKEN", "")
	s.imported()
	hide := func(id string, whole bool) (page string, content []byte) {
		pages, records := pagesIn(t, dir)
		for _, path := range slices.Concat(pages, records) {
			if !strings.Contains(filepath.Base(path), id) {
				continue
			}
			if strings.HasSuffix(path, ".html") {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				page, content = path, data
			} else if !whole {
				continue
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		return page, content
	}
	page, content := hide(ids[0], false)
	hide(ids[1], true)
	if sum := s.once("--full"); sum.Exit != 1 || sum.Blocked != 2 {
		t.Errorf("the run: %+v", sum)
	}
	if l := s.expectState(ids[0], "blocked"); !strings.Contains(l.Error, "out of sale") ||
		!strings.Contains(l.Error, "retry "+ids[0]) {
		t.Errorf("the merchant is told %q", l.Error)
	}
	if l := s.expectState(ids[1], "blocked"); !strings.Contains(l.Error, "deleted") {
		t.Errorf("the merchant is told %q", l.Error)
	}
	if got := s.reported(ids[0]); !slices.Equal(got, []string{"success"}) {
		t.Errorf("reported %v of what is hidden for a moment", got)
	}
	s.setPrice(ids[0], "10.00", "21.00")
	s.once()
	if _, err := os.Stat(page); err == nil {
		t.Error("a change upstream put it on sale")
	}
	if err := os.WriteFile(page, content, 0o644); err != nil {
		t.Fatal(err)
	}
	s.once("--full")
	s.expectState(ids[0], "live")
	if data, err := os.ReadFile(page); err != nil || !strings.Contains(string(data), "21.00") {
		t.Errorf("it does not show what changed meanwhile: %v", err)
	}
	page, _ = hide(ids[0], false)
	s.once("--full")
	s.expectState(ids[0], "blocked")
	if r := s.call("retry", ids[0]); r.code != 0 {
		t.Fatal(r.stderr)
	}
	s.once()
	s.expectState(ids[0], "live")
	if _, err := os.Stat(page); err != nil {
		t.Error("it is not on sale when asked")
	}
}
