package medusa

import (
	"context"
	"net/http"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// maxLevels is how many quantities one request writes.
const maxLevels = 500

// writeStock brings the stocked quantities at the location to what is wanted. Quantities at other locations are the merchant's.
func (w *write) writeStock(ctx context.Context) error {
	var fresh, changes []input
	for _, v := range w.variants {
		if v.held == nil {
			continue
		}
		item := v.held.Inventory[0]
		want := input{"inventory_item_id": item.ItemID, "location_id": w.shop.location, "stocked_quantity": v.Quantity}
		i := slices.IndexFunc(item.Item.Levels, func(l level) bool { return l.Location == w.shop.location })
		switch {
		case i < 0:
			fresh = append(fresh, want)
		case !w.fresh[v.ID] && !w.merge.Changed.Has(shopadapter.FieldStock):
		default:
			if stocked, err := item.Item.Levels[i].Stocked.Float64(); err != nil || stocked != float64(v.Quantity) {
				changes = append(changes, want)
			}
		}
	}
	for verb, levels := range map[string][]input{"create": fresh, "update": changes} {
		for some := range slices.Chunk(levels, maxLevels) {
			if err := w.a.call(ctx, http.MethodPost, "inventory-items/location-levels/batch", nil, input{verb: some}, nil); err != nil {
				return step.Within("write quantities", err)
			}
		}
	}
	return nil
}
