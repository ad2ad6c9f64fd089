package woocommerce

import (
	"fmt"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
)

// A call whose end the caller did not live to note leaves it with the State from before. Of a
// listing that it does not say it left on sale, Publish takes nothing of that State for what the
// shop holds: what the supplier has taken back since is written too.
func TestAStateFromBeforeTheLastWrite(t *testing.T) {
	for _, changed := range []shopadapter.Fields{
		variation.Figures, variation.Figures | shopadapter.FieldTitle,
		shopadapter.AllFields,
	} {
		// failed: the State is that of a call that failed
		for n, failed := range map[int]bool{1: false, 3: false, 4: true, 130: false} {
			t.Run(fmt.Sprintf("%s of %d variants", changed, n), func(t *testing.T) {
				f := newFakeShop(t)
				a := f.connect(t, quickly(), nil)
				p := sample("stale", n)
				ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
				lost := restocked(p, 1)
				if changed.Has(shopadapter.FieldVariants) {
					lost.Variants[0].SKU += "-lost"
					must(t, a, ref, lost, shopadapter.AllFields)
				} else {
					mustRestock(t, a, ref, lost)
				}
				if failed {
					before, _ := readState(ref)
					before.Done = false
					ref.State = before.encode()
				}
				p.Variants[n-1].Price, p.Variants[n-1].Quantity = "77.00", 77
				ref, _ = must(t, a, ref, p, changed)
				if broken := f.inconsistent(p); broken != "" {
					t.Error(broken)
				}
				mustRestock(t, a, ref, restocked(p, 2))
			})
		}
	}
}
