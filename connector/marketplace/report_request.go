package marketplace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// report is one request of Report. A refusal of the document may be about one report alone: then
// each half is sent by itself, so that no report keeps the others from being made. Where the first
// request is refused for the number of its reports, there are no results.
func (c *Client) report(
	ctx context.Context, p Priority, res *pace.Reservation, reports []Report, t client.Trial, n *narrowing,
) ([]Result, error) {
	const op = "report publications"
	if most := c.several.most(len(reports)); most < len(reports) {
		return c.reportParts(ctx, p, res, slices.Collect(slices.Chunk(reports, most)), t, n)
	}
	var forms Forms
	answer, err := c.conn.Run(ctx, p, res, func(f Forms) (client.Request, error) {
		f = t.On(f)
		forms = f
		vars := make(map[string]any, len(reports))
		for i, report := range reports {
			input := map[string]any{"id": report.ID, "status": f.Spell(report.Status)}
			if report.URL != "" {
				input["productUrl"] = report.URL
			}
			vars["in"+strconv.Itoa(i)] = input
		}
		return client.Request{
			Op:      op,
			Doc:     reportDocument(f, len(reports)),
			Vars:    vars,
			Several: len(reports),
			Partial: true,
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
		_, status := forms.OtherStatus(e.Said)
		e.Whole = !t.Over && !forms.Introspected && (status || forms.LacksUserErrors(e.Said))
		if len(reports) == 1 || e.Whole {
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
	data, err := answer.Roots()
	if err != nil {
		err := fault.Unreadable(op, err)
		return unsent(reports, err), err
	}
	accepted := false
	results := make([]Result, len(reports))
	for i, report := range reports {
		results[i] = c.result(op, report, data, i, len(reports), answer.Complaints, forms)
		accepted = accepted || results[i].Err == nil
	}
	for i := range results {
		if e := denial(results[i].Err); e != nil {
			results[i].Err = beside(e, accepted)
		}
	}
	return results, nil
}

// reportParts makes a request of each part, in order. What is not sent after an error has it in its
// result.
func (c *Client) reportParts(
	ctx context.Context, p Priority, res *pace.Reservation, parts [][]Report, t client.Trial, n *narrowing,
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
	op string, report Report, data map[string]json.RawMessage, i, n int, complaints []fault.Complaint, forms Forms,
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
		result.Err = fault.Unreadable(op, err)
		return result
	}
	if err := c.refusal(op, payload.UserErrors); err != nil {
		result.Err = err
		return result
	}
	if payload.Publication == nil {
		result.Err = fault.Unreadable(op, errors.New("neither a publication nor an error"))
		return result
	}
	result.Status = strings.ToLower(string(payload.Publication.Status))
	if forms.NoUserErrors && result.Status != report.Status {
		still := c.conn.Clean(cmp.Or(result.Status, "unknown"))
		result.Err = &Error{
			Op: op, Kind: Refused, Status: 200,
			Message: "the marketplace gives no reason, and the status is still " + still,
		}
		return result
	}
	result.UpdatedAt = string(payload.Publication.UpdatedAt)
	return result
}

func reportDocument(f Forms, n int) document.Document {
	d := document.Document{Kind: "mutation", Name: "Report"}
	for i := range n {
		v := "$in" + strconv.Itoa(i)
		d.Vars = append(d.Vars, v+":"+f.Input(form.StatusInput)+"!")
		changed := document.Object("publication", "", document.Scalars("status", "updatedAt")...)
		told := document.Object("publicationStatusUpdated", "input:"+v, changed)
		if !f.NoUserErrors {
			told.Sub = append(told.Sub, userErrors())
		}
		told.Alias = alias(i, n)
		d.Body = append(d.Body, told)
	}
	return d
}
