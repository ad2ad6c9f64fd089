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
	known := status == m.opts.spell(statusSuccess) || status == m.opts.spell(statusFailed)
	switch {
	case r == nil:
		field, report.Refused = "id", errNotFound.Error()
	case !known:
		field, report.Refused = "status", "Status must be success or failed"
	case input["productUrl"] != nil && !absolute(address):
		field, report.Refused = "productUrl", "Product url must be an absolute http or https address"
	case x.fault.Kind == RefusedReport && x.fault.names(report.ID):
		field, report.Refused = "status", "Status cannot be changed now"
	default:
		r.Status, r.ProductURL, r.UpdatedAt = report.Status, cmp.Or(address, r.ProductURL), m.stamp()
		clear(m.lists)
	}
	x.reports = append(x.reports, report)
	m.told = append(recent(m.told), report)
	out := object{"userErrors": []any{}}
	if report.Refused != "" {
		out["userErrors"] = []any{userError(field, report.Refused)}
	}
	saysWhy := m.schema.Types["PublicationStatusUpdatedPayload"].Fields.ForName("userErrors") != nil
	if r != nil && (report.Refused == "" || !saysWhy) { // else it shows the status as it was
		out["publication"] = x.publication(r)
	}
	if r == nil && m.opts.GoneError {
		return nil, errNotFound
	}
	return out, nil
}

// absolute reports whether an address can be opened from anywhere: http or https, with a host.
func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func (x *execution) createWebhook(a args) (any, error) {
	o, input := x.m.opts, a.input()
	w := Webhook{CallbackURL: input.text("callbackUrl"), Active: input["active"] != false}
	list, many := input["events"].([]any)
	if !many { // a single value stands for a list of one
		list = []any{input["events"]}
	}
	says := []any{}
	if reason := unreachable(w.CallbackURL); reason != "" {
		says = append(says, userError("callbackUrl", reason))
	}
	if len(list) == 0 {
		says = append(says, userError("events", "Events must not be empty"))
	}
	for _, item := range list {
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
	x.m.made++
	w.ID = "webhook-" + strconv.Itoa(x.m.made)
	x.m.hooks = append(x.m.hooks, &w)
	return object{"webhook": shown(w), "userErrors": says}, nil
}

// unreachable is why no delivery could reach an address, "" where one may. An address of a private
// network counts as reachable.
func unreachable(address string) string {
	if !absolute(address) {
		return "Callback url must be an absolute http or https address"
	}
	u, _ := url.Parse(address) //nolint:errcheck // it was parsed
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, "internal") ||
		strings.HasPrefix(host, "www.") && strings.Trim(u.Path, "/") == "" {
		return "Callback url must not be localhost, end in internal, or be a bare www address"
	}
	return ""
}
