package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
)

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
