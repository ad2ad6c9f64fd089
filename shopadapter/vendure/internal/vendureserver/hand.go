package vendureserver

import (
	"context"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// The documents of the owner who changes a variant.
const (
	VariantDocument = `mutation VariantByHand($input: [UpdateProductVariantInput!]!) {
  updateProductVariants(input: $input) { id }
}`
	RemoveVariantDocument = `mutation RemoveByHand($ids: [ID!]!) { deleteProductVariants(ids: $ids) { result } }`
	LibraryDocument       = `mutation LoseByHand($input: DeleteAssetsInput!) {
  deleteAssets(input: $input) { result message }
}`
	FiledDocument = `query FiledByHand($listing: ID!) { product(id: $listing) { facetValues { id facet { code } } } }`
	DropDocument  = `mutation DropByHand($ids: [ID!]!) { deleteFacetValues(ids: $ids, force: true) { result message } }`
)

// UpdateVariant changes fields of a variant, in the form of UpdateProductVariantInput without the
// id.
func (b *Backoffice) UpdateVariant(ctx context.Context, id string, fields map[string]any) error {
	fields["id"] = id
	return b.Query(ctx, VariantDocument, map[string]any{"input": []any{fields}}, nil)
}

// SetPrice gives a variant another price.
func (b *Backoffice) SetPrice(
	ctx context.Context, _ shopadapter.ListingID, v laws.SeenVariant, price string,
) error {
	amount, err := decimal.NewFromString(price)
	if err != nil {
		return err
	}
	return b.UpdateVariant(ctx, v.ShopID, map[string]any{"price": amount.Shift(2).IntPart()})
}

// SetQuantity gives a variant another stock.
func (b *Backoffice) SetQuantity(
	ctx context.Context, _ shopadapter.ListingID, v laws.SeenVariant, quantity int,
) error {
	return b.UpdateVariant(ctx, v.ShopID, map[string]any{"stockOnHand": quantity})
}

// HideVariant disables a variant.
func (b *Backoffice) HideVariant(
	ctx context.Context, _ shopadapter.ListingID, v laws.SeenVariant,
) error {
	return b.UpdateVariant(ctx, v.ShopID, map[string]any{"enabled": false})
}

// RemoveVariant deletes a variant.
func (b *Backoffice) RemoveVariant(
	ctx context.Context, _ shopadapter.ListingID, v laws.SeenVariant,
) error {
	return b.Query(ctx, RemoveVariantDocument, map[string]any{"ids": []string{v.ShopID}}, nil)
}

// LosePicture deletes the n-th picture of a product from the library.
func (b *Backoffice) LosePicture(ctx context.Context, listing shopadapter.ListingID, n int) error {
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
	input := map[string]any{"assetIds": []string{answer.Product.Assets[n].ID}, "force": true}
	return b.Query(ctx, LibraryDocument, map[string]any{"input": input}, nil)
}

// DropFacet deletes the values of a facet that a product has, for all products.
func (b *Backoffice) DropFacet(ctx context.Context, listing shopadapter.ListingID, facet string) error {
	var answer struct {
		Product struct {
			Values []struct {
				ID    string `json:"id"`
				Facet struct {
					Code string `json:"code"`
				} `json:"facet"`
			} `json:"facetValues"`
		} `json:"product"`
	}
	if err := b.Query(ctx, FiledDocument, map[string]any{"listing": string(listing)}, &answer); err != nil {
		return err
	}
	var ids []string
	for _, v := range answer.Product.Values {
		if v.Facet.Code == facet {
			ids = append(ids, v.ID)
		}
	}
	return b.Query(ctx, DropDocument, map[string]any{"ids": ids}, nil)
}
