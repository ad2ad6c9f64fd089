// Of a backlog prices and stock go first.

package main_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Of a backlog the prices and the stock reach the shop before anything else of it does. The rest
// follows within the same run, each change counts once, and all of it is what the plan said.
func TestABacklogReachesTheShopInTwoSteps(t *testing.T) {
	const changed = 60
	s := open(t, sandbox.Options{RestoreRate: 600})
	s.shop.figures = true
	ids := s.lamps(changed)
	s.imported()
	for i, id := range ids {
		if err := s.market.Update(id, func(l *sandbox.Listing) {
			l.Variants[1].Quantity = 100 + i
			l.Variants[0].MSRP = "21.00"
			l.Texts["en"] = sandbox.Text{Title: fmt.Sprint("New lamp ", i), Description: l.Texts["en"].Description}
		}); err != nil {
			t.Fatal(err)
		}
	}
	p := s.planOf(s.call("plan", "--json"))
	before := len(s.shop.requests(http.MethodPut))
	if n := len(s.shop.requests(http.MethodPatch)); n != 0 {
		t.Errorf("got %d requests of figures for an import, want none", n)
	}
	if sum := s.imported(); sum.Updated != changed || sum.Unchanged != 0 || sum.Throttled != 0 {
		t.Errorf("%+v", sum)
	}
	patches, puts := s.shop.requests(http.MethodPatch), s.shop.requests(http.MethodPut)[before:]
	if len(patches) != changed || len(puts) != changed {
		t.Fatalf("got %d requests of figures and %d of products, want %d each", len(patches), len(puts), changed)
	}
	if last := patches[changed-1].At; !last.Before(puts[0].At) {
		t.Errorf("got the first product %s before the last figures", last.Sub(puts[0].At))
	}
	got := []planned{}
	for i, put := range append(patches, puts...) {
		first := i < changed
		n := slices.Index(ids, put.ID)
		want := []string{"title"}
		title := fmt.Sprint("New lamp ", n)
		if first {
			want, title = []string{"price", "stock"}, ""
		}
		v := put.Sent.Variants
		if !slices.Equal(put.Sent.Changed, want) || put.Sent.Title != title || v[1].Quantity != 100+n ||
			v[0].Price != "21.00" ||
			put.Sent.UpdatedAt == "" ||
			(put.Sent.Translations["nl"].Title == "") != first {
			t.Errorf("request %d changes %v, and sends %q, %+v", i, put.Sent.Changed, put.Sent.Title, v)
		}
		if first {
			got = append(got, planned{put.ID, "price", v[0].ID, "20.00", v[0].Price},
				planned{put.ID, "quantity", v[1].ID, "7", fmt.Sprint(v[1].Quantity)})
		} else {
			got = append(got, planned{put.ID, "title", "", fmt.Sprint("Lamp ", n+1), put.Sent.Title})
		}
	}
	for _, c := range p.Change {
		i := slices.Index(got, c)
		if c.Field == "msrp" && i < 0 {
			continue // it goes with the price
		}
		if i < 0 {
			t.Errorf("the plan says %+v, and the run did not do it", c)
			continue
		}
		got = slices.Delete(got, i, i+1)
	}
	if len(got) > 0 {
		t.Errorf("the run did what the plan does not say: %+v", got)
	}
}
