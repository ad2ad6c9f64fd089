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
	// nil when it was taken. Kind Refused is this publication's own; after Transient it is not
	// known whether it was taken
	Err error
}

// Report sends reports. The results are in the order of reports, one each. The error is that of a
// request that failed as a whole; what it carried, and what was not sent after it, has it in its
// result too.
func (c *Client) Report(ctx context.Context, p Priority, reports []Report) ([]Result, error) {
	var results []Result
	for len(reports) > 0 {
		n, err := c.batch(ctx, len(reports), reportDocument)
		if err != nil {
			return append(results, unsent(reports, err)...), err
		}
		some, err := c.inForms(ctx, reports[:n], func(some []Report, t trial) ([]Result, error) {
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

// Settle looks at the publications of reports, and sends in the very next round trip those that
// choose picks from what the looks show. The points for both are reserved before the look, so that
// nothing but one answer's way lies between the two. The looks are those of [Reader.Look], without
// detail; choose is called once a batch, and once more for those that the server objected to or
// refused without a figure. It may change the reports it returns, not add any.
//
// The results are of the reports sent, in order. The error is as that of [Client.Report]; when a
// look fails nothing of its batch is sent.
func (c *Client) Settle(
	ctx context.Context,
	p Priority,
	reports []Report,
	choose func(looks map[string]*Entry) []Report,
) ([]Result, error) {
	var results []Result
	look := func(f Forms, n int) document { return lookDocument(f, n, false) }
	for len(reports) > 0 {
		n, err := c.batch(ctx, len(reports), look, reportDocument)
		if err != nil {
			return results, err
		}
		some, err := c.inForms(ctx, reports[:n], func(some []Report, t trial) ([]Result, error) {
			return untilAnswered(func() ([]Result, error) { return c.settleBatch(ctx, p, some, t, choose) })
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
// try finds out anew what has changed, since the wait is long enough for a change.
func untilAnswered(try func() ([]Result, error)) (results []Result, err error) {
	results, err = try()
	for refused := (retries{}); !slices.ContainsFunc(results, answered) && refused.again(err); {
		results, err = try()
	}
	return results, err
}

// answered reports whether a report was sent in another request than the one that was refused
// without a figure.
func answered(r Result) bool { return !bare(r.Err) }

func (c *Client) settleBatch(
	ctx context.Context, p Priority, reports []Report, t trial, choose func(map[string]*Entry) []Report,
) ([]Result, error) {
	forms, _, err := c.known(ctx)
	if err != nil {
		return nil, err
	}
	forms = t.on(forms)
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
	return c.report(ctx, p, rest, chosen, t, new(narrowing))
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

// inForms makes a batch of reports, and those that the server objects to for their form once more
// in the next form, until no form is left: see trial. What is objected to in every form is the
// publication's own. Each try looks anew at what has changed, where there is a look.
func (c *Client) inForms(
	ctx context.Context, reports []Report, try func([]Report, trial) ([]Result, error),
) ([]Result, error) {
	var t trial
	results, err := try(reports, t)
	for range mostForms {
		if err != nil {
			return results, err
		}
		var again []Report
		switch forms, _, failed := c.known(ctx); {
		case failed != nil:
			return results, failed
		case c.forgotten(ctx, forms, results):
			t, again = trial{}, those(reports, results, isObjection)
		case !forms.Introspected && !t.over:
			again = c.next(&t, forms, reports, results)
		}
		if len(again) == 0 && !t.over { // each by itself, since one of them may be what is objected to
			t = trial{over: true}
			if again = those(reports, results, func(e *Error) bool { return e.whole && !e.form }); len(again) == 1 {
				again = nil
			}
		}
		if len(again) == 0 {
			return results, nil
		}
		var some []Result
		some, err = try(again, t)
		c.merge(ctx, t, results, some)
	}
	return results, err
}

// forgotten gives up forms that an earlier process kept, where the server objects to some report.
// It reports whether there were any.
func (c *Client) forgotten(ctx context.Context, forms Forms, results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool {
		e := objected(r)
		if e == nil || e.Kind == Invalid {
			return e != nil
		}
		_, status := forms.otherStatus(e.said)
		return status || forms.noUserErrors // why it is refused is not seen
	}) && c.unlearn(ctx)
}

// next adds to the trial what forms are to be tried after the results, and returns the reports to
// try them with.
func (c *Client) next(t *trial, forms Forms, reports []Report, results []Result) []Report {
	forms = t.on(forms)
	var add []form
	again := those(reports, results, func(e *Error) bool {
		status, ok := forms.otherStatus(e.said)
		if ok {
			add = append(add, status)
		}
		if !forms.lacksUserErrors(e.said) {
			return ok
		}
		if e.form = !c.forms.lasting(withoutUserErrors, suspicion); !e.form {
			add = append(add, withoutUserErrors)
		}
		return !e.form
	})
	if !t.add(add) {
		return nil
	}
	return again
}

// merge puts the results of a try in the place of the ones before. An objection to the next form
// leaves the one to the form in use.
func (c *Client) merge(ctx context.Context, t trial, results, again []Result) {
	proven := false
	for _, r := range again {
		i := slices.IndexFunc(results, func(before Result) bool { return before.ID == r.ID })
		if i < 0 {
			continue
		}
		if objected(r) == nil || len(t.forms) == 0 || t.omits() {
			results[i] = r
		}
		proven = proven || r.Err == nil
	}
	if proven && len(t.forms) > 0 && (t.omits() || c.forms.again(t.forms)) {
		c.prove(ctx, t.forms)
	}
}

// objected is the server's objection to a report, nil for none.
func objected(r Result) *Error {
	if e, ok := errors.AsType[*Error](r.Err); ok && (e.Kind == Invalid || e.Kind == Refused) {
		return e
	}
	return nil
}

func isObjection(*Error) bool { return true }

// those are the reports whose results are objections that pick picks.
func those(reports []Report, results []Result, pick func(*Error) bool) (some []Report) {
	for _, r := range results {
		if e := objected(r); e != nil && pick(e) {
			i := slices.IndexFunc(reports, func(report Report) bool { return report.ID == r.ID })
			some = append(some, reports[i])
		}
	}
	return some
}

// report is one request of Report. A refusal of the document may be about one report alone, and is
// narrowed down so that it does not stand in the way of the others. Where the first request is
// refused for the number of its reports nothing has been sent, and there are no results.
func (c *Client) report(
	ctx context.Context, p Priority, res *pace.Reservation, reports []Report, t trial, n *narrowing,
) ([]Result, error) {
	const op = "report publications"
	if most := c.several.most(len(reports)); most < len(reports) {
		return c.reportParts(ctx, p, res, slices.Collect(slices.Chunk(reports, most)), t, n)
	}
	var forms Forms
	answer, err := c.run(ctx, p, res, func(f Forms) (request, error) {
		f = t.on(f)
		forms = f
		vars := make(map[string]any, len(reports))
		for i, report := range reports {
			input := map[string]any{"id": report.ID, "status": f.spell(report.Status)}
			if report.URL != "" {
				input["productUrl"] = report.URL
			}
			vars["in"+strconv.Itoa(i)] = input
		}
		return request{
			op:      op,
			doc:     reportDocument(f, len(reports)),
			vars:    vars,
			several: len(reports),
			partial: true,
		}, nil
	})
	if isSeveral(err) {
		c.refuseSeveral(ctx, len(reports), err)
		if *n == 0 {
			return nil, err
		}
		return c.report(ctx, p, nil, reports, t, n)
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == Invalid {
		_, status := forms.otherStatus(e.said)
		e.whole = !t.over && !forms.Introspected && (status || forms.lacksUserErrors(e.said))
		if len(reports) == 1 || e.whole {
			return unsent(reports, err), nil
		}
		if !n.goesOn() {
			return unsent(reports, err), err
		}
		half := len(reports) / 2
		results, failed := c.reportParts(ctx, p, nil, [][]Report{reports[:half], reports[half:]}, t, n)
		if len(reports) == 2 && results[0].Err == nil && results[1].Err == nil {
			c.refuseSeveral(ctx, len(reports), err) // it is none of the two
		}
		return results, failed
	}
	if e := denial(err); e != nil {
		return unsent(reports, e), nil
	}
	if err != nil {
		return unsent(reports, err), err
	}
	data, err := answer.roots()
	if err != nil {
		err := unreadable(op, err)
		return unsent(reports, err), err
	}
	taken := false
	results := make([]Result, len(reports))
	for i, report := range reports {
		results[i] = c.result(op, report, data, i, len(reports), answer.complaints, forms)
		taken = taken || results[i].Err == nil
	}
	for i := range results {
		if e := denial(results[i].Err); e != nil {
			results[i].Err = e.beside(taken)
		}
	}
	return results, nil
}

// reportParts makes a request of each part, in order. What is not sent after an error has it in its
// result.
func (c *Client) reportParts(
	ctx context.Context, p Priority, res *pace.Reservation, parts [][]Report, t trial, n *narrowing,
) (results []Result, err error) {
	*n = max(*n, 1) // what has been sent has results
	for i, part := range parts {
		some, err := c.report(ctx, p, res, part, t, n)
		results, res = append(results, some...), nil
		if err != nil {
			return append(results, unsent(slices.Concat(parts[i+1:]...), err)...), err
		}
	}
	return results, nil
}

// result reads the i-th report's part of an answer.
func (c *Client) result(
	op string, report Report, data map[string]json.RawMessage, i, n int, complaints []complaint, forms Forms,
) Result {
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
	if forms.noUserErrors && result.Status != report.Status {
		still := clean(or(result.Status, "unknown"), c.credential.secrets()...)
		result.Err = &Error{
			Op: op, Kind: Refused, Status: 200,
			Message: "the marketplace gives no reason, and the status is still " + still,
		}
		return result
	}
	result.UpdatedAt = string(payload.Publication.UpdatedAt)
	return result
}

func reportDocument(f Forms, n int) document {
	d := document{kind: "mutation", name: "Report"}
	for i := range n {
		v := "$in" + strconv.Itoa(i)
		d.vars = append(d.vars, v+":"+f.input(statusInput)+"!")
		changed := object("publication", "", scalars("status", "updatedAt")...)
		told := object("publicationStatusUpdated", "input:"+v, changed)
		if !f.noUserErrors {
			told.sub = append(told.sub, userErrors())
		}
		told.alias = alias(i, n)
		d.body = append(d.body, told)
	}
	return d
}
