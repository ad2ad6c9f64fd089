package woocommerce

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

func jsonNumber(n float64) string { return strconv.FormatInt(int64(n), 10) }

// observe looks at the shop as a customer and its owner do.
func (f *fakeShop) observe(context.Context) ([]shopadaptertest.Seen, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var products []shopadaptertest.Seen
	for _, id := range slices.Sorted(maps.Keys(f.posts)) {
		p := f.posts[id]
		if p.kind == "variation" || p.status == "trash" {
			continue
		}
		s := shopadaptertest.Seen{
			Listing: shopadapter.ListingID(
				strconv.FormatInt(id, 10),
			), OnSale: p.status == "publish", Title: p.name, Description: p.content,
		}
		text, _ := p.meta[metaKey].(string)
		note := readStamp(text)
		if note.original(id) {
			publication, err := url.QueryUnescape(note.ID)
			if err != nil {
				return nil, err
			}
			s.Publication = shopadapter.PublicationID(publication)
		}
		for _, c := range f.categories {
			if len(p.categories) == 1 && c["id"].(int) == int(p.categories[0]) {
				s.Category = c["name"].(string)
			}
		}
		for _, image := range p.images {
			s.Images = append(s.Images, f.media[image].src)
		}
		s.Variants = f.observeVariants(p, note)
		products = append(products, s)
	}
	return products, nil
}

func (f *fakeShop) observeVariants(p *post, note productStamp) []shopadaptertest.SeenVariant {
	seen := func(v *post, id string, options map[string]string) shopadaptertest.SeenVariant {
		quantity := v.quantity
		if !v.managed {
			quantity = -1
		}
		return shopadaptertest.SeenVariant{
			ID: id, ShopID: strconv.FormatInt(v.id, 10), SKU: v.sku, Options: options, Price: f.visitor(v.price), Quantity: int(quantity), Backorders: v.backorders == "yes",
		}
	}
	if p.kind == "simple" {
		id, _ := url.QueryUnescape(note.Variant)
		return []shopadaptertest.SeenVariant{seen(p, id, map[string]string{})}
	}
	var list []shopadaptertest.SeenVariant
	for _, id := range f.children(p.id) {
		v := f.posts[id]
		if v.status != "publish" {
			continue
		}
		text, _ := v.meta[metaKey].(string)
		publication, _ := url.QueryUnescape(note.ID)
		variant, _, _ := readVariantStamp(text, shopadapter.PublicationID(publication))
		options := map[string]string{}
		for _, a := range p.attributes {
			// A customer can choose only what the product lists.
			if value := f.shownOption(a, v.options[a.key]); a.variation && slices.Contains(a.options, value) {
				options[a.name] = value
			}
		}
		list = append(list, seen(v, variant, options))
	}
	return list
}

// edit changes one text group by hand.
func (f *fakeShop) edit(id shopadapter.ListingID, group shopadapter.Fields) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.post(id)
	switch group {
	case shopadapter.FieldTitle:
		p.name = "The merchant&#8217;s own"
	case shopadapter.FieldDescription:
		p.content = "My own words.\n\nIn two paragraphs."
	case shopadapter.FieldCategory:
		p.categories = []int64{20}
	case shopadapter.FieldImages:
		f.nextPost++
		f.media[f.nextPost] = &attachment{src: "https://shop.example.com/own.jpg", file: "own.jpg", name: "own"}
		p.images = append([]int64{f.nextPost}, p.images...)
	default:
		return fmt.Errorf("no text group: %s", group)
	}
	return nil
}

func (f *fakeShop) post(id shopadapter.ListingID) *post {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return nil
	}
	return f.posts[n]
}

// addForeign adds a product of the merchant's own, with the SKUs of p.
func (f *fakeShop) addForeign(p shopadapter.Product) shopadapter.ListingID {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nextPost++
	own := &post{
		id: f.nextPost, kind: "simple", status: "publish", name: p.Title, slug: f.freeSlug("own", 0), content: p.Description, backorders: "no",
		meta: map[string]any{}, categories: []int64{20},
	}
	f.posts[own.id] = own
	if len(p.Variants) == 1 {
		own.sku, own.price, own.managed, own.quantity = p.Variants[0].SKU, p.Variants[0].Price, true, int64(
			p.Variants[0].Quantity,
		)
		f.lookup[strings.ToLower(own.sku)] = own.id
		return shopadapter.ListingID(strconv.FormatInt(own.id, 10))
	}
	own.kind = "variable"
	for _, name := range p.Options {
		a := fakeAttribute{key: attributeKey(name), name: name, visible: true, variation: true}
		for _, v := range p.Variants {
			for _, o := range v.Options {
				if o.Name == name && !slices.Contains(a.options, o.Value) {
					a.options = append(a.options, o.Value)
				}
			}
		}
		own.attributes = append(own.attributes, a)
	}
	for _, v := range p.Variants {
		f.nextPost++
		child := &post{
			id: f.nextPost, parent: own.id, kind: "variation", status: "publish", sku: v.SKU, price: v.Price, managed: true,
			quantity: int64(v.Quantity), backorders: "no", options: map[string]string{}, meta: map[string]any{},
		}
		for _, o := range v.Options {
			child.options[attributeKey(o.Name)] = o.Value
		}
		f.posts[child.id] = child
		f.lookup[strings.ToLower(v.SKU)] = child.id
	}
	return shopadapter.ListingID(strconv.FormatInt(own.id, 10))
}

// trashByHand puts a product in the trash, as the button in the back office does.
func (f *fakeShop) trashByHand(id shopadapter.ListingID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trash(f.post(id))
}

func (f *fakeShop) counted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.uploads
}

func (f *fakeShop) breakKey() (mend func()) {
	set := func(broken bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.broken = broken
	}
	set(true)
	return func() { set(false) }
}

// quickly is a patience for tests that do not turn the clock themselves.
func quickly() patience { return patience{step: time.Millisecond, steps: 15} }

// connect opens an adapter over the shop.
func (f *fakeShop) connect(
	t testing.TB,
	p patience,
	wrap func(http.RoundTripper) http.RoundTripper,
	pairs ...string,
) *adapter {
	t.Helper()
	a, err := f.dial(p, wrap, pairs...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (f *fakeShop) dial(p patience, wrap func(http.RoundTripper) http.RoundTripper, pairs ...string) (*adapter, error) {
	settings := map[string]string{"URL": f.base, "KEY": testKey, "SECRET": testSecret}
	for i := 0; i+1 < len(pairs); i += 2 {
		settings[pairs[i]] = pairs[i+1]
	}
	if wrap == nil {
		wrap = func(next http.RoundTripper) http.RoundTripper { return next }
	}
	a, err := open(
		shopadapter.Options{Settings: settings, VATPercent: f.vat, HTTPClient: &http.Client{Transport: wrap(f)}},
		p,
	)
	if err == nil {
		a.try = f.try
	}
	return a, err
}
