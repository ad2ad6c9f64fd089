package vendure_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// Shipping and returns go into the custom field that the settings name, without what the supplier
// charges, and are not written twice. Without a name nothing is written, and a field that the owner
// has not declared is told of.
func TestDelivery(t *testing.T) {
	declared := func(sdl string) string {
		return strings.ReplaceAll(sdl, "  pubsyncStamp: String\n}", "  pubsyncStamp: String\n  delivery: String\n}")
	}
	for _, tt := range []struct {
		name, field string
		edit        func(string) string
		writes      bool
		fails       bool
	}{
		{"named", "delivery", declared, true, false},
		{"not named", "", declared, false, false},
		{"not declared", "delivery", func(sdl string) string { return sdl }, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fake := newFakeShopWith(t, tt.edit)
			a := fake.open(t, "DELIVERY_FIELD", tt.field)
			p := shopadaptertest.Sample("p", 2)
			p.Images = nil
			p.Returns, p.Shipping = "true", []shopadapter.Shipping{
				{CountryGroup: "NL", FixedCosts: "4.95", EstimatedDays: "3"},
			}
			l, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
			if tt.fails {
				if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked ||
					!strings.Contains(e.Error(), "PUBSYNC_VENDURE_DELIVERY_FIELD") {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			held := func() string { return fake.products[0].delivery }
			if said := held(); strings.Contains(said, `"3"`) != tt.writes || strings.Contains(said, "4.95") {
				t.Errorf("the field holds %q", said)
			}
			ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State}
			for _, days := range []string{"7", "7"} {
				p.Shipping[0].EstimatedDays = days
				fake.took()
				if _, err := a.Publish(t.Context(), ref, p, shopadapter.FieldShipping); err != nil {
					t.Fatal(err)
				}
				if said := held(); strings.Contains(said, `"7"`) != tt.writes {
					t.Errorf("after a change the field holds %q", said)
				}
			}
			if diff := cmp.Diff([]string{"Look"}, fake.took()); diff != "" {
				t.Errorf("as it was (-want +got):\n%s", diff)
			}
			p.Variants[0].Later, p.Variants[0].AvailableAt = true, "2031-05-04"
			if _, err := a.Publish(t.Context(), ref, p, shopadapter.FieldShipping); err != nil {
				t.Fatal(err)
			}
			if said := held(); strings.Contains(said, `"from":"2031-05-04"`) != tt.writes {
				t.Errorf("of a later day the field holds %q", said)
			}
			p.Shipping, p.Returns, p.Variants[0].Later = nil, "", false
			if _, err := a.Publish(t.Context(), ref, p, shopadapter.FieldShipping); err != nil || held() != "" {
				t.Errorf("of nothing the field holds %q, %v", held(), err)
			}
		})
	}
}
