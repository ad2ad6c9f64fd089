package sandbox

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

func (x *execution) mutation() object {
	return object{"webhookCreate": x.createWebhook, "publicationStatusUpdated": x.report}
}

func (a args) input() args {
	input, _ := a["input"].(map[string]any)
	return input
}

func userError(field, message string) object {
	return object{"field": []string{field}, "message": message}
}

func (x *execution) report(a args) (any, error) {
	if x.fault.Kind == DeniedReport {
		//nolint:staticcheck,revive // the words of a server
		return nil, errors.New("Access denied: the token may not call publicationStatusUpdated.")
	}
	m, input, field := x.m, a.input(), ""
	status, address, r := input.text("status"), input.text("productUrl"), m.live(input.text("id"))
	report := Report{ID: input.text("id"), Status: strings.ToLower(status), ProductURL: address}
	switch {
	case r == nil:
		field, report.Refused = "id", errNotFound.Error()
	case status != m.opts.spell(statusSuccess) && status != m.opts.spell(statusFailed):
		field, report.Refused = "status", "Status must be success or failed"
	case input["productUrl"] != nil && !absolute(address):
		field, report.Refused = "productUrl", "Product url must be an absolute http or https address"
	case x.fault.Kind == RefusedReport && x.fault.names(report.ID):
		field, report.Refused = "status", "Status cannot be changed now"
	default:
		r.Status, r.ProductURL, r.UpdatedAt = report.Status, cmp.Or(address, r.ProductURL), m.stamp()
	}
	x.reports = append(x.reports, report)
	m.told = append(recent(m.told), report)
	if r == nil && m.opts.GoneError {
		return nil, errNotFound
	}
	out := object{"userErrors": []any{}}
	if report.Refused != "" {
		out["userErrors"] = []any{userError(field, report.Refused)}
	}
	saysWhy := m.schema.Types["PublicationStatusUpdatedPayload"].Fields.ForName("userErrors") != nil
	if r != nil && (report.Refused == "" || !saysWhy) { // else it shows the status as it was
		out["publication"] = x.publication(r)
	}
	return out, nil
}

// absolute reports whether an address can be opened from anywhere: http or https, with a host.
func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func (x *execution) createWebhook(a args) (any, error) {
	o, input, says := x.m.opts, a.input(), []any{}
	w := Webhook{CallbackURL: input.text("callbackUrl"), Active: input["active"] != false}
	if !absolute(w.CallbackURL) {
		says = append(says, userError("callbackUrl", "Callback url must be an absolute http or https address"))
	}
	events, _ := input["events"].([]any)
	for _, item := range events {
		event, _ := item.(string)
		if w.Events = append(w.Events, event); !slices.Contains(o.Events, event) {
			says = append(says, userError("events", "Events has an unknown name: "+strconv.Quote(event)))
		}
	}
	if len(says) > 0 {
		return object{"userErrors": says}, nil
	}
	if o.KeepCallback != nil {
		w.CallbackURL = o.KeepCallback(w.CallbackURL)
	}
	x.m.name(&w.ID, "w")
	x.m.hooks = append(x.m.hooks, &w)
	return object{"webhook": shown(w), "userErrors": says}, nil
}
