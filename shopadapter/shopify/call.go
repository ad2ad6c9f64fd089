package shopify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// An input is a GraphQL input object, or the variables of a request. What is left out of it stays
// as it is.
type input map[string]any

// A request is one document on its way.
type request struct {
	doing     string // names the step in an error
	document  string // one operation, named, and its fragments
	variables input
	estimate  float64 // points
	priority  int     // idle: no write waits for it
}

// operation is the name of the document's operation. Shopify refuses a request whose operationName
// is not in the document, so the name is read from there and kept nowhere else.
func (r request) operation() string {
	_, name, _ := strings.Cut(r.document, " ")
	if end := strings.IndexAny(name, "( {"); end >= 0 {
		name = name[:end]
	}
	return name
}

// idle is the priority of a request that no write waits for.
const idle = 1

// headroom is the points that an idle request leaves in the bucket.
func headroom(priority int, limit float64) float64 {
	if priority == idle {
		return limit / 2
	}
	return 0
}

// Shopify's own words on what an input costs (the schema's descriptions), in points. An estimate says what
// a request may cost, since the shop tells it only in its answer.
const (
	costMutation  = 16.0 // ten, and the product that it shows
	costVariant   = 0.2
	costMetafield = 0.4
	costFile      = 1.9
)

// An answer holds what any of the adapter's documents asks for.
type answer struct {
	Installation installation   `json:"currentAppInstallation"`
	Shop         about          `json:"shop"`
	Location     *place         `json:"location"`
	Locations    nodes[place]   `json:"locations"`
	Publications nodes[channel] `json:"publications"`
	Locales      []locale       `json:"shopLocales"`
	Definition   *definition    `json:"metafieldDefinition"`

	Product      *product   `json:"product"`
	Nodes        []*product `json:"nodes"`
	Translatable *product   `json:"translatableResource"`
	Operation    *operation `json:"productOperation"`

	Define    *payload `json:"metafieldDefinitionCreate"`
	Update    *payload `json:"update"`
	Set       *payload `json:"set"`
	Translate *payload `json:"translate"`
	Publish   *payload `json:"publish"`
	Delete    *payload `json:"productDelete"`

	version string // of the API, that it was served with
}

// mostThrottles bounds how often one request is sent again after the bucket was empty. Each time
// the pacer has waited for its points.
const mostThrottles = 6

// call runs the request. The answer beside an error is empty. A metafield definition that the shop does
// not have, or no longer, is made: products that still carry their keys are found by a new one.
func (a *Adapter) call(ctx context.Context, r request) (*answer, error) {
	made := false
	for attempt := 1; ; attempt++ {
		got, err := a.send(ctx, r)
		switch lacks := lacksDefinition(err) && !made; {
		case err == nil:
			return got, nil
		case lacks:
			made = true
			if err := a.define(ctx); err != nil {
				return &answer{}, err
			}
		case attempt == mostThrottles || codeOf(err) != codeThrottled:
			return &answer{}, fmt.Errorf("%s: %w", r.doing, err)
		}
	}
}

// send runs the request once. It reserves the points for it first.
func (a *Adapter) send(ctx context.Context, r request) (*answer, error) {
	reserved, err := a.pacer.Reserve(ctx, r.estimate, r.priority)
	if tooLarge := (*pace.TooLargeError)(nil); errors.As(err, &tooLarge) {
		// The estimate may be too high. The shop's answer states the real cost.
		reserved, err = a.pacer.Reserve(ctx, tooLarge.Limit, r.priority)
	}
	if err != nil {
		return nil, err
	}
	defer reserved.Lost() // every known end below comes first

	q := wire.Query{Name: r.operation(), Text: r.document, Variables: r.variables}
	// A description alone may be half a megabyte, and a write shows it twice; a page of two hundred
	// variants has some four thousand elements, and what is refused is told variant by variant.
	q.Limits.Bytes, q.Limits.Elements = 4<<20, 40_000
	var out answer
	got, err := a.wire.GraphQL(ctx, q, &out)
	paid := readBill(got.Extensions)
	if failed := a.classify(got, err); failed != nil {
		switch {
		case codeOf(failed) == codeThrottled:
			reserved.Throttled(0, paid.status)
		case paid.actual >= 0 && paid.status != nil:
			reserved.Settle(paid.actual, paid.status)
		case got.Status >= 400 && got.Status < 500:
			reserved.Return() // refused before it was executed
		}
		return nil, failed
	}
	reserved.Settle(paid.actual, paid.status)
	out.version = got.Header.Get("X-Shopify-Api-Version")
	return &out, nil
}

// A bill is the cost that an answer states.
type bill struct {
	actual float64 // -1: not said, which the pacer takes for what was reserved
	status *pace.Status
}

// readBill reads the cost out of an answer's extensions. One that cannot be decoded whole is
// ignored: a field left at 0 would read as an empty bucket.
func readBill(extensions []byte) bill {
	var said struct {
		Cost struct {
			Actual float64 `json:"actualQueryCost"`
			Status struct {
				Maximum   float64 `json:"maximumAvailable"`
				Available float64 `json:"currentlyAvailable"`
				Rate      float64 `json:"restoreRate"`
			} `json:"throttleStatus"`
		} `json:"cost"`
	}
	said.Cost.Actual = -1
	if json.Unmarshal(extensions, &said) != nil {
		return bill{actual: -1}
	}
	b := bill{actual: said.Cost.Actual}
	if s := said.Cost.Status; s.Maximum > 0 && s.Rate > 0 {
		b.status = &pace.Status{Limit: s.Maximum, Remaining: s.Available, RestoreRate: s.Rate}
	}
	return b
}
