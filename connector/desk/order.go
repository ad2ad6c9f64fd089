package desk

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// An Order is what a list is sorted by, with a minus before it for the reverse. What is not known
// comes last in either direction. The zero Order is that of the ids.
type Order string

// The orders.
const (
	OrderTitle   Order = "title"
	OrderState   Order = "state"
	OrderPrice   Order = "price"   // the lowest of the variants
	OrderStock   Order = "stock"   // of all variants
	OrderMargin  Order = "margin"  // the lowest of the variants
	OrderChanged Order = "changed" // at the marketplace
)

const reverse = "-"

// ErrOrder refuses a list in an order that there is not.
var ErrOrder = fmt.Errorf("order: one of %s, with a minus before it for the reverse", orderNames())

func orderNames() string {
	var names []string
	for order := range comparisons {
		names = append(names, string(order))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// A comparison orders two rows as cmp.Compare does. known is false for a row that comes last.
type comparison struct {
	compare func(a, b row) int
	known   func(row) bool
}

func always(row) bool { return true }

var comparisons = map[Order]comparison{
	OrderTitle: {
		func(a, b row) int { return cmp.Compare(a.text, b.text) },
		func(r row) bool { return !strings.HasPrefix(r.text, "\n") },
	},
	OrderState: {func(a, b row) int { return cmp.Compare(a.state, b.state) }, always},
	OrderPrice: {
		func(a, b row) int { return cmp.Compare(a.price, b.price) },
		func(r row) bool { return !math.IsNaN(float64(r.price)) },
	},
	OrderStock: {func(a, b row) int { return cmp.Compare(a.stock, b.stock) }, always},
	OrderMargin: {
		func(a, b row) int { return cmp.Compare(a.margin, b.margin) },
		func(r row) bool { return !math.IsNaN(float64(r.margin)) },
	},
	OrderChanged: {
		func(a, b row) int { return cmp.Compare(a.changed, b.changed) },
		func(r row) bool { return r.changed != 0 },
	},
}

func (o Order) valid() bool {
	_, ok := comparisons[o.base()]
	return o == "" || ok
}

func (o Order) base() Order { return Order(strings.TrimPrefix(string(o), reverse)) }

// sorted is the places of rows in this order. Rows that are equal stand in the order of their ids,
// which is the order of rows.
func (o Order) sorted(rows []row) []int32 {
	c, ok := comparisons[o.base()]
	if !ok {
		return sortedPlaces(len(rows), func(_, _ int32) int { return 0 })
	}
	sign := 1
	if o != o.base() {
		sign = -1
	}
	return sortedPlaces(len(rows), func(i, j int32) int {
		a, b := rows[i], rows[j]
		knownA, knownB := c.known(a), c.known(b)
		switch {
		case knownA && knownB:
			return sign * c.compare(a, b)
		case knownA:
			return -1
		case knownB:
			return 1
		default:
			return 0
		}
	})
}

// sortedPlaces is the places from 0 to below n, as compare orders them. What is large is sorted by
// it: each type that slices sorts costs 15 KB.
func sortedPlaces(n int, compare func(i, j int32) int) []int32 {
	places := make([]int32, n)
	for i := range places {
		places[i] = int32(i) //nolint:gosec // there are fewer
	}
	slices.SortStableFunc(places, compare)
	return places
}
