package storetest

import "github.com/pubsync/pubsync/store"

// Attempt is an attempt whose variants claim the SKUs that they want, by their ids, or those with
// "-2" behind them where another variant holds them. Where two want the same, the first in order
// has it.
func Attempt(id string, order []string, want map[string]string) store.Attempt {
	a := store.Attempt{ID: id, Fields: 1, Order: order}
	for _, variant := range order {
		a.Keys = append(a.Keys, store.SKUKey(want[variant]), store.SKUKey(want[variant]+"-2"))
	}
	a.Choose = func(held map[string]store.Owner) map[string]string {
		chosen, given := map[string]string{}, map[string]bool{}
		for _, variant := range order {
			for _, sku := range []string{want[variant], want[variant] + "-2"} {
				key := store.SKUKey(sku)
				by := held[key]
				if want[variant] != "" && !given[key] && (by == "" || by == store.OwnerOf(id, variant)) {
					chosen[variant], given[key] = sku, true
					break
				}
			}
		}
		return chosen
	}
	return a
}
