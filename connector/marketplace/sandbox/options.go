package sandbox

import (
	"cmp"
	"net/http"
	"strings"
	"time"
)

// The names and secrets of a marketplace where Options has none.
const (
	DefaultToken    = "sandbox-token"
	DefaultSecret   = "sandbox-secret"
	DefaultClientID = "sandbox-app"
)

// Options is everything about a marketplace that is settled when it is made. The zero value is the
// specification read at its word.
type Options struct {
	Token      string // the bearer token that is accepted; DefaultToken when empty
	Secret     string // the app's: signs webhooks and the steps of an installation; DefaultSecret when empty
	Account    string // the account's slug, and its id; "sandbox-retailer" when empty
	ChannelURL string // the retailer's store as the channel names it; "https://shop.example" when empty
	BaseURL    string // where the endpoints lie and the pictures' addresses start; empty: the host of each request

	// The cost bucket.
	Limit              int            // its size in points; 1000 when 0
	RestoreRate        float64        // points a second; 50 when 0
	QueryLimit         int            // the most one query may request; Limit when 0, and never more
	ScalarCost         int            // points of a selected scalar: 0 or 1
	FieldCosts         map[string]int // points of one value of a field, by its name, where they are other than its kind's
	PageInfoMultiplied bool           // pageInfo counts once per requested entry
	Throttle           ThrottleForm   // the answer where the bucket has no room

	// What the specification leaves open.
	StringIDs         bool        // identifiers are String, not ID
	Status            StatusForm  // of a publication, read and reported
	StringImageMethod bool        // method of transformedUrl and thumbnailUrl is String, not an enum
	NoUpdatedAtSort   bool        // publications sort by ID_DESC alone
	NoIntrospection   bool        // __schema and __type are refused
	NoUserErrors      bool        // a report's payload is the publication alone, as it was where refused
	EnumEvents        bool        // webhook events are an enum, not String
	ExtraLanguages    []string    // translations beside en and nl, of de and fr
	Gone              GoneForm    // what publication answers for an id that is not on the list
	Schema            [][2]string // further edits of the schema's text: a part, and what stands there instead
	Lacks             []string    // fields that the schema has not, by their types: "Product.brand"
	Denied            []string    // fields that the token may not read: "account", "Product.variants"
	Variants          VariantList // what the list of product variants shows

	// Habits of the server.
	RequestErrorStatus int                         // of a document that is not valid; 200 when 0, some say 400
	NoAliases          bool                        // a request with an alias is refused
	NullIsEmpty        bool                        // an explicit null for an optional argument empties a list
	Events             []string                    // that webhooks can be registered for; nil: the specification's
	TerseRefusals      bool                        // a refused event is not named: "Events is invalid"
	KeepCallback       func(address string) string // how a new webhook's address is kept; nil: as it was sent
	CreatesInactive    bool                        // a new webhook is not active, whatever was asked for
	UpdatedAtPrecision time.Duration               // updatedAt is cut to this and may repeat; 0: it never does

	ChannelWebhookURL string            // of the channel's default webhook, unsigned; empty: none
	WebhookTransport  http.RoundTripper // how deliveries leave; nil: sockets
	Faults            []Fault           // in force from the start; Inject adds more
	Seed              uint64            // makes ids and the dice of the faults repeat
}

// StatusForm is how a publication's status is typed and spelled.
type StatusForm int

// The forms of a status.
const (
	StatusString    StatusForm = iota // String: syncing, success, failed
	StatusEnum                        // an enum of syncing, success, failed
	StatusEnumUpper                   // an enum of SYNCING, SUCCESS, FAILED
)

// GoneForm is the answer for a publication that is not, or no longer, on the list.
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
	ThrottledInBody ThrottleForm = iota // 200 with an error whose message is Throttled
	Bare429                             // 429 and a few words of text
)

// VariantList is what the list of product variants shows.
type VariantList int

// What the list may show.
const (
	VariantsOfListings VariantList = iota // the variants behind the import list
	VariantsRefused                       // nothing: the token may not read it
	VariantsOfOthers                      // a product of the account's own, which no import list has
	VariantsFailing                       // nothing: each request for it fails
)

// withDefaults fills in what was left open, so that no other code asks twice.
func (o Options) withDefaults() Options {
	o.Token, o.Secret = cmp.Or(o.Token, DefaultToken), cmp.Or(o.Secret, DefaultSecret)
	o.Account = cmp.Or(o.Account, "sandbox-retailer")
	o.ChannelURL, o.BaseURL = cmp.Or(o.ChannelURL, "https://shop.example"), strings.TrimRight(o.BaseURL, "/")
	o.Limit, o.RestoreRate = cmp.Or(o.Limit, 1000), cmp.Or(o.RestoreRate, 50)
	o.QueryLimit = min(cmp.Or(o.QueryLimit, o.Limit), o.Limit)
	o.RequestErrorStatus = cmp.Or(o.RequestErrorStatus, http.StatusOK)
	if o.Events == nil {
		o.Events = []string{
			"PRODUCT_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED", "ORDER_CREATED", "ORDER_CONFIRMED", "ORDER_UPDATED",
			"ORDER_CANCELLED", "INVOICE_CREATED", "PUBLICATION_CREATED",
		}
	}
	return o
}
