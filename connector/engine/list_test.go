package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
)

// A list that repeats its page under ever new cursors ends the run with exit 3 and removes nothing. A
// list in which an entry moves to the end again and again, since it changes while the list is read, is none.
func TestListThatRepeats(t *testing.T) {
	const pages = 50
	for _, c := range []struct {
		name    string
		updated func(page int) int // the second of updatedAt on a page
		exit    int
		error   string
		most    int // pages that are asked for
	}{
		{"its page", func(int) int { return 0 }, desk.ExitMarketplace, "has no end", 400},
		{"an entry that changes", func(page int) int { return page }, desk.ExitOK, "", pages},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				id := b.Market.AddSound(1)[0]
				b.Once(false)
				f, asked := b.Forge(), 0
				f.Answer = func(operation, body string) string {
					if operation != "List" || !strings.Contains(body, "UPDATED_AT_ASC") {
						return ""
					}
					asked++
					return fmt.Sprintf(`{"data":{"publications":{"nodes":[{"id":%q,"updatedAt":"2026-01-01T00:00:%02dZ",`+
						`"status":"success"}],"pageInfo":{"hasNextPage":%t,"endCursor":"c%d"}}}}`,
						id, c.updated(asked), c.exit != desk.ExitOK || asked%pages != 0, asked)
				}
				s := b.Once(false)
				if s.Exit != c.exit || !strings.Contains(s.Error, c.error) || asked > c.most {
					t.Errorf("exit %d and %q after %d pages, want %d and %q after %d at most",
						s.Exit, s.Error, asked, c.exit, c.error, c.most)
				}
				if p, _ := b.Shop.Get(id); !p.OnSale {
					t.Error("the product is off sale, want it to stay")
				}
			})
		})
	}
}

// A change in the second of the list's end is seen by the next sweep, though it stands before that end, and a second
// one in the second of a reading.
func TestChangesInTheSecondOfTheCursor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := harness.Unthrottled()
		o.UpdatedAtPrecision = time.Second
		b := harness.New(t, o)
		ids := b.Market.AddSound(250)
		b.Once(false)
		time.Sleep(20*time.Minute + time.Second/2)
		supply := func(quantity int, ids ...string) {
			for _, id := range ids {
				b.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity = quantity })
			}
		}
		first := sync.OnceFunc(func() { supply(55, ids[1:]...) })
		second := sync.OnceFunc(func() { supply(77, ids[0], ids[2]) })
		b.Forge().Change = func(operation, answer string) string {
			switch {
			case operation == "Account": // it is asked for before the list
				first()
			case operation == "List" && strings.Contains(answer, `"hasNextPage":false`):
				second()
			}
			return answer
		}
		for range 3 {
			b.Once(false)
			time.Sleep(time.Minute)
		}
		for i, want := range []int{77, 55, 77} {
			if p, _ := b.Shop.Get(ids[i]); p.Variants[0].Quantity != want {
				t.Errorf("entry %d has a stock of %d, want %d", i, p.Variants[0].Quantity, want)
			}
		}
	})
}

// A cursor that the marketplace refuses in words of its own ends no list for good: it is read from the beginning.
func TestACursorThatIsRefusedInOtherWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		id := b.Market.AddSound(3)[0]
		b.Once(false)
		b.Forge().Answer = func(operation, body string) string {
			if operation != "List" || !strings.Contains(body, "after:") {
				return ""
			}
			return `{"data":null,"errors":[{"message":"Internal error","path":["publications"]}]}`
		}
		b.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity = 77 })
		s := b.Once(false)
		p, _ := b.Shop.Get(id)
		if s.Exit != desk.ExitOK || p.Variants[0].Quantity != 77 {
			t.Errorf("got %+v and a stock of %d, want exit 0 and 77", s, p.Variants[0].Quantity)
		}
	})
}

// One failed answer of the list of product variants costs another request, and no change. A publication counts once
// in a run, also where two lists lead to it.
func TestTheListOfVariantsIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		id := b.Market.AddSound(3)[0]
		f := b.Forge()
		forge := b.Tune
		b.Tune = func(o *connector.Options) {
			forge(o)
			o.Variants = publication.VariantsOn
		}
		b.Once(false)
		b.Once(false)
		failed := false
		f.Answer = func(operation, _ string) string {
			if operation != "Variants" || failed {
				return ""
			}
			failed = true
			return `{"data":null,"errors":[{"message":"Internal error"}]}`
		}
		if err := b.Market.Supply(id, []string{"stock=77"}, sandbox.KeepUpdatedAt); err != nil {
			t.Fatal(err)
		}
		s := b.Once(false)
		p, _ := b.Shop.Get(id)
		if !failed || p.Variants[0].Quantity != 77 || s.Updated+s.Unchanged != 1 {
			t.Errorf("failed %t, then a stock of %d and %+v, want true, 77 and one publication counted", failed,
				p.Variants[0].Quantity, s)
		}
	})
}
