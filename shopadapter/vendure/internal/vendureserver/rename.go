package vendureserver

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

// The documents of the owner who gives options and their values other names.
const (
	optionsDocument = `query Options($listing: ID!) {
		product(id: $listing) { optionGroups { id name options { id name } } } }`
	renameOptionDocument = `mutation RenameOption($input: UpdateProductOptionGroupInput!) {
		updateProductOptionGroup(input: $input) { id } }`
	renameValueDocument = `mutation RenameValue($input: UpdateProductOptionInput!) {
		updateProductOption(input: $input) { id } }`
)

// An optionGroup is an option of a product with its values.
type optionGroup struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Options []Option `json:"options"`
}

// RenameOption gives an option of a product another name.
func (b *Backoffice) RenameOption(ctx context.Context, listing shopadapter.ListingID, option, name string) error {
	g, err := b.option(ctx, listing, option)
	if err != nil {
		return err
	}
	return b.rename(ctx, renameOptionDocument, g.ID, name)
}

// RenameValue gives a value of an option another name.
func (b *Backoffice) RenameValue(ctx context.Context, listing shopadapter.ListingID, option, value, name string) error {
	g, err := b.option(ctx, listing, option)
	if err != nil {
		return err
	}
	for _, o := range g.Options {
		if o.Name == value {
			return b.rename(ctx, renameValueDocument, o.ID, name)
		}
	}
	return fmt.Errorf("the option %s of product %s has no value %s", option, listing, value)
}

func (b *Backoffice) option(ctx context.Context, listing shopadapter.ListingID, name string) (optionGroup, error) {
	var answer struct {
		Product struct {
			Groups []optionGroup `json:"optionGroups"`
		} `json:"product"`
	}
	if err := b.Query(ctx, optionsDocument, map[string]any{"listing": string(listing)}, &answer); err != nil {
		return optionGroup{}, err
	}
	for _, g := range answer.Product.Groups {
		if g.Name == name {
			return g, nil
		}
	}
	return optionGroup{}, fmt.Errorf("the product %s has no option %s", listing, name)
}

func (b *Backoffice) rename(ctx context.Context, document, id, name string) error {
	return b.Query(ctx, document, map[string]any{"input": map[string]any{
		"id": id, "translations": []any{map[string]any{"languageCode": "en", "name": name}},
	}}, nil)
}
