package sandbox

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Report is one publicationStatusUpdated, as the marketplace read it.
type Report struct {
	ID         string // of the publication, known or not
	Status     string // lower case
	ProductURL string
	At         time.Time
	Refused    string // the user error it was answered with; empty when it took effect
}

// mutation answers Mutation.
func (x *execution) mutation() object {
	return object{
		"webhookCreate": func(f *field) (any, error) { return x.m.createWebhook(inputOf(f)), nil },
		"publicationStatusUpdated": func(f *field) (any, error) {
			if x.fault.Kind == DeniedReport {
				//nolint:staticcheck,revive // the words of a server
				return nil, errors.New("Access denied: the token may not call publicationStatusUpdated.")
			}
			report, payload := x.report(inputOf(f))
			x.reports = append(x.reports, report)
			if x.m.opts.Gone != GoneNull && x.m.live(report.ID) == nil {
				return nil, errNotFound
			}
			return payload, nil
		},
	}
}

func inputOf(f *field) map[string]any {
	input, _ := f.args["input"].(map[string]any)
	return input
}

// named lists the publications that an operation reads or reports on.
func (x *execution) named() (ids []string) {
	for _, f := range x.fields {
		switch f.Name {
		case "publication":
			ids = append(ids, asString(f.args["id"]))
		case "publicationStatusUpdated":
			ids = append(ids, asString(inputOf(f)["id"]))
		}
	}
	return ids
}

func (x *execution) report(input map[string]any) (Report, object) {
	m := x.m
	report := Report{
		ID: asString(input["id"]), Status: asString(input["status"]), ProductURL: asString(input["productUrl"]),
		At: time.Now(),
	}
	payload := payload{}
	r := m.live(report.ID)
	known := []string{m.opts.spell(statusSuccess), m.opts.spell(statusFailed)}
	switch {
	case r == nil:
		payload.refuse("id", "Publication not found")
	case !slices.Contains(known, report.Status):
		payload.refuse("status", "Status must be "+known[0]+" or "+known[1])
	case input["productUrl"] != nil && !absolute(report.ProductURL):
		payload.refuse("productUrl", "Product url must be an absolute http or https address")
	case x.fault.Kind == RefusedReport && x.fault.names(report.ID):
		payload.refuse("status", "Status cannot be changed now")
	default:
		r.Status = strings.ToLower(report.Status)
		if report.ProductURL != "" {
			r.ProductURL = report.ProductURL
		}
		m.touch(r, m.stamp())
	}
	report.Status, report.Refused = strings.ToLower(report.Status), payload.first()
	note(&m.ledger, &m.ledger.reports, report)
	var shown any
	if r != nil && (report.Refused == "" || m.opts.NoUserErrors) {
		shown = x.publication(r)
	}
	return report, payload.object("publication", shown)
}

// absolute reports whether an address can be opened from anywhere: http or https, with a host.
func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// A payload is what a mutation says of its input: the user errors.
type payload []object

func (p *payload) refuse(field, message string) {
	*p = append(*p, object{"field": []string{field}, "message": message})
}

func (p payload) first() string {
	if len(p) == 0 {
		return ""
	}
	message, _ := p[0]["message"].(string)
	return message
}

func (p payload) object(name string, record any) object {
	return object{name: record, "userErrors": []object(p)}
}
