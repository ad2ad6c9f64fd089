package skeleton_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A stall is the merchant's shop. It prints each request that it gets.
type stall struct{ products map[string]*product }

type product struct {
	id, title, note string
	onSale          bool
	variants        []variant
}

type variant struct{ id, mark, price string }

// note is the stamp on a product: whose it is, and what was written last.
type note struct {
	stamp.Owner
	Title stamp.Written `json:"title"`
}

const noteVersion = 1

// An adapter keeps products on the stall. It stands on the skeleton: all that it has of its own are
// the calls below.
type adapter struct{ shop *stall }

func (a adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	return skeleton.Publish(ctx, ref, p, changed, a.open)
}

func (a adapter) open(w *skeleton.Write[variant]) *write {
	return &write{Write: w, shop: a.shop, held: &product{}}
}

// A write is one call of Publish.
type write struct {
	*skeleton.Write[variant]
	shop  *stall
	held  *product // as the shop has it; without an id: not made yet
	note  note
	title string // to write; "" for none
}

func (w *write) Find(context.Context) (found skeleton.Found[variant], err error) {
	for _, p := range w.shop.products {
		n := stamp.Decode[note](p.note, noteVersion)
		if n.Owns(w.Ref.Publication, p.id) {
			w.held, w.note = p, n
			found = skeleton.Found[variant]{ID: p.id, Complete: n.Complete(), Variants: p.variants}
		}
	}
	w.note.Head = stamp.Head{Version: noteVersion, ID: string(w.Ref.Publication)}
	return found, nil
}

func (w *write) Offers(context.Context) ([]string, skeleton.Offer, error) {
	return w.Product.Options, func(v shopadapter.Variant) ([]string, string) {
		if v.Price == "" {
			return nil, "it has no price"
		}
		return skeleton.Values(v, w.Product.Options)
	}, nil
}

func (w *write) Key(held *variant) string { return held.mark }
func (w *write) ID(held *variant) string  { return held.id }

func (w *write) Fits(*variant, skeleton.Planned, bool) bool { return true }

func (w *write) Draft(context.Context) error {
	held, want := stamp.HashText(w.held.title), stamp.HashText(w.Product.Title)
	if w.Decide(shopadapter.FieldTitle, held, want, &w.note.Title) {
		w.title = w.Product.Title
	}
	if w.held.id == "" {
		*w.held = product{id: fmt.Sprint(len(w.shop.products) + 1), title: w.title, note: stamp.Encode(w.note)}
		w.shop.products[w.held.id] = w.held
		fmt.Println("make product", w.held.id)
	}
	return nil
}

func (w *write) PlanOptions() (skeleton.Rework, error)    { return skeleton.Nothing, nil }
func (w *write) WriteOptions(context.Context) error       { return nil }
func (w *write) Remove(context.Context, string) error     { return nil }
func (w *write) Delete(context.Context, []*variant) error { return nil }
func (w *write) Withhold(context.Context) (err error)     { w.held.onSale = false; return nil }
func (w *write) OnSale() bool                             { return w.held.onSale }
func (w *write) Listing() shopadapter.Listing {
	return shopadapter.Listing{ID: shopadapter.ListingID(w.held.id)}
}

func (w *write) Change(context.Context, bool) error {
	for _, v := range w.Variants {
		if !v.Unmade() && w.Changed.Has(shopadapter.FieldPrice) && v.Held.price != v.Price {
			v.Held.price = v.Price
			fmt.Println("price of", v.Held.id, "is", v.Price)
		}
	}
	return nil
}

func (w *write) Make(context.Context) error {
	for _, v := range w.Variants {
		if v.Unmade() {
			id := fmt.Sprint(w.held.id, "-", v.ID)
			w.held.variants = append(w.held.variants, variant{id, stamp.Key(v.ID), v.Price})
			fmt.Println("make variant", id)
		}
	}
	w.Take(w, w.held.variants)
	return nil
}

func (w *write) Sell(context.Context) error {
	if w.title != "" {
		w.held.title = w.title
	}
	w.note.Product = w.held.id
	w.held.note, w.held.onSale = stamp.Encode(w.note), true
	fmt.Println("sell", strings.ToLower(w.held.title))
	return nil
}

// The adapter of a shop that knows products with variants, and prices.
func Example() {
	a := adapter{&stall{map[string]*product{}}}
	lamp := shopadapter.Product{Title: "Lamp", Options: []string{"Color"}, Variants: []shopadapter.Variant{
		{ID: "r", Price: "9.95", Options: []shopadapter.Option{{Name: "Color", Value: "Red"}}},
		{ID: "g", Options: []shopadapter.Option{{Name: "Color", Value: "Green"}}},
	}}
	l, err := a.Publish(context.Background(), shopadapter.Ref{Publication: "P"}, lamp, shopadapter.AllFields)
	fmt.Println(l.Refused, err)

	// The merchant calls it otherwise. The supplier changes title and price.
	a.shop.products["1"].title = "The best lamp"
	lamp.Title, lamp.Variants[0].Price = "Lamp 2", "8.95"
	ref := shopadapter.Ref{Publication: "P", Listing: l.ID, OnSale: true}
	l, err = a.Publish(context.Background(), ref, lamp, shopadapter.FieldTitle|shopadapter.FieldPrice)
	fmt.Println("kept", l.Kept, err)

	// Somebody deletes it.
	a.shop.products = map[string]*product{}
	_, err = a.Publish(context.Background(), ref, lamp.OnlyFigures(), shopadapter.FieldPrice)
	fmt.Println(err)
	// Output:
	// make product 1
	// make variant 1-r
	// sell lamp
	// map[g:it has no price] <nil>
	// price of 1-r is 8.95
	// sell the best lamp
	// kept title <nil>
	// the listing was deleted in the shop
}
