package laws

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Harness is a shop, empty but for what the harness put there, and the way to open an adapter over it. Laws may
// share a slow shop: publication ids begin with Prefix and the law's ID. A law that needs a missing function is
// skipped, with a reason from Without; Open and Observe are required.
type Harness struct {
	// Open makes an adapter, as a new process does. All its requests pass wrap(transport), where transport reaches the
	// shop. An io.Closer is closed before the next Open and at the end of the law.
	Open func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error)

	// Observe reads all that the shop holds, on sale or not, without the adapter and the wrapped transport. It is called
	// concurrently, also during a request. ObserveOne reads one publication; nil: Observe does.
	Observe    func(ctx context.Context) ([]Seen, error)
	ObserveOne func(ctx context.Context, id shopadapter.PublicationID) ([]Seen, error)

	// Details are those that the shop keeps and Observe shows, by the http protocol's names: brand, ean, weight, length,
	// width, height, diameter, volume, origin, leadTime, tags, materials, caseQuantity. Followed ones follow the
	// supplier, whatever the merchant types. EditDetail changes one by hand, of the variant or of the product.
	Details, Followed []string
	EditDetail        func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant, name string) error

	Languages []string             // beside the product's own, in Seen.Translations
	AddTax    func(percent string) // to prices from now on: Check tells it, Observe shows prices with it
	Drafts    bool                 // the adapter obeys Product.Draft
	Secrets   []string             // must appear in no error: tokens, passwords, the forms sent
	Prefix    string               // of publication ids, in a shared shop

	// NoTransport says that the adapter makes no HTTP requests. Open then sends one of its own through wrap before each
	// durable step; its error makes the step fail, as if the process had died there.
	NoTransport bool

	// Stride is the distance between requests that a law lets fail: 1, or 0, takes each. Failures between are not found.
	Stride int

	// Hidden groups are not kept by the shop, nor compared, as shipping, costs and recommended prices never are.
	Hidden shopadapter.Fields

	// Image is the address of the n-th picture, n >= 1 and into the thousands, where it can be fetched; nil: addresses
	// that lead nowhere. Uploads counts the pictures that the shop took in. LosePicture makes one unavailable until back
	// is called. SpoilPicture puts at an address, for good, what the shop refuses as a picture.
	Image        func(n int) string
	Uploads      func() int
	LosePicture  func(address string) (back func())
	SpoilPicture func(address string)

	// Visit asks a page, as a browser does, for each choice and what it leads to. A page without choices gives one
	// Choice without Options.
	Visit func(ctx context.Context, listing shopadapter.ListingID) ([]Choice, error)

	// The shop's owner does these in the back office. Edit changes one text group that is not Hidden (title,
	// description, images or category), so that Observe shows it. RenameOption and RenameValue also rename in each
	// variant. HideByHand makes a listing a draft, private or disabled. DeleteStamp deletes what the adapter knows a
	// listing by, as a plugin or an import may; nil: only the adapter can.
	Edit         func(ctx context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error
	RenameOption func(ctx context.Context, listing shopadapter.ListingID, option, name string) error
	RenameValue  func(ctx context.Context, listing shopadapter.ListingID, option, value, name string) error
	DeleteByHand func(ctx context.Context, listing shopadapter.ListingID) error
	HideByHand   func(ctx context.Context, listing shopadapter.ListingID) error
	DeleteStamp  func(ctx context.Context, listing shopadapter.ListingID) error

	// The same for a variant. ReduceByHand shows the former price beside a lower one. HideVariantByHand keeps the
	// variant, but no visitor can choose it.
	SetPriceByHand      func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant, price string) error
	SetQuantityByHand   func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant, quantity int) error
	ReduceByHand        func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant, price string) error
	RemoveVariantByHand func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant) error
	HideVariantByHand   func(ctx context.Context, listing shopadapter.ListingID, v SeenVariant) error

	// AddForeign adds a product that is not the adapter's and resembles p: same SKUs and title, where the adapter
	// would put p. Observe shows it without Publication.
	AddForeign func(ctx context.Context, p shopadapter.Product) (shopadapter.ListingID, error)

	// RefuseVariant changes p, a copy, so that the shop refuses only variant i of it, RefuseProduct so that it refuses p
	// whole.
	RefuseVariant func(p shopadapter.Product, i int) shopadapter.Product
	RefuseProduct func(p shopadapter.Product) shopadapter.Product

	// BreakCredentials makes the shop refuse all requests of the adapter, also in open sessions, until mend is called.
	BreakCredentials func() (mend func())

	// Endpoint is nil for an adapter in Go.
	Endpoint *Endpoint

	// Without gives the printed reason to skip a law, by its id. It serves all laws that need the same ability.
	Without map[string]string
}

// A Choice is what a page offers, and what then goes into the cart.
type Choice struct {
	Options  map[string]string // option name -> value, as shown
	SKU      string            // "": the choice leads nowhere
	Price    string            // as in SeenVariant
	InStock  bool              // can be ordered
	Quantity int               // units to order; -1: not told
}

// Seen is a product as the shop holds it.
type Seen struct {
	Listing      shopadapter.ListingID              // the shop's id
	Publication  shopadapter.PublicationID          // read from the adapter's stamp; "" for a product that carries none
	OnSale       bool                               // a customer can find and buy it
	Title        string                             // plain text, or escaped as HTML
	Description  string                             // HTML; its text is compared
	Category     string                             // path or name
	Images       []string                           // source addresses, in the order shown
	Variants     []SeenVariant                      // those that can be chosen, in any order
	Translations map[string]shopadapter.Translation // by language: Harness.Languages
	// by Harness.Details' names, what the shop keeps once for all variants
	Details map[string]string
}

// SeenVariant is a variant as the shop holds it.
type SeenVariant struct {
	ID         string // the marketplace's id
	ShopID     string // the shop's id, as in Listing.Variants
	SKU        string
	Options    map[string]string // option name -> value; empty without a choice
	Price      string            // what the customer pays, a decimal
	Quantity   int
	Backorders bool
	// by Harness.Details' names; decimals in kilograms and centimeters, lists joined by ", "
	Details map[string]string
}

// VisitSeen is a fake's Visit, whose page leads to what observe shows.
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
