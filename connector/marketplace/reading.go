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

	"github.com/pubsync/pubsync/shopadapter/wire"
)

type contentPage struct {
	Status, ProductURL, UpdatedAt string
	Listing                       *readListing

	asked     pages
	languages []string
	detailed  bool
	listed    bool // with a page of the product's variants
	spared    bool
	original  bool // pictures as given
}

// A readListing fails where an essential member has another shape. The others are raw: Listing.Unread names them.
type readListing struct {
	ID           string
	Translations map[string]*Translation
	Variants     *pageOf[readVariant]

	Category, Images, Product json.RawMessage
	Shipping                  json.RawMessage `json:"dropshippingShippingDetails"`
	Returns                   any             `json:"dropshippingReturns"`
}

// soft reads a member that is not essential: nil for null, and for another shape, which is unread.
func soft[T any](l *Listing, name string, raw json.RawMessage) *T {
	if wire.IsNull(raw) {
		return nil
	}
	var value *T
	if json.Unmarshal(raw, &value) != nil {
		l.unread(name, true)
		return nil
	}
	return value
}

type readProduct struct {
	ID string
	Details
	Variants json.RawMessage
}

// A readVariant is a variant whose EAN is not essential.
type readVariant struct {
	Variant
	oddEAN bool
}

// UnmarshalJSON starts afresh: encoding/json would mix the variants of a list that is named twice.
func (v *readVariant) UnmarshalJSON(data []byte) error {
	var fresh struct {
		Variant
		EAN      json.RawMessage
		Quantity string `json:"inventoryQuantity"`
	}
	if err := json.Unmarshal(data, &fresh); err != nil {
		return err
	}
	*v = readVariant{Variant: fresh.Variant}
	v.oddEAN = !wire.IsNull(fresh.EAN) && json.Unmarshal(fresh.EAN, &v.EAN) != nil
	v.Policy = strings.ToUpper(v.Policy)
	if x, err := strconv.ParseFloat(strings.TrimSpace(fresh.Quantity), 64); err == nil && math.Abs(x) < 1<<53 {
		n := int(math.Floor(x)) // a fraction of a unit is none
		v.Quantity = &n
	}
	return nil
}

// begin makes a publication of the first page, without connections.
func (w *contentPage) begin(id string) *Publication {
	whole := &Publication{
		ID: id, Status: strings.ToLower(w.Status), ProductURL: w.ProductURL, UpdatedAt: w.UpdatedAt,
		Languages: slices.Clone(w.languages),
	}
	r := w.Listing
	if r == nil {
		return whole
	}
	l := &Listing{ID: r.ID, Translations: map[string]Translation{}, Details: w.detailed}
	whole.Listing = l
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
	if c := soft[Category](l, UnreadCategory, r.Category); c != nil {
		l.Category = *c
		l.unread(UnreadCategory, c.Path+c.Name == "") // other fields than asked for
	}
	l.addShipping(r.Shipping)
	product := soft[readProduct](&Listing{}, "", r.Product)
	if l.Details {
		l.BySKU = map[string]Details{}
		l.unread(UnreadDetails, w.spared || product == nil) // perhaps for lack of a right
	}
	if product != nil {
		l.ProductID = product.ID
		if l.Details {
			l.Brand, l.Size = product.Brand, product.Details
		}
	}
	return whole
}

// addShipping reads each shipping by itself. The specification does not say that they are a list.
func (l *Listing) addShipping(raw json.RawMessage) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil && !wire.IsNull(raw) {
		list = []json.RawMessage{raw}
	}
	for _, item := range list {
		if s := soft[Shipping](l, UnreadShipping, item); s != nil && *s != (Shipping{}) {
			l.Shipping = append(l.Shipping, *s)
		}
	}
	l.unread(UnreadShipping, len(l.Shipping) < len(list))
}

func (l *Listing) add(w *contentPage) (next pages, err error) {
	variants := w.Listing.Variants
	pictures := soft[pageOf[struct{ OriginalURL, TransformedURL string }]](l, UnreadImages, w.Listing.Images)
	if w.asked.variants != "" && variants == nil || w.asked.images != "" && wire.IsNull(w.Listing.Images) {
		return next, errors.New("a page that was asked for is not there") // on the first page it means none
	}
	seen := make(map[string]bool, len(l.Variants)) // paging by offset may repeat one
	for _, v := range l.Variants {
		seen[v.ID] = true
	}
	items, _ := variants.items()
	for _, v := range items {
		if !seen[v.ID] {
			seen[v.ID] = true
			l.Variants = append(l.Variants, v.Variant)
			l.unread(UnreadEAN, v.oddEAN)
		}
	}
	images, _ := pictures.items()
	l.unread(UnreadImages, pictures.broken())
	for _, picture := range images {
		if address := cmp.Or(picture.TransformedURL, picture.OriginalURL); address != "" {
			l.Images = append(l.Images, address)
		} else { // where originals were asked for, the shop keeps its pictures
			l.unread(UnreadImages, w.original)
		}
	}
	if w.listed {
		next.details = l.addDetails(w)
	}
	if next.variants, err = variants.goesOn(w.asked.variants); err == nil {
		next.images, err = pictures.goesOn(w.asked.images)
	}
	undetailed := func(v Variant) bool {
		_, known := l.BySKU[v.SKU]
		return v.SKU != "" && !known
	}
	if next.variants == "" && !slices.ContainsFunc(l.Variants, undetailed) {
		next.details = "" // the product's other variants are not listed
	}
	return next, err
}

// addDetails adds a page and returns the next cursor. A broken page, or a lost cursor, leaves details unread.
func (l *Listing) addDetails(w *contentPage) (next string) {
	var page *pageOf[json.RawMessage]
	if product := soft[readProduct](l, UnreadDetails, w.Listing.Product); product != nil {
		page = soft[pageOf[json.RawMessage]](l, UnreadDetails, product.Variants)
	}
	items, _ := page.items()
	for _, item := range items {
		d := soft[struct {
			SKU string
			Details
		}](l, UnreadDetails, item)
		if d != nil && d.SKU != "" {
			if _, twice := l.BySKU[d.SKU]; !twice {
				l.BySKU[d.SKU] = d.Details
				l.Brand = cmp.Or(l.Brand, d.Brand)
			}
		}
	}
	next, err := page.goesOn(w.asked.details)
	l.unread(UnreadDetails, w.spared || page == nil || page.broken() || err != nil)
	return next
}

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

// goesOn returns the next cursor, "" at the end. A page that has more but leads nowhere, or back, is an error.
func (p *pageOf[T]) goesOn(asked string) (next string, err error) {
	if p == nil || !p.PageInfo.HasNextPage {
		return "", nil
	}
	if next = p.PageInfo.EndCursor; next == "" || next == asked {
		return "", errors.New("another page follows, but no cursor leads to it")
	}
	return next, nil
}
