package shopify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// An input is a GraphQL input object, or the variables of a request. What is left out of it stays as it is.
type input map[string]any

// A request is one document on its way.
type request struct {
	operation string // the document's name
	document  string
	variables input
	estimate  float64 // points
}

// mostThrottles bounds how often one request is sent again after the bucket was empty. Each time the pacer has waited for its points.
const mostThrottles = 6

// call runs the request and decodes its data into out, which may be nil.
func (a *Adapter) call(ctx context.Context, r request, out any) error {
	_, err := a.exchange(ctx, r, out)
	return err
}

func (a *Adapter) exchange(ctx context.Context, r request, out any) (*exchange, error) {
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

// A bill is what an answer says about cost.
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
		return b // all of it or nothing: half of it would be an empty bucket
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

// send runs the request once, paid from points of its own.
func (a *Adapter) send(ctx context.Context, r request, out any) (*exchange, error) {
	reserved, err := a.pacer.Reserve(ctx, a.costs.points(r.operation, r.estimate), 0)
	if tooLarge := (*pace.TooLargeError)(nil); errors.As(err, &tooLarge) {
		// The estimate may be wrong. The shop knows, and says so.
		reserved, err = a.pacer.Reserve(ctx, tooLarge.Limit, 0)
	}
	if err != nil {
		return nil, err
	}
	defer reserved.Lost() // every known end below comes first

	recorded, x := record(ctx)
	_, _, err = a.graph.ExecRawWithExtensions(recorded, r.document, r.variables, graphql.OperationName(r.operation))
	var answer envelope
	read := x.body != nil && json.NewDecoder(bytes.NewReader(x.body)).Decode(&answer) == nil
	paid := answer.bill()
	a.costs.learn(r.operation, r.estimate, paid.requested)

	if failed := a.classify(ctx, x, err, answer, read); failed != nil {
		switch {
		case isThrottled(failed):
			reserved.Throttled(0, paid.status)
		case paid.actual >= 0 && paid.status != nil:
			reserved.Settle(paid.actual, paid.status)
		case x.status >= 400 && x.status < 500:
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

// within names the step that failed. The kind of the error and who mends it stay as they are.
func within(step string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", step, err)
}
