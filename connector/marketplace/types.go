package marketplace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The texts of all types are exactly as sent: a number is kept digit by digit, so that no price is
// rounded, and what is null is "".

// An Entry is a publication without its content.
type Entry struct {
	ID         string `json:"id"`
	UpdatedAt  string `json:"updatedAt"`  // ISO 8601
	Status     string `json:"status"`     // lower case: syncing, success, failed, or a value this package does not know
	ProductURL string `json:"productUrl"` // only where detail was asked for
	Err        error  `json:"-"`          // of a look: why nothing is known of this publication now; it is not gone
}

// UnmarshalJSON leaves out what has another shape: an entry without an id may be any publication.
func (e *Entry) UnmarshalJSON(data []byte) error {
	type plain Entry
	var fresh plain
	if err := json.Unmarshal(data, &fresh); err != nil && !isShape(err) {
		return err
	}
	*e = Entry(fresh)
	e.Status = strings.ToLower(e.Status)
	return nil
}

// isShape reports whether an error of encoding/json is about values of another shape alone: all
// others have been read.
func isShape(err error) bool {
	_, ok := errors.AsType[*json.UnmarshalTypeError](err)
	return ok
}

// A Page is part of the list of publications. Entries has only those with an id and an updatedAt.
type Page struct {
	Entries  []Entry
	Undated  []string  // ids of entries without an updatedAt: they are on the list
	Nameless int       // entries without an id, or null: each may be any publication
	End      string    // cursor of the last entry; "" on an empty page
	More     bool      // another page follows
	Asked    time.Time // just before the page was asked for: what happened later may not be on it
	Answered time.Time // when it had arrived: what happened earlier may be on it
}

// A ProductVariant is one entry of the list of product variants.
type ProductVariant struct {
	ID        string
	UpdatedAt string // ISO 8601
	Product   string // the id of its product, "" where there is none
}

// A VariantPage is part of the list of product variants.
type VariantPage struct {
	Variants []ProductVariant // none where the page was skipped
	End      string           // cursor of the last entry; "" on an empty page
	More     bool             // another page follows
	Answered time.Time        // when it had arrived: what happened earlier may be on it
}

// A Publication is one entry of the import list with its content.
type Publication struct {
	ID         string   `json:"id"`
	Status     string   `json:"status"` // lower case
	ProductURL string   `json:"productUrl"`
	UpdatedAt  string   `json:"updatedAt"` // ISO 8601
	Listing    *Listing `json:"listing"`   // nil: there is none
	// those that were asked for: the wanted ones that the marketplace's schema is known or assumed
	// to have
	Languages []string `json:"-"`
}

// A Listing is what the supplier offers.
type Listing struct {
	ID           string                 `json:"id"`
	ProductID    string                 `json:"-"`            // of the supplier's product; "" when there is none
	Translations map[string]Translation `json:"translations"` // by language; what the server nulls is left out
	Category     Category               `json:"category"`
	Shipping     []Shipping             `json:"dropshippingShippingDetails"`
	Returns      string                 `json:"dropshippingReturns"` // "true", "false", or the supplier's words
	Variants     []Variant              `json:"-"`                   // all of them
	Images       []string               `json:"-"`                   // addresses, the main one first
	// Details is whether the product's own word was asked for: else brand and details are not known.
	Details bool               `json:"-"`
	Brand   string             `json:"-"`
	Size    Details            `json:"-"` // of the product: it counts for a variant that has none of its own
	BySKU   map[string]Details `json:"-"` // of the product's variants, by SKU
	// fields that the marketplace gives in a shape that cannot be read, by the names below; what
	// could be read of them is there
	Unread []string `json:"-"`
}

// The names of Unread.
const (
	UnreadCategory = "category"
	UnreadShipping = "shipping"
	UnreadReturns  = "returns"
	UnreadEAN      = "ean"
	UnreadImages   = "images"
	UnreadDetails  = "brand, details"
)

// unread records, once, that a field could not be read.
func (l *Listing) unread(name string, yes bool) {
	if yes && !slices.Contains(l.Unread, name) {
		l.Unread = append(l.Unread, name)
	}
}

// A Translation is a listing's text in one language.
type Translation struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

// longestText is what is kept of a description, in bytes: several times what any shop takes.
const longestText = 256 << 10

// UnmarshalJSON cuts a description that is too long, at the end of a character.
func (t *Translation) UnmarshalJSON(data []byte) error {
	type plain Translation
	var fresh plain
	err := json.Unmarshal(data, &fresh)
	if end := longestText; len(fresh.Description) > end {
		for !utf8.RuneStart(fresh.Description[end]) {
			end--
		}
		fresh.Description = strings.Clone(fresh.Description[:end]) // so that the rest can be given up
	}
	*t = Translation(fresh)
	return err
}

// A Category is the marketplace's. Path is upper-case words joined by underscores. Branch is not
// part of the content: it comes from the tree of categories.
type Category struct {
	Path   string         `json:"path"`
	Name   string         `json:"name"`
	Branch []CategoryNode `json:"-"` // from the root, the category itself last; empty: not known
}

// Shipping is what sending to a group of countries costs and how long it takes.
type Shipping struct {
	CountryGroup  string `json:"countryGroup"`
	FixedCosts    string `json:"fixedCosts"`
	VariableCosts string `json:"variableCosts"`
	EstimatedDays string `json:"estimatedShippingDays"`
}

// A Variant is one thing that can be sold. Prices are decimal, "" where there is none.
type Variant struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Options  []Option `json:"options"`
	Cost     string   `json:"dropshippingPrice"`
	MSRP     string   `json:"msrp"`
	SKU      string   `json:"sku"`
	EAN      string   `json:"-"`
	Quantity *int     `json:"-"`               // negative when backordered; nil when the server does not say
	Policy   string   `json:"inventoryPolicy"` // upper case; CONTINUE: sold on below zero
}

// An Option is one choice of a variant.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A readVariant is a variant as it is read. Its EAN is not essential: in another shape it costs
// itself alone.
type readVariant struct {
	Variant
	oddEAN bool
}

// UnmarshalJSON starts afresh: where a list is named twice, encoding/json would fill in what the
// second leaves out of a variant from another variant of the first.
func (v *readVariant) UnmarshalJSON(data []byte) error {
	var fresh struct {
		Variant
		EAN      soft[string] `json:"ean"`
		Quantity string       `json:"inventoryQuantity"`
	}
	if err := json.Unmarshal(data, &fresh); err != nil {
		return err
	}
	*v = readVariant{fresh.Variant, fresh.EAN.odd}
	v.EAN, v.Policy = fresh.EAN.value, strings.ToUpper(v.Policy)
	if x, err := strconv.ParseFloat(strings.TrimSpace(fresh.Quantity), 64); err == nil && math.Abs(x) < 1<<53 {
		n := int(math.Floor(x)) // a fraction of a unit is none
		v.Quantity = &n
	}
	return nil
}

// Details are what a product or one of its variants says beside.
type Details struct {
	Brand        string   `json:"brand"`
	Weight       string   `json:"weight"`
	Length       string   `json:"length"`
	Width        string   `json:"width"`
	Height       string   `json:"height"`
	Diameter     string   `json:"diameter"`
	Volume       string   `json:"volume"`
	CaseQuantity string   `json:"caseQuantity"`
	MadeIn       string   `json:"madeIn"`
	LeadTime     string   `json:"leadTime"`
	AvailableAt  string   `json:"availableAt"`
	Tags         []string `json:"tags"`
	Materials    []string `json:"filterMaterial"`
}

// A Webhook is a registration: what happens is posted to an address.
type Webhook struct {
	ID          string   `json:"id"`
	CallbackURL string   `json:"callbackUrl"`
	Events      []string `json:"events"` // upper case
	Active      bool     `json:"active"`
}

// A Holder is the account that the token belongs to.
type Holder struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type,omitempty"`
	Slug string `json:"slug,omitempty"`
}

// A Channel is a store that the account feeds, as the marketplace knows it.
type Channel struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	URL  string `json:"url,omitempty"`
}

// A CategoryNode is one category of the tree. Name is in the language asked for where the
// marketplace has it so.
type CategoryNode struct {
	Path   string `json:"path"`
	Parent string `json:"parent,omitempty"` // path of the category above; "" at the root
	Depth  int    `json:"depth,omitempty"`  // levels above it, as the marketplace counts them; 0 where it does not say
	Name   string `json:"name,omitempty"`
}

// A soft value is not essential: of another shape it is odd, and the rest of an answer is read.
type soft[T any] struct {
	value T
	odd   bool
}

func (s *soft[T]) UnmarshalJSON(data []byte) error {
	*s = soft[T]{}
	var fresh T
	if s.odd = json.Unmarshal(data, &fresh) != nil; !s.odd {
		s.value = fresh
	}
	return nil
}

// texts reads an answer into a value whose texts may have been sent as numbers: these are quoted
// before encoding/json sees them.
type texts struct{ into any }

func (t texts) UnmarshalJSON(data []byte) error { return json.Unmarshal(quoteNumbers(data), t.into) }

func quoteNumbers(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/8)
	for i := 0; i < len(data); {
		switch c := data[i]; {
		case c == '"':
			end := i + 1
			for end < len(data) && data[end] != '"' {
				if data[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(data))
			out = append(out, data[i:end]...)
			i = end
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(data) && bytes.IndexByte([]byte("+-.eE0123456789"), data[end]) >= 0 {
				end++
			}
			out = append(append(append(out, '"'), data[i:end]...), '"')
			i = end
		default:
			out = append(out, c)
			i++
		}
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

// next is the cursor of the page after this one. A page that says more follows and does not say
// where, or leads back, is an error, or the rest were lost.
func (p *pageOf[T]) next(after string) (cursor string, more bool, err error) {
	if p == nil {
		return "", false, errors.New("there is no page of the list")
	}
	cursor, more = p.PageInfo.EndCursor, p.PageInfo.HasNextPage
	if more && (cursor == "" || cursor == after) {
		return "", false, errors.New("another page follows, but no cursor leads to it")
	}
	return cursor, more, nil
}

// goesOn is the span of the page after one, without a first where there is none.
func (p *pageOf[T]) goesOn(asked span) (next span, err error) {
	if p == nil {
		return span{}, nil
	}
	end, more, err := p.next(asked.after)
	if err != nil || !more {
		return span{}, err
	}
	return span{first: 1, after: end}, nil
}

// MostPages bounds a list.
const MostPages = 10_000

// ErrEndless says that a list has more than MostPages pages.
var ErrEndless = fmt.Errorf("the marketplace's list has more than %d pages", MostPages)
