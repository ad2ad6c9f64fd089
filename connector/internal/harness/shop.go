package harness

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Shop is a shop in memory that remembers every call.
type Shop struct {
	mu       sync.Mutex
	Products map[shopadapter.PublicationID]*Item
	calls    []Call
	// Refuse decides how a call ends before it has any effect; nil lets it through.
	Refuse func(Call) error
	// RefuseVariant gives the reason for which a variant is refused.
	RefuseVariant func(shopadapter.Variant) string
	CheckErr      error                           // how a check ends
	OnPublish     func(shopadapter.PublicationID) // is told of each product that was written; may be nil
	// Miss tells why a picture cannot be shown, and whether it may be later; "" shows it.
	Miss func(address string) (reason string, later bool)
	// Hides says that what was taken out of sale by hand is left so.
	Hides bool
}

// An Item is a product of a Shop.
type Item struct {
	Listing shopadapter.ListingID
	Product shopadapter.Product
	onSale  bool
}

// A Call is one that a Shop has accepted.
type Call struct {
	ID      shopadapter.PublicationID
	Method  string // create, update, unpublish, delete
	Changed shopadapter.Fields
	Product shopadapter.Product
}

const origin = "https://shop.example"

func addressOf(id shopadapter.ListingID) string { return origin + "/p/" + string(id) }

// NewShop makes an empty shop.
func NewShop() *Shop {
	return &Shop{Products: map[shopadapter.PublicationID]*Item{}}
}

// Publish implements shopadapter.Adapter.
func (s *Shop) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.Products[ref.Publication]
	c := Call{ID: ref.Publication, Method: "update", Changed: changed, Product: p}
	if !ok {
		c.Method = "create"
		if ref.Listing != "" {
			return shopadapter.Listing{}, shopadapter.ErrGone
		}
	}
	if s.Refuse != nil {
		if err := s.Refuse(c); err != nil {
			return shopadapter.Listing{}, err
		}
	}
	if ok && s.Hides && ref.OnSale && !it.onSale {
		return shopadapter.Listing{}, shopadapter.ErrHidden
	}
	s.calls = append(s.calls, c)
	if !ok {
		it = &Item{Listing: shopadapter.ListingID(fmt.Sprintf("shop-%d", len(s.Products)+1))}
		s.Products[ref.Publication] = it
	}
	it.Product, it.onSale = p, it.onSale || !p.Draft
	l := shopadapter.Listing{
		Draft:    !it.onSale,
		ID:       it.Listing,
		URL:      addressOf(it.Listing),
		Variants: map[string]string{},
		Refused:  map[string]string{},
	}
	for _, v := range p.Variants {
		l.Variants[v.ID] = "v-" + v.ID
		if s.RefuseVariant != nil {
			if why := s.RefuseVariant(v); why != "" {
				l.Refused[v.ID] = why
			}
		}
	}
	for _, address := range p.Images {
		if s.Miss == nil || !changed.Has(shopadapter.FieldImages) {
			continue
		}
		if why, later := s.Miss(address); why != "" {
			l.Missing = append(l.Missing, shopadapter.Picture{URL: address, Reason: why, Later: later})
		}
	}
	if s.OnPublish != nil {
		s.OnPublish(ref.Publication)
	}
	return l, nil
}

// Unpublish implements shopadapter.Adapter.
func (s *Shop) Unpublish(_ context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Call{ID: ref.Publication, Method: how.String()}
	if s.Refuse != nil {
		if err := s.Refuse(c); err != nil {
			return err
		}
	}
	s.calls = append(s.calls, c)
	if it, ok := s.Products[ref.Publication]; ok {
		it.onSale = false
		if how == shopadapter.Delete {
			delete(s.Products, ref.Publication)
		}
	}
	return nil
}

// Check implements shopadapter.Checker.
func (s *Shop) Check(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.CheckErr
}

// Lock keeps calls out while what decides about them changes.
func (s *Shop) Lock() { s.mu.Lock() }

// Unlock lets calls in again.
func (s *Shop) Unlock() { s.mu.Unlock() }

// ByHand changes the shop as its owner does: deletes a listing, takes it out of sale, or puts it
// back.
func (s *Shop) ByHand(id string, do string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch it := s.Products[shopadapter.PublicationID(id)]; do {
	case "delete":
		delete(s.Products, shopadapter.PublicationID(id))
	case "hide":
		it.onSale = false
	case "show":
		it.onSale = true
	}
}

// Count is the number of calls of a method.
func (s *Shop) Count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.calls {
		if c.Method == method {
			n++
		}
	}
	return n
}

// Since is the calls after the first n.
func (s *Shop) Since(n int) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls[n:])
}

// Get is what the shop shows of a publication, and whether it is on sale.
func (s *Shop) Get(id string) (shopadapter.Product, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.Products[shopadapter.PublicationID(id)]
	if !ok {
		return shopadapter.Product{}, false
	}
	return it.Product, it.onSale
}
