package medusa_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// An office is the shop's owner at work, with none of the adapter's code.
type office struct {
	base, key string
	vat       string // percent that a visitor pays on top of each price; "" where prices include it
	client    *http.Client
}

// ask makes one request and decodes the answer into out, which may be nil.
func (o *office) ask(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, o.base+path, body)
	if err != nil {
		return err
	}
	request.SetBasicAuth(o.key, "")
	request.Header.Set("Content-Type", "application/json")
	response, err := o.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// A shown product is one as its owner sees it.
type shown struct {
	ID          string `json:"id"`
	Handle      string `json:"handle"`
	Status      string `json:"status"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Thumbnail   string `json:"thumbnail"`
	ShownSizes
	Metadata map[string]any `json:"metadata"`
	Images   []struct {
		URL string `json:"url"`
	} `json:"images"`
	Categories []struct {
		Name string `json:"name"`
	} `json:"categories"`
	Channels []struct {
		ID string `json:"id"`
	} `json:"sales_channels"`
	Options []struct {
		ID     string       `json:"id"`
		Title  string       `json:"title"`
		Values []shownValue `json:"values"`
	} `json:"options"`
	Variants []shownVariant `json:"variants"`
}

type shownValue struct {
	ID    string `json:"id"`
	Value string `json:"value"`
}

type shownVariant struct {
	ShownSizes
	ID         string         `json:"id"`
	Title      string         `json:"title"`
	SKU        string         `json:"sku"`
	EAN        string         `json:"ean"`
	Managed    bool           `json:"manage_inventory"`
	Backorders bool           `json:"allow_backorder"`
	Metadata   map[string]any `json:"metadata"`
	Prices     []shownPrice   `json:"prices"`
	Options    []struct {
		Value  string `json:"value"`
		Option struct {
			Title string `json:"title"`
		} `json:"option"`
	} `json:"options"`
	Inventory []struct {
		Item struct {
			SKU    string `json:"sku"`
			Levels []struct {
				Stocked int `json:"stocked_quantity"`
			} `json:"location_levels"`
		} `json:"inventory"`
	} `json:"inventory_items"`
}

type shownPrice struct {
	Currency string            `json:"currency_code"`
	Amount   json.Number       `json:"amount"`
	Least    *int              `json:"min_quantity"`
	Rules    map[string]string `json:"rules"`
}

const shownFields = "id,handle,status,title,description,thumbnail,metadata,external_id,images.url," +
	"weight,length,width,height,origin_country,material,variants.weight,variants.length,variants.width," +
	"variants.height,variants.origin_country,variants.material," +
	"categories.name,sales_channels.id,options.id,options.title,options.values.id,options.values.value," +
	"variants.id,variants.title,variants.sku,variants.ean,variants.manage_inventory,variants.allow_backorder," +
	"variants.metadata,variants.prices.currency_code,variants.prices.amount,variants.prices.min_quantity," +
	"variants.prices.price_rules.attribute,variants.prices.price_rules.value,variants.options.value," +
	"variants.options.option.title,variants.inventory_items.inventory.sku," +
	"variants.inventory_items.inventory.location_levels.stocked_quantity"

// products reads every product of the shop, or those that a filter such as "&handle=lamp" names.
func (o *office) products(ctx context.Context, filter ...string) ([]shown, error) {
	var all []shown
	for {
		var page struct {
			Products []shown `json:"products"`
			Count    int     `json:"count"`
		}
		path := fmt.Sprintf("/admin/products?fields=%s&limit=200&order=id&offset=%d%s", shownFields, len(all),
			strings.Join(filter, ""))
		if err := o.ask(ctx, http.MethodGet, path, nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Products...)
		if len(page.Products) == 0 || len(all) >= page.Count {
			return all, nil
		}
	}
}

// of is the shop's product of a publication, which it must hold once.
func (o *office) of(t *testing.T, id shopadapter.PublicationID) shown {
	t.Helper()
	products, err := o.productsOf(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if len(products) != 1 {
		t.Fatalf("the shop holds %d products of %s", len(products), id)
	}
	return products[0]
}

// productsOf reads those of a publication.
func (o *office) productsOf(ctx context.Context, id shopadapter.PublicationID) ([]shown, error) {
	products, err := o.products(ctx, "&external_id=", kit.Key(id))
	return slices.DeleteFunc(products, func(p shown) bool { return p.publication() != id }), err
}

func (p shown) publication() shopadapter.PublicationID {
	text, _ := p.Metadata["pubsync"].(string)
	var stamp struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal([]byte(text), &stamp)
	return shopadapter.PublicationID(stamp.ID)
}

// base is the price that the adapter writes: without a rule and for any quantity.
func (v shownVariant) base() string {
	for _, p := range v.Prices {
		if p.Currency == "eur" && p.Least == nil && len(p.Rules) == 0 {
			return string(p.Amount)
		}
	}
	return ""
}

// observe is the shop in the terms of the laws.
func (o *office) observe(ctx context.Context) ([]laws.Seen, error) {
	products, err := o.products(ctx)
	return o.seen(ctx, products, err)
}

// observeOne is what it holds of a publication.
func (o *office) observeOne(ctx context.Context, id shopadapter.PublicationID) ([]laws.Seen, error) {
	products, err := o.productsOf(ctx, id)
	return o.seen(ctx, products, err)
}

func (o *office) seen(ctx context.Context, products []shown, err error) ([]laws.Seen, error) {
	if err != nil {
		return nil, err
	}
	dutch, err := o.dutch(ctx)
	seen := make([]laws.Seen, 0, len(products))
	for _, p := range products {
		one := p.observed(o.vat)
		one.Translations = map[string]shopadapter.Translation{"nl": dutch[p.ID]}
		seen = append(seen, one)
	}
	return seen, err
}

// dutch is the Dutch texts of the shop, by product.
func (o *office) dutch(ctx context.Context) (map[string]shopadapter.Translation, error) {
	all := map[string]shopadapter.Translation{}
	for offset := 0; ; {
		var page struct {
			Count        int
			Translations []struct {
				Of    string                  `json:"reference_id"`
				Texts shopadapter.Translation `json:"translations"`
			}
		}
		path := fmt.Sprintf("/admin/translations?reference=product&locale_code=nl-NL&limit=200&order=id&offset=%d", offset)
		if err := o.ask(ctx, http.MethodGet, path, nil, &page); err != nil {
			return nil, err
		}
		for _, t := range page.Translations {
			all[t.Of] = t.Texts
		}
		if offset += len(page.Translations); len(page.Translations) == 0 || offset >= page.Count {
			return all, nil
		}
	}
}

// clear deletes all products, and has prices include tax again.
func (o *office) clear(ctx context.Context) error {
	if o.vat != "" {
		o.addTax("")
	}
	products, err := o.products(ctx)
	for _, p := range products {
		err = errors.Join(err, o.remove(ctx, shopadapter.ListingID(p.ID)))
	}
	return err
}

// addTax has the shop add tax to every price in euros; 21 % is that of its only region. "" has prices
// include it.
func (o *office) addTax(percent string) {
	o.vat = percent
	ctx := context.Background()
	var held struct {
		Preferences []struct {
			ID    string
			Value string
		} `json:"price_preferences"`
	}
	err := o.ask(ctx, http.MethodGet, "/admin/price-preferences?attribute=currency_code&value=eur", nil, &held)
	if err == nil {
		err = o.ask(
			ctx, http.MethodPost, "/admin/price-preferences/"+held.Preferences[0].ID,
			object{"is_tax_inclusive": percent == ""}, nil,
		)
	}
	if err != nil {
		panic(err)
	}
}

func (p shown) observed(vat string) laws.Seen {
	s := laws.Seen{
		Listing: shopadapter.ListingID(
			p.ID,
		), Publication: p.publication(), OnSale: p.Status == "published" && len(p.Channels) > 0,
		Title: p.Title, Description: p.Description, Details: p.details(),
	}
	for _, c := range p.Categories {
		s.Category += c.Name
	}
	for _, i := range p.Images {
		s.Images = append(s.Images, i.URL)
	}
	if p.Thumbnail != "" && (len(s.Images) == 0 || s.Images[0] != p.Thumbnail) {
		s.Images = append([]string{p.Thumbnail}, s.Images...)
	}
	for _, v := range p.Variants {
		s.Variants = append(s.Variants, v.seen(vat))
	}
	return s
}

func (v shownVariant) seen(vat string) laws.SeenVariant {
	id, _ := v.Metadata["pubsync"].(string)
	s := laws.SeenVariant{
		ID:         id,
		ShopID:     v.ID,
		SKU:        v.SKU,
		Options:    map[string]string{},
		Price:      visited(v.base(), vat),
		Quantity:   -1,
		Backorders: v.Backorders,
		Details:    v.details(),
	}
	for _, o := range v.Options {
		if o.Option.Title != "Default option" {
			s.Options[o.Option.Title] = o.Value
		}
	}
	for _, i := range v.Inventory {
		for _, l := range i.Item.Levels {
			s.Quantity = l.Stocked
		}
	}
	return s
}

// visited is what a visitor pays for a price that is stored, calculated as Medusa does.
func visited(price, vat string) string {
	d, err := decimal.NewFromString(price)
	if err != nil || vat == "" {
		return price
	}
	return d.Add(d.Mul(decimal.RequireFromString(vat)).Shift(-2)).StringFixed(2)
}

type object = map[string]any

func (o *office) update(ctx context.Context, listing shopadapter.ListingID, fields object) error {
	return o.ask(ctx, http.MethodPost, "/admin/products/"+string(listing), fields, nil)
}

// edit changes a text group of a product, as somebody at work in the back office does.
func (o *office) edit(ctx context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error {
	switch group {
	case shopadapter.FieldTitle:
		return o.update(ctx, listing, object{"title": "The lamp on my own desk"})
	case shopadapter.FieldDescription:
		return o.update(ctx, listing, object{"description": "<p>I use it myself.</p>"})
	case shopadapter.FieldImages:
		return o.update(
			ctx,
			listing,
			object{
				"images":    []object{{"url": "https://shop.example/my-own.jpg"}},
				"thumbnail": "https://shop.example/my-own.jpg",
			},
		)
	case shopadapter.FieldCategory:
		id, err := o.category(ctx, "My favourites", "my-favourites")
		if err != nil {
			return err
		}
		return o.update(ctx, listing, object{"categories": []object{{"id": id}}})
	}
	return fmt.Errorf("no text group: %s", group)
}

func (o *office) category(ctx context.Context, name, handle string) (string, error) {
	var found struct {
		Categories []struct {
			ID string `json:"id"`
		} `json:"product_categories"`
	}
	if err := o.ask(ctx, http.MethodGet, "/admin/product-categories?handle="+handle, nil, &found); err != nil {
		return "", err
	}
	if len(found.Categories) > 0 {
		return found.Categories[0].ID, nil
	}
	var made struct {
		Category struct {
			ID string `json:"id"`
		} `json:"product_category"`
	}
	err := o.ask(
		ctx, http.MethodPost, "/admin/product-categories",
		object{"name": name, "handle": handle, "is_active": true}, &made,
	)
	return made.Category.ID, err
}

func (o *office) remove(ctx context.Context, listing shopadapter.ListingID) error {
	return o.ask(ctx, http.MethodDelete, "/admin/products/"+string(listing), nil, nil)
}

func (o *office) hide(ctx context.Context, listing shopadapter.ListingID) error {
	return o.update(ctx, listing, object{"status": "draft"})
}

// addForeign adds a product of the owner's own, with the title of p and the SKU of its first
// variant.
func (o *office) addForeign(ctx context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
	var made struct {
		Product struct {
			ID string `json:"id"`
		} `json:"product"`
	}
	err := o.ask(ctx, http.MethodPost, "/admin/products", object{
		"title": p.Title, "status": "published", "handle": "my-own-" + strings.ToLower(p.Variants[0].SKU),
		"options": []object{{"title": "Kind", "values": []string{"Only"}}},
		"variants": []object{
			{
				"title":   "Only",
				"sku":     p.Variants[0].SKU,
				"options": object{"Kind": "Only"},
				"prices":  []object{{"currency_code": "eur", "amount": 1}},
			},
		},
	}, &made)
	return shopadapter.ListingID(made.Product.ID), err
}
