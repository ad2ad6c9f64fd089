package sandbox

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
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

func (x *execution) mutation() object {
	return object{"webhookCreate": x.createWebhook, "publicationStatusUpdated": x.report}
}

func (x *execution) input(f *ast.Field) map[string]any {
	input, _ := x.args(f)["input"].(map[string]any)
	return input
}

func (x *execution) named() (ids []string) {
	for _, f := range fields(x.op.SelectionSet) {
		ids = append(ids, asString(x.args(f)["id"]), asString(x.input(f)["id"]))
	}
	return ids
}

// A payload is what a mutation says of its input: the user errors.
type payload []object

func (p *payload) refuse(field, message string) {
	*p = append(*p, object{"field": []string{field}, "message": message})
}

func (p payload) object(name string, record any) object {
	return object{name: record, "userErrors": []object(p)}
}

func (x *execution) report(f *ast.Field) (any, error) {
	if x.fault.Kind == DeniedReport {
		//nolint:staticcheck,revive // the words of a server
		return nil, errors.New("Access denied: the token may not call publicationStatusUpdated.")
	}
	m, input, says := x.m, x.input(f), payload{}
	status, r := asString(input["status"]), x.m.live(asString(input["id"]))
	report := Report{
		ID: asString(input["id"]), Status: strings.ToLower(status), ProductURL: asString(input["productUrl"]), At: time.Now(),
	}
	success, failed := m.opts.spell(statusSuccess), m.opts.spell(statusFailed)
	switch {
	case r == nil:
		says.refuse("id", errNotFound.Error())
	case status != success && status != failed:
		says.refuse("status", "Status must be "+success+" or "+failed)
	case input["productUrl"] != nil && !absolute(report.ProductURL):
		says.refuse("productUrl", "Product url must be an absolute http or https address")
	case x.fault.Kind == RefusedReport && x.fault.names(report.ID):
		says.refuse("status", "Status cannot be changed now")
	default:
		if r.Status = report.Status; report.ProductURL != "" {
			r.ProductURL = report.ProductURL
		}
		m.touch(r, m.stamp())
	}
	var shown any
	if len(says) > 0 {
		report.Refused, _ = says[0]["message"].(string)
	}
	saysWhy := m.schema.Types["PublicationStatusUpdatedPayload"].Fields.ForName("userErrors") != nil
	if r != nil && (report.Refused == "" || !saysWhy) { // else it shows the status as it was
		shown = x.publication(r)
	}
	x.reports = append(x.reports, report)
	m.ledger.Lock()
	m.told = append(m.told, report)
	m.ledger.Unlock()
	if r == nil && m.opts.Gone != GoneNull {
		return nil, errNotFound
	}
	return says.object("publication", shown), nil
}

// absolute reports whether an address can be opened from anywhere: http or https, with a host.
func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func (x *execution) createWebhook(f *ast.Field) (any, error) {
	o, input, says := x.m.opts, x.input(f), payload{}
	address, events := asString(input["callbackUrl"]), asStrings(input["events"])
	if reason := unreachable(address); reason != "" {
		says.refuse("callbackUrl", "Callback url "+reason)
	}
	if len(events) == 0 {
		says.refuse("events", "Events must not be empty")
	}
	for _, event := range events {
		if !slices.Contains(o.Events, event) {
			says.refuse("events", "Events has an unknown name: "+strconv.Quote(event))
		}
	}
	if len(says) > 0 {
		return says.object("webhook", nil), nil
	}
	if o.KeepCallback != nil {
		address = o.KeepCallback(address)
	}
	made := x.m.courier.register(Webhook{CallbackURL: address, Events: events, Active: input["active"] != false})
	return says.object("webhook", made.object()), nil
}

// asStrings reads a list of strings, where a single value stands for a list of one.
func asStrings(v any) (out []string) {
	items, many := v.([]any)
	if !many {
		return []string{asString(v)}
	}
	for _, item := range items {
		out = append(out, asString(item))
	}
	return out
}

// unreachable is why no delivery could reach an address, "" where one may. An address of a private
// network counts as reachable.
func unreachable(address string) string {
	u, err := url.Parse(address)
	if err != nil || !absolute(address) {
		return "must be an absolute http or https address"
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	switch {
	case host == "localhost" || strings.HasSuffix(host, "internal"):
		return "must not be localhost, or end in internal"
	case strings.HasPrefix(host, "www.") && strings.Trim(u.Path, "/") == "":
		return "must not be a bare www address"
	default:
		return ""
	}
}
