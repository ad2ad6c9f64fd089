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

// A product is one as the shop answers it, as far as it is asked for.
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
	Published bool     `json:"publishedOnPublication"` // on the sales channel, where it is until somebody takes it off
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

// mark is the marketplace's id that the variant carries, "" for none.
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

// shownProduct is a product without the translations, which have a name for each language.
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

// The product statuses in which a customer may buy. An unlisted product is active, for those who
// have its address.
const (
	active   = "ACTIVE"
	unlisted = "UNLISTED"
	draft    = "DRAFT"
)

func (p *product) live() bool { return p.Status == active || p.Status == unlisted }

func (p *product) onSale() bool { return p != nil && p.live() && p.Published }

// key is what the product holds in pubsync.publication, "" for nothing.
func (p *product) key() string {
	if p.Publication == nil {
		return ""
	}
	return p.Publication.Value
}

// address is where a customer sees the product: its page, else the preview of it, else where the
// page will be.
func (a *Adapter) address(p *product) string {
	return cmp.Or(p.StoreURL, p.PreviewURL, "https://"+string(a.set.Store)+".myshopify.com/products/"+p.Handle)
}

// number is the last part of a shop's id. The merchant sees it in the address of the product's page
// in the back office.
func number(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// identifier finds the product of a publication.
func identifier(id shopadapter.PublicationID) input {
	return input{"customId": input{"namespace": namespace, "key": idKey, "value": kit.Key(id)}}
}

// keyInput is the metafield by which a product is found.
func keyInput(id shopadapter.PublicationID) input {
	return input{"namespace": namespace, "key": idKey, "type": "id", "value": kit.Key(id)}
}

// whole is a product with all that a write compares.
var whole = sight{
	"Look", wordFields + noteFields + mediaField, variantFields + detailFields, firstVariants,
	10 + 2*mostImages + 6*firstVariants,
}

// figures is a product as a write of prices and stock alone needs it: without texts and pictures.
func figures(variants int) sight {
	const byHand = 5 // variants that the merchant may have added
	page := min(variants+byHand, moreVariants)
	return sight{"Figures", pageFields + noteFields, variantFields, page, 10 + 3*float64(page)}
}

// find reads the publication's product with all its variants, nil when there is none. Where no
// product has the key, and the one that the ref names has lost it, it puts the key back.
func (a *Adapter) find(ctx context.Context, s *shop, ref shopadapter.Ref, see sight) (*product, error) {
	p, err := a.read(ctx, s, ref, see)
	if p == nil && err == nil {
		taken, err := a.takeBack(ctx, s, ref)
		if err != nil || !taken {
			return nil, err
		}
		if p, err = a.read(ctx, s, ref, see); p == nil && err == nil {
			err = shopadapter.Retry("the shop does not find the product by its key yet")
		}
		if err != nil {
			return nil, err
		}
	}
	if err != nil || p == nil {
		return nil, err
	}
	return p, a.readOn(ctx, s, p, see.variant)
}

// belongs tells whether the product carries the publication's key. Where the shop compares values
// without regard to case, it finds others too.
func (p *product) belongs(id shopadapter.PublicationID) bool { return p.key() == kit.Key(id) }

// read is find by the key alone.
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

// readOn reads the variants that did not fit the first page.
func (a *Adapter) readOn(ctx context.Context, s *shop, p *product, fields string) (err error) {
	page := moreVariants
	if fields != variantFields {
		page /= 2 // details cost as much again
	}
	p.Variants.Nodes, err = rest(p.Variants, func(after string) (nodes[variant], error) {
		got, err := a.call(ctx, request{
			doing: "read variants", document: variantPages("Variants", fields), estimate: 5 + 3*moreVariants,
			variables: input{"id": p.ID, "channel": s.publication.ID, "variants": page, "after": after},
		})
		return got.variants(err)
	})
	return err
}

// variants is the page of a product's variants that an answer holds.
func (got *answer) variants(err error) (nodes[variant], error) {
	if err == nil && got.Product == nil {
		err = shopadapter.Retry("the product was deleted while it was read")
	}
	if err != nil {
		return nodes[variant]{}, err
	}
	return got.Product.Variants, nil
}

// productPrefix begins Shopify's id of each product. Any other hint is an error to Shopify.
const productPrefix = "gid://shopify/Product/"

// takeBack gives the product that a ref points to its key again, where it was made for the
// publication, is on sale in the sales channel, and somebody cleared the key. The State tells whose it
// is, or the note, which is a metafield of its own. It is an error until a person asks for the
// product.
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
