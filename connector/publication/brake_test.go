package publication

import (
	"testing"

	"github.com/pubsync/pubsync/store"
)

func brakeOf(t testing.TB, price, removed string) Brake {
	t.Helper()
	return Brake{PricePercent: dec(t, price), RemovedPercent: dec(t, removed)}
}

func TestPriceMoves(t *testing.T) {
	for _, tt := range []struct {
		name     string
		percent  string
		from, to string
		held     bool
	}{
		{"not at all", "50", "19.95", "19.95", false},
		{"a little up", "50", "19.95", "21.95", false},
		{"exactly the share up", "50", "20.00", "30.00", false},
		{"a cent more than the share up", "50", "20.00", "30.01", true},
		{"doubled", "50", "19.95", "39.90", true},
		{"a hundredfold", "50", "19.95", "1995.00", true},
		{"a little down", "50", "19.95", "17.95", false},
		{"halved", "50", "20.00", "10.00", false},
		{"a cent less than half", "50", "20.00", "9.99", true},
		{"a hundredth", "50", "19.95", "0.20", true},
		{"to nothing", "50", "19.95", "0", true},
		{"the share of an odd price up", "50", "19.95", "29.92", false},
		{"just above the share of an odd price up", "50", "19.95", "29.93", true},
		{"the share of an odd price down", "50", "19.95", "9.98", false},
		{"just below the share of an odd price down", "50", "19.95", "9.97", true},
		{"a third of a cent-sized price", "50", "0.03", "0.02", false},
		{"a share with a fraction", "12.5", "8.00", "9.00", false},
		{"just above a share with a fraction", "12.5", "8.00", "9.01", true},
		{"no share at all, and no move", "0", "8.00", "8.00", false},
		{"no share at all", "0", "8.00", "8.01", true},
		{"a share of more than everything lets a price fall", "200", "8.00", "0.01", false},
		{"and treble", "200", "8.00", "24.00", false},
		{"and no more", "200", "8.00", "24.01", true},
		{"from nothing there is no way to measure", "50", "0", "10.00", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := brakeOf(t, tt.percent, "20")
			if got := b.priceMoves(dec(t, tt.from), dec(t, tt.to)); got != tt.held {
				t.Errorf("%s to %s with a share of %s %%: held %t, want %t", tt.from, tt.to, tt.percent, got, tt.held)
			}
		})
	}
}

func TestRemovesTooMuch(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		percent               string
		onSale, recent, found int
		held                  bool
	}{
		{"nothing found", "20", 60, 0, 0, false},
		{"nothing found on a day that took much", "20", 10, 50, 0, false},
		{"nothing found in an empty shop", "20", 0, 0, 0, false},
		{"3 of 60", "20", 60, 0, 3, false},
		{"11 of 60: many, but less than the share", "20", 60, 0, 11, false},
		{"12 of 60: exactly the share", "20", 60, 0, 12, false},
		{"13 of 60", "20", 60, 0, 13, true},
		{"10 of 40: above the share, but no more than ten", "20", 40, 0, 10, false},
		{"11 of 40", "20", 40, 0, 11, true},
		{"20 of 40", "20", 40, 0, 20, true},
		{"9 of 10", "20", 10, 0, 9, false},
		{"10 of 11", "20", 11, 0, 10, false},
		{"all of 40", "20", 40, 0, 40, true},
		{"all of 10", "20", 10, 0, 10, true},
		{"the only one", "20", 1, 0, 1, true},
		{"all of what a day left", "20", 2, 8, 2, true},
		{"all, whatever the share", "100", 40, 0, 40, true},
		{"all but one with a share of everything", "100", 40, 0, 39, false},

		{"5 with 5 of the day are ten", "20", 35, 5, 5, false},
		{"6 with 5 of the day are 11 of 40", "20", 35, 5, 6, true},
		{"1 with 12 of the day are 13 of 60", "20", 48, 12, 1, true},
		{"1 with 11 of the day are 12 of 60: exactly the share", "20", 49, 11, 1, false},
		{"1 with 199 of the day are 200 of 1000: exactly the share", "20", 801, 199, 1, false},
		{"1 with 200 of the day are 201 of 1000", "20", 800, 200, 1, true},

		{"a share of nothing lets ten go", "0", 1000, 0, 10, false},
		{"and no more", "0", 1000, 0, 11, true},
		{"a share with a fraction", "2.5", 1000, 0, 25, false},
		{"above a share with a fraction", "2.5", 1000, 0, 26, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := brakeOf(t, "50", tt.percent).RemovesTooMuch(tt.onSale, tt.recent, tt.found); got != tt.held {
				t.Errorf(
					"%d found and %d of the day, %d on sale: held %t, want %t", tt.found, tt.recent, tt.onSale, got,
					tt.held,
				)
			}
		})
	}
}

// A list that shrinks by drips meets the brake where it would have met it at once, or earlier.
func TestRemovalsByDrips(t *testing.T) {
	b := brakeOf(t, "50", "20")
	for _, had := range []int{11, 40, 60, 500} {
		gone := 0
		for gone < had && !b.RemovesTooMuch(had-gone, gone, 1) {
			gone++
		}
		most := max(removedAlways, had/5)
		if gone != most {
			t.Errorf("of %d, one at a time: got %d gone before the brake held, want %d", had, gone, most)
		}
		if b.RemovesTooMuch(had, 0, most) {
			t.Errorf("of %d, at once: got %d held, want them let go", had, most)
		}
		if !b.RemovesTooMuch(had, 0, most+1) {
			t.Errorf("of %d, at once: got %d let go, want them held", had, most+1)
		}
	}
}

func TestApproved(t *testing.T) {
	given := []store.Hold{
		{Kind: store.HoldPrice, Variant: "v1", Old: "19.95", New: "39.90", Reason: "as shown", Since: 1},
		{Kind: store.HoldForeign},
	}
	for _, tt := range []struct {
		name string
		hold store.Hold
		want bool
	}{
		{"what was shown", store.Hold{Kind: store.HoldPrice, Variant: "v1", Old: "19.95", New: "39.90"}, true},
		{
			"said otherwise, held since another time",
			store.Hold{Kind: store.HoldPrice, Variant: "v1", New: "39.90", Reason: "other words", Since: 2},
			true,
		},
		{"a cent more", store.Hold{Kind: store.HoldPrice, Variant: "v1", Old: "19.95", New: "39.91"}, false},
		{"a cent less", store.Hold{Kind: store.HoldPrice, Variant: "v1", Old: "19.95", New: "39.89"}, false},
		{"another variant", store.Hold{Kind: store.HoldPrice, Variant: "v2", Old: "19.95", New: "39.90"}, false},
		{"another kind", store.Hold{Kind: store.HoldRemoval}, false},
		{"what another tool made", store.Hold{Kind: store.HoldForeign}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := approved(given, tt.hold); got != tt.want {
				t.Errorf("approved %t, want %t", got, tt.want)
			}
			if before, same := sameHold(given, tt.hold); same != tt.want ||
				same && before.Reason != "as shown" && before.Kind == store.HoldPrice {
				t.Errorf("the same hold %t, as %+v, want %t", same, before, tt.want)
			}
			if approved(nil, tt.hold) {
				t.Error("without an approval: got approved, want not")
			}
		})
	}
}

// A hold's figure is compared as text, so it has to be the text that the brake makes of a price
// always.
func TestHeldFigureIsOneText(t *testing.T) {
	for _, s := range []string{"39.9", "39.90", "3.990e1"} {
		q, err := (PriceRule{}).Quote("", s)
		if err != nil || q.Price.StringFixed(2) != "39.90" {
			t.Errorf("%s: got %s, %v, want 39.90", s, q.Price.StringFixed(2), err)
		}
	}
}
