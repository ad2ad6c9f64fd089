package medusa_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// What the owner does to a variant by hand.

func (o *office) batch(ctx context.Context, listing shopadapter.ListingID, in object) error {
	return o.ask(ctx, http.MethodPost, "/admin/products/"+string(listing)+"/variants/batch", in, nil)
}

func (o *office) updateVariant(ctx context.Context, listing shopadapter.ListingID, id string, fields object) error {
	fields["id"] = id
	return o.batch(ctx, listing, object{"update": []object{fields}})
}

// deleteStamp empties the adapter's metadata of a product, which takes it away.
func (o *office) deleteStamp(ctx context.Context, listing shopadapter.ListingID) error {
	return o.ask(ctx, http.MethodPost, "/admin/products/"+string(listing), object{"metadata": object{"pubsync": ""}}, nil)
}

func euros(price string) object {
	return object{"currency_code": "eur", "amount": json.Number(price)}
}

func (o *office) setPrice(
	ctx context.Context, listing shopadapter.ListingID, v laws.SeenVariant, price string,
) error {
	return o.updateVariant(ctx, listing, v.ShopID, object{"prices": []object{euros(price)}})
}

func (o *office) removeVariant(ctx context.Context, listing shopadapter.ListingID, v laws.SeenVariant) error {
	return o.batch(ctx, listing, object{"delete": []string{v.ShopID}})
}

// reduce puts a variant on sale: in a price list, which leaves its own price as it is.
func (o *office) reduce(ctx context.Context, _ shopadapter.ListingID, v laws.SeenVariant, price string) error {
	reduced := euros(price)
	reduced["variant_id"] = v.ShopID
	return o.ask(ctx, http.MethodPost, "/admin/price-lists", object{
		"title": "Sale", "description": "Sale", "type": "sale", "status": "active", "prices": []object{reduced},
	}, nil)
}

func (o *office) setQuantity(
	ctx context.Context, listing shopadapter.ListingID, v laws.SeenVariant, quantity int,
) error {
	var answer struct {
		Product struct {
			Variants []struct {
				ID    string `json:"id"`
				Items []struct {
					ID   string `json:"inventory_item_id"`
					Item struct {
						Levels []struct {
							Location string `json:"location_id"`
						} `json:"location_levels"`
					} `json:"inventory"`
				} `json:"inventory_items"`
			} `json:"variants"`
		} `json:"product"`
	}
	path := "/admin/products/" + string(listing) + "?fields=variants.id,variants.inventory_items.inventory_item_id," +
		"variants.inventory_items.inventory.location_levels.location_id"
	if err := o.ask(ctx, http.MethodGet, path, nil, &answer); err != nil {
		return err
	}
	for _, held := range answer.Product.Variants {
		if held.ID != v.ShopID {
			continue
		}
		item := held.Items[0]
		return o.ask(ctx, http.MethodPost, "/admin/inventory-items/location-levels/batch", object{"update": []object{{
			"inventory_item_id": item.ID, "location_id": item.Item.Levels[0].Location, "stocked_quantity": quantity,
		}}}, nil)
	}
	return fmt.Errorf("the product %s has no variant %s", listing, v.ShopID)
}
