package sandbox

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A Webhook is a registration: where to deliver, and what.
type Webhook struct {
	ID          string
	CallbackURL string
	Events      []string
	Active      bool
	Failures    int  // in a row, over all deliveries to it
	channel     bool // the channel's default webhook: not signed, not listed
}

func (w Webhook) object() object {
	return object{"id": w.ID, "callbackUrl": w.CallbackURL, "events": w.Events, "active": w.Active}
}

const (
	eventCreated = "PUBLICATION_CREATED"
	eventContent = "PRODUCT_UPDATED"
)

// createWebhook registers a webhook as webhookCreate asks, or says what is wrong with the input.
func (m *Marketplace) createWebhook(input map[string]any) object {
	payload := payload{}
	address, events := asString(input["callbackUrl"]), asStrings(input["events"])
	if reason := unreachable(address); reason != "" {
		payload.refuse("callbackUrl", "Callback url "+reason)
	}
	if len(events) == 0 {
		payload.refuse("events", "Events must not be empty")
	}
	for _, event := range events {
		switch {
		case slices.Contains(m.opts.events(), event):
		case m.opts.TerseRefusals:
			payload.refuse("events", "Events is invalid")
		default:
			payload.refuse("events", "Events has an unknown name: "+strconv.Quote(event))
		}
	}
	if template := input["template"]; template != nil && template != "INVOICING" {
		payload.refuse("template", "Template must be INVOICING")
	}
	if len(payload) > 0 {
		return payload.object("webhook", nil)
	}
	if m.opts.KeepCallback != nil {
		address = m.opts.KeepCallback(address)
	}
	active := input["active"] != false && !m.opts.CreatesInactive
	w := m.courier.register(Webhook{CallbackURL: address, Events: events, Active: active})
	return payload.object("webhook", w.object())
}

// asStrings reads a list of strings, where a single value stands for a list of one.
func asStrings(v any) (out []string) {
	switch items := v.(type) {
	case []string:
		return slices.Clone(items)
	case []any:
		for _, item := range items {
			out = append(out, asString(item))
		}
		return out
	default:
		return []string{asString(v)}
	}
}

// unreachable is why no delivery could reach an address, "" where one may. An address of a private
// network counts as reachable.
func unreachable(address string) string {
	u, err := url.Parse(address)
	if err != nil || !absolute(address) {
		return "must be an absolute http or https address"
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	ip, err := netip.ParseAddr(host)
	switch {
	case err == nil && ip.Unmap().IsUnspecified():
		return "must not be an unspecified address"
	case err == nil:
		return ""
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return "must not be localhost"
	case strings.HasSuffix(host, "internal"),
		strings.HasSuffix(strings.TrimRight(strings.ToLower(address), "/."), "internal"):
		return "must not end in internal"
	case strings.HasPrefix(host, "www.") && strings.Trim(u.Path, "/") == "":
		return "must not be a bare www address"
	default:
		return ""
	}
}

// Webhooks lists the registrations, as the account's owner sees them: in the order of creation,
// without the channel's default webhook.
func (m *Marketplace) Webhooks() []Webhook { return m.courier.registrations() }

// DeleteWebhook removes a registration without a word, as it happens. It reports whether there was
// one.
func (m *Marketplace) DeleteWebhook(id string) bool { return m.courier.remove(id) }

// SetChannelWebhook changes where the channel's default webhook goes; empty switches it off. Its
// failures are forgotten.
func (m *Marketplace) SetChannelWebhook(address string) { m.courier.setChannel(address) }

// announce tells the webhooks for new publications.
func (m *Marketplace) announce(r *record) {
	body := map[string]any{
		"id": r.ID, "status": m.opts.spell(r.Status), "listing": nil,
		"createdAt": timestamp(r.CreatedAt), "updatedAt": timestamp(r.UpdatedAt),
	}
	if r.Listing != nil {
		body["listing"] = map[string]any{"product": map[string]any{"id": r.Listing.ProductID}}
	}
	m.courier.tell(eventCreated, "publication", body)
}

// contentChanged tells the channel's default webhook, and those that were created for products.
func (m *Marketplace) contentChanged(r *record) {
	if r.Listing != nil {
		m.courier.tell(eventContent, "product", map[string]any{"id": r.Listing.ProductID})
	}
}
