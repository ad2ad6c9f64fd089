// Package vendure keeps listings in a Vendure shop, version 3.7 or later, through its GraphQL Admin API. The note
// that proves ownership is in custom fields, which only the shop's owner can declare: see [ConfigLines]. They are
// not unique, since Vendure keeps deleted rows.
//
// A product is found by its pubsyncId alone, a variant by its own. Codes of option groups and options come from the
// publication and the value, names of pictures from their address. So the call after a lost answer finds what the
// first one left.
//
// Every variant has one option of each group of its product. While the set of groups changes, or every variant is
// replaced, the product is out of sale. A deleted product stays in Vendure for its orders.
//
// The slug is made when a language is first written, and stays. The category is a value of the private facet
// "pubsync-category", for collections; the brand is one of "brand", for storefronts. Unused assets stay in the
// library, which is the merchant's.
//
// Prices are integers of the shop's precision. A quantity goes to the default stock location; Vendure itself
// subtracts what is allocated to orders.
package vendure

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// ConfigLines declares the adapter's custom fields in vendure-config.ts. The error for missing fields shows it.
const ConfigLines = `customFields: {
  Product: [
    { name: 'pubsyncId', type: 'string', nullable: true, public: false },
    { name: 'pubsyncStamp', type: 'text', nullable: true, public: false },
  ],
  ProductVariant: [
    { name: 'pubsyncId', type: 'string', nullable: true, public: false },
  ],
},`

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Drafts:   true,
		Summary:  "Vendure 3, through the GraphQL Admin API",
		Settings: settings{},
		Open:     func(o shopadapter.Options) (shopadapter.Adapter, error) { return Open(o) },
	})
}

// Name is the adapter's registered name.
const Name = "vendure"

type settings struct {
	URL        shopadapter.URL        `env:"URL, required" meaning:"the Vendure server: its origin (/admin-api is added), or the full address of the Admin API"`
	Username   string                 `env:"USERNAME, required" meaning:"an administrator that may read and write the catalogue"`
	Password   string                 `env:"PASSWORD, required" secret:"true" meaning:"the administrator's password"`
	Channel    string                 `env:"CHANNEL" meaning:"the token of the channel to sell in; the default channel when empty"`
	Prices     shopadapter.PricesMode `env:"PRICES, default=auto" oneof:"auto,gross,net" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: net where the channel's prices do not include tax"`
	Storefront kit.Storefront         `env:"STOREFRONT_URL" meaning:"the address of a product's page with {slug} in it; {the origin of URL}/product/{slug} when empty"`
	Weight     string                 `env:"WEIGHT_UNIT, default=g" oneof:"g,kg,lb,oz" meaning:"g, kg, lb or oz: the unit of the custom field weight of ProductVariant"`
	Dimensions string                 `env:"DIMENSION_UNIT, default=cm" oneof:"cm,mm,m,in,yd" meaning:"cm, mm, m, in or yd: the unit of the custom fields length, width, height and diameter"`
	ImageHosts kit.Hosts              `env:"IMAGE_HOSTS" meaning:"host[:port] list, joined by commas, that pictures may be fetched from although the address is private"`
}

// maxImage bounds a picture, in bytes: Vendure takes 20 MiB unless the owner changed its limit.
const maxImage = 20 << 20

// An Adapter keeps the products of one channel of a Vendure server. It is also an io.Closer.
type Adapter struct {
	set settings
	api string // address
	vat string // percent

	wire    *wire.Client
	session atomic.Pointer[session]
	turn    *semaphore.Weighted // held while the session is replaced

	images  *kit.Fetcher
	uploads [64]*semaphore.Weighted // one upload of an address at a time; by the address's hash
	facets  *semaphore.Weighted     // one maker of facets and values at a time
}

// Open makes the adapter from its settings, without a request.
func Open(o shopadapter.Options) (*Adapter, error) {
	a := &Adapter{turn: semaphore.NewWeighted(1), facets: semaphore.NewWeighted(1), vat: o.VATPercent}
	o, err := o.Complete(Name, &a.set)
	if err != nil {
		return nil, err
	}
	api, origin := endpoint(string(a.set.URL))
	a.api = api
	a.set.Storefront = cmp.Or(a.set.Storefront, kit.Storefront(origin+"/product/{slug}"))
	a.images = kit.NewFetcher(origin, a.set.ImageHosts)
	a.wire = wire.New(wire.Options{
		Endpoint: api, Peer: "the shop", Transport: o.HTTPClient.Transport, Timeout: o.HTTPClient.Timeout,
		Secrets: func() []string { return []string{a.set.Password, a.session.Load().secret} },
		Authorize: func(r *http.Request) {
			if a.set.Channel != "" {
				r.Header.Set("vendure-token", a.set.Channel)
			}
		},
	})
	a.session.Store(&session{})
	for i := range a.uploads {
		a.uploads[i] = semaphore.NewWeighted(1)
	}
	return a, nil
}

func endpoint(setting string) (api, origin string) {
	api = strings.TrimRight(setting, "/")
	scheme, rest, _ := strings.Cut(api, "://")
	host, _, path := strings.Cut(rest, "/")
	if origin = scheme + "://" + host; !path {
		api += "/admin-api"
	}
	return api, origin
}

// Close closes idle connections. Vendure ends the session itself.
func (a *Adapter) Close() error {
	a.images.Close()
	return a.wire.Close()
}

type channel struct {
	Token            string
	Language         string   `json:"defaultLanguageCode"`
	Languages        []string `json:"availableLanguageCodes"`
	Currency         string   `json:"defaultCurrencyCode"`
	DefaultTaxZone   *node
	PricesIncludeTax *bool
}

// A view is one request's look at the shop and some products.
type view struct {
	Channel channel `json:"activeChannel"`
	Global  struct {
		TrackInventory      bool // the default of variants, like the threshold
		OutOfStockThreshold int
		ServerConfig        struct {
			Precision int32          `json:"moneyStrategyPrecision"` // decimal places of an integer price
			Declared  []entityFields `json:"entityCustomFields"`
		}
	} `json:"globalSettings"`
	Products list[product]
}

// expect returns an error if the channel cannot be written to. Vendure with a single channel answers any token with
// that one; without a tax zone it makes no variants.
func (a *Adapter) expect(c channel) error {
	switch {
	case a.set.Channel != "" && c.Token != a.set.Channel:
		return noChannel()
	case c.DefaultTaxZone == nil:
		return shopadapter.Block("the channel has no default tax zone, without which Vendure makes no variants: set one " +
			"in the channel's settings").Everywhere()
	}
	return nil
}

func (a *Adapter) prices(v view) (shopadapter.Prices, error) {
	precision := int(v.Global.ServerConfig.Precision)
	return shopadapter.ChoosePrices(Name, a.set.Prices, a.vat, precision, v.Channel.PricesIncludeTax)
}

// Check checks address, login, custom fields, channel, tax and rights, and changes nothing. Prices are in the
// channel's default currency.
func (a *Adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	var answer struct {
		view
		Me struct {
			Channels []struct {
				Token       string
				Permissions []string
			}
		}
	}
	if err := a.call(ctx, checkDocument, nil, &answer); err != nil {
		return is, err
	}
	if err := a.expect(answer.Channel); err != nil {
		return is, err
	}
	is = shopadapter.Info{Currency: answer.Channel.Currency, Figures: true, Written: a.set.Weight + a.set.Dimensions}
	if is.Prices, err = a.prices(answer.view); err != nil {
		return is, err
	}
	for _, c := range answer.Me.Channels {
		if c.Token != answer.Channel.Token {
			continue
		}
		if missing := missingRights(c.Permissions); len(missing) > 0 {
			return is, shopadapter.Block(
				"the account lacks rights in the channel: give its role %s", strings.Join(missing, ", "),
			).Everywhere()
		}
		return is, nil
	}
	return is, shopadapter.Block("the account has no role in the channel: give it one there").Everywhere()
}

// missingRights returns the rights that a role lacks. Vendure's rights on the whole catalogue include those on its
// parts.
func missingRights(have []string) (missing []string) {
	for _, action := range []string{"Read", "Create", "Update", "Delete"} {
		parts := []string{"Product"}
		if action == "Read" || action == "Create" {
			parts = append(parts, "Asset", "Facet")
		}
		for _, part := range parts {
			if !slices.Contains(have, action+"Catalog") && !slices.Contains(have, action+part) {
				missing = append(missing, action+part)
			}
		}
	}
	return missing
}
