package woocommerce

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// PHP that dies in the middle of a write leaves a product or a variation half made: a row alone, one
// with its SKU, or a whole one. Calling again comes to one listing with one of each variant, of which
// none was on sale before it was whole.
func TestPHPDies(t *testing.T) {
	for _, n := range []int{1, 3} {
		for _, at := range []string{
			"product row", "product sku", "product whole", "variation row", "variation sku", "variation whole",
			"simple update row", "simple update sku", "simple update whole",
			"variable update row", "variable update sku", "variable update whole",
			"variation update row", "variation update sku", "variation update whole",
		} {
			for _, live := range []bool{false, true} {
				f, a := opened(t)
				p := sample("dead", n)
				ref := refOf(p)
				if live {
					ref, _ = must(t, a, ref, p, shopadapter.AllFields)
					p = restocked(p, 1)
					p.Title = "Another title"
					if n > 1 {
						p.Variants = append(p.Variants, variantOf(p, "fourth", "Pink", "50 cm"))
					}
				}
				died := false
				f.Dies = func(where string) bool { // f.Mu is held
					if died || where != at {
						return false
					}
					died = true
					return true
				}
				l, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
				if (err != nil) != died {
					t.Errorf("%d variants, %s, live %t: got %v, want an error: %t", n, at, live, err, died)
				}
				if choices, err := f.Visits(t.Context(), l.ID); err == nil {
					for _, c := range choices {
						if c.SKU != "" && (c.Price == "" || c.Price == "0") {
							t.Errorf("%d variants, %s, live %t: %s can be bought for nothing", n, at, live, c.SKU)
						}
					}
				}
				must(t, a, ref, p, shopadapter.AllFields)
				if broken := f.inconsistent(p); broken != "" {
					t.Errorf("%d variants, %s, live %t: %s", n, at, live, broken)
				}
				f.seen(t, p.ID)
			}
		}
	}
}
