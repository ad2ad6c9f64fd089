package medusa_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A storefront is what a visitor's browser is given: it asks the store API with its publishable
// key, and has no other.
type storefront struct {
	base, key, region string
	client            *http.Client
}

// A bought product is one as a visitor of the storefront sees it.
type bought struct {
	Title   string `json:"title"`
	Options []struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	} `json:"options"`
	Variants []struct {
		SKU        string `json:"sku"`
		Managed    bool   `json:"manage_inventory"`
		Backorders bool   `json:"allow_backorder"`
		Quantity   int    `json:"inventory_quantity"`
		Price      struct {
			WithTax json.Number `json:"calculated_amount_with_tax"`
		} `json:"calculated_price"`
		Options []struct {
			Value  string `json:"value"`
			Option string `json:"option_id"`
		} `json:"options"`
	} `json:"variants"`
}

// products are those that a visitor finds by a member of theirs, in a locale.
func (s storefront) products(ctx context.Context, member, value, locale string) ([]bought, error) {
	asked := url.Values{
		member: {value}, "country_code": {"nl"}, "region_id": {s.region}, "locale": {locale},
		"fields": {"*variants.calculated_price,+variants.inventory_quantity"}, // beside what is told unasked
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/store/products?"+asked.Encode(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Publishable-Api-Key", s.key)
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Products []bought `json:"products"`
		Message  string   `json:"message"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the store answers %d %q: %w", response.StatusCode, answer.Message, err)
	}
	return answer.Products, nil
}

// visit makes the choices of a product's page as a storefront does.
func (s storefront) visit(ctx context.Context, listing shopadapter.ListingID) ([]laws.Choice, error) {
	products, err := s.products(ctx, "id", string(listing), "en-US")
	if err != nil {
		return nil, err
	}
	if len(products) != 1 {
		return nil, fmt.Errorf("there are %d pages of %s", len(products), listing)
	}
	titles := map[string]string{}
	for _, o := range products[0].Options {
		titles[o.ID] = o.Title
	}
	var variants []laws.Choice
	for _, v := range products[0].Variants {
		c := laws.Choice{
			Options: map[string]string{}, SKU: v.SKU, Price: string(v.Price.WithTax),
			InStock: !v.Managed || v.Backorders || v.Quantity > 0, Quantity: v.Quantity,
		}
		for _, o := range v.Options {
			if title := titles[o.Option]; title != "Default option" {
				c.Options[title] = o.Value
			}
		}
		variants = append(variants, c)
	}
	return variants, nil
}

// renameOption gives an option of a product another title.
func (o *office) renameOption(ctx context.Context, listing shopadapter.ListingID, option, name string) error {
	return o.renamed(ctx, listing, option, "", object{"title": name})
}

// renameValue gives a value of an option another name.
func (o *office) renameValue(ctx context.Context, listing shopadapter.ListingID, option, value, name string) error {
	return o.renamed(ctx, listing, option, value, object{"value": name})
}

// renamed changes an option of a product, or where value is not empty that value of it.
func (o *office) renamed(
	ctx context.Context, listing shopadapter.ListingID, option, value string, change object,
) error {
	products, err := o.products(ctx)
	if err != nil {
		return err
	}
	for _, p := range products {
		for _, held := range p.Options {
			if p.ID != string(listing) || held.Title != option {
				continue
			}
			path := "/admin/product-options/" + held.ID
			if value != "" {
				i := slices.IndexFunc(held.Values, func(v shownValue) bool { return v.Value == value })
				if i < 0 {
					break
				}
				path += "/values/" + held.Values[i].ID
			}
			return o.ask(ctx, http.MethodPost, path, change, nil)
		}
	}
	return fmt.Errorf("the product %s has no option %s %s", listing, option, value)
}
