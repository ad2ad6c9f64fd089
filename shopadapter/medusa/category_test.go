package medusa_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A category is made below those of its branch. What is there already, of another branch say, is
// not made again, and the merchant's own name for it stays.
func TestCategoriesAreMadeBelowTheirParents(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	a := f.open()
	publish := func(id shopadapter.PublicationID, leaf string) {
		t.Helper()
		p := laws.Sample(id, 1)
		p.Category = shopadapter.Category{Path: "HOME_LIVING_" + leaf, Branch: []shopadapter.Level{
			{
				Path: "HOME",
				Name: "Wonen",
			}, {Path: "HOME_LIVING", Name: "Woonaccessoires"}, {Path: "HOME_LIVING_" + leaf, Name: strings.ToLower(leaf)},
		}}
		if _, err := a.Publish(t.Context(), shopadapter.Ref{Publication: id}, p, shopadapter.AllFields); err != nil {
			t.Fatal(err)
		}
	}
	publish("a", "CANDLES")
	f.categories[0]["name"] = "Thuis"
	publish("b", "CLOCKS")
	names := map[any]string{}
	var got []string
	for _, c := range f.categories {
		names[c["id"]] = names[c["parent_category_id"]] + "/" + text(c["name"])
		got = append(got, names[c["id"]])
	}
	if all := strings.Join(got, " "); all != "/Thuis /Thuis/Woonaccessoires /Thuis/Woonaccessoires/candles "+
		"/Thuis/Woonaccessoires/clocks" {
		t.Errorf("the shop has the categories %s", all)
	}
}
