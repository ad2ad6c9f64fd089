package marketplace

import (
	"context"
	"errors"
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

// inForms makes a batch of reports by try. It repeats those to whose form the server objects in the
// next form, until no form is left: see client.Trial. An objection to every form is about the
// publication alone.
func (c *Client) inForms(
	ctx context.Context, reports []Report, try func([]Report, client.Trial) ([]Result, error),
) ([]Result, error) {
	var t client.Trial
	results, err := try(reports, t)
	for range client.MostForms {
		if err != nil {
			return results, err
		}
		var again []Report
		switch forms, failed := c.conn.Known(ctx); {
		case failed != nil:
			return results, failed
		case c.forgotten(ctx, forms, results):
			t, again = client.Trial{}, those(reports, results, isObjection)
		case !forms.Introspected && !t.Over:
			again = c.next(&t, forms, reports, results)
		}
		if len(again) == 0 && !t.Over { // each by itself, since one of them may be what is objected to
			t = client.Trial{Over: true}
			if again = those(reports, results, func(e *Error) bool { return e.Whole && !e.Form }); len(again) == 1 {
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

// forgotten drops the forms of an earlier process where the server objects to a report. It reports
// whether there were any.
func (c *Client) forgotten(ctx context.Context, forms Forms, results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool {
		e := objected(r)
		if e == nil || e.Kind == Invalid {
			return e != nil
		}
		_, status := forms.OtherStatus(e.Said)
		return status || forms.NoUserErrors // then a refusal comes without its reason
	}) && c.conn.Unlearn(ctx)
}

// next adds to the trial the forms that the results call for, and returns the reports to try them
// with.
func (c *Client) next(t *client.Trial, forms Forms, reports []Report, results []Result) []Report {
	forms = t.On(forms)
	var add []form.Form
	again := those(reports, results, func(e *Error) bool {
		status, ok := forms.OtherStatus(e.Said)
		if ok {
			add = append(add, status)
		}
		if !forms.LacksUserErrors(e.Said) {
			return ok
		}
		if e.Form = !c.conn.Forms.Lasting(form.WithoutUserErrors, form.Suspicion); !e.Form {
			add = append(add, form.WithoutUserErrors)
		}
		return !e.Form
	})
	if !t.Add(add) {
		return nil
	}
	return again
}

// merge replaces results by those of a later try. Where the server objects to the next form too,
// the objection to the form in use stays.
func (c *Client) merge(ctx context.Context, t client.Trial, results, again []Result) {
	proven := false
	for _, r := range again {
		i := slices.IndexFunc(results, func(before Result) bool { return before.ID == r.ID })
		if i < 0 {
			continue
		}
		if objected(r) == nil || len(t.Forms) == 0 || t.Omits() {
			results[i] = r
		}
		proven = proven || r.Err == nil
	}
	if proven && len(t.Forms) > 0 && (t.Omits() || c.conn.Forms.Again(t.Forms)) {
		c.conn.Prove(ctx, t.Forms)
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
