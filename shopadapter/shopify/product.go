package shopify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
	ID        string               `json:"id"`
	Options   []shopadapter.Option `json:"selectedOptions"`
	Mark      *value               `json:"mark"`
	Published bool                 `json:"publishedOnPublication"` // unless somebody took it off the sales channel
	Barcode   string               `json:"barcode"`
	SKU       string               `json:"sku"`
	Price     string               `json:"price"`
	CompareAt string               `json:"compareAtPrice"`
	Policy    string               `json:"inventoryPolicy"`
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

func (v *variant) mark() string {
	if v.Mark == nil {
		return ""
	}
	return v.Mark.Value
}

func (v variant) names() []string {
	return kit.Each(v.Options, func(o shopadapter.Option) string { return o.Name })
}

func (v variant) values() []string {
	return kit.Each(v.Options, func(o shopadapter.Option) string { return o.Value })
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

func metafield(key, kind, value string) input {
	return input{"namespace": namespace, "key": key, "type": kind, "value": value}
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
		variables: input{"update": input{
			"id": p.ID, "metafields": []input{metafield(idKey, "id", kit.Key(ref.Publication))},
		}},
	})
	if err != nil {
		return false, err
	}
	return true, a.took(doing, got.Update)
}

// noteVersion changes with the rules of the note's hashes.
const noteVersion = 1

// A note is what the adapter stores in a product. Until kit.Note.Product is set, the product was never complete and
// is written whole.
type note struct {
	kit.Note
	Title kit.Written `json:"title"`
	// languages whose titles belong to the title group; other titles belong to the description
	Titles       []string               `json:"titles,omitempty"`
	Description  kit.Written            `json:"description"`
	Category     kit.Written            `json:"category"`
	Brand        kit.Values             `json:"brand,omitempty"`
	Tags         []string               `json:"tags,omitempty"`         // added by the adapter
	Details      map[string]kit.Values  `json:"details,omitempty"`      // by detailKey
	Translations map[string]kit.Written `json:"translations,omitempty"` // by language and key
	Images       []picture              `json:"images,omitempty"`       // as last seen, in order
	Next         []picture              `json:"next,omitempty"`         // being written
	Writing      bool                   `json:"writing,omitempty"`      // Next counts
	Refused      map[string]string      `json:"refused,omitempty"`      // the reason, by mark
	// names of options and values after their last write
	Choices []kit.Known `json:"choices,omitempty"`
}

func (p *product) note() (n note) {
	if p == nil || p.Note == nil {
		return n
	}
	return kit.ReadNote[note](p.Note.Value, noteVersion)
}

func (n *note) refuse(mark, why string) {
	if n.Refused == nil {
		n.Refused = map[string]string{}
	}
	const longestWhy = 200 // characters
	n.Refused[mark] = cmp.Or(n.Refused[mark], cut(cmp.Or(why, "the shop refuses it"), longestWhy))
}

// digest does not depend on how the shop formats JSON.
func (n note) digest() string { return kit.Digest(kit.Encode(n), 8) }

func writeState(n note, id string) []byte { return []byte(n.digest() + " " + number(id)) }

func readState(ref shopadapter.Ref) (digest, id string) {
	digest, id, _ = strings.Cut(string(ref.State), " ")
	return digest, id
}

// titleGroup is the group of a language's title; primary is the store's own language.
func (n note) titleGroup(language, primary string) shopadapter.Fields {
	if slices.Contains(n.Titles, language) || len(n.Titles) == 0 && language == primary {
		return shopadapter.FieldTitle
	}
	return shopadapter.FieldDescription
}

// compare finds texts and pictures that differ from the note. Missing translations do not count: they are written
// again. The note precedes the translations, which may not have come.
func (p *product) compare(s *shop) (c kit.Comparison) {
	n := p.note()
	if n.Product == "" {
		return c
	}
	c.Compare(n.titleGroup(s.primary, s.primary), kit.HashMarkup(p.Title), n.Title)
	c.Compare(shopadapter.FieldDescription, kit.HashMarkup(p.Description), n.Description)
	c.Compare(shopadapter.FieldCategory, kit.HashMarkup(p.Type), n.Category)
	c.CompareValues(shopadapter.FieldBrand, map[string]string{brandName: s.brand(p.Vendor)}, n.Brand)
	c.Unsure = true
	for locale, texts := range p.Translations {
		for _, t := range texts {
			last, wrote := n.Translations[locale+" "+t.Key]
			if !wrote || t.Value == "" {
				continue
			}
			group := shopadapter.FieldDescription
			if t.Key == keyTitle {
				group = n.titleGroup(locale, s.primary)
			}
			c.Compare(group, kit.HashMarkup(t.Value), last)
		}
	}
	c.Compared |= shopadapter.FieldImages
	if _, foreign := n.settled(p.Media); foreign {
		c.Edited |= shopadapter.FieldImages
	}
	return c
}

func detailKey(id string) string { return kit.Digest(id, 6) }
