// Package shoptest is one shop in memory, for tests: as a Go adapter with chosen abilities, and as an HTTP endpoint.
// A [Reply] makes calls fail, and [Shop.Hand] changes a product as the merchant does.
package shoptest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Abilities are what a shop can do besides being written to. The zero value has none.
type Abilities struct {
	Lists    bool
	Observes bool // its list tells what stands there
	Figures  bool // takes prices and stock alone
	Drafts   bool
	Literal  bool   // writes all that it is given, whatever has changed
	Currency string // that it names; "": none
	VAT      string // percentage added to prices; "": none
}

// Prices says how the shop's prices are entered.
func (c Abilities) Prices() shopadapter.Prices {
	if c.VAT == "" {
		return shopadapter.Prices{}
	}
	return shopadapter.Prices{VAT: c.VAT, Places: 6}
}

// A Shop is a shop in memory, safe for concurrent use.
type Shop struct {
	mu       sync.Mutex
	can      Abilities
	origin   string
	products map[shopadapter.PublicationID]*Product
	made     int
	calls    []Call
	rules    func(Call) Reply
}

// New makes an empty shop.
func New(can Abilities) *Shop {
	return &Shop{can: can, origin: "https://shop.example", products: map[shopadapter.PublicationID]*Product{}}
}

// A Product is what the shop holds of one publication.
type Product struct {
	shopadapter.Product
	Listing shopadapter.ListingID
	OnSale  bool
	Own     bool               // the merchant's, and no publication's
	Deleted bool               // by hand
	Edited  shopadapter.Fields // texts that the merchant changed
	Off     map[string]bool    // variants that the merchant switched off
}

// The methods of a Call.
const (
	Publish = "publish"
	Remove  = "unpublish"
	Figures = "figures"
	List    = "list"
	Check   = "check"
)

// A Call is one request to the shop.
type Call struct {
	Method  string
	ID      shopadapter.PublicationID // "" of List and Check
	Created bool                      // of Publish: there was none
	Changed shopadapter.Fields
	Product shopadapter.Product // of Publish; of Figures only the variants
	Ref     shopadapter.Ref     // as an adapter got it
	How     shopadapter.Removal
	At      time.Time
}

// A Cut says when the answer of a call is lost.
type Cut int

// The cuts.
const (
	Whole Cut = iota
	Before
	After
)

// A Reply says how a call ends. The zero Reply lets it through.
type Reply struct {
	Err     error             // instead of the call
	Status  int               // over HTTP, instead of Err's, unless that is ErrGone or Limited
	Cut     Cut               // done up to there, without an answer
	Wait    time.Duration     // before the call
	Refused map[string]string // variant id -> reason
	Missing []shopadapter.Picture
}

// Rule lets a function decide how calls end; nil lets all through. It is called without the shop's lock.
func (s *Shop) Rule(rule func(Call) Reply) { s.with(func() { s.rules = rule }) }

// Can changes what the shop can do.
func (s *Shop) Can(can Abilities) { s.with(func() { s.can = can }) }

// Move shows the products at another origin, such as https://new.example.
func (s *Shop) Move(origin string) { s.with(func() { s.origin = origin }) }

func (s *Shop) with(part func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	part()
}

func (s *Shop) able() (can Abilities) {
	s.with(func() { can = s.can })
	return can
}

// Get returns a publication's product, if there is one.
func (s *Shop) Get(id string) (p Product, ok bool) {
	s.with(func() {
		if it := s.live(shopadapter.PublicationID(id)); it != nil {
			p, ok = *it, true
		}
	})
	return p, ok
}

// Products returns all products by publication.
func (s *Shop) Products() map[string]Product {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]Product{}
	for id, p := range s.products {
		if !p.Deleted {
			out[string(id)] = *p
		}
	}
	return out
}

// Calls returns the requests so far, in order, or those of the named methods.
func (s *Shop) Calls(methods ...string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if len(methods) == 0 || slices.Contains(methods, c.Method) {
			out = append(out, c)
		}
	}
	return out
}

// Hand changes a product as its merchant does, and reports whether it is there.
func (s *Shop) Hand(id string, change func(*Product)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.products[shopadapter.PublicationID(id)]
	if p == nil {
		return false
	}
	p.Variants, p.Off = slices.Clone(p.Variants), maps.Clone(p.Off)
	if p.Off == nil {
		p.Off = map[string]bool{}
	}
	change(p)
	return true
}

// Add gives the merchant a product, and returns its id.
func (s *Shop) Add(p shopadapter.Product) shopadapter.ListingID {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.next()
	s.products[shopadapter.PublicationID("own "+id)] = &Product{Product: p, Listing: id, OnSale: true, Own: true}
	return id
}

func (s *Shop) next() shopadapter.ListingID {
	s.made++
	return shopadapter.ListingID(fmt.Sprintf("shop-%d", s.made))
}

func (s *Shop) enter(c Call) Reply {
	var rule func(Call) Reply
	s.with(func() {
		c.Created, c.At = c.Method == Publish && s.live(c.ID) == nil, time.Now()
		s.calls, rule = append(s.calls, c), s.rules
	})
	if rule == nil {
		return Reply{}
	}
	return rule(c)
}

func (s *Shop) live(id shopadapter.PublicationID) *Product {
	if p := s.products[id]; p != nil && !p.Deleted {
		return p
	}
	return nil
}

// write writes a product, and keeps the groups that the merchant edited.
func (s *Shop) write(c Call, r Reply) shopadapter.Listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	it := s.live(c.ID)
	created := it == nil
	if created {
		it = &Product{Listing: s.next(), Off: map[string]bool{}}
		s.products[c.ID] = it
	}
	before, stays := it.Product, it.Edited&^c.Ref.Reset
	kept := c.Changed & stays
	it.Edited = stays
	if !created && !s.can.Literal {
		stays |= shopadapter.AllFields &^ c.Changed
	}
	it.Product = s.can.Prices().Product(c.Product).With(stays, before)
	it.OnSale = (it.OnSale || !c.Product.Draft) && len(r.Refused) < len(c.Product.Variants)
	if c.Ref.Revive {
		it.Off = map[string]bool{}
	}
	l := s.listing(it)
	l.Kept, l.Refused = kept, r.Refused
	if c.Changed.Has(shopadapter.FieldImages) && !kept.Has(shopadapter.FieldImages) {
		l.Missing = r.Missing
		it.Images = slices.DeleteFunc(slices.Clone(it.Images), func(address string) bool {
			return slices.ContainsFunc(r.Missing, func(p shopadapter.Picture) bool { return p.URL == address })
		})
	}
	for id := range r.Refused {
		l.Variants = slices.DeleteFunc(l.Variants, func(v shopadapter.ListedVariant) bool { return v.ID == id })
		it.Variants = slices.DeleteFunc(slices.Clone(it.Variants), func(v shopadapter.Variant) bool { return v.ID == id })
	}
	return l
}

func (s *Shop) figures(c Call, r Reply) (l shopadapter.Listing, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it := s.live(c.ID)
	if it == nil || len(r.Refused) > 0 {
		return l, shopadapter.ErrWhole
	}
	p, ok := it.Refigured(s.can.Prices().Product(c.Product))
	if !ok {
		return l, shopadapter.ErrWhole
	}
	if !s.can.Literal {
		p = p.With(shopadapter.AllFields&^c.Changed, it.Product)
	}
	it.Product = p
	return s.listing(it), nil
}

func (s *Shop) listing(it *Product) shopadapter.Listing {
	l := shopadapter.Listing{
		ID: it.Listing, URL: s.address(it.Listing), Draft: !it.OnSale, Variants: []shopadapter.ListedVariant{},
	}
	for _, v := range it.Variants {
		l.Variants = append(l.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: "v-" + v.ID})
	}
	return l
}

func (s *Shop) address(id shopadapter.ListingID) string { return s.origin + "/p/" + string(id) }

func (s *Shop) remove(id shopadapter.PublicationID, how shopadapter.Removal) {
	s.with(func() {
		if it := s.live(id); it != nil && how == shopadapter.Delete {
			delete(s.products, id)
		} else if it != nil {
			it.OnSale = false
		}
	})
}

func (s *Shop) standing() []shopadapter.Listed {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []shopadapter.Listed
	for _, id := range slices.Sorted(maps.Keys(s.products)) {
		it := s.products[id]
		if it.Deleted || it.Own {
			continue
		}
		o := shopadapter.Listed{
			Ref: shopadapter.Ref{Publication: id, Listing: it.Listing},
			Listing: shopadapter.Listing{
				ID: it.Listing, URL: s.address(it.Listing), OnSale: it.OnSale, Images: len(it.Images),
				Compared: shopadapter.TextFields, Edited: it.Edited, Variants: []shopadapter.ListedVariant{},
			},
		}
		for _, v := range it.Variants {
			o.Variants = append(o.Variants, shopadapter.ListedVariant{
				ID: v.ID, SKU: v.SKU, Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders, OnSale: !it.Off[v.ID],
			})
		}
		out = append(out, o)
	}
	return out
}
