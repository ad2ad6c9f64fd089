package shopify_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// TestRequestsOfARestock shows what figures alone cost.
func TestRequestsOfARestock(t *testing.T) {
	for _, tc := range []struct {
		variants int
		changed  shopadapter.Fields
		want     []string
	}{
		{3, figures, []string{"Figures", "Write"}},
		{3, shopadapter.NoFields, []string{"Figures"}},
		{3, shopadapter.FieldTitle, []string{"Figures"}},
		{250, figures, []string{"Figures", "Variants", "Write", "Operation", "Operation"}},
	} {
		t.Run(fmt.Sprint(tc.variants, " ", tc.changed), inVirtualTime(func(t *testing.T) {
			fake, a, ref, p := published(t, tc.variants)
			fake.took()
			p.Variants[tc.variants-1].Price = "3.33"
			if _, err := a.Publish(t.Context(), ref, p.OnlyFigures(), tc.changed); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, fake.took()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		}))
	}
}

// TestAVariantThatTheShopRefusesOfARestock stays as it was until a whole write leaves it out.
func TestAVariantThatTheShopRefusesOfARestock(t *testing.T) {
	fake, a, ref, p := published(t, 3)
	fake.refuseOnce(1)
	_, err := a.Publish(t.Context(), ref, p.OnlyFigures(), figures)
	if !errors.Is(err, shopadapter.ErrWhole) || len(fake.sole(t).variants) != 3 {
		t.Errorf("the error is %v, variants %v", err, shown(fake.sole(t)))
	}
}
