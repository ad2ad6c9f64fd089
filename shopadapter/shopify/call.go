package shopify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/exchange"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// An input is a GraphQL input object, or the variables of a request. What is left out of it stays
// as it is.
type input map[string]any

// A request is one document on its way.
type request struct {
	document  string // one operation, named, and its fragments
	variables input
	variants  int     // how many are written
	estimate  float64 // points
	idle      bool    // nobody waits for it: it leaves points to others
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

// The priorities of requests.
const (
	priorityFirst = iota
	priorityIdle
)

func (r request) priority() int {
	if r.idle {
		return priorityIdle
	}
	return priorityFirst
}

// headroom is the points that an idle request leaves in the bucket.
func headroom(priority int, limit float64) float64 {
	if priority == priorityIdle {
		return limit / 2
	}
	return 0
}

// mostThrottles bounds how often one request is sent again after the bucket was empty. Each time
// the pacer has waited for its points.
const mostThrottles = 6

// call runs the request and decodes its data into out, which may be nil.
func (a *Adapter) call(ctx context.Context, r request, out any) error {
	_, err := a.exchange(ctx, r, out)
	return err
}

func (a *Adapter) exchange(ctx context.Context, r request, out any) (*exchange.Exchange, error) {
	for attempt := 1; ; attempt++ {
		x, err := a.send(ctx, r, out)
		if err == nil || attempt == mostThrottles || !isThrottled(err) {
			return x, err
		}
	}
}

// An envelope is the outer form of an answer.
type envelope struct {
	Data       json.RawMessage `json:"data"`
	Errors     json.RawMessage `json:"errors"`
	Extensions struct {
		Cost json.RawMessage `json:"cost"`
	} `json:"extensions"`
}

// A bill is the cost that an answer states.
type bill struct {
	requested float64
	actual    float64 // -1: not said
	status    *pace.Status
}

func (e envelope) bill() bill {
	var cost struct {
		Requested *float64 `json:"requestedQueryCost"`
		Actual    *float64 `json:"actualQueryCost"`
		Status    *struct {
			Maximum   float64 `json:"maximumAvailable"`
			Available float64 `json:"currentlyAvailable"`
			Rate      float64 `json:"restoreRate"`
		} `json:"throttleStatus"`
	}
	b := bill{actual: -1}
	if json.Unmarshal(e.Extensions.Cost, &cost) != nil {
		return b // a cost that cannot be decoded whole is ignored: a field left at 0 would read as an empty bucket
	}
	if cost.Requested != nil {
		b.requested = *cost.Requested
	}
	if cost.Actual != nil {
		b.actual = *cost.Actual
	}
	if s := cost.Status; s != nil && s.Maximum > 0 && s.Rate > 0 {
		b.status = &pace.Status{Limit: s.Maximum, Remaining: s.Available, RestoreRate: s.Rate}
	}
	return b
}

// send runs the request once. It reserves the points for it first.
func (a *Adapter) send(ctx context.Context, r request, out any) (*exchange.Exchange, error) {
	reserved, err := a.pacer.Reserve(ctx, a.costs.points(r.operation(), r.estimate), r.priority())
	if tooLarge := (*pace.TooLargeError)(nil); errors.As(err, &tooLarge) {
		// The estimate may be too high. The shop's answer states the real cost.
		reserved, err = a.pacer.Reserve(ctx, tooLarge.Limit, r.priority())
	}
	if err != nil {
		return nil, err
	}
	defer reserved.Lost() // every known end below comes first

	recorded, x := exchange.Record(ctx, r.limits())
	_, _, err = a.graph.ExecRawWithExtensions(recorded, r.document, r.variables, graphql.OperationName(r.operation()))
	var answer envelope
	read := x.Body != nil && json.NewDecoder(bytes.NewReader(x.Body)).Decode(&answer) == nil
	paid := answer.bill()
	a.costs.learn(r.operation(), r.estimate, paid.requested)

	if failed := a.classify(ctx, x, err, answer, read); failed != nil {
		switch {
		case isThrottled(failed):
			reserved.Throttled(0, paid.status)
		case paid.actual >= 0 && paid.status != nil:
			reserved.Settle(paid.actual, paid.status)
		case x.Status >= 400 && x.Status < 500:
			reserved.Return() // refused before it was executed
		}
		return x, failed
	}
	if paid.actual < 0 {
		paid.actual = reserved.Cost()
	}
	reserved.Settle(paid.actual, paid.status)
	if out == nil {
		return x, nil
	}
	if err := json.Unmarshal(answer.Data, out); err != nil {
		return x, shopadapter.Retry("the shop's answer has an unknown form: %w", err)
	}
	return x, nil
}
