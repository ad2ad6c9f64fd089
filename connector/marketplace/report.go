package marketplace

import (
	"context"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
)

// mostReports bounds the reports of one request: when its answer is lost, nothing is known of any.
const mostReports = 20

// A Report tells the marketplace what became of a publication in the shop.
type Report struct {
	ID     string
	Status string // "success" or "failed"
	URL    string // where a customer sees the product; "" leaves out what the marketplace holds
}

// A Result is the marketplace's answer to one Report.
type Result struct {
	ID string
	// Status is what the marketplace holds now, in lower case. It need not be compared: without an
	// Err the report was accepted.
	Status    string
	UpdatedAt string // moved by the report itself
	// nil when it was accepted. An error of kind Refused is about this publication alone; after one
	// of kind Transient the report may have been accepted
	Err error
}

// Report sends reports. It returns one result for each, in the same order. The error is that of a
// request that failed as a whole; the reports of that request, and those not sent after it, have it
// in their results too.
func (c *Client) Report(ctx context.Context, p Priority, reports []Report) ([]Result, error) {
	var results []Result
	for len(reports) > 0 {
		n, err := c.batch(ctx, len(reports), reportDocument)
		if err != nil {
			return append(results, unsent(reports, err)...), err
		}
		some, err := c.inForms(ctx, reports[:n], func(some []Report, t client.Trial) ([]Result, error) {
			return c.report(ctx, p, nil, some, t, new(narrowing))
		})
		if isSeveral(err) {
			continue // fewer at a time
		}
		results = append(results, some...)
		reports = reports[n:]
		if err != nil {
			return append(results, unsent(reports, err)...), err
		}
	}
	return results, nil
}

// batch is how many of n reports go into one round: a request of each of the documents.
func (c *Client) batch(ctx context.Context, n int, build ...func(Forms, int) document.Document) (int, error) {
	forms, err := c.conn.Known(ctx)
	if err != nil {
		return 0, err
	}
	documents := make([]func(int) document.Document, len(build))
	for i, b := range build {
		documents[i] = func(n int) document.Document { return b(forms, n) }
	}
	return c.conn.Costs.Fit(c.conn.Plan(), c.several.most(min(n, mostReports)), documents...), nil
}

func unsent(reports []Report, err error) []Result {
	results := make([]Result, len(reports))
	for i, report := range reports {
		results[i] = Result{ID: report.ID, Err: err}
	}
	return results
}
