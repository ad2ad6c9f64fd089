package config

import (
	"log/slog"
	"reflect"

	"github.com/pubsync/pubsync/shopadapter"
)

// Settings is every variable of the connector itself. The adapters add theirs. What a good value
// is, its type tells; config.example.env is made from the tags.
type Settings struct {
	MarketplaceURL       shopadapter.URL      `env:"MARKETPLACE_URL" group:"Marketplace" meaning:"address of the marketplace's API; operations go to {address}/v1/graphql, or to the address itself where it ends in /graphql"`
	MarketplaceToken     string               `env:"MARKETPLACE_TOKEN" secret:"true" meaning:"bearer token of a private app or a dropshipping custom integration"`
	MarketplaceLanguages languages            `env:"MARKETPLACE_LANGUAGES, default=en,nl" rules:"content" meaning:"languages to fetch, the preferred first; the first that has a title is the product's"`
	MarketplaceCurrency  shopadapter.Currency `env:"MARKETPLACE_CURRENCY, default=EUR" meaning:"currency of the marketplace's amounts; nothing is converted, so the shop must sell in it"`

	OAuthClientID     string          `env:"OAUTH_CLIENT_ID" group:"Public app, in the place of PUBSYNC_MARKETPLACE_TOKEN" meaning:"the app's client id; with these settings the token comes by installation, and is kept in the store"`
	OAuthClientSecret string          `env:"OAUTH_CLIENT_SECRET" secret:"true" meaning:"the app's client secret; it signs the app's webhooks too, unless PUBSYNC_WEBHOOK_SECRET is set"`
	OAuthAuthURL      shopadapter.URL `env:"OAUTH_AUTH_URL" meaning:"address of the marketplace's OAuth screens; people are sent to {address}/oauth/authorize"`
	OAuthScopes       scopes          `env:"OAUTH_SCOPES, default=account_read,products_read" meaning:"rights that the app asks for, each of which must be granted"`

	WebhookListen       listen       `env:"WEBHOOK_LISTEN" group:"Webhooks" meaning:"address of the public listener, for example :8080; needs a secret or a path token"`
	WebhookURL          callback     `env:"WEBHOOK_URL" meaning:"full public address of POST /webhooks, registered with the marketplace"`
	WebhookEvents       events       `env:"WEBHOOK_EVENTS, default=PUBLICATION_CREATED,PRODUCT_UPDATED,PRODUCT_DELETED" meaning:"events to register; one that the marketplace does not know is left out with a warning"`
	WebhookSecret       string       `env:"WEBHOOK_SECRET" secret:"true" meaning:"the app's shared secret, for signed webhooks on POST /webhooks"`
	WebhookPathToken    string       `env:"WEBHOOK_PATH_TOKEN" secret:"true" meaning:"enables POST /webhooks/{token} for the channel's unsigned default webhook, a hint only"`
	WebhookHeaderPrefix headerPrefix `env:"WEBHOOK_HEADER_PREFIX, default=X-Service" meaning:"prefix of the marketplace's webhook headers"`

	SweepSchedule  schedule `env:"SWEEP_SCHEDULE, default=*/5 * * * *" group:"Schedules" meaning:"incremental sweep: cron expression in UTC, or @every 5m, shifted by your account's own offset (within 60s and a tenth of the interval); also runs at start"`
	ResyncSchedule schedule `env:"RESYNC_SCHEDULE, default=17 * * * *" meaning:"enumerates the whole list, finds removals and lost reports; shifted in the same way"`
	SweepVariants  variants `env:"SWEEP_VARIANTS, default=auto" meaning:"productVariants as a second source of change, for prices and stock that move no publication's updatedAt: on, off, or auto (where the token may read it and it holds your listings)"`
	RefreshAfter   span     `env:"REFRESH_AFTER, default=24h" meaning:"content read longer ago is read again, at the lowest priority"`

	StorePath   string     `env:"STORE_PATH, default=pubsync.db" group:"Worker" meaning:"the store's file; a relative path that an env file sets is relative to that file"`
	AdminListen listen     `env:"ADMIN_LISTEN, default=127.0.0.1:9464" meaning:"address of dashboard, metrics, health and control; off disables them"`
	AdminToken  string     `env:"ADMIN_TOKEN" secret:"true" meaning:"asked for wherever it is set; needed when the admin listener is not on loopback"`
	LogLevel    slog.Level `env:"LOG_LEVEL, default=info" meaning:"debug, info, warn or error"`
	LogFormat   logFormat  `env:"LOG_FORMAT, default=auto" meaning:"auto (colours on a terminal, JSON elsewhere), text or json"`

	ShopAdapter     string               `env:"SHOP_ADAPTER" group:"Shop" meaning:"the shop's adapter; pubsync adapters lists them"`
	ShopSKUPrefix   string               `env:"SHOP_SKU_PREFIX" rules:"content" meaning:"put before the supplier's SKUs"`
	ShopConcurrency workers              `env:"SHOP_CONCURRENCY, default=4" meaning:"publications worked on at a time"`
	ShopCurrency    shopadapter.Currency `env:"SHOP_CURRENCY" meaning:"currency that the shop sells in, where its adapter cannot tell"`
	ShopKeep        keep                 `env:"SHOP_KEEP" rules:"figures" meaning:"written at creation only and yours from then on: of title,description,images,category,price,stock"`

	PriceBase                priceBase `env:"PRICE_BASE, default=msrp" rules:"figures" group:"Prices and stock" meaning:"msrp: msrp x (1 + markup) + add, the msrp includes VAT; cost: cost x (1 + markup) x (1 + VAT) + add"`
	PriceMSRPVAT             msrpVAT   `env:"PRICE_MSRP_VAT, default=included" rules:"figures" meaning:"whether the marketplace's msrp has VAT in it: included (it is not taxed again), or excluded: msrp x (1 + markup) x (1 + VAT) + add"`
	PriceNoMSRP              noMSRP    `env:"PRICE_NO_MSRP, default=refuse" rules:"figures" meaning:"a variant without msrp, where the base is msrp: refuse, or cost: cost x (1 + its own markup) x (1 + VAT) + add"`
	PriceNoMSRPMarkupPercent markup    `env:"PRICE_NO_MSRP_MARKUP_PERCENT, default=0" rules:"figures" meaning:"markup on the cost of a variant without msrp"`
	PriceMarkupPercent       markup    `env:"PRICE_MARKUP_PERCENT, default=0" rules:"figures" meaning:"markup on the base"`
	PriceAdd                 money     `env:"PRICE_ADD, default=0" rules:"figures" meaning:"amount added at the end, in the shop's currency"`
	PriceVATPercent          vat       `env:"PRICE_VAT_PERCENT, default=0" rules:"figures" meaning:"VAT put on the cost, and on an msrp that has none in it"`
	PriceEnding              ending    `env:"PRICE_ENDING" rules:"figures" meaning:"for example .95: rounds up to the next price with this ending"`
	PriceMinMarginPercent    margin    `env:"PRICE_MIN_MARGIN_PERCENT" rules:"figures" meaning:"never below cost x (1 + margin) x (1 + VAT); without it never below cost x (1 + VAT)"`
	StockBuffer              units     `env:"STOCK_BUFFER, default=0" rules:"figures" meaning:"units kept back from what the marketplace offers"`

	OnRemoved           onRemoved `env:"ON_REMOVED, default=unpublish" group:"Removals and brakes" meaning:"entry gone from the import list: unpublish, delete or keep. A listing that is gone while its entry stays is always unpublished"`
	OnDeleted           onDeleted `env:"ON_DELETED, default=keep" meaning:"listing deleted in the shop by hand: keep it deleted, or recreate"`
	BrakeRemovedPercent share     `env:"BRAKE_REMOVED_PERCENT, default=20" meaning:"removals found together are held when they and those of the last 24h are more than this share of what is on sale and more than 10, or all of it"`
	BrakePricePercent   share     `env:"BRAKE_PRICE_PERCENT, default=50" meaning:"a price that would move by more than this share is held"`
	BrakeFirstPrice     bounds    `env:"BRAKE_FIRST_PRICE, default=0.5-3" meaning:"a new product or variant with a price outside of this many times its msrp with VAT (without one: its cost with VAT) is held; where the base is cost the upper bound alone counts; off"`
	ForgetAfter         span      `env:"FORGET_AFTER, default=2160h" meaning:"a withdrawn publication whose entry is gone is forgotten after this; where it is listed again later, its listing is found in the shop"`
	FailAfter           span      `env:"FAIL_AFTER, default=24h" meaning:"what is not on sale for this long for transient or blocked errors, or for want of a title, is reported failed, and tried on"`
}

// Prefix is before every variable.
const Prefix = "PUBSYNC_"

// A Variable is one line of the configuration. Its name has the prefix.
type Variable struct {
	shopadapter.Setting
	Group string // set on the first of a group
	Rules string // what of a publication it decides: figures, content (all else), or "". Publications follow a change
}

// rulesOfFigures marks what decides prices and stock.
const rulesOfFigures = "figures"

// Own is the connector's variables in their order.
func Own() (vars []Variable) {
	t := reflect.TypeFor[Settings]()
	for i, s := range shopadapter.SettingsOf(Settings{}) {
		s.Name = Prefix + s.Name
		vars = append(vars, Variable{s, t.Field(i).Tag.Get("group"), t.Field(i).Tag.Get("rules")})
	}
	return vars
}

// Figures is the names of the variables that decide prices and stock.
func Figures() (names []string) {
	for _, v := range Own() {
		if v.Rules == rulesOfFigures {
			names = append(names, v.Name)
		}
	}
	return names
}

// Variables is every variable: the connector's, and those of each adapter compiled in.
func Variables() []Variable {
	vars := Own()
	for _, name := range shopadapter.Names() {
		f, _ := shopadapter.Lookup(name)
		group := "Shop adapter " + name + ": " + f.Summary
		for _, s := range f.List() {
			s.Name = shopadapter.Variable(name, s.Name)
			vars = append(vars, Variable{Setting: s, Group: group})
			group = ""
		}
	}
	return vars
}
