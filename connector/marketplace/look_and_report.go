package marketplace

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
)

// LookAndReport looks at the publications of reports, without detail, and at once sends those
// reports that choose returns. The points for both are reserved before the look, so that no waiting
// lies between the two. choose is called once a batch, with what [Reader.Look] would return, and
// once more for reports that the server objected to or refused without a figure. It may change the
// reports that it returns, and add none.
//
// The results are those of the reports sent, in order. The error is as that of [Client.Report].
// When a look fails no report of its batch is sent.
func (c *Client) LookAndReport(
	ctx context.Context, p Priority, reports []Report, choose func(looks map[string]*Entry) []Report,
) ([]Result, error) {
	var results []Result
	look := func(f Forms, n int) document.Document { return lookDocument(f, n, false) }
	for len(reports) > 0 {
		n, err := c.batch(ctx, len(reports), look, reportDocument)
		if err != nil {
			return results, err
		}
		some, err := c.inForms(ctx, reports[:n], func(some []Report, t client.Trial) ([]Result, error) {
			return untilAnswered(func() ([]Result, error) { return c.lookAndReport(ctx, p, some, t, choose) })
		})
		if isSeveral(err) {
			continue // fewer at a time, each with a look of its own
		}
		results = append(results, some...)
		if err != nil {
			return results, err
		}
		reports = reports[n:]
	}
	return results, nil
}

// untilAnswered repeats a batch that was refused without a figure, as often as retries allow. Each
// try looks again, since a publication may change during the wait.
func untilAnswered(try func() ([]Result, error)) (results []Result, err error) {
	results, err = try()
	for refused := (client.Retries{}); !slices.ContainsFunc(results, answered) && refused.Again(err); {
		results, err = try()
	}
	return results, err
}

// answered reports whether a report was sent in another request than the one that was refused
// without a figure.
func answered(r Result) bool { return !client.Bare(r.Err) }

func (c *Client) lookAndReport(
	ctx context.Context, p Priority, reports []Report, t client.Trial, choose func(map[string]*Entry) []Report,
) ([]Result, error) {
	forms, err := c.conn.Known(ctx)
	if err != nil {
		return nil, err
	}
	forms = t.On(forms)
	ids := make([]string, len(reports))
	for i := range reports {
		ids[i] = reports[i].ID
	}
	ids = distinct(ids)
	look, tell := lookDocument(forms, len(ids), false), reportDocument(forms, len(reports))
	lookCost, tellCost := c.conn.Costs.Reserve(look, look.Text()), c.conn.Costs.Reserve(tell, tell.Text())
	points, err := c.conn.Pay(ctx, p, "report publications", lookCost+tellCost, nil)
	if err != nil {
		return nil, err
	}
	defer points.Return()
	looks := make(map[string]*Entry, len(ids))
	if err := c.look(ctx, p, points.Split(lookCost), ids, false, looks, new(narrowing)); err != nil {
		return nil, err
	}
	if c.several.most(len(reports)) < len(reports) { // the reports would come long after the looks
		return nil, tooMany("report publications", c.Bound())
	}
	chosen := choose(looks)
	if len(chosen) == 0 {
		return nil, nil
	}
	return c.report(ctx, p, points, chosen, t, new(narrowing))
}
