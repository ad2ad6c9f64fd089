package shopify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

type product struct {
	ID          string         `json:"id"`
	Handle      string         `json:"handle"`
	Status      string         `json:"status"`
	Title       string         `json:"title"`
	Description string         `json:"descriptionHtml"`
	Type        string         `json:"productType"`
	Vendor      string         `json:"vendor"`
	Tags        []string       `json:"tags"`
	StoreURL    string         `json:"onlineStoreUrl"`
	PreviewURL  string         `json:"onlineStorePreviewUrl"`
	Publication *value         `json:"publication"`
	Note        *value         `json:"stamp"`
	Published   bool           `json:"publishedOnPublication"`
	Media       nodes[media]   `json:"media"`
	Variants    nodes[variant] `json:"variants"`

	Originals    []shownText            `json:"translatableContent"`
	Translations map[string][]shownText `json:"-"` // by language
}

type value struct {
	Value string `json:"value"`
}

type shownText struct {
	Key      string `json:"key"`
	Value    string `json:"value"`
	Outdated bool   `json:"outdated"`
	Digest   string `json:"digest"`
}

type variant struct {
	ID        string   `json:"id"`
	Options   []choice `json:"selectedOptions"`
	Mark      *value   `json:"mark"`
	Published bool     `json:"publishedOnPublication"` // unless somebody took it off the sales channel
	Barcode   string   `json:"barcode"`
	SKU       string   `json:"sku"`
	Price     string   `json:"price"`
	CompareAt string   `json:"compareAtPrice"`
	Policy    string   `json:"inventoryPolicy"`
	Item      struct {
		Tracked bool   `json:"tracked"`
		Origin  string `json:"countryCodeOfOrigin"`
		Size    struct {
			Weight *weight `json:"weight"`
		} `json:"measurement"`
		Level *struct {
			Quantities []struct {
				Quantity int `json:"quantity"`
			} `json:"quantities"`
		} `json:"inventoryLevel"`
	} `json:"inventoryItem"`
}

type choice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (v *variant) mark() string {
	if v.Mark == nil {
		return ""
	}
	return v.Mark.Value
}

func (v variant) names() []string {
	return kit.Each(v.Options, func(o choice) string { return o.Name })
}

func (v variant) values() []string {
	return kit.Each(v.Options, func(o choice) string { return o.Value })
}

// shownProduct lacks the translations, whose names depend on the language.
type shownProduct product

// UnmarshalJSON reads a product with its translations.
func (p *product) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*shownProduct)(p)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	p.Translations = map[string][]shownText{}
	for name, texts := range all {
		if locale, ok := unaliased(name); ok {
			var list []shownText
			if err := json.Unmarshal(texts, &list); err != nil {
				return err
			}
			p.Translations[locale] = list
		}
	}
	return nil
}

// Customers may buy in the first two statuses; unlisted needs the address.
const (
	active   = "ACTIVE"
	unlisted = "UNLISTED"
	draft    = "DRAFT"
)

func (p *product) live() bool { return p.Status == active || p.Status == unlisted }

func (p *product) onSale() bool { return p != nil && p.live() && p.Published }

func (p *product) key() string {
	if p.Publication == nil {
		return ""
	}
	return p.Publication.Value
}

func (a *Adapter) address(p *product) string {
	return cmp.Or(p.StoreURL, p.PreviewURL, "https://"+string(a.set.Store)+".myshopify.com/products/"+p.Handle)
}

// number is the part of an id that the merchant sees in the back office's address.
func number(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

func identifier(id shopadapter.PublicationID) input {
	return input{"customId": input{"namespace": namespace, "key": idKey, "value": kit.Key(id)}}
}

func keyInput(id shopadapter.PublicationID) input {
	return input{"namespace": namespace, "key": idKey, "type": "id", "value": kit.Key(id)}
}

// whole shows all that a write compares.
var whole = sight{
	"Look", wordFields + noteFields + mediaField, variantFields + detailFields, firstVariants,
	10 + 2*mostImages + 6*firstVariants,
}

// figures shows what a write of prices and stock needs.
func figures(variants int) sight {
	const byHand = 5 // variants that the merchant may have added
	page := min(variants+byHand, moreVariants)
	return sight{"Figures", pageFields + noteFields, variantFields, page, 10 + 3*float64(page)}
}

// find returns the publication's product with all variants, or nil. If the product in ref has lost its key, find
// restores that for ref.Revive, else it fails.
func (a *Adapter) find(ctx context.Context, s *shop, ref shopadapter.Ref, see sight) (*product, error) {
	p, err := a.read(ctx, s, ref, see)
	if p == nil && err == nil {
		var taken bool
		if taken, err = a.takeBack(ctx, s, ref); taken && err == nil {
			if p, err = a.read(ctx, s, ref, see); p == nil && err == nil {
				err = shopadapter.Retry("the shop does not find the product by its key yet")
			}
		}
	}
	if err != nil || p == nil {
		return nil, err
	}
	return p, a.readOn(ctx, s, p, see.variant)
}

// belongs compares the case too, which the shop may ignore.
func (p *product) belongs(id shopadapter.PublicationID) bool { return p.key() == kit.Key(id) }

func (a *Adapter) read(ctx context.Context, s *shop, ref shopadapter.Ref, see sight) (*product, error) {
	variables := input{"identifier": identifier(ref.Publication), "channel": s.publication.ID}
	if see.variant != "" {
		variables["variants"] = see.page
	}
	if strings.Contains(see.fields, mediaField) {
		variables["images"] = mostImages
	}
	got, err := a.call(ctx, request{
		doing: "read product", document: see.document(byKey), estimate: see.points, variables: variables,
	})
	return got.Product, err
}

func (a *Adapter) readOn(ctx context.Context, s *shop, p *product, fields string) error {
	page := moreVariants
	if fields != variantFields {
		page /= 2 // details cost as much again
	}
	return a.readVariants(ctx, p, request{
		doing: "read variants", document: variantPages("Variants", fields), estimate: 5 + 3*moreVariants,
		variables: input{"id": p.ID, "channel": s.publication.ID, "variants": page},
	})
}

// readVariants reads the variants behind the first page by r.
func (a *Adapter) readVariants(ctx context.Context, p *product, r request) error {
	for last, page := "", p.Variants.Page; ; {
		end, err := page.after(last)
		if err != nil || end == "" {
			return err
		}
		r.variables["after"] = end
		got, err := a.call(ctx, r)
		switch {
		case err != nil:
			return err
		case got.Product == nil:
			return shopadapter.Retry("the product was deleted while it was read")
		}
		page, last = got.Product.Variants.Page, end
		p.Variants.Nodes = append(p.Variants.Nodes, got.Product.Variants.Nodes...)
	}
}

// productPrefix begins each product id; Shopify answers any other hint with an error.
const productPrefix = "gid://shopify/Product/"

// takeBack restores the cleared key of the product in ref, if that was made for the publication and is on sale.
// State or note show whose it is. Unless a person asks for the product, the result is an error.
func (a *Adapter) takeBack(ctx context.Context, s *shop, ref shopadapter.Ref) (taken bool, err error) {
	if !strings.HasPrefix(string(ref.Listing), productPrefix) {
		return false, nil
	}
	got, err := a.call(ctx, request{
		doing: "read product", document: document("query", "Lost", fmt.Sprintf(byID, pageFields+noteFields)), estimate: 5,
		variables: input{"id": ref.Listing, "channel": s.publication.ID},
	})
	p, n := got.Product, got.Product.note()
	_, id := readState(ref)
	switch {
	case err != nil, p == nil, p.key() != "", !p.onSale(),
		id != number(p.ID) && !(n.Product != "" && n.Owns(string(ref.Publication), p.ID)):
		return false, err
	case !ref.Revive:
		return false, kit.Cleared(a.clean(number(p.ID)+" «"+p.Title+"»"), ref.Publication)
	}
	const doing = "put back the product's key"
	got, err = a.call(ctx, request{
		doing: doing, document: document("mutation", "PutBack", partUpdate), estimate: costMutation + costMetafield,
		variables: input{"update": input{"id": p.ID, "metafields": []input{keyInput(ref.Publication)}}},
	})
	if err != nil {
		return false, err
	}
	return true, a.took(doing, got.Update)
}
