package marketplace

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/cost"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// A Reader asks the marketplace and changes nothing there. Its methods may be called from any
// goroutine.
type Reader struct {
	conn         *client.Conn
	manyVariants cost.Extent // how many a listing has
	manyImages   cost.Extent
	contents     contents
	details      bool // contents are read with details
	pictures     form.Picture
	originals    originals
}

// A Client is a Reader that also tells.
type Client struct {
	*Reader
}

// New makes a Client. It contacts nobody: the first call does.
func New(c Config) *Client { return &Client{Reader: NewReader(c)} }

// NewReader makes a Reader. It contacts nobody: the first call does.
func NewReader(c Config) *Reader {
	r := &Reader{conn: client.New(c), details: c.Details, pictures: c.Pictures}
	r.manyVariants.Assumed, r.manyImages.Assumed = cost.AssumedVariants, cost.AssumedImages
	return r
}

// Close gives up the idle connections. Calls that are under way are not disturbed.
func (r *Reader) Close() error { return r.conn.Close() }

// SetToken replaces the bearer token: requests sent from now on carry it. An empty one, or the one
// in use, changes nothing, and that is reported.
func (r *Reader) SetToken(token string) (changed bool) { return r.conn.SetToken(token) }

// Budget is the state of the cost bucket.
func (r *Reader) Budget() pace.Snapshot { return r.conn.Budget() }

// Stats reads the counts.
func (r *Reader) Stats() Stats { return r.conn.Stats() }

// Probe finds out how this server chose what the specification leaves open. The first call of any
// method does so too. A probe that fails, for lack of an answer or of a good token, leaves nothing
// behind: the next call probes anew.
func (r *Reader) Probe(ctx context.Context) (Forms, error) {
	forms, err := r.conn.Known(ctx)
	forms.Languages, forms.Offered = slices.Clone(forms.Languages), slices.Clone(forms.Offered)
	return forms, err
}

// Headroom is the points that stay in the bucket when a request that is not urgent is granted.
func (r *Reader) Headroom() float64 { return r.conn.Headroom() }

// Config says how to reach the marketplace.
type Config = client.Config

// Stats counts what was asked of the marketplace since the Reader was made.
type Stats = client.Stats

// Forms are the choices that this server made where the specification leaves one.
type Forms = form.Forms

// A Picture is a way to ask for the addresses of pictures: see [form.Picture].
type Picture = form.Picture

// The methods of a Picture that are no methods of the marketplace's.
const (
	Uncropped = form.Uncropped
	Original  = form.Original
)

// Endpoint is the address that operations are sent to: see [client.Endpoint].
func Endpoint(address string) string { return client.Endpoint(address) }

// A Said is what PUBSYNC_MARKETPLACE_FORMS says: see [form.Said].
type Said = form.Said

// FormsSetting is the name of that setting.
const FormsSetting = form.Setting

// ParseSaid reads a Said as the setting gives it.
func ParseSaid(text string) (Said, error) { return form.ParseSaid(text) }

// A Meter counts points that were charged. The zero Meter is at zero.
type Meter = client.Meter

// Metered is a context whose calls are counted by the meter as well: what one piece of work costs,
// whatever else goes on.
func Metered(ctx context.Context, m *Meter) context.Context { return client.Metered(ctx, m) }

// Priority orders the requests that wait for points. It is strict: while a more urgent request
// waits, no other is granted.
type Priority = client.Priority

// The priorities, the most urgent first. All but the first leave headroom for it.
const (
	Urgent  = client.Urgent  // what a fresh webhook asks for, and every report
	News    = client.News    // content of new and changed entries
	Sweep   = client.Sweep   // pages of the list
	Resync  = client.Resync  // pages of the complete enumeration
	Refresh = client.Refresh // content that nobody said has changed
)

// An Error is a request that did not end well. Its text holds no secret and at most some 200
// characters of what the server said.
type Error = fault.Error

// Kind says what may be done about an error.
type Kind = fault.Kind

// The kinds of error. An error of this package without a kind of its own is Transient.
const (
	// time mends it: 5xx, no answer or half of one, an answer that is not GraphQL, an error inside
	// the server
	Transient     = fault.Transient
	Throttled     = fault.Throttled     // time mends it: the bucket is empty. The next requests wait in the pacer
	Unauthorized  = fault.Unauthorized  // the merchant mends it: the token is refused
	CursorRefused = fault.CursorRefused // the list must be started over
	Refused       = fault.Refused       // for this publication or this webhook alone
	// the server refuses our request: a setting or pubsync must be mended
	Invalid = fault.Invalid
)

// KindOf is the kind of the [Error] in err's chain, and Transient when there is none.
func KindOf(err error) Kind { return fault.KindOf(err) }
