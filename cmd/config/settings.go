package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
)

// Settings is every variable of the connector itself; adapters add theirs. Tags and types say what a good value
// is, see [shopadapter.Fill]. config.example.env is made of them, and begins with what most shops set.
type Settings struct {
	MarketplaceURL       shopadapter.URL `env:"MARKETPLACE_URL" group:"What most shops set" meaning:"address of the marketplace's API; operations go to {address}/v1/graphql, or to an address that ends in /graphql"`
	MarketplaceToken     string          `env:"MARKETPLACE_TOKEN" form:"[!-~]+" otherwise:"has a space, a line's end or another character that no token has" secret:"true" of:"account" meaning:"bearer token of a private app or a custom integration"`
	ShopAdapter          string          `env:"SHOP_ADAPTER" meaning:"the shop's adapter; pubsync adapters lists them"`
	MarketplaceLanguages []string        `env:"MARKETPLACE_LANGUAGES, default=en,nl" form:"[a-z]{2}( *, *[a-z]{2})*" otherwise:"is not a list of two-letter languages such as en,nl" rules:"content" meaning:"languages to fetch; the first that has a title is the product's"`
	PriceBase            string          `env:"PRICE_BASE, default=msrp" oneof:"msrp,cost" rules:"figures" meaning:"msrp: msrp x (1 + markup) + add, the msrp includes VAT; cost: cost x (1 + markup) x (1 + VAT) + add"`
	PriceMarkupPercent   decimal.Decimal `env:"PRICE_MARKUP_PERCENT, default=0" range:"-90..1000 %" rules:"figures" meaning:"markup on the base"`
	PriceVATPercent      decimal.Decimal `env:"PRICE_VAT_PERCENT, default=0" range:"0..50 %" rules:"figures" meaning:"VAT put on the cost, and on an msrp that has none in it"`
	PriceEnding          string          `env:"PRICE_ENDING" rules:"figures" meaning:"for example .95: rounds up to the next price with this ending"`
	StockBuffer          int             `env:"STOCK_BUFFER, default=0" range:"0..1000000" rules:"figures" meaning:"units kept back from what the marketplace offers"`
	WebhookListen        string          `env:"WEBHOOK_LISTEN" form:"off|([^:/ ]*|[[][^]/ ]*[]]):(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[0-5]?[0-9]{1,4})" otherwise:"is not an address such as 127.0.0.1:9464 or :8080" of:"process" meaning:"address of the public listener, for example :8080; needs a secret or a path token"`
	WebhookURL           string          `env:"WEBHOOK_URL" meaning:"public address of POST /webhooks, registered with the marketplace"`
	WebhookSecret        string          `env:"WEBHOOK_SECRET" secret:"true" meaning:"the app's shared secret, for signed webhooks on POST /webhooks"`

	MarketplaceForms         string               `env:"MARKETPLACE_FORMS" group:"Marketplace" meaning:"what differs from the specification where the marketplace hides its schema, as doctor says: parts of status=SUCCESS,FAILED connections=edges sort=ID_DESC userErrors=none languages=en method=String"`
	MarketplaceCurrency      shopadapter.Currency `env:"MARKETPLACE_CURRENCY, default=EUR" meaning:"currency of the marketplace's amounts, and so of the shop: nothing is converted"`
	ProductDetails           string               `env:"PRODUCT_DETAILS, default=on" oneof:"on,off" rules:"content" meaning:"brand, sizes, weight, origin, lead time and tags: on, or off"`
	MarketplaceWeightUnit    string               `env:"MARKETPLACE_WEIGHT_UNIT, default=kg" oneof:"kg,g,lb,oz" rules:"content" meaning:"unit of the marketplace's weights: kg, g, lb or oz"`
	MarketplaceDimensionUnit string               `env:"MARKETPLACE_DIMENSION_UNIT, default=cm" oneof:"cm,mm,m,in,yd" rules:"content" meaning:"unit of the marketplace's sizes: cm, mm, m, in or yd"`
	ImageSize                int                  `env:"IMAGE_SIZE, default=1200" range:"100..10000" meaning:"width and height of pictures in pixels; what the shop has stays until a picture changes"`
	ImageMethod              string               `env:"IMAGE_METHOD" oneof:"FIT,FILL,CROP,original" meaning:"how pictures get that size: FIT, FILL, CROP, or original; without it FIT where the marketplace has it"`

	OAuthClientID     string          `env:"OAUTH_CLIENT_ID" group:"Public app, in the place of PUBSYNC_MARKETPLACE_TOKEN" meaning:"the app's client id; the token then comes by installation, and is kept in the store"`
	OAuthClientSecret string          `env:"OAUTH_CLIENT_SECRET" secret:"true" meaning:"the app's client secret; it signs webhooks too, unless PUBSYNC_WEBHOOK_SECRET is set"`
	OAuthAuthURL      shopadapter.URL `env:"OAUTH_AUTH_URL" meaning:"address of the marketplace's OAuth screens; people are sent to {address}/oauth/authorize"`
	OAuthScopes       []string        `env:"OAUTH_SCOPES, default=account_read,products_read" form:"[a-z_]+( *, *[a-z_]+)*" otherwise:"is not a list of scopes such as account_read,products_read" meaning:"rights that the app needs"`

	WebhookEvents       []string `env:"WEBHOOK_EVENTS, default=PUBLICATION_CREATED,PRODUCT_UPDATED,PRODUCT_DELETED" form:"[A-Za-z0-9_./-]+( *, *[A-Za-z0-9_./-]+)*" otherwise:"is not a list of events such as PUBLICATION_CREATED,PRODUCT_UPDATED" group:"Webhooks" meaning:"events to register; one that is not known is left out with a warning"`
	WebhookPathToken    string   `env:"WEBHOOK_PATH_TOKEN" form:"[^/?#% ]+" otherwise:"has a character that does not stand in one part of a path: use letters and digits" secret:"true" meaning:"enables POST /webhooks/{token} for the channel's unsigned webhook, a hint only"`
	WebhookHeaderPrefix string   `env:"WEBHOOK_HEADER_PREFIX, default=X-Service" form:"[A-Za-z0-9-]+" otherwise:"is not the beginning of a header's name such as X-Service" meaning:"prefix of the marketplace's webhook headers"`

	SweepSchedule  schedule                `env:"SWEEP_SCHEDULE, default=*/5 * * * *" group:"Schedules" meaning:"incremental sweep: cron expression in UTC, or @every 5m, shifted by your account's own offset; also runs at start"`
	ResyncSchedule schedule                `env:"RESYNC_SCHEDULE, default=17 * * * *" meaning:"enumerates the whole list, finds removals and lost reports; shifted alike"`
	SweepVariants  publication.VariantMode `env:"SWEEP_VARIANTS, default=auto" oneof:"auto,on,off" meaning:"productVariants as a second source of change: on, off, or auto (where the token may read it and it holds your listings)"`
	RefreshAfter   time.Duration           `env:"REFRESH_AFTER, default=24h" range:"1m.." meaning:"content read longer ago is read again, at the lowest priority"`

	StorePath   string     `env:"STORE_PATH, default=pubsync.db" of:"process" group:"Worker" meaning:"the store's file"`
	StoreURL    string     `env:"STORE_URL" form:"postgres(ql)?://.*" otherwise:"is not the address of a database, which begins with postgres://" secret:"true" of:"process" meaning:"postgres://user:password@host/database: the state in PostgreSQL 15 or newer, not in a file"`
	AccountsDir string     `env:"ACCOUNTS_DIR" of:"process" meaning:"with PUBSYNC_STORE_URL: a folder with a file NAME.env for each account; what it does not set is as the process has it"`
	AccountID   string     `env:"ACCOUNT_ID" of:"account" meaning:"the marketplace's id of this account, where one app serves several"`
	AdminListen string     `env:"ADMIN_LISTEN, default=127.0.0.1:9464" form:"off|([^:/ ]*|[[][^]/ ]*[]]):(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[0-5]?[0-9]{1,4})" otherwise:"is not an address such as 127.0.0.1:9464 or :8080" of:"process" meaning:"address of dashboard, metrics, health and control; off disables them"`
	AdminToken  string     `env:"ADMIN_TOKEN" secret:"true" of:"process" meaning:"asked for where it is set; needed off loopback"`
	Actor       string     `env:"ACTOR" meaning:"the name of who approves or declines, for history; without it that of the system's user"`
	LogLevel    slog.Level `env:"LOG_LEVEL, default=info" of:"process" meaning:"debug, info, warn or error"`
	LogFormat   string     `env:"LOG_FORMAT, default=auto" oneof:"auto,text,json" of:"process" meaning:"auto (colours on a terminal, JSON elsewhere), text or json"`

	AlertURL  string    `env:"ALERT_URL" form:"(?i:https?)://[^/?# ]+([/?#].*)?" otherwise:"is not an absolute http(s) address" secret:"true" group:"Alerts" meaning:"what needs a person is posted here as JSON, with text (Slack, Mattermost) and content (Discord), at most once an hour, and when it is resolved"`
	AlertMail alertMail `env:"ALERT_MAIL" secret:"true" meaning:"the same by mail: smtp://user:password@host:port/?from=a@shop.example&to=b@shop.example, percent-encoded; port 465 is TLS from the beginning"`

	ShopSKUPrefix     string                 `env:"SHOP_SKU_PREFIX" form:".{0,30}" otherwise:"is longer than 30 characters" rules:"content" group:"Shop" meaning:"put before the supplier's SKUs"`
	ShopConcurrency   int                    `env:"SHOP_CONCURRENCY, default=4" range:"1..64" meaning:"publications worked on at a time"`
	ShopCurrency      shopadapter.Currency   `env:"SHOP_CURRENCY" meaning:"currency that the shop sells in, where its adapter cannot tell"`
	ShopPrices        shopadapter.PricesMode `env:"SHOP_PRICES, default=auto" oneof:"auto,gross,net" meaning:"how prices are entered: gross, net (without PUBSYNC_PRICE_VAT_PERCENT), or auto: as the shop says"`
	ShopImageHosts    string                 `env:"SHOP_IMAGE_HOSTS" meaning:"host[:port] list, joined by commas, of private addresses that pictures may come from"`
	ShopWeightUnit    string                 `env:"SHOP_WEIGHT_UNIT" oneof:"g,kg,lb,oz" meaning:"g, kg, lb or oz: the unit of weights in a shop without units; g when empty"`
	ShopDimensionUnit string                 `env:"SHOP_DIMENSION_UNIT" oneof:"cm,mm,m,in,yd" meaning:"cm, mm, m, in or yd: the unit of sizes in a shop without units; cm when empty"`
	ShopKeep          string                 `env:"SHOP_KEEP" rules:"figures" meaning:"written at creation only and yours from then on: of title,description,images,category,price,stock"`
	PublishAs         string                 `env:"PUBLISH_AS, default=live" oneof:"live,draft" rules:"figures" meaning:"live, or draft: new products are complete and not on sale; each is reported once you put it on sale"`

	PriceMSRPVAT             string                    `env:"PRICE_MSRP_VAT, default=included" oneof:"included,excluded" rules:"figures" group:"Prices" meaning:"whether the msrp has VAT in it: included, or excluded: msrp x (1 + markup) x (1 + VAT) + add"`
	PriceNoMSRP              string                    `env:"PRICE_NO_MSRP, default=refuse" oneof:"refuse,cost" rules:"figures" meaning:"a variant without msrp, where the base is msrp: refuse, or cost: cost x (1 + this markup) x (1 + VAT) + add"`
	PriceNoMSRPMarkupPercent decimal.Decimal           `env:"PRICE_NO_MSRP_MARKUP_PERCENT, default=0" range:"-90..1000 %" rules:"figures" meaning:"markup on the cost of a variant without msrp"`
	PriceTiers               string                    `env:"PRICE_TIERS" rules:"figures" meaning:"markup by the base before VAT: 0-10:120%,10-50:80%,50-:50%; a base of 10 is in the tier 10-50"`
	PriceCategories          string                    `env:"PRICE_CATEGORIES" rules:"figures" meaning:"markup by branch of categories, the deepest that fits: GARDEN=+10%; FASHION/SHOES=80%; with a sign it is added to the markup"`
	PriceShipping            publication.ShippingCosts `env:"PRICE_SHIPPING, default=off" oneof:"off,add,floor" rules:"figures" meaning:"the supplier's fixed costs of sending to PUBSYNC_SHIPPING_COUNTRY, with VAT: off, add to the price, or floor: in the lowest price alone. Unless they are known nothing new is sold, and prices stay"`
	ShippingCountry          string                    `env:"SHIPPING_COUNTRY" rules:"figures" meaning:"group of countries of the supplier's costs and times of sending, NL for example"`
	PriceAdd                 decimal.Decimal           `env:"PRICE_ADD, default=0" range:"-1000000..1000000" rules:"figures" meaning:"amount added at the end, in the shop's currency"`
	PriceMinMarginPercent    *decimal.Decimal          `env:"PRICE_MIN_MARGIN_PERCENT" range:"-99..1000000 %" rules:"figures" meaning:"never below cost x (1 + margin) x (1 + VAT); without it never below cost x (1 + VAT)"`

	SkipMarginBelow       *decimal.Decimal `env:"SKIP_MARGIN_BELOW" range:"-99..1000000 %" rules:"figures" group:"What is kept out" meaning:"an entry is kept out while a variant's price without VAT is less than so many percent beyond its cost. What is on sale stays, here and below"`
	SkipStockBelow        int              `env:"SKIP_STOCK_BELOW" range:"1..1000000" rules:"figures" meaning:"an entry is kept out while the supplier has fewer units of all its variants"`
	SkipShippingDaysAbove int              `env:"SKIP_SHIPPING_DAYS_ABOVE" range:"1..365" rules:"figures" meaning:"an entry is kept out while sending it to PUBSYNC_SHIPPING_COUNTRY takes more days"`
	SkipCategories        string           `env:"SKIP_CATEGORIES" rules:"figures" meaning:"branches of categories that are kept out: FASHION/SHOES,GARDEN"`

	OnSoldOut           string                `env:"ON_SOLD_OUT, default=show" oneof:"show,hide" rules:"figures" group:"Removals and brakes" meaning:"a product of which nothing can be bought: show it as sold out, or hide it until the supplier has some"`
	OnRemoved           publication.OnRemoved `env:"ON_REMOVED, default=unpublish" oneof:"unpublish,delete,keep" meaning:"entry gone from the import list: unpublish, delete or keep"`
	OnDrift             string                `env:"ON_DRIFT, default=correct" oneof:"correct,report" meaning:"a price, or a higher quantity, that somebody changed in the shop: correct it, or report (shown, and left)"`
	BrakeRemovedPercent decimal.Decimal       `env:"BRAKE_REMOVED_PERCENT, default=20" range:"0..100 %" meaning:"removals found together are held when those of 24h are more than this share of what is on sale and more than 10, or all of it"`
	BrakePricePercent   decimal.Decimal       `env:"BRAKE_PRICE_PERCENT, default=50" range:"0..1000000 %" meaning:"a price that would move by more than this share is held"`
	BrakeFirstPrice     string                `env:"BRAKE_FIRST_PRICE, default=0.5-3" form:"off|[0-9.]{1,9} *- *[0-9.]{1,9}" otherwise:"is not two numbers, the lower one first, such as 0.5-3, or off" meaning:"a new product or variant priced outside of this many times its msrp with VAT (else its cost with VAT) is held; where the base is cost the upper bound alone counts; off"`
	FailAfter           time.Duration         `env:"FAIL_AFTER, default=24h" range:"1s.." meaning:"what is not on sale for so long for transient or blocked errors, or for want of a title, is reported failed, and tried on"`
}

// Prefix begins the name of every variable.
const Prefix = "PUBSYNC_"

// A Variable is a setting. Its name has the prefix.
type Variable struct {
	shopadapter.Setting
	Group string // set on the first of a group
	// Of says who sets it with several accounts: process, account, or "": the account, else the process
	Of    string
	Rules string // what of a publication it decides: figures, content (all else), or "". Publications follow a change
}

const (
	ofProcess, ofAccount = "process", "account" // values of Variable.Of
	rulesOfFigures       = "figures"
)

// Own returns the connector's own variables.
func Own() (vars []Variable) {
	t := reflect.TypeFor[Settings]()
	for i, s := range shopadapter.SettingsOf(Settings{}) {
		s.Name = Prefix + s.Name
		tag := t.Field(i).Tag
		vars = append(vars, Variable{s, tag.Get("group"), tag.Get("of"), tag.Get("rules")})
	}
	return vars
}

// Variables returns Own, and the variables of each adapter compiled in. It is for reading alone.
var Variables = sync.OnceValue(func() []Variable {
	vars := Own()
	for _, name := range shopadapter.Names() {
		f, _ := shopadapter.Lookup(name)
		group := "Shop adapter " + name + ": " + f.Summary
		for _, s := range f.List() {
			s.Name = shopadapter.Variable(name, s.Name)
			if slices.ContainsFunc(vars, func(v Variable) bool { return v.Name == s.Name }) {
				continue // the shop's, whatever the adapter
			}
			vars = append(vars, Variable{Setting: s, Group: group})
			group = ""
		}
	}
	return vars
})

const exampleHead = `# Settings of pubsync, each with its default. Copy this file, take the # away where you
# set something, and start "pubsync run --env-file FILE". The process environment wins over the file.
# Put values with $ or # in single quotes. A relative path is relative to this file.
# Each secret also has a form that names a file to read: PUBSYNC_MARKETPLACE_TOKEN_FILE=/run/secrets/token.
# It is a regular file, or a link to one, of at most 64 KiB: the secret alone, with at most one newline at its end.
# A worker reads secrets from these files again every ten seconds.
`

// Example returns config.example.env for the adapters compiled in.
func Example() string {
	var b strings.Builder
	b.WriteString(exampleHead)
	for _, v := range Variables() {
		if v.Group != "" {
			fmt.Fprintf(&b, "\n# --- %s ---\n", v.Group)
		}
		b.WriteString(v.Example())
	}
	return b.String()
}

// Example returns the lines of config.example.env for a variable.
func (v Variable) Example() string {
	note := ""
	if v.Required {
		note = " (required)"
	}
	if v.Secret {
		note += " (secret)"
	}
	return fmt.Sprintf("\n# %s%s\n#%s=%s\n", v.Meaning, note, v.Name, v.Default)
}
