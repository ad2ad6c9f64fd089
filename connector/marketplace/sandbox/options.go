package sandbox

import (
	"net/http"
	"strings"
	"time"
)

// The names and secrets of a marketplace where Options has none.
const (
	DefaultToken  = "sandbox-token"
	DefaultSecret = "sandbox-secret"

	DefaultClientID = "sandbox-app"

	defaultAccount      = "sandbox-retailer"
	defaultHeaderPrefix = "X-Service"
	defaultChannelURL   = "https://shop.example"
	defaultLimit        = 1000
	defaultRestoreRate  = 50
	defaultLedger       = 100_000
)

// Options is everything about a marketplace that is settled when it is made. The zero value is the
// specification read at its word: every open type as in its schema, a bucket of 1000 points that
// refills with 50 a second, and no faults.
type Options struct {
	// Identity and credentials.
	Token string // the bearer token that is accepted; DefaultToken when empty
	// the app's: signs the webhooks that were created through the API, and the steps of an
	// installation; DefaultSecret when empty
	Secret       string
	ClientID     string // of the app that can be installed; DefaultClientID when empty
	Account      string // the account's slug, and its id; "sandbox-retailer" when empty
	HeaderPrefix string // of the webhook headers; "X-Service" when empty
	ChannelURL   string // the retailer's store as the channel names it; "https://shop.example" when empty

	// Fields that this marketplace does not have.
	Without []string // root fields that the schema lacks: of channels and categories
	Denied  []string // root fields that the token may not read: an error on the field, and null

	// RedirectURLs are the redirect addresses that the app registered. Empty: every http(s) address
	// is accepted.
	RedirectURLs []string

	// BaseURL is the address this marketplace is reached at, without a trailing slash. It is where
	// the pictures' addresses start, and its path is where the endpoints lie. Empty: the scheme and
	// host of each request.
	BaseURL string

	// The cost bucket.
	Limit        int        // size in points; 1000 when 0
	RestoreRate  float64    // points a second; 50 when 0
	QueryLimit   int        // the most one query may request; Limit when 0, and never more than Limit
	ScalarCost   int        // points of a selected scalar: 0 or 1
	MutationCost int        // points of each mutation beyond those of its fields
	FieldCosts   FieldCosts // points of the fields that cost otherwise than their kind; nil: none does
	// pageInfo counts once per requested entry, as a server without an exception for it would count
	PageInfoMultiplied bool
	Throttle           ThrottleForm // what a request gets that the bucket has no room for

	// The types that the specification leaves open. The zero value of each is the type its schema
	// shows.
	StringIDs   bool       // identifiers are String, not ID
	Status      StatusForm // of a publication, read and reported
	ExtraStatus string     // one more status that a publication may be in, "archived" say; it cannot be reported
	FitImages   bool       // pictures can also be had by the method FIT
	NoOriginals bool       // a picture has no originalUrl
	// NullOriginals tells of which pictures originalUrl is null, by that address; nil: of none
	NullOriginals func(address string) bool
	// Lacks are fields that the schema has not, by their types: "Product.brand"
	Lacks               []string
	DenyProductVariants bool     // the variants of a product are denied, each time they are asked for
	DenyProduct         bool     // the product of a listing is denied, with its id alone too
	StringImageMethod   bool     // method of transformedUrl and thumbnailUrl is String, not an enum
	NoUpdatedAtSort     bool     // publications sort by ID_DESC alone
	NoIntrospection     bool     // __schema and __type are refused
	NoUserErrors        bool     // a report's payload is the publication alone, as it was where refused
	StringReturns       bool     // dropshippingReturns is String, not Boolean
	StringShippingDays  bool     // estimatedShippingDays is String, not Int
	EnumPolicy          bool     // inventoryPolicy is an enum, not String
	EnumEvents          bool     // webhook events are an enum, not String
	Events              []string // the event names that webhooks can be registered for; nil: the specification's
	TerseRefusals       bool     // a refused event is not named: "Events is invalid"
	EnumAccountType     bool     // the account's type is an enum, not String
	Gone                GoneForm // what publication answers for an id that is not on the list
	// a publication's listing is declared non-null; an entry without one is then an error, as
	// GraphQL has it
	ListingRequired bool
	OneShipping     bool     // dropshippingShippingDetails is one object, not a list
	ExtraLanguages  []string // translations beside en and nl, of de and fr

	// Variants is what the list of product variants shows. An import list's own are shown where it
	// is 0.
	Variants VariantList

	// Habits of the server.
	// HTTP status of a document that does not parse or validate; 200 when 0, some servers say 400
	RequestErrorStatus int
	MostAliases        int // the aliases that a request may have; 0: any number, -1: none
	// an optional argument of a list that is sent as an explicit null empties the list
	NullIsEmpty bool
	// how the address of a new webhook is kept and shown; nil: as it was sent
	KeepCallback    func(address string) string
	CreatesInactive bool // a new webhook is not active, whatever was asked for
	// updatedAt is cut to this and may repeat; 0: microseconds, each change of anything later than
	// all before
	UpdatedAtPrecision time.Duration

	// Webhooks.
	// the channel's default webhook, given at signup: unsigned, told of content changes; empty:
	// none
	ChannelWebhookURL string
	ChannelPayload    ChannelPayload    // what the body of a content change names
	WebhookTransport  http.RoundTripper // how deliveries leave; nil: sockets

	// Faults are in force from the start; Inject adds more.
	Faults []Fault
	// Seed makes ids and the dice of the faults repeat.
	Seed uint64
	// LedgerSize is how many entries each ledger keeps, the latest; 100 000 when 0.
	LedgerSize int
}

// FieldCosts are points by a field's name, whatever type it is a field of. What is selected below
// it, and the entries of a connection, come on top.
type FieldCosts map[string]int

// StatusForm is how a publication's status is typed and spelled.
type StatusForm int

// The forms of a status.
const (
	StatusString    StatusForm = iota // String: syncing, success, failed
	StatusEnum                        // an enum of syncing, success, failed
	StatusEnumUpper                   // an enum of SYNCING, SUCCESS, FAILED
)

// GoneForm is the answer of a marketplace that is asked for a publication that is not, or no
// longer, on the list.
type GoneForm int

// The forms of an entry that is gone.
const (
	GoneNull  GoneForm = iota // null
	GoneError                 // null and an error on the field: "Publication not found", with the code NOT_FOUND
	GoneWhole                 // the same error, and all data is null, since the field is declared non-null
)

// ThrottleForm is the answer of a marketplace whose bucket has no room.
type ThrottleForm int

// The forms of being throttled.
const (
	ThrottledInBody   ThrottleForm = iota // 200 with an error whose message is Throttled
	Bare429                               // 429 and a few words of text
	Bare429RetryAfter                     // the same with the seconds to wait in Retry-After
)

// ChannelPayload is what the channel's default webhook, whose body the specification does not show,
// names in its data.
type ChannelPayload int

// The bodies a content change may be announced with.
const (
	NamesProduct     ChannelPayload = iota // data.product.id
	NamesPublication                       // data.publication.id and data.publication.listing.product.id
	NamesListing                           // data.listing.id
	NamesVariant                           // data.productVariant.id and data.productVariant.product.id
	NamesNothing                           // data: {}
)

// withDefaults fills in what was left open, so that no other code asks twice.
func (o Options) withDefaults() Options {
	fill := func(s *string, value string) {
		if *s == "" {
			*s = value
		}
	}
	fill(&o.Token, DefaultToken)
	fill(&o.Secret, DefaultSecret)
	fill(&o.ClientID, DefaultClientID)
	fill(&o.Account, defaultAccount)
	fill(&o.HeaderPrefix, defaultHeaderPrefix)
	fill(&o.ChannelURL, defaultChannelURL)
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	if o.Limit <= 0 {
		o.Limit = defaultLimit
	}
	if o.RestoreRate <= 0 {
		o.RestoreRate = defaultRestoreRate
	}
	if o.QueryLimit <= 0 || o.QueryLimit > o.Limit {
		o.QueryLimit = o.Limit
	}
	if o.RequestErrorStatus == 0 {
		o.RequestErrorStatus = http.StatusOK
	}
	if o.LedgerSize <= 0 {
		o.LedgerSize = defaultLedger
	}
	return o
}
