package marketplace

import (
	"context"
	"slices"
	"sync"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
)

// LookAndReport looks at the publications of reports, each by itself and without detail, and at
// once sends the report if choose returns it. The points for both are reserved before the look, so
// that no waiting lies between the two. choose is called with each report and what [Reader.Look]
// would return for it, and again where the report is repeated. It is called by one goroutine at a
// time.
//
// The results are those of the reports sent, in order. The error is that of a request that failed
// as a whole: the report that it was about has it in its result too, and no other is begun after
// it. When a look fails its report is not sent.
func (c *Client) LookAndReport(
	ctx context.Context, p Priority, reports []Report, choose func(r Report, look *Entry) bool,
) ([]Result, error) {
	var mu sync.Mutex
	results := make([]*Result, len(reports))
	order := make([]int, len(reports))
	for i := range order {
		order[i] = i
	}
	err := together(order, func(i int) (err error) {
		results[i], err = c.report(ctx, p, reports[i], func(look *Entry) bool {
			mu.Lock()
			defer mu.Unlock()
			return choose(reports[i], look)
		})
		return err
	})
	var sent []Result
	for _, r := range results {
		if r != nil {
			sent = append(sent, *r)
		}
	}
	judgeDenials(sent)
	return sent, err
}

// judgeDenials tells a token that may not report from a denial that is about one publication: then
// another report was accepted.
func judgeDenials(results []Result) {
	accepted := slices.ContainsFunc(results, func(r Result) bool { return r.Err == nil })
	for i := range results {
		if e := denial(results[i].Err); e != nil {
			results[i].Err = beside(e, accepted)
		}
	}
}

// report is one report of LookAndReport; nil where it was not sent. It is made once more where it
// was refused without a figure, and once without userErrors where the server objects to those. Each
// try looks again, since a publication may change meanwhile.
func (c *Client) report(ctx context.Context, p Priority, report Report, choose func(*Entry) bool) (*Result, error) {
	without := false
	for refused := (client.Retries{}); ; {
		result, err := c.lookAndReport(ctx, p, report, without, choose)
		switch {
		case result != nil && !without && lacksUserErrors(result.Err):
			without = true
		case !refused.Again(err):
			return result, err
		}
	}
}

func (c *Client) lookAndReport(
	ctx context.Context, p Priority, report Report, without bool, choose func(*Entry) bool,
) (*Result, error) {
	forms, err := c.conn.Known(ctx)
	if err != nil {
		return nil, err
	}
	forms.NoUserErrors = forms.NoUserErrors || without
	look, tell := lookDocument(forms, false), reportDocument(forms)
	for range mostStarts {
		after := c.conn.Costs.Reserve(tell, tell.Text())
		points, err := c.conn.Pay(ctx, p, "report publication", c.conn.Costs.Reserve(look, look.Text())+after, nil)
		if err != nil {
			return nil, err
		}
		entry, err := c.look(ctx, p, points, report.ID, false)
		if err != nil || !choose(entry) {
			points.Return()
			return nil, err
		}
		if points.Left() >= after {
			return c.tell(ctx, p, points, report, forms)
		}
		points.Return() // the look took more than was reserved for it
	}
	return nil, &Error{Op: "report publication", Message: "the points for a look and the report do not come together"}
}
