package laws

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestSound(t *testing.T) {
	p := Sample("p", 2)
	first, second := p.Variants[0].ID, p.Variants[1].ID
	good := shopadapter.Listing{
		ID: "7", URL: "https://shop.example.com/7", Variants: []shopadapter.ListedVariant{{ID: first, ShopID: "71"}},
		Refused: map[string]string{second: "too heavy"}, Kept: shopadapter.FieldTitle,
	}
	if err := sound(good, p, shopadapter.FieldTitle|shopadapter.FieldPrice); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		spoil func(l *shopadapter.Listing)
		want  string
	}{
		{"no id", func(l *shopadapter.Listing) { l.ID = "" }, "no listing id"},
		{"no address", func(l *shopadapter.Listing) { l.URL = "" }, "no absolute"},
		{"a relative address", func(l *shopadapter.Listing) { l.URL = "/7" }, "no absolute"},
		{"a file's address", func(l *shopadapter.Listing) { l.URL = "file:///srv/7.html" }, "no absolute"},
		{"kept what did not change", func(l *shopadapter.Listing) { l.Kept = shopadapter.FieldImages }, "kept names " +
			"images"},
		{"kept what is no text", func(l *shopadapter.Listing) { l.Kept = shopadapter.FieldPrice }, "kept names price"},
		{"refused without a reason", func(l *shopadapter.Listing) { l.Refused[second] = "" }, "without a reason"},
		{"refused an unknown variant", func(l *shopadapter.Listing) { l.Refused["x"] = "no" }, "not in the product"},
		{"a variant without an id", func(l *shopadapter.Listing) { l.Variants[0].ShopID = "" }, "no id of the shop's"},
		{"a variant that is neither", func(l *shopadapter.Listing) { delete(l.Refused, second) }, "no id of the " +
			"shop's"},
		{"two variants with one id", func(l *shopadapter.Listing) {
			delete(l.Refused, second)
			l.Variants = append(l.Variants, shopadapter.ListedVariant{ID: second, ShopID: "71"})
		}, "two variants"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad := good
			bad.Variants, bad.Refused = slices.Clone(good.Variants), maps.Clone(good.Refused)
			tt.spoil(&bad)
			if err := sound(bad, p, shopadapter.FieldTitle|shopadapter.FieldPrice); err == nil ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
