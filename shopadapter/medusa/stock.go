package medusa

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// maxLevels is how many quantities one request writes.
const maxLevels = 500

// writeStock brings the stocked quantities at the location to what is wanted. Quantities at other locations are the merchant's.
func (w *write) writeStock(ctx context.Context) error {
	levels := map[string][]input{}
	for _, v := range w.variants {
		if v.unmade() {
			continue
		}
		item, verb := v.held.Inventory[0], "create"
		if i := slices.IndexFunc(item.Item.Levels, func(l level) bool { return l.Location == w.shop.location }); i >= 0 {
			verb = "update"
			stocked, err := item.Item.Levels[i].Stocked.Float64()
			if !w.fresh[v.ID] && !w.Changed.Has(shopadapter.FieldStock) || err == nil && stocked == float64(v.Quantity) {
				continue
			}
		}
		want := input{"inventory_item_id": item.ItemID, "location_id": w.shop.location, "stocked_quantity": v.Quantity}
		levels[verb] = append(levels[verb], want)
	}
	for verb, list := range levels {
		for some := range slices.Chunk(list, maxLevels) {
			if _, err := w.a.post(ctx, "write quantities", "inventory-items/location-levels/batch", nil, input{verb: some}); err != nil {
				return err
			}
		}
	}
	return nil
}
