package sandbox

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// A Report is one publicationStatusUpdated, as the marketplace read it.
type Report struct {
	ID         string // of the publication, known or not
	Status     string // lower case
	ProductURL string
	At         time.Time
	Refused    string // the user error it was answered with; empty when it took effect
}

// mutationNode answers the fields of Mutation. The marketplace is locked for writing.
type mutationNode struct{}

func (mutationNode) resolve(x *execution, f *field) (any, error) {
	input, _ := x.arg(f, "input").(map[string]any)
	if f.name == "webhookCreate" {
		return x.m.createWebhook(input), nil
	}
	if x.denied {
		//nolint:staticcheck,revive // the words of a server
		return nil, errors.New("Access denied: the token may not call publicationStatusUpdated.")
	}
	report, payload := x.m.report(input, x.refuses)
	x.reports = append(x.reports, report)
	if x.m.opts.Gone != GoneNull && x.m.live(report.ID) == nil {
		return nil, errNotFound
	}
	return payload, nil
}

// reported lists the publications that an operation reports on, before it runs.
func (x *execution) reported() []string {
	if x.op.def.Operation != ast.Mutation {
		return nil
	}
	var ids []string
	for _, f := range x.op.fields {
		if f.name == "publicationStatusUpdated" && x.included(f) {
			input, _ := x.arg(f, "input").(map[string]any)
			ids = append(ids, asString(input["id"]))
		}
	}
	return ids
}

// named lists the publications that an operation names.
func (x *execution) named() []string {
	ids := x.reported()
	for _, f := range x.op.fields {
		if f.name == "publication" && x.included(f) {
			ids = append(ids, asString(x.arg(f, "id")))
		}
	}
	return ids
}

func (m *Marketplace) report(input map[string]any, refuses func(id string) bool) (Report, node) {
	report := Report{
		ID:         asString(input["id"]),
		Status:     asString(input["status"]),
		ProductURL: asString(input["productUrl"]),
		At:         time.Now(),
	}
	payload := payloadNode{}
	r := m.live(report.ID)
	known := []string{m.opts.spell(statusSuccess), m.opts.spell(statusFailed)}
	switch {
	case r == nil:
		payload.refuse("id", "Publication not found")
	case !slices.Contains(known, report.Status):
		payload.refuse("status", "Status must be "+known[0]+" or "+known[1])
	case input["productUrl"] != nil && !absolute(report.ProductURL):
		payload.refuse("productUrl", "Product url must be an absolute http or https address")
	case refuses(report.ID):
		payload.refuse("status", "Status cannot be changed now")
	}
	report.Status = strings.ToLower(report.Status)
	if len(payload.errs) > 0 {
		report.Refused = payload.errs[0].message
		if m.opts.NoUserErrors && r != nil {
			payload.record = publicationNode{r}
		}
	} else {
		r.Status = report.Status
		if report.ProductURL != "" {
			r.ProductURL = report.ProductURL
		}
		m.touch(r, m.stamp())
		payload.record = publicationNode{r}
	}
	m.ledger.reports.add(report)
	return report, payload
}

// absolute reports whether an address can be opened from anywhere: http or https, with a host.
func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// payloadNode is what a mutation answers: the record, or what was wrong with the input.
type payloadNode struct {
	record node
	errs   []userError
}

func (n *payloadNode) refuse(field, message string) {
	n.errs = append(n.errs, userError{field, message})
}

func (n payloadNode) resolve(_ *execution, f *field) (any, error) {
	if f.name == "userErrors" {
		return nodes(
			n.errs, func(e userError) node { return facts{"field": []string{e.field}, "message": e.message} },
		), nil
	}
	if n.record == nil {
		return nil, nil
	}
	return n.record, nil
}

type userError struct{ field, message string }
