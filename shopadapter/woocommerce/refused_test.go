package woocommerce

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// A variant that the shop refuses to make is refused again where the State is lost, and the call
// comes to an end.
func TestAVariantRefusedWithoutAState(t *testing.T) {
	f := newFakeShop(t)
	f.RefuseSKU = "REFUSED-"
	a := f.connect(t, quickly(), nil)
	p := sample("refused", 3)
	fine := p.Variants[1].SKU
	p.Variants[1].SKU = "REFUSED-" + fine
	ref, first := must(t, a, refOf(p), p, shopadapter.AllFields)
	ref.State = nil
	ref, l := must(t, a, ref, p, shopadapter.AllFields)
	if len(first.Refused) != 1 || len(l.Refused) != 1 || len(l.Variants) != 2 {
		t.Errorf("refused %v, at first %v, made %v, want one, one and 2", l.Refused, first.Refused, l.Variants)
	}
	p.Variants[1].SKU = fine
	if _, l = must(t, a, ref, p, shopadapter.FieldVariants); len(l.Refused) != 0 || f.inconsistent(p) != "" {
		t.Errorf("refused %v, want none: %s", l.Refused, f.inconsistent(p))
	}
}
