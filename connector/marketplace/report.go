package marketplace

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/pace"
)

// mostReports bounds the reports of one request: as many are in doubt when its answer is lost.
const mostReports = 20

// A Report tells the marketplace what became of a publication in the shop.
type Report struct {
	ID     string
	Status string // "success" or "failed"
	URL    string // where a customer sees the product; "" leaves out what the marketplace holds
}

// A Result is the marketplace's answer to one Report.
type Result struct {
	ID        string
	Status    string // lower case, as the marketplace holds it now
	UpdatedAt string // moved by the report itself
	Err       error  // nil when it was taken. Kind Refused is this publication's own; after Transient it is not known whether it was taken
}

// Report sends reports. The results are in the order of reports, one each. The error is that of a request that failed as a whole; what it
// carried, and what was not sent after it, has it in its result too.
func (c *Client) Report(ctx context.Context, p Priority, reports []Report) ([]Result, error) {
	var results []Result
	for len(reports) > 0 {
		n, err := c.batch(ctx, len(reports), reportDocument)
		if err != nil {
			return append(results, unsent(reports, err)...), err
		}
		some, err := c.report(ctx, p, nil, reports[:n], new(narrowing))
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

// Settle looks at the publications of reports, and sends in the very next round trip those that choose picks from what the looks show. The points
// for both are reserved before the look, so that nothing but one answer's way lies between the two. The looks are those of [Reader.Look], without
// detail; choose is called once a batch, and once more after each refusal without a figure. It may change the reports it returns, not add any.
//
// The results are of the reports sent, in order. The error is as that of [Client.Report]; when a look fails nothing of its batch is sent.
func (c *Client) Settle(ctx context.Context, p Priority, reports []Report, choose func(looks map[string]*Entry) []Report) ([]Result, error) {
	var results []Result
	look := func(f Forms, n int) document { return lookDocument(f, n, false) }
	for len(reports) > 0 {
		n, err := c.batch(ctx, len(reports), look, reportDocument)
		if err != nil {
			return results, err
		}
		some, err := untilAnswered(func() ([]Result, error) { return c.settleBatch(ctx, p, reports[:n], choose) })
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

// Tell is Settle where something else than looks at the publications shows whether they have changed: choose finds that out, and picks the reports to send.
// The points for the reports are reserved before it is called, so that they are sent in the very next round trip.
func (c *Client) Tell(ctx context.Context, p Priority, reports []Report, choose func(context.Context) ([]Report, error)) ([]Result, error) {
	n, err := c.batch(ctx, len(reports), reportDocument)
	if err != nil || n < len(reports) {
		return nil, err
	}
	results, err := untilAnswered(func() ([]Result, error) { return c.tellBatch(ctx, p, n, choose) })
	if isSeveral(err) { // nothing was sent
		return nil, nil
	}
	return results, err
}

// tellBatch is one try of Tell, with the points for n reports.
func (c *Client) tellBatch(ctx context.Context, p Priority, n int, choose func(context.Context) ([]Report, error)) ([]Result, error) {
	forms, _, err := c.known(ctx)
	if err != nil {
		return nil, err
	}
	doc := reportDocument(forms, n)
	res, err := c.pay(ctx, p, "report publications", c.costs.reserve(doc, doc.text()), nil)
	if err != nil {
		return nil, err
	}
	defer res.Return()
	chosen, err := choose(ctx)
	if err != nil || len(chosen) == 0 {
		return nil, err
	}
	return c.report(ctx, p, res, chosen, new(narrowing))
}

// untilAnswered repeats a batch that was refused without a figure, as often as retries allow. Each try finds out anew what has changed, since the wait is long
// enough for a change.
func untilAnswered(try func() ([]Result, error)) (results []Result, err error) {
	results, err = try()
	for refused := (retries{}); !slices.ContainsFunc(results, answered) && refused.again(err); {
		results, err = try()
	}
	return results, err
}

// answered reports whether a report was sent in another request than the one that was refused without a figure.
func answered(r Result) bool { return !bare(r.Err) }

func (c *Client) settleBatch(ctx context.Context, p Priority, reports []Report, choose func(map[string]*Entry) []Report) ([]Result, error) {
	forms, _, err := c.known(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(reports))
	for i := range reports {
		ids[i] = reports[i].ID
	}
	ids = distinct(ids)
	look, tell := lookDocument(forms, len(ids), false), reportDocument(forms, len(reports))
	lookCost, tellCost := c.costs.reserve(look, look.text()), c.costs.reserve(tell, tell.text())
	rest, err := c.pay(ctx, p, "report publications", lookCost+tellCost, nil)
	if err != nil {
		return nil, err
	}
	defer rest.Return()
	looks := make(map[string]*Entry, len(ids))
	if err := c.look(ctx, p, rest.Split(lookCost), ids, false, looks, new(narrowing)); err != nil {
		return nil, err
	}
	if c.several.most(len(reports)) < len(reports) { // the looks were many, and the reports would come long after them
		return nil, tooMany("report publications", c.Bound())
	}
	chosen := choose(looks)
	if len(chosen) == 0 {
		return nil, nil
	}
	return c.report(ctx, p, rest, chosen, new(narrowing))
}

// batch is how many of n reports go into one request, or into one of each document.
func (c *Client) batch(ctx context.Context, n int, build ...func(Forms, int) document) (int, error) {
	forms, _, err := c.known(ctx)
	if err != nil {
		return 0, err
	}
	documents := make([]func(int) document, len(build))
	for i, b := range build {
		documents[i] = func(n int) document { return b(forms, n) }
	}
	return c.costs.fit(c.plan(), c.several.most(min(n, mostReports)), documents...), nil
}

func unsent(reports []Report, err error) []Result {
	results := make([]Result, len(reports))
	for i, report := range reports {
		results[i] = Result{ID: report.ID, Err: err}
	}
	return results
}

// report is one request of Report. A refusal of the document may be about one report alone, and is narrowed down so that it does not stand in the
// way of the others. Where the first request is refused for the number of its reports nothing has been sent, and there are no results.
func (c *Client) report(ctx context.Context, p Priority, res *pace.Reservation, reports []Report, n *narrowing) ([]Result, error) {
	const op = "report publications"
	if most := c.several.most(len(reports)); most < len(reports) {
		return c.reportParts(ctx, p, res, slices.Collect(slices.Chunk(reports, most)), n)
	}
	answer, err := c.run(ctx, p, res, func(f Forms) (request, error) {
		vars := make(map[string]any, len(reports))
		for i, report := range reports {
			input := map[string]any{"id": report.ID, "status": f.spell(report.Status)}
			if report.URL != "" {
				input["productUrl"] = report.URL
			}
			vars["in"+strconv.Itoa(i)] = input
		}
		return request{op: op, doc: reportDocument(f, len(reports)), vars: vars, several: len(reports), partial: true}, nil
	})
	if isSeveral(err) {
		c.refuseSeveral(ctx, len(reports), err)
		if *n == 0 {
			return nil, err
		}
		return c.report(ctx, p, nil, reports, n)
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == Invalid {
		if len(reports) == 1 || e.form {
			return unsent(reports, err), nil
		}
		if !n.goesOn() {
			return unsent(reports, err), err
		}
		half := len(reports) / 2
		results, failed := c.reportParts(ctx, p, nil, [][]Report{reports[:half], reports[half:]}, n)
		if len(reports) == 2 && results[0].Err == nil && results[1].Err == nil {
			c.refuseSeveral(ctx, len(reports), err) // it is none of the two
		}
		return results, failed
	}
	if err != nil {
		return unsent(reports, err), err
	}
	var data map[string]json.RawMessage
	if err := json.Unmarshal(answer.data, &data); err != nil {
		err := unreadable(op, err)
		return unsent(reports, err), err
	}
	results := make([]Result, len(reports))
	for i, report := range reports {
		results[i] = c.result(op, report, data, i, len(reports), answer.complaints)
	}
	return results, nil
}

// reportParts makes a request of each part, in order. What is not sent after an error has it in its result.
func (c *Client) reportParts(ctx context.Context, p Priority, res *pace.Reservation, parts [][]Report, n *narrowing) (results []Result, err error) {
	*n = max(*n, 1) // what has been sent has results
	for i, part := range parts {
		some, err := c.report(ctx, p, res, part, n)
		results, res = append(results, some...), nil
		if err != nil {
			return append(results, unsent(slices.Concat(parts[i+1:]...), err)...), err
		}
	}
	return results, nil
}

// result reads the i-th report's part of an answer.
func (c *Client) result(op string, report Report, data map[string]json.RawMessage, i, n int, complaints []complaint) Result {
	result := Result{ID: report.ID}
	value, err := c.rootField(op, data, i, n, complaints)
	if err != nil {
		result.Err = err
		return result
	}
	var payload *struct {
		Publication *wireEntry
		UserErrors  []userError
	}
	if err := json.Unmarshal(value, &payload); err != nil || payload == nil {
		result.Err = unreadable(op, err)
		return result
	}
	if err := c.refusal(op, payload.UserErrors); err != nil {
		result.Err = err
		return result
	}
	if payload.Publication == nil {
		result.Err = unreadable(op, errors.New("neither a publication nor an error"))
		return result
	}
	result.Status = strings.ToLower(string(payload.Publication.Status))
	result.UpdatedAt = string(payload.Publication.UpdatedAt)
	return result
}

func reportDocument(f Forms, n int) document {
	d := document{kind: "mutation", name: "Report"}
	for i := range n {
		v := "$in" + strconv.Itoa(i)
		d.vars = append(d.vars, v+":"+f.input(statusInput)+"!")
		told := object("publicationStatusUpdated", "input:"+v, object("publication", "", scalars("status", "updatedAt")...), userErrors())
		told.alias = alias(i, n)
		d.body = append(d.body, told)
	}
	return d
}
