package marketplace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A contentPage is one page of a publication as it is read, with what was asked for.
type contentPage struct {
	Status, ProductURL, UpdatedAt string
	Listing                       *readListing

	asked     pages
	languages []string
	detailed  bool // details were asked for
	listed    bool // those of the product's variants are on the page
	spared    bool // the answer lacks the product, in part or at all
	original  bool // pictures were asked for as the supplier gave them
}

// A readListing is a listing as it is read. An essential field of another shape fails the reading. A
// soft one is named in Listing.Unread, and the shop keeps what was last written of it.
type readListing struct {
	ID           string
	Translations map[string]*Translation
	Variants     *pageOf[readVariant]

	Category soft[*Category]
	Shipping soft[shippings] `json:"dropshippingShippingDetails"`
	Returns  any             `json:"dropshippingReturns"`
	Images   soft[*pageOf[struct{ OriginalURL, TransformedURL string }]]
	Product  soft[*readProduct]
}

// The specification does not say that shippings are a list: one may stand alone.
type shippings []soft[Shipping]

func (s *shippings) UnmarshalJSON(data []byte) error {
	var list []soft[Shipping]
	if json.Unmarshal(data, &list) != nil {
		list = make([]soft[Shipping], 1)
		_ = json.Unmarshal(data, &list[0]) //nolint:errcheck // a soft value is odd instead
	}
	*s = list
	return nil
}

// A readProduct is a listing's product as it is read.
type readProduct struct {
	ID string
	Details
	Variants soft[*pageOf[soft[skuDetails]]]
}

type skuDetails struct {
	SKU string
	Details
}

// A readVariant is a variant as it is read. Its EAN is not essential.
type readVariant struct {
	Variant
	oddEAN bool
}

// UnmarshalJSON starts afresh: of a list that is named twice, encoding/json would mix the variants.
func (v *readVariant) UnmarshalJSON(data []byte) error {
	var fresh struct {
		Variant
		EAN      soft[string]
		Quantity string `json:"inventoryQuantity"`
	}
	if err := json.Unmarshal(data, &fresh); err != nil {
		return err
	}
	*v = readVariant{fresh.Variant, fresh.EAN.odd}
	v.EAN, v.Policy = fresh.EAN.get(), strings.ToUpper(v.Policy)
	if x, err := strconv.ParseFloat(strings.TrimSpace(fresh.Quantity), 64); err == nil && math.Abs(x) < 1<<53 {
		n := int(math.Floor(x)) // a fraction of a unit is none
		v.Quantity = &n
	}
	return nil
}

// A reading puts the pages of a publication together.
type reading struct {
	Publication
	seen map[string]bool // ids of variants
}

func (w *contentPage) begin(of Expected) *reading {
	whole := &reading{Publication{
		ID: of.ID, Status: strings.ToLower(w.Status), ProductURL: w.ProductURL, UpdatedAt: w.UpdatedAt,
		Languages: slices.Clone(w.languages),
	}, map[string]bool{}}
	r := w.Listing
	if r == nil {
		return whole
	}
	l := &Listing{ID: r.ID, Translations: map[string]Translation{}, Details: w.detailed}
	for language, t := range r.Translations {
		if t != nil {
			l.Translations[strings.ToLower(language)] = *t
		}
	}
	switch said := r.Returns.(type) {
	case nil:
	case string, bool:
		l.Returns = fmt.Sprint(said)
	default:
		l.unread(UnreadReturns, true)
	}
	if c := r.Category.get(); c != nil {
		l.Category = *c
	}
	// an empty one has other fields than those asked for
	l.unread(UnreadCategory, r.Category.odd || r.Category.value != nil && l.Category.Path+l.Category.Name == "")
	for _, item := range r.Shipping.get() {
		if s := item.get(); s != (Shipping{}) {
			l.Shipping = append(l.Shipping, s)
		}
	}
	l.unread(UnreadShipping, r.Shipping.odd || len(l.Shipping) < len(r.Shipping.value))
	product := r.Product.value
	if product == nil { // for want of the right to see it say
		product = &readProduct{}
	}
	if l.ProductID = product.ID; l.Details {
		l.BySKU, l.Brand, l.Size = map[string]Details{}, product.Brand, product.Details
		l.unread(UnreadDetails, w.spared || r.Product.odd || r.Product.value == nil)
	}
	whole.Listing = l
	return whole
}

// add adds a page, and returns the pages that follow.
func (whole *reading) add(w *contentPage) (next pages, err error) {
	l := whole.Listing
	if l == nil {
		return next, nil
	}
	variants, images := w.Listing.Variants, w.Listing.Images.get()
	if w.asked.variants != "" && variants == nil || w.asked.images != "" && images == nil && !w.Listing.Images.odd {
		return next, errors.New("a page that was asked for is not there") // on the first page there are none then
	}
	items, _ := variants.items()
	for _, v := range items {
		if !whole.seen[v.ID] { // a server that pages by offset may repeat one at a page's edge
			whole.seen[v.ID] = true
			l.Variants = append(l.Variants, v.Variant)
			l.unread(UnreadEAN, v.oddEAN)
		}
	}
	pictures, _ := images.items()
	l.unread(UnreadImages, w.Listing.Images.odd || images.broken())
	for _, picture := range pictures {
		if address := cmp.Or(picture.TransformedURL, picture.OriginalURL); address != "" {
			l.Images = append(l.Images, address)
		} else { // the shop keeps its pictures where one has the supplier's own address alone
			l.unread(UnreadImages, w.original)
		}
	}
	if w.listed {
		next.details = l.addDetails(w)
	}
	if next.variants, err = variants.goesOn(w.asked.variants); err == nil {
		next.images, err = images.goesOn(w.asked.images)
	}
	return next, err
}

// addDetails adds a page of the product's variants, and returns the cursor of the next. A page that
// cannot be read, in part, or that leads nowhere, leaves the details unread.
func (l *Listing) addDetails(w *contentPage) (next string) {
	var page *pageOf[soft[skuDetails]]
	if product := w.Listing.Product.value; product != nil {
		page = product.Variants.get()
	}
	items, _ := page.items()
	for _, item := range items {
		d := item.value
		l.unread(UnreadDetails, item.odd)
		if _, twice := l.BySKU[d.SKU]; d.SKU != "" && !twice {
			l.BySKU[d.SKU] = d.Details
			l.Brand = cmp.Or(l.Brand, d.Brand)
		}
	}
	next, err := page.goesOn(w.asked.details)
	l.unread(UnreadDetails, w.spared || page == nil || page.broken() || err != nil)
	return next
}

// A soft value is not essential: of another shape it is odd, and the rest of an answer is read.
type soft[T any] struct {
	value T // of an odd one as far as it can be read
	odd   bool
}

func (s *soft[T]) UnmarshalJSON(data []byte) error {
	*s = soft[T]{}
	s.odd = json.Unmarshal(data, &s.value) != nil
	return nil
}

// get is the value, none where it is odd.
func (s soft[T]) get() (value T) {
	if !s.odd {
		value = s.value
	}
	return value
}

// texts reads an answer into a value, with numbers as texts.
type texts struct{ into any }

func (t texts) UnmarshalJSON(data []byte) error { return json.Unmarshal(quoteNumbers(data), t.into) }

func quoteNumbers(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/8)
	for len(data) > 0 {
		end, quote := 1, ""
		switch c := data[0]; {
		case c == '"':
			for end < len(data) && data[end] != '"' {
				if data[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(data))
		case c == '-' || c >= '0' && c <= '9':
			quote = `"`
			for end < len(data) && bytes.IndexByte([]byte("+-.eE0123456789"), data[end]) >= 0 {
				end++
			}
		}
		out = append(append(append(out, quote...), data[:end]...), quote...)
		data = data[end:]
	}
	return out
}

// A pageOf is a page of a connection, through nodes or edges.
type pageOf[T any] struct {
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
	Nodes []*T
	Edges []struct{ Node *T }
}

func (p *pageOf[T]) items() (all []T, nulls int) {
	if p == nil {
		return nil, 0
	}
	nodes := p.Nodes
	for _, edge := range p.Edges {
		nodes = append(nodes, edge.Node)
	}
	for _, node := range nodes {
		if node == nil {
			nulls++
			continue
		}
		all = append(all, *node)
	}
	return all, nulls
}

// broken reports whether a page lacks entries without saying so.
func (p *pageOf[T]) broken() bool {
	_, nulls := p.items()
	return p != nil && (nulls > 0 || p.Nodes == nil && p.Edges == nil)
}

// goesOn is the cursor of the page after one, "" where there is none. A page that says more follows and
// does not say where, or leads back, is an error, or the rest were lost.
func (p *pageOf[T]) goesOn(asked string) (next string, err error) {
	if p == nil || !p.PageInfo.HasNextPage {
		return "", nil
	}
	if next = p.PageInfo.EndCursor; next == "" || next == asked {
		return "", errors.New("another page follows, but no cursor leads to it")
	}
	return next, nil
}
