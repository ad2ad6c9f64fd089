package laws

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Harness is a shop, empty but for what the harness itself put there, and the way to open an
// adapter over it. Each law gets a fresh one, or one that slow shops share: ids begin with the law's.
// Only Open and Observe are required. The other functions are abilities: a law that needs a missing
// one is skipped, with the reason that Without must give.
type Harness struct {
	// Open makes an adapter over the shop, as a start of the process does. Every request of the adapter goes
	// through wrap(transport), where transport is what reaches the shop. An adapter that is an io.Closer
	// is closed before the next one is made and at the end of the law.
	Open func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error)

	// Observe reads everything the shop holds, on sale or not, without the adapter and without the
	// wrapped transport. It is called from several goroutines, also while a request is under way.
	// ObserveOne is the same for one publication; nil: Observe is asked.
	Observe    func(ctx context.Context) ([]Seen, error)
	ObserveOne func(ctx context.Context, id shopadapter.PublicationID) ([]Seen, error)

	// Details are the details that the shop keeps and Observe shows, by the names of the http
	// protocol: brand, ean, weight, length, width, height, diameter, volume, origin, leadTime, tags,
	// materials, caseQuantity. Followed are those of them that follow the supplier, as a SKU does,
	// whatever the merchant types. EditDetail gives one another value by hand, of the variant or of the
	// product where the shop keeps it there.
	Details, Followed []string
	EditDetail        func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant, name string) error

	Languages []string             // that the shop keeps beside the product's own, in Seen.Translations
	AddTax    func(percent string) // to each price from now on; adapters know it, and Observe what a visitor pays
	Drafts    bool                 // the adapter leaves a product off sale where Product.Draft asks for it
	Secrets   []string             // what must appear in no error: tokens, passwords, and the forms that are sent
	Prefix    string               // before the id of each publication, in a shop that holds others'

	// NoTransport says that the adapter makes no HTTP requests. Open has a request of its own pass wrap before
	// each durable step, whose error makes that step fail, as if the process had died there.
	NoTransport bool

	// Stride is the distance between two places at which a law lets a call fail: 1, or 0, for each
	// of a call's requests in turn. What fails between the places of a slow shop is not found.
	Stride int

	// Hidden names field groups that the shop does not keep: they are not compared. FieldShipping never
	// is, nor are costs and recommended prices.
	Hidden shopadapter.Fields

	// Image is the address of the n-th picture, for any n >= 1, from where the adapter or the shop
	// can really fetch it; n runs into the thousands. nil: addresses that lead nowhere. Uploads counts
	// the pictures that the shop has taken in so far. LosePicture makes one unavailable, as when its
	// server is down, until back is called. SpoilPicture puts something there, for good, that the shop
	// refuses as a picture.
	Image        func(n int) string
	Uploads      func() int
	LosePicture  func(address string) (back func())
	SpoilPicture func(address string)

	// Visit asks a listing's page as a visitor's browser does: each choice that the page offers,
	// and what it leads to. A page that offers no choice has one without options.
	Visit func(ctx context.Context, listing shopadapter.ListingID) ([]Choice, error)

	// What follows is done as the shop's owner does it in the back office. Edit changes one text
	// group (title, description, images or category), so that Observe shows a difference; it is
	// called for each that is not Hidden. RenameOption and RenameValue give an option, or one of its
	// values, another name in the product and in each of its variants. HideByHand takes a listing out
	// of sale: a draft, private, disabled. DeleteStamp deletes what the adapter knows a listing by,
	// as a plugin or an import of products may; nil: nobody but the adapter can.
	Edit         func(ctx context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error
	RenameOption func(ctx context.Context, listing shopadapter.ListingID, option, name string) error
	RenameValue  func(ctx context.Context, listing shopadapter.ListingID, option, value, name string) error
	DeleteByHand func(ctx context.Context, listing shopadapter.ListingID) error
	HideByHand   func(ctx context.Context, listing shopadapter.ListingID) error
	DeleteStamp  func(ctx context.Context, listing shopadapter.ListingID) error

	// The same of a variant. ReduceByHand offers it for less in the way in which the shop shows a
	// visitor the former price beside it; HideVariantByHand switches it off: the shop keeps it, and
	// no visitor can choose it.
	SetPriceByHand      func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant, price string) error
	SetQuantityByHand   func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant, quantity int) error
	ReduceByHand        func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant, price string) error
	RemoveVariantByHand func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant) error
	HideVariantByHand   func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant) error

	// AddForeign adds a product that the adapter did not make and that looks as much like p as the
	// shop allows: same SKUs, same title, in the place where the adapter would put p. Observe shows
	// it with no Publication.
	AddForeign func(ctx context.Context, p shopadapter.Product) (shopadapter.ListingID, error)

	// RefuseVariant changes p, a copy, so that the shop refuses variant i of it and accepts the
	// others, RefuseProduct so that it refuses p whole.
	RefuseVariant func(p shopadapter.Product, i int) shopadapter.Product
	RefuseProduct func(p shopadapter.Product) shopadapter.Product

	// BreakCredentials makes the shop refuse every request of the adapter, sessions it has already
	// opened included, until mend is called.
	BreakCredentials func() (mend func())

	// Endpoint is nil where the subject is an adapter in Go, for which the laws of the http protocol
	// are skipped.
	Endpoint *Endpoint

	// Without gives, for the id of a law that this shop or adapter cannot be held to, the reason,
	// which is printed where the law is skipped. Where an ability is missing, the reason that is given
	// for one law is good for the others that need it.
	Without map[string]string
}

// A Choice is what a visitor may choose on a listing's page, and what the shop then puts into the
// cart.
type Choice struct {
	Options  map[string]string // option name -> value, as the page shows them
	SKU      string            // "": the choice leads nowhere
	Price    string            // as in SeenVariant
	InStock  bool              // it can be ordered
	Quantity int               // units that can be ordered; -1 where the page does not tell
}

// Seen is a product as the shop holds it.
type Seen struct {
	Listing      shopadapter.ListingID              // the shop's id of it
	Publication  shopadapter.PublicationID          // read from the adapter's stamp; "" for a product that carries none
	OnSale       bool                               // a customer can find and buy it
	Title        string                             // plain text, or escaped as HTML
	Description  string                             // HTML; the text in it is compared
	Category     string                             // the category's path or its name
	Images       []string                           // the addresses the pictures came from, in the order shown
	Variants     []SeenVariant                      // those a customer can choose, in any order
	Translations map[string]shopadapter.Translation // by language: Harness.Languages
	// what the shop keeps once for the product, by the names of Harness.Details: it counts for every variant
	Details map[string]string
}

// SeenVariant is a variant as the shop holds it.
type SeenVariant struct {
	ID         string            // the marketplace's id of the variant
	ShopID     string            // the shop's own id, the one that Listing.Variants gives
	SKU        string            //
	Options    map[string]string // option name -> value; empty where there is nothing to choose
	Price      string            // what the customer pays, a decimal
	Quantity   int               // units that may be sold
	Backorders bool              // may be sold below zero
	// by the names of Harness.Details, decimals in kilograms and centimeters, a list joined by ", "
	Details map[string]string
}

// VisitSeen is the Visit of a fake, whose page leads to what observe shows of the listing.
func VisitSeen(
	observe func(ctx context.Context) ([]Seen, error),
) func(context.Context, shopadapter.ListingID) ([]Choice, error) {
	return func(ctx context.Context, listing shopadapter.ListingID) (choices []Choice, err error) {
		products, err := observe(ctx)
		i := slices.IndexFunc(products, func(s Seen) bool { return s.Listing == listing && s.OnSale })
		if err != nil || i < 0 {
			return nil, errors.Join(err, fmt.Errorf("there is no page of %s", listing))
		}
		for _, v := range products[i].Variants {
			choices = append(choices, Choice{
				Options: v.Options, SKU: v.SKU, Price: v.Price, InStock: v.Quantity > 0 || v.Backorders, Quantity: v.Quantity,
			})
		}
		return choices, nil
	}
}
