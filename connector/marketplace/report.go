package marketplace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

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

// tell sends one report. The error is that of a request that failed as a whole, which the result has
// too.
func (c *Client) tell(
	ctx context.Context, p Priority, res *pace.Reservation, report Report, forms Forms,
) (*Result, error) {
	const op = "report publication"
	answer, err := c.conn.Run(ctx, p, res, func(Forms) (client.Request, error) {
		input := map[string]any{"id": report.ID, "status": forms.Spell(report.Status)}
		if report.URL != "" {
			input["productUrl"] = report.URL
		}
		return client.Request{
			Op: op, Doc: reportDocument(forms), Vars: map[string]any{"in": input}, Partial: true,
		}, nil
	})
	if KindOf(err) == Invalid || denial(err) != nil {
		return &Result{ID: report.ID, Err: err}, nil //nolint:nilerr // it is this report's
	}
	if err != nil {
		return &Result{ID: report.ID, Err: err}, err
	}
	data, err := answer.Roots()
	if err != nil {
		err := fault.Unreadable(op, err)
		return &Result{ID: report.ID, Err: err}, err
	}
	return c.result(op, report, data, answer.Complaints, forms), nil
}

// result reads the answer to a report.
func (c *Client) result(
	op string, report Report, data map[string]json.RawMessage, complaints []fault.Complaint, forms Forms,
) *Result {
	result := &Result{ID: report.ID}
	value, err := c.rootField(op, data, 0, 1, complaints)
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
	if refused := c.refusal(op, payload.UserErrors); refused != nil {
		if advice := forms.Advice(refused.Said); advice != "" && fault.Tokens(refused.Said.Text)["status"] {
			refused.Message += " (" + advice + ")"
		}
		result.Err = refused
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

func reportDocument(f Forms) document.Document {
	changed := document.Object("publication", "", document.Scalars("status", "updatedAt")...)
	told := document.Object("publicationStatusUpdated", "input:$in", changed)
	if !f.NoUserErrors {
		told.Sub = append(told.Sub, userErrors())
	}
	return document.Document{
		Kind: document.Mutation, Name: "Report", Vars: []string{"$in:" + f.Input(form.StatusInput) + "!"},
		Body: []document.Field{told},
	}
}

// lacksUserErrors reports whether the server objects to userErrors in a report.
func lacksUserErrors(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Said.Missing["userErrors"]
}
