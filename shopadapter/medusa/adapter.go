package medusa

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/internal/storefront"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Drafts:   true,
		Summary:  "Medusa 2, through the Admin API",
		Settings: settings{},
		Open:     func(o shopadapter.Options) (shopadapter.Adapter, error) { return Open(o) },
	})
}

// An Adapter is the map from publications to products of one sales channel.
type Adapter struct {
	api        rest.API[answer]
	storefront storefront.Template
	vat        string // shopadapter.Options.VATPercent
	set        settings
	shop       *memo.Memo[shop]
	categories sync.Mutex // one maker of categories at a time
}

var _ shopadapter.Adapter = (*Adapter)(nil)

// Name is what the adapter is registered as.
const Name = "medusa"

// handleMark is where STOREFRONT_URL holds the product's handle.
const handleMark = "{handle}"

type settings struct {
	URL           shopadapter.URL        `env:"URL, required" meaning:"the address of the Medusa server; /admin is added"`
	Token         shopadapter.Token      `env:"TOKEN, required" secret:"true" meaning:"a secret API key (Settings, Secret API Keys)"`
	Storefront    page                   `env:"STOREFRONT_URL, required" meaning:"the address of a product's page in the storefront, with {handle} in it"`
	SalesChannel  string                 `env:"SALES_CHANNEL" meaning:"id or name of the sales channel to sell in; the store's default when empty"`
	StockLocation string                 `env:"STOCK_LOCATION" meaning:"id or name of the stock location; the store's default, or the only one of the channel, when empty"`
	Currency      shopadapter.Currency   `env:"CURRENCY" meaning:"the currency that prices are written in; the store's default when empty"`
	Weight        weightUnit             `env:"WEIGHT_UNIT, default=g" writes:"details" meaning:"g, kg, lb or oz: the unit of every weight in this Medusa, which keeps numbers alone"`
	Dimensions    lengthUnit             `env:"DIMENSION_UNIT, default=cm" writes:"details" meaning:"cm, mm, m, in or yd: the unit of every length, width and height in this Medusa"`
	Prices        shopadapter.PricesMode `env:"PRICES, default=auto" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: net where prices in the currency do not include tax (Settings, Store)"`
}

// A page is the address of every product's page.
type page string

func (p *page) EnvDecode(_ context.Context, value string) error {
	*p = page(value)
	return storefront.Valid(handleMark, "https://shop.example/products/"+handleMark)(value)
}

// Units of weight and of length. Medusa keeps numbers alone: what they count is between the
// merchant, the storefront and who ships. Medusa's own storefront shows weights as grams.
type weightUnit string

func (u *weightUnit) EnvDecode(_ context.Context, value string) error {
	return shopadapter.Choose(u, value, "g", "kg", "lb", "oz")
}

type lengthUnit string

func (u *lengthUnit) EnvDecode(_ context.Context, value string) error {
	return shopadapter.Choose(u, value, "cm", "mm", "m", "in", "yd")
}

// Open makes the adapter from the settings that Register announces. It contacts nobody.
func Open(o shopadapter.Options) (*Adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	token := string(set.Token)
	credential := "Basic " + base64.StdEncoding.EncodeToString([]byte(token+":"))
	a := &Adapter{
		api: rest.API[answer]{Client: &rest.Client{
			HTTP: o.HTTPClient, Base: strings.TrimSuffix(strings.TrimRight(string(set.URL), "/"), "/admin") + "/admin/",
			Header: http.Header{
				"Authorization": {credential},
			}, Limits: limits, Redact: quote.Hider("[token]", token), Words: words,
		}},
		storefront: storefront.Template{Address: string(set.Storefront), Mark: handleMark},
		set:        set, vat: o.VATPercent,
	}
	a.shop, a.api.Judge = memo.New(5*time.Minute, a.readShop), a.judge
	return a, nil
}

// limits bound an answer. A variant has some sixty elements, so a product of two thousand fits.
var limits = jsonlimit.Limits{Bytes: 8 << 20, Elements: 150_000, Depth: 20}

// words are what the merchant has to do.
var words = httpstatus.Words{
	httpstatus.Denied: "Medusa refuses the API key: check PUBSYNC_MEDUSA_TOKEN, which must be a secret key, and the " +
		"rights of who made it",
	httpstatus.Moved:  "the address is redirected: set PUBSYNC_MEDUSA_URL to where Medusa really is",
	httpstatus.Absent: "there is no Medusa 2.17 or later at this address: check PUBSYNC_MEDUSA_URL",
}

// An input is a request's JSON object. A member that is left out stays as it is in the shop.
type input map[string]any

// A query is the part of an address behind the question mark.
type query map[string]string

// An answer is one of Medusa's. Each holds the members that its request is about.
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

// judge looks at a refusal once more. The shop is read again after one that the merchant is to
// mend.
func (a *Adapter) judge(refusal *rest.Refusal, err error) error {
	if shopadapter.Explain(err).Kind != shopadapter.Blocked {
		return err
	}
	a.shop.Forget()
	if refusal.Type == "not_found" {
		return shopadapter.Retry("Medusa does not find it any more: %w", refusal) // deleted while the call went on
	}
	return err
}

// taken reports whether Medusa refuses because the value of a unique field belongs to something
// else: handle, sku, ean. "" stands for any field.
func taken(err error, field string) bool {
	var refusal *rest.Refusal
	return step.Rejected(err) && errors.As(err, &refusal) && strings.Contains(refusal.Message, "already exists") &&
		(field == "" || strings.Contains(refusal.Message, "with "+field+": "))
}
