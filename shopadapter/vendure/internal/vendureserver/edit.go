package vendureserver

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

// The documents of the owner's own work.
const (
	UpdateDocument = `mutation Edit($input: UpdateProductInput!) { updateProduct(input: $input) { id } }`
	DeleteDocument = `mutation DeleteByHand($id: ID!) { deleteProduct(id: $id) { result message } }`
	CreateDocument = `mutation AddByHand($input: CreateProductInput!) { createProduct(input: $input) { id } }`
	StockDocument  = `mutation StockByHand($input: [CreateProductVariantInput!]!) {
  createProductVariants(input: $input) { id }
}`
	FacetDocument  = `mutation FacetByHand($input: CreateFacetValueInput!) { createFacetValue(input: $input) { id } }`
	FacetsDocument = `query Facets {
  facets(options: { filter: { code: { contains: "pubsync-category" } } }) { items { id code } }
}`
	AssetsDocument = `query Assets($listing: ID!) { product(id: $listing) { id assets { id } } }`
	CountDocument  = `query Count {
  assets(options: { filter: { name: { contains: "pubsync-" } }, take: 1 }) { totalItems }
}`
)

// Update changes fields of a product, in the form of UpdateProductInput without the id.
func (b *Backoffice) Update(ctx context.Context, listing shopadapter.ListingID, fields map[string]any) error {
	change := map[string]any{"id": string(listing)}
	for name, value := range fields {
		change[name] = value
	}
	return b.Query(ctx, UpdateDocument, map[string]any{"input": change}, nil)
}

// Edit changes a text group of a product, as somebody at work in the back office would.
func (b *Backoffice) Edit(ctx context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error {
	switch group {
	case shopadapter.FieldTitle:
		return b.Update(
			ctx,
			listing,
			map[string]any{
				"translations": []any{map[string]any{"languageCode": "en", "name": "The lamp on my own desk"}},
			},
		)
	case shopadapter.FieldDescription:
		return b.Update(
			ctx,
			listing,
			map[string]any{
				"translations": []any{map[string]any{"languageCode": "en", "description": "<p>I use it myself.</p>"}},
			},
		)
	case shopadapter.FieldImages:
		return b.editImages(ctx, listing)
	case shopadapter.FieldCategory:
		return b.editCategory(ctx, listing)
	}
	return fmt.Errorf("no text group: %s", group)
}

// editImages leaves a product its last picture alone.
func (b *Backoffice) editImages(ctx context.Context, listing shopadapter.ListingID) error {
	var answer struct {
		Product struct {
			Assets []struct {
				ID string `json:"id"`
			} `json:"assets"`
		} `json:"product"`
	}
	if err := b.Query(ctx, AssetsDocument, map[string]any{"listing": string(listing)}, &answer); err != nil {
		return err
	}
	assets := answer.Product.Assets
	if len(assets) < 2 {
		return fmt.Errorf("the product has %d pictures, too few to take one away", len(assets))
	}
	last := assets[len(assets)-1].ID
	return b.Update(ctx, listing, map[string]any{"assetIds": []string{last}, "featuredAssetId": last})
}

// editCategory puts a product into a category of the owner's own.
func (b *Backoffice) editCategory(ctx context.Context, listing shopadapter.ListingID) error {
	var facets struct {
		Facets struct {
			Items []struct {
				ID string `json:"id"`
			} `json:"items"`
		} `json:"facets"`
	}
	if err := b.Query(ctx, FacetsDocument, nil, &facets); err != nil {
		return err
	}
	if len(facets.Facets.Items) == 0 {
		return fmt.Errorf("there is no facet of categories")
	}
	var made struct {
		Value struct {
			ID string `json:"id"`
		} `json:"createFacetValue"`
	}
	value := map[string]any{
		"facetId": facets.Facets.Items[0].ID, "code": "favourites",
		"translations": []any{map[string]any{"languageCode": "en", "name": "My favourites"}},
	}
	if err := b.Query(ctx, FacetDocument, map[string]any{"input": value}, &made); err != nil {
		return err
	}
	return b.Update(ctx, listing, map[string]any{"facetValueIds": []string{made.Value.ID}})
}

// Delete deletes a product by hand.
func (b *Backoffice) Delete(ctx context.Context, listing shopadapter.ListingID) error {
	return b.Query(ctx, DeleteDocument, map[string]any{"id": string(listing)}, nil)
}

// DeleteStamp clears the adapter's fields of a product, as somebody who tidies up does.
func (b *Backoffice) DeleteStamp(ctx context.Context, listing shopadapter.ListingID) error {
	return b.Update(ctx, listing, map[string]any{"customFields": map[string]any{"pubsyncId": nil, "pubsyncStamp": nil}})
}

// Hide disables a product by hand.
func (b *Backoffice) Hide(ctx context.Context, listing shopadapter.ListingID) error {
	return b.Update(ctx, listing, map[string]any{"enabled": false})
}

// Clear deletes every product of the shop.
func (b *Backoffice) Clear(ctx context.Context) error {
	products, err := b.Products(ctx)
	if err != nil {
		return err
	}
	for _, p := range products {
		if err := b.Delete(ctx, shopadapter.ListingID(p.ID)); err != nil {
			return err
		}
	}
	return nil
}

// AddForeign adds a product of the owner's own, with the title of p and the SKU of its first
// variant.
func (b *Backoffice) AddForeign(ctx context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
	var made struct {
		Product struct {
			ID string `json:"id"`
		} `json:"createProduct"`
	}
	err := b.Query(ctx, CreateDocument, map[string]any{"input": map[string]any{"enabled": true, "translations": []any{
		map[string]any{
			"languageCode": "en",
			"name":         p.Title,
			"slug":         "a-product-of-my-own",
			"description":  p.Description,
		},
	}}}, &made)
	if err != nil {
		return "", err
	}
	err = b.Query(ctx, StockDocument, map[string]any{"input": []any{map[string]any{
		"productId": made.Product.ID, "sku": p.Variants[0].SKU, "price": 100, "stockOnHand": 1,
		"translations": []any{map[string]any{"languageCode": "en", "name": p.Title}},
	}}}, nil)
	return shopadapter.ListingID(made.Product.ID), err
}

// Uploads counts the pictures that the adapter ever uploaded. No test deletes one.
func (b *Backoffice) Uploads(ctx context.Context) (int, error) {
	var answer struct {
		Assets struct {
			TotalItems int `json:"totalItems"`
		} `json:"assets"`
	}
	err := b.Query(ctx, CountDocument, nil, &answer)
	return answer.Assets.TotalItems, err
}
