// Package medusa keeps listings in a Medusa 2 shop, version 2.17 or later, through its Admin API. Its README says
// what the shop needs, and what goes where.
//
// The publication's key, as external_id, finds a product; the note in its metadata proves it. A SKU never counts.
// The handle ends in a digest of the key, and Medusa's handles are unique: a second creation fails while the first
// is under way, and the next call finds the product. The draft gets texts, options and pictures; then come
// variants, quantities and translations. The last write puts the product on sale.
//
// A variant whose choice or SKU changes is replaced: Medusa keeps the SKU a second time, in its inventory. A new
// set of options replaces all variants, with the product out of sale.
package medusa

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Drafts:   true,
		Summary:  "Medusa 2, through the Admin API",
		Settings: settings{},
		Open:     func(o shopadapter.Options) (shopadapter.Adapter, error) { return Open(o) },
	})
}

// An Adapter keeps the products of one sales channel.
type Adapter struct {
	*wire.Client
	base       string // of every address
	vat        string // percent
	set        settings
	shop       *memo.Memo[shop]
	categories sync.Mutex // one maker at a time
}

// Name is the adapter's registered name.
const Name = "medusa"

type settings struct {
	URL           shopadapter.URL        `env:"URL, required" meaning:"the address of the Medusa server; /admin is added"`
	Token         shopadapter.Token      `env:"TOKEN, required" secret:"true" meaning:"a secret API key (Settings, Secret API Keys)"`
	Storefront    kit.Storefront         `env:"STOREFRONT_URL, required" meaning:"the address of a product's page in the storefront, with {handle} in it"`
	SalesChannel  string                 `env:"SALES_CHANNEL" meaning:"id or name of the sales channel to sell in; the store's default when empty"`
	StockLocation string                 `env:"STOCK_LOCATION" meaning:"id or name of the stock location; the store's default, or the only one of the channel, when empty"`
	Currency      shopadapter.Currency   `env:"CURRENCY" meaning:"the currency that prices are written in; the store's default when empty"`
	Weight        string                 `env:"WEIGHT_UNIT, default=g" oneof:"g,kg,lb,oz" meaning:"g, kg, lb or oz: the unit of every weight in this Medusa, which keeps numbers alone"`
	Dimensions    string                 `env:"DIMENSION_UNIT, default=cm" oneof:"cm,mm,m,in,yd" meaning:"cm, mm, m, in or yd: the unit of every length, width and height in this Medusa"`
	Prices        shopadapter.PricesMode `env:"PRICES, default=auto" oneof:"auto,gross,net" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: net where prices in the currency do not include tax (Settings, Store)"`
}

// Open makes the adapter from its settings, without a request.
func Open(o shopadapter.Options) (*Adapter, error) {
	a := &Adapter{vat: o.VATPercent}
	o, err := o.Complete(Name, &a.set)
	if err != nil {
		return nil, err
	}
	token := string(a.set.Token)
	a.base = strings.TrimSuffix(strings.TrimRight(string(a.set.URL), "/"), "/admin") + "/admin/"
	a.Client = wire.New(wire.Options{
		Endpoint: a.base, Peer: "the shop", Transport: o.HTTPClient.Transport, Timeout: o.HTTPClient.Timeout,
		Authorize: func(r *http.Request) { r.SetBasicAuth(token, "") },
		Secrets:   func() []string { return []string{token} },
	})
	a.shop = memo.New(5*time.Minute, a.readShop)
	return a, nil
}

// limits suit a product of two thousand variants, each of some sixty elements.
var limits = wire.Limits{Bytes: 8 << 20, Elements: 150_000}

var words = wire.Words{
	wire.Denied: "Medusa refuses the API key: check PUBSYNC_MEDUSA_TOKEN, which must be a secret key, and the " +
		"rights of who made it",
	wire.Moved:  "the address is redirected: set PUBSYNC_MEDUSA_URL to where Medusa really is",
	wire.Absent: "there is no Medusa 2.17 or later at this address: check PUBSYNC_MEDUSA_URL",
}

// An input is a request's JSON object. Members that it lacks stay as they are.
type input map[string]any

type query map[string]string

type answer struct {
	Product      product       `json:"product"`
	Products     []product     `json:"products"`
	Category     category      `json:"product_category"`
	Categories   []category    `json:"product_categories"`
	Translations []translation `json:"translations"`
	Stores       []store       `json:"stores"`
	Channels     []place       `json:"sales_channels"`
	Locations    []place       `json:"stock_locations"`
	Profiles     []id          `json:"shipping_profiles"`
	Preferences  []preference  `json:"price_preferences"`
	Flags        struct {
		Translation bool `json:"translation"`
	} `json:"feature_flags"`
}

func (a *Adapter) get(ctx context.Context, doing, path string, q query) (got answer, err error) {
	err = a.call(ctx, doing, http.MethodGet, path, q, nil, &got)
	return got, err
}

// post writes, and returns the named fields.
func (a *Adapter) post(ctx context.Context, doing, path, fields string, in input) (got answer, err error) {
	err = a.call(ctx, doing, http.MethodPost, path, query{"fields": fields}, in, &got)
	return got, err
}

func (a *Adapter) call(ctx context.Context, doing, method, path string, q query, body any, into *answer) error {
	values := url.Values{}
	for name, value := range q {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	got, err := a.JSON(ctx, method, a.base+path, body, limits, &into)
	switch {
	case err != nil:
	case got.Status != http.StatusOK && got.Status != http.StatusCreated:
		err = a.refuse(got)
	case into == nil: // null
		err = shopadapter.Retry("the shop's answer is no JSON object")
	default:
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

type refusal struct{ Type, Message string }

func (r *refusal) Error() string { return r.Message }

// refuse returns an answer's error. If the merchant must act, the words say how, and the shop is read again.
func (a *Adapter) refuse(got *wire.Answer) error {
	said := &refusal{}
	if json.Unmarshal(got.Body, said) != nil || said.Message == "" {
		said.Message = string(got.Body)
		if wire.IsPage(got.Body) {
			said.Message = "an HTML page"
		}
	}
	said.Message = a.Clean(said.Message)
	e := got.StatusError(words[got.Means()])
	if e.Err = said; e.Kind != shopadapter.Blocked {
		e.Message += ": " + said.Message
		return e
	}
	a.shop.Forget()
	if said.Type == "not_found" { // deleted during the call
		return shopadapter.Retry("Medusa does not find it any more: %w", said)
	}
	return e
}

// taken reports whether something else has the value of a unique field: handle, sku, ean; "" is any field.
func taken(err error, field string) bool {
	said, refused := errors.AsType[*refusal](err)
	return refused && kit.Rejected(err) && strings.Contains(said.Message, "already exists") &&
		(field == "" || strings.Contains(said.Message, "with "+field+": "))
}

type shop struct {
	currency string // lower case, like Medusa's
	channel  string // id
	location string // id
	profile  string // of shipping
	prices   shopadapter.Prices
	locales  []string // the translation module's
}

// Check reads store, currency, tax, sales channel, stock location and shipping profile anew.
func (a *Adapter) Check(ctx context.Context) (shopadapter.Info, error) {
	s, err := a.shop.Get(ctx, true)
	return shopadapter.Info{
		Currency: strings.ToUpper(s.currency), Prices: s.prices, Figures: true,
		Written: a.set.Weight + a.set.Dimensions,
	}, err
}

type store struct {
	Channel    string `json:"default_sales_channel_id"`
	Location   string `json:"default_location_id"`
	Currencies []struct {
		Code    string `json:"currency_code"`
		Default bool   `json:"is_default"`
	} `json:"supported_currencies"`
	Locales []struct {
		Code string `json:"locale_code"`
	} `json:"supported_locales"`
}

type place struct {
	ID, Name string
	Disabled bool `json:"is_disabled"`
	Channels []id `json:"sales_channels"`
}

type preference struct {
	Currency  string `json:"value"`
	Inclusive bool   `json:"is_tax_inclusive"`
}

type id struct {
	ID string `json:"id"`
}

func (a *Adapter) readShop(ctx context.Context) (s shop, err error) {
	flags, err := a.get(ctx, "read feature flags", "feature-flags", nil)
	if err != nil {
		return s, err
	}
	fields := "id,default_sales_channel_id,default_location_id," +
		"supported_currencies.currency_code,supported_currencies.is_default"
	if flags.Flags.Translation {
		fields += ",supported_locales.locale_code"
	}
	var all answer // each request fills its part
	for path, q := range map[string]query{
		"stores":            {"fields": fields},
		"sales-channels":    {"fields": "id,name,is_disabled", "limit": "200"},
		"stock-locations":   {"fields": "id,name,sales_channels.id", "limit": "200"},
		"shipping-profiles": {"fields": "id", "type": "default"},
		"price-preferences": {"fields": "id,value,is_tax_inclusive", "attribute": "currency_code", "limit": "200"},
	} {
		if err := a.call(ctx, "read shop", http.MethodGet, path, q, nil, &all); err != nil {
			return s, err
		}
	}
	if len(all.Stores) == 0 {
		return s, shopadapter.Retry("Medusa names no store")
	}
	store := all.Stores[0]
	for _, l := range store.Locales {
		s.locales = append(s.locales, l.Code)
	}
	wanted := string(a.set.Currency)
	for _, c := range store.Currencies {
		if strings.EqualFold(wanted, c.Code) || wanted == "" && c.Default {
			s.currency = c.Code
		}
	}
	switch {
	case s.currency == "" && wanted == "":
		return s, block("the store has no default currency: choose one in Medusa (Settings, Store)")
	case s.currency == "":
		return s, block("the store does not sell in %s: add the currency in Medusa (Settings, Store), or change "+
			"PUBSYNC_MEDUSA_CURRENCY", wanted)
	}
	if s.channel, s.location, err = a.places(store, all.Channels, all.Locations); err != nil {
		return s, err
	}
	if len(all.Profiles) == 0 {
		return s, block("Medusa has no shipping profile of the type default: add one (Settings, Locations & Shipping)")
	}
	s.profile = all.Profiles[0].ID
	included := slices.Contains(all.Preferences, preference{s.currency, true})
	const decimals = 6 // of a net price; Medusa keeps all
	s.prices, err = shopadapter.ChoosePrices(Name, a.set.Prices, a.vat, decimals, &included)
	if err != nil && !included {
		err = block("Medusa adds tax to prices in %s, so customers would pay more than the price: switch on tax "+
			"inclusive pricing for the currency (Settings, Store), set PUBSYNC_PRICE_VAT_PERCENT to that tax, or "+
			"PUBSYNC_SHOP_PRICES=gross to have it paid on top", strings.ToUpper(s.currency))
	}
	return s, err
}

func block(format string, args ...any) error { return shopadapter.Block(format, args...).Everywhere() }

// places returns channel and location: by the settings, the store's choice, or the only one that serves the channel.
func (a *Adapter) places(store store, channels, locations []place) (channel, location string, err error) {
	choose := func(list []place, wanted, what, setting, none string) (place, error) {
		return kit.PlaceKind[place]{
			Name: what, Setting: shopadapter.Variable(Name, setting), None: none, Clean: a.Clean,
			Names: func(p place) []string { return []string{p.Name, p.ID} },
		}.Choose(list, wanted)
	}
	sells, err := choose(channels, cmp.Or(a.set.SalesChannel, store.Channel), "sales channel", "SALES_CHANNEL",
		"Medusa has no sales channel: add one (Settings, Sales Channels)")
	switch {
	case err != nil:
		return "", "", err
	case sells.Disabled:
		return "", "", block("the sales channel %q is disabled: enable it in Medusa (Settings, Sales Channels)",
			a.Clean(sells.Name))
	}
	idle := func(p place) bool { return !slices.Contains(p.Channels, id{sells.ID}) }
	wanted := cmp.Or(a.set.StockLocation, store.Location)
	if wanted == "" {
		locations = slices.DeleteFunc(locations, idle)
	}
	holds, err := choose(locations, wanted, "stock location", "STOCK_LOCATION",
		"no stock location serves the sales channel: add one, or connect it, in Medusa (Settings, Locations & Shipping)")
	if err == nil && idle(holds) {
		err = block("the stock location %q does not serve the sales channel, so nothing in it can be bought: connect "+
			"them in Medusa (Settings, Locations & Shipping)", a.Clean(holds.Name))
	}
	return sells.ID, holds.ID, err
}
