// A listing that was deleted in the shop by hand.

package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestAListingDeletedInTheShopByHand(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(3)
	dir := filepath.Join(s.dir, "pages")
	s.set("SHOP_ADAPTER", "catalog", "CATALOG_DIR", dir, "CATALOG_URL", "https://lamps.example/", "HTTP_URL", "",
		"HTTP_TOKEN", "")
	s.imported()
	own := func() (files []string) {
		pages, records := pagesIn(t, dir)
		for _, path := range slices.Concat(pages, records) {
			if strings.Contains(filepath.Base(path), ids[0]) {
				files = append(files, path)
			}
		}
		return files
	}
	if len(own()) == 0 {
		t.Fatal("no file is named for the publication")
	}
	for _, path := range own() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	s.setPrice(ids[0], "10.00", "21.00")
	sum := s.once()
	if sum.Exit != 1 || sum.Blocked != 1 || len(own()) != 0 {
		t.Errorf("the run: %+v, files %v", sum, own())
	}
	if l := s.expectState(ids[0], "blocked"); !strings.Contains(l.Error, "retry") {
		t.Errorf("the merchant is told %q", l.Error)
	}
	if got := s.reported(ids[0]); !slices.Equal(got, []string{"success", "failed"}) {
		t.Errorf("reported %v", got)
	}
	if s.once(); len(own()) != 0 {
		t.Error("it came back by itself")
	}
	if r := s.call("retry", "--failed"); r.code != 0 {
		t.Errorf("retry: exit %d, want 0, %s", r.code, r.stderr)
	}
	s.imported()
	if len(own()) == 0 {
		t.Error("it did not come back when asked")
	}
	s.expectState(ids[0], "live")
	if got := s.reported(ids[0]); !slices.Equal(got, []string{"success", "failed", "success"}) {
		t.Errorf("reported %v", got)
	}
}

func TestAShopThatKnowsNothingOfWhatIsRemoved(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(6)
	s.imported()
	s.shop.rules(func(r request) reply {
		if r.Method == http.MethodDelete {
			return reply{status: http.StatusNotFound}
		}
		return reply{}
	})
	s.market.Remove(ids[0])
	if sum := s.imported("--full"); sum.Withdrawn != 1 {
		t.Errorf("the run: %+v", sum)
	}
	s.expectState(ids[0], "withdrawn")
}

// TestAnEndpointThatTellsOfADeletion has a listing deleted by hand behind the http protocol: it
// stays away, and is made anew by the word for it once a person asks.
func TestAnEndpointThatTellsOfADeletion(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	s.imported()
	var gone atomic.Bool
	gone.Store(true)
	s.shop.mu.Lock()
	delete(s.shop.products, ids[0])
	s.shop.rule = func(c request) reply {
		switch {
		case c.ID != ids[0] || c.Method != http.MethodPut || !gone.Load():
			return reply{}
		case c.Recreate:
			gone.Store(false)
			return reply{}
		}
		return reply{status: http.StatusGone, body: `{"deleted":true}`}
	}
	s.shop.mu.Unlock()
	s.setPrice(ids[0], "10.00", "21.00")
	sum := s.once()
	if sum.Exit != 1 || sum.Blocked != 1 || !gone.Load() {
		t.Errorf("the run: %+v, still gone %t", sum, gone.Load())
	}
	if got := s.reported(ids[0]); !slices.Equal(got, []string{"success", "failed"}) {
		t.Errorf("reported %v", got)
	}
	if r := s.call("retry", ids[0]); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if s.once(); gone.Load() {
		t.Error("asked for, it stays away")
	}
	s.expectState(ids[0], "live")
}
