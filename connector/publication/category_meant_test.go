package publication

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
)

func TestUnmeantCategories(t *testing.T) {
	tree := []marketplace.CategoryNode{
		{Path: "FASHION", Name: "Mode"},
		{Path: "FASHION_SHOES", Parent: "FASHION", Name: "Schoenen"},
		{Path: "FASHION_SHOES_BOOTS", Parent: "FASHION_SHOES", Name: "Laarzen"},
		{Path: "GARDEN", Name: "Tuin"},
		{Path: "A", Parent: "B", Name: "A"},
		{Path: "B", Parent: "A", Name: "B"}, // in a circle
	}
	const no = "PUBSYNC_PRICE_CATEGORIES: the marketplace has no category "
	for name, tt := range map[string]struct {
		categories string
		want       []string
	}{
		"all there":           {"FASHION=1%; FASHION/SHOES=2%; FASHION_SHOES_BOOTS=3%", nil},
		"letters":             {"FASHON=1%", []string{no + "FASHON: did you mean FASHION?"}},
		"letters of a level":  {"FASHION/SHOOS=1%", []string{no + "FASHION/SHOOS: did you mean FASHION/SHOES?"}},
		"a level alone":       {"BOOTS=1%", []string{no + "BOOTS: did you mean FASHION/SHOES/BOOTS?"}},
		"a name":              {"Tuin=1%", []string{no + "TUIN: did you mean GARDEN?"}},
		"a level left out":    {"FASHION/BOOTS=1%", []string{no + "FASHION/BOOTS: did you mean FASHION/SHOES/BOOTS?"}},
		"nothing of the kind": {"ELECTRONICS=1%", []string{no + "ELECTRONICS"}},
		"one in two ways": {
			"FASHION_SHOES=1%; FASHION/SHOES=2%",
			[]string{"PUBSYNC_PRICE_CATEGORIES has two rules for the category FASHION_SHOES, FASHION_SHOES and " +
				"FASHION/SHOES: the first counts"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := ParseCategoryMarkups(tt.categories)
			if err != nil {
				t.Fatal(err)
			}
			r := Rules{Price: PriceRule{Categories: list}}
			if diff := cmp.Diff(tt.want, r.Unmeant(tree)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := r.Unmeant(nil); got != nil {
				t.Errorf("a tree that is not known: got %v, want no word", got)
			}
		})
	}
	skip := Rules{Skip: Skip{Categories: []CategoryPath{"GARDN"}}}
	if got := skip.Unmeant(tree); len(got) != 1 || !strings.HasPrefix(got[0], "PUBSYNC_SKIP_CATEGORIES: ") {
		t.Errorf("kept out: got %v, want a warning of PUBSYNC_SKIP_CATEGORIES", got)
	}
}
