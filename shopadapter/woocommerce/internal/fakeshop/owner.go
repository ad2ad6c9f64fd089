package fakeshop

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// Number is an id as PHP writes it.
func Number(n float64) string { return strconv.FormatInt(int64(n), 10) }

// Observe looks at the shop as a customer and its owner do.
func (f *Shop) Observe(context.Context) ([]laws.Seen, error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	var products []laws.Seen
	for _, id := range slices.Sorted(maps.Keys(f.Posts)) {
		p := f.Posts[id]
		if p.Kind == "variation" || p.Status == "trash" {
			continue
		}
		s := laws.Seen{
			Listing: shopadapter.ListingID(
				strconv.FormatInt(id, 10),
			), OnSale: p.Status == "publish", Title: p.Name, Description: p.content,
		}
		text, _ := p.Meta[stampKey].(string)
		note := readOwner(text)
		if note.original(id) {
			publication, err := url.QueryUnescape(note.ID)
			if err != nil {
				return nil, err
			}
			s.Publication = shopadapter.PublicationID(publication)
		}
		for _, c := range f.Categories {
			if len(p.Categories) == 1 && c["id"].(int) == int(p.Categories[0]) {
				s.Category = c["name"].(string)
			}
		}
		for _, image := range p.Images {
			s.Images = append(s.Images, f.Media[image].Source)
		}
		s.Details = map[string]string{
			"brand": f.seenBrand(p), "materials": p.feature("Material"), "origin": p.feature("Country of origin"),
		}
		s.Variants = f.observeVariants(p, note)
		products = append(products, s)
	}
	return products, nil
}

func (f *Shop) observeVariants(p *Post, note owner) []laws.SeenVariant {
	seen := func(v *Post, id string, options map[string]string) laws.SeenVariant {
		quantity := v.Quantity
		if !v.Managed {
			quantity = -1
		}
		return laws.SeenVariant{
			ID: id, ShopID: strconv.FormatInt(v.ID, 10), SKU: v.SKU, Options: options, Price: f.visitor(v.Price),
			Quantity: int(quantity), Backorders: v.Backorders == "yes", Details: f.seenSizes(v),
		}
	}
	if p.Kind == "simple" {
		id, _ := url.QueryUnescape(note.Variant)
		return []laws.SeenVariant{seen(p, id, map[string]string{})}
	}
	var list []laws.SeenVariant
	for _, id := range f.Children(p.ID) {
		v := f.Posts[id]
		if v.Status != "publish" {
			continue
		}
		text, _ := v.Meta[stampKey].(string)
		variant := namedVariant(text, note.ID)
		options := map[string]string{}
		for _, a := range p.Attributes {
			// A customer can choose only what the product lists.
			if value := f.shownOption(a, v.Options[a.Key]); a.Variation && slices.Contains(a.Options, value) {
				options[a.Name] = value
			}
		}
		list = append(list, seen(v, variant, options))
	}
	return list
}

// Edit changes one text group by hand.
func (f *Shop) Edit(id shopadapter.ListingID, group shopadapter.Fields) error {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Find(id)
	switch group {
	case shopadapter.FieldTitle:
		p.Name = "The merchant&#8217;s own"
	case shopadapter.FieldDescription:
		p.content = "My own words.\n\nIn two paragraphs."
	case shopadapter.FieldCategory:
		p.Categories = []int64{20}
	case shopadapter.FieldImages:
		f.NextPost++
		f.Media[f.NextPost] = &Attachment{Source: "https://shop.example.com/own.jpg", File: "own.jpg", Name: "own"}
		p.Images = append([]int64{f.NextPost}, p.Images...)
	default:
		return fmt.Errorf("no text group: %s", group)
	}
	return nil
}

// Find is the post of a listing, nil where there is none. The caller holds Mu, or is alone.
func (f *Shop) Find(id shopadapter.ListingID) *Post {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return nil
	}
	return f.Posts[n]
}

// AddForeign adds a product of the merchant's own, with the SKUs of p.
func (f *Shop) AddForeign(p shopadapter.Product) shopadapter.ListingID {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.NextPost++
	own := &Post{
		ID: f.NextPost, Kind: "simple", Status: "publish", Name: p.Title, Slug: f.freeSlug("own", 0),
		content: p.Description, Backorders: "no",
		Meta: map[string]any{}, Categories: []int64{20},
	}
	f.Posts[own.ID] = own
	if len(p.Variants) == 1 {
		own.SKU, own.Price, own.Managed, own.Quantity = p.Variants[0].SKU, p.Variants[0].Price, true, int64(
			p.Variants[0].Quantity,
		)
		f.Lookup[strings.ToLower(own.SKU)] = own.ID
		return shopadapter.ListingID(strconv.FormatInt(own.ID, 10))
	}
	own.Kind = "variable"
	for _, name := range p.Options {
		a := Attribute{Key: attributeKey(name), Name: name, Visible: true, Variation: true}
		for _, v := range p.Variants {
			for _, o := range v.Options {
				if o.Name == name && !slices.Contains(a.Options, o.Value) {
					a.Options = append(a.Options, o.Value)
				}
			}
		}
		own.Attributes = append(own.Attributes, a)
	}
	for _, v := range p.Variants {
		f.NextPost++
		child := &Post{
			ID: f.NextPost, Parent: own.ID, Kind: "variation", Status: "publish", SKU: v.SKU, Price: v.Price, Managed: true,
			Quantity: int64(v.Quantity), Backorders: "no", Options: map[string]string{}, Meta: map[string]any{},
		}
		for _, o := range v.Options {
			child.Options[attributeKey(o.Name)] = o.Value
		}
		f.Posts[child.ID] = child
		f.Lookup[strings.ToLower(v.SKU)] = child.ID
	}
	return shopadapter.ListingID(strconv.FormatInt(own.ID, 10))
}

// TrashByHand puts a product in the trash, as the button in the back office does.
func (f *Shop) TrashByHand(id shopadapter.ListingID) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Trash(f.Find(id))
}

// Uploads is how many pictures the shop has loaded.
func (f *Shop) Uploads() int {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return f.Loaded
}

// BreakKey has every key refused until mend is called.
func (f *Shop) BreakKey() (mend func()) {
	set := func(broken bool) {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		f.Broken = broken
	}
	set(true)
	return func() { set(false) }
}

// An owner is what the adapter's stamp on a product says of whose it is, each id percent-encoded.
type owner struct {
	ID      string        `json:"id"`      // of the publication
	Product kit.ProductID `json:"product"` // of the product that it was written for; "": not said
	Variant string        `json:"variant"` // the one that the product itself is
}

func readOwner(stamp string) (o owner) {
	_ = json.Unmarshal([]byte(stamp), &o) // what cannot be read is nobody's
	return o
}

// original tells the product that a stamp was written for from a copy of it.
func (o owner) original(id int64) bool {
	return o.ID != "" && (o.Product == "" || string(o.Product) == strconv.FormatInt(id, 10))
}

// namedVariant is the variant that the stamp on a variation names, where the publication is this
// one.
func namedVariant(stamp, publication string) string {
	named, ours := strings.CutPrefix(stamp, publication+"/")
	if !ours {
		return ""
	}
	variant, _ := url.QueryUnescape(strings.TrimSuffix(named, "/added"))
	return variant
}
