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

// An input is a GraphQL input object. Fields that it lacks stay as they are.
type input map[string]any

type request struct {
	doing     string // for errors
	document  string // one named operation and its fragments
	variables input
	estimate  float64 // points
	priority  int
}

// operation reads the name from the document: Shopify refuses an operationName that the document lacks.
func (r request) operation() string {
	_, name, _ := strings.Cut(r.document, " ")
	if end := strings.IndexAny(name, "( {"); end >= 0 {
		name = name[:end]
	}
	return name
}

// idle is the priority of a request that no write waits for.
const idle = 1

// headroom returns the points that stay in the bucket when a request of a priority is granted.
func headroom(priority int, limit float64) float64 {
	if priority == idle {
		return limit / 2
	}
	return 0
}

// What inputs cost at most, in points, by the schema's descriptions: the answer tells the cost too late.
const (
	costMutation  = 16.0 // ten, and the product that it shows
	costVariant   = 0.2
	costMetafield = 0.4
	costFile      = 1.9
)

// An answer holds the answer to any of the documents.
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

	version string // of the API that served it
}

// mostThrottles bounds how often a request finds the bucket empty.
const mostThrottles = 6

// call returns an empty answer beside an error. It makes the metafield definition where the shop lacks it: a new
// one finds the products that carry keys.
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

func (a *Adapter) send(ctx context.Context, r request) (*answer, error) {
	reserved, err := a.pacer.Reserve(ctx, r.estimate, r.priority)
	if tooLarge := (*pace.TooLargeError)(nil); errors.As(err, &tooLarge) {
		// The estimate may be too high.
		reserved, err = a.pacer.Reserve(ctx, tooLarge.Limit, r.priority)
	}
	if err != nil {
		return nil, err
	}
	defer reserved.Lost() // no effect after the calls below

	q := wire.Query{Name: r.operation(), Text: r.document, Variables: r.variables}
	// A description may be half a megabyte, and a write shows it twice. Two hundred variants have some four
	// thousand elements, and each may be refused by itself.
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
			reserved.Return() // refused before it ran
		}
		return nil, failed
	}
	reserved.Settle(paid.actual, paid.status)
	out.version = got.Header.Get("X-Shopify-Api-Version")
	return &out, nil
}

type bill struct {
	actual float64 // -1: not stated, which the pacer takes for the reserved cost
	status *pace.Status
}

// readBill ignores a cost that it cannot decode whole: a missing field would read as an empty bucket.
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
