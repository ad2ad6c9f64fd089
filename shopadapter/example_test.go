package shopadapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A shelf is the merchant's shop: it gives its products ids of its own, and it lets a client keep
// private notes on them.
type shelf struct {
	mu       sync.Mutex
	next     int
	products map[shopadapter.ListingID]item
}

type item struct {
	title    string
	variants map[string]shopadapter.Variant
	onSale   bool
	// The note is what the adapter writes on the product and reads again. It is written with the title
	// in one step, so that the title it speaks of is always the one that was written. The shop never
	// looks at it.
	note string
}

// A note says whose a product is, and what was written of its title last.
type note struct {
	kit.Note
	Title kit.Written `json:"title"`
}

func (it item) read() (n note) {
	_ = json.Unmarshal([]byte(it.note), &n) // no note: the product is the merchant's
	return n
}

// A shelfAdapter keeps products on a shelf. It is small, and whole: it is what an adapter for a
// real shop has to do.
type shelfAdapter struct{ shelf *shelf }

// Publish is the map's put.
func (a shelfAdapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	if p.Figures {
		return shopadapter.Listing{}, shopadapter.ErrWhole // the caller reads the product, and comes again
	}
	a.shelf.mu.Lock()
	defer a.shelf.mu.Unlock()

	id, it, found := a.find(ref)
	note := it.read()
	note.Version, note.ID = 1, string(ref.Publication)
	merge := kit.NewMerge(ref, changed)
	switch {
	case !found && ref.Listing != "":
		// the merchant took it away: that is for the merchant to decide
		return shopadapter.Listing{}, shopadapter.ErrGone
	case !found:
		a.shelf.next++
		id = shopadapter.ListingID(fmt.Sprint("item-", a.shelf.next))
		merge.Changed, merge.Own = shopadapter.AllFields, true
	}
	l := shopadapter.Listing{ID: id, URL: page(id), Refused: map[string]string{}}

	// A title that is not the one that the adapter wrote is the merchant's.
	if merge.Decide(shopadapter.FieldTitle, kit.HashText(it.title), kit.HashText(p.Title), &note.Title) {
		it.title = p.Title
	}
	it.note, l.Kept = kit.Encode(note), merge.Kept()

	// a new map: a variant that is gone from the product is gone from the shelf
	variants := map[string]shopadapter.Variant{}
	for _, v := range p.Variants {
		if v.Price == "0.00" {
			l.Refused[v.ID] = "nothing on this shelf is free"
			continue
		}
		old, there := it.variants[v.ID]
		groups := merge.Changed
		if !there {
			old.ID, groups = v.ID, shopadapter.AllFields // a variant that is new is written whole
		}
		variants[v.ID] = overwrite(old, v, groups)
		l.Variants = append(l.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: string(id) + "/" + v.ID})
	}
	it.variants = variants
	it.onSale = len(variants) > 0 // last, when everything else is in place
	a.shelf.products[id] = it
	if !it.onSale {
		return l, shopadapter.Reject("the shelf refuses every variant")
	}
	return l, nil
}

// overwrite is old with what changed taken from v.
func overwrite(old, v shopadapter.Variant, changed shopadapter.Fields) shopadapter.Variant {
	if changed.Has(shopadapter.FieldVariants) {
		old.Title, old.SKU, old.EAN, old.Options = v.Title, v.SKU, v.EAN, slices.Clone(v.Options)
	}
	if changed.Has(shopadapter.FieldPrice) {
		old.Price, old.Cost, old.MSRP = v.Price, v.Cost, v.MSRP
	}
	if changed.Has(shopadapter.FieldStock) {
		old.Quantity, old.Backorders = v.Quantity, v.Backorders
	}
	return old
}

// Unpublish is the map's delete. What is not there needs no deleting.
func (a shelfAdapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	a.shelf.mu.Lock()
	defer a.shelf.mu.Unlock()
	id, it, found := a.find(ref)
	switch {
	case !found:
	case how == shopadapter.Delete:
		delete(a.shelf.products, id)
	default:
		it.onSale = false
		a.shelf.products[id] = it
	}
	return "", nil
}

// find looks where the hint points and then everywhere. The note decides whose a product is, never
// the hint.
func (a shelfAdapter) find(ref shopadapter.Ref) (shopadapter.ListingID, item, bool) {
	if it, ok := a.shelf.products[ref.Listing]; ok && it.publication() == ref.Publication {
		return ref.Listing, it, true
	}
	for id, it := range a.shelf.products {
		if it.publication() == ref.Publication {
			return id, it, true
		}
	}
	return "", item{}, false
}

// publication is whose the product is, "" where no adapter has written a note on it.
func (it item) publication() shopadapter.PublicationID {
	return shopadapter.PublicationID(it.read().ID)
}

// List reads the map. What the shelf holds now is told as it is: the caller knows what was written.
func (a shelfAdapter) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		a.shelf.mu.Lock()
		products := maps.Clone(a.shelf.products)
		a.shelf.mu.Unlock()
		for id, it := range products {
			if it.publication() != "" && q.Wants(it.publication()) && !yield(listed(id, it), nil) {
				return
			}
		}
	}
}

// listed is an item as it stands on the shelf, and whether its title is still the one that was
// written.
func listed(id shopadapter.ListingID, it item) shopadapter.Listed {
	var texts kit.Comparison
	texts.Compare(shopadapter.FieldTitle, kit.HashText(it.title), it.read().Title)
	l := shopadapter.Listed{Ref: shopadapter.Ref{Publication: it.publication(), Listing: id}}
	l.Listing = shopadapter.Listing{
		ID: id, URL: page(id), OnSale: it.onSale, Images: -1, Compared: texts.Compared, Edited: texts.Edited,
		Variants: []shopadapter.ListedVariant{},
	}
	for _, v := range it.variants {
		l.Variants = append(l.Variants, shopadapter.ListedVariant{
			ID: v.ID, ShopID: string(id) + "/" + v.ID, SKU: v.SKU, Price: v.Price, Quantity: v.Quantity,
			Backorders: v.Backorders, OnSale: true,
		})
	}
	return l
}

// page is where a customer sees an item.
func page(id shopadapter.ListingID) string { return "https://shelf.example.com/" + string(id) }

// Check says that the shelf is there. It names no currency, and takes no figures alone.
func (a shelfAdapter) Check(ctx context.Context) (shopadapter.Info, error) {
	return shopadapter.Info{}, ctx.Err()
}

// settings are PUBSYNC_SHELF_LABEL alone.
type settings struct {
	Label label `env:"LABEL, default=top" meaning:"which shelf"`
}

// A label tells itself what a good value is.
type label string

func (l *label) EnvDecode(_ context.Context, value string) error {
	if *l = label(value); strings.TrimSpace(value) != value {
		return errors.New("must not begin or end with a space")
	}
	return nil
}

// The binary imports the adapter's package for this, and PUBSYNC_SHOP_ADAPTER=shelf selects it.
func init() {
	shopadapter.Register("shelf", shopadapter.Factory{
		Summary:  "a shelf in memory",
		Settings: settings{},
		Open: func(o shopadapter.Options) (shopadapter.Adapter, error) {
			var set settings
			o, err := o.Complete("shelf", &set)
			if err != nil {
				return nil, err
			}
			o.Logger.Debug("shelf opened", "label", set.Label)
			return shelfAdapter{&shelf{products: map[shopadapter.ListingID]item{}}}, nil
		},
	})
}

func Example() {
	adapter, err := shopadapter.Open("shelf", shopadapter.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	shop := adapter.(shelfAdapter).shelf
	ctx := context.Background()
	product := shopadapter.Product{
		ID: "pub-1", Title: "Reading lamp",
		Variants: []shopadapter.Variant{{ID: "v1", Price: "19.95", Quantity: 3}, {ID: "v2", Price: "0.00"}},
	}
	ref := shopadapter.Ref{Publication: product.ID}

	listing, err := adapter.Publish(ctx, ref, product, shopadapter.AllFields)
	fmt.Println(listing.ID, listing.ShopIDs(), listing.Refused, err)

	// The answer was lost, and the hint with it: the same call again finds what it made.
	listing, err = adapter.Publish(ctx, ref, product, shopadapter.AllFields)
	fmt.Println(listing.ID, len(shop.products), err)

	// The merchant writes a better title, and the supplier changes title and price.
	edited := shop.products[listing.ID]
	edited.title = "A lamp for long evenings"
	shop.products[listing.ID] = edited
	product.Title, product.Variants[0].Price = "Reading lamp II", "21.95"
	ref.Listing = listing.ID
	listing, err = adapter.Publish(ctx, ref, product, shopadapter.FieldTitle|shopadapter.FieldPrice)
	fmt.Println(
		shop.products[listing.ID].title, shop.products[listing.ID].variants["v1"].Price, "kept:", listing.Kept,
		err,
	)

	// The merchant takes it away by hand.
	delete(shop.products, listing.ID)
	_, err = adapter.Publish(ctx, ref, product, shopadapter.FieldPrice)
	fmt.Println(err)

	// Output:
	// item-1 map[v1:item-1/v1] map[v2:nothing on this shelf is free] <nil>
	// item-1 1 <nil>
	// A lamp for long evenings 21.95 kept: title <nil>
	// the listing was deleted in the shop
}
