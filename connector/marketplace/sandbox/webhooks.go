package sandbox

import (
	"encoding/json"
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
	Failures    int // in a row, over all deliveries to it
	number      int
	channel     bool // the channel's default webhook: not signed, not listed
}

const (
	eventCreated = "PUBLICATION_CREATED"
	eventContent = "PRODUCT_UPDATED"
)

// createWebhook registers a webhook as webhookCreate asks, or says what is wrong with the input.
func (m *Marketplace) createWebhook(input map[string]any) node {
	payload := payloadNode{}
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
			payload.refuse("events", "Events has an unknown name: "+show(event))
		}
	}
	if template := input["template"]; template != nil && template != "INVOICING" {
		payload.refuse("template", "Template must be INVOICING")
	}
	if len(payload.errs) == 0 {
		active, given := input["active"].(bool)
		if m.opts.KeepCallback != nil {
			address = m.opts.KeepCallback(address)
		}
		active = (active || !given) && !m.opts.CreatesInactive
		payload.record = webhookFacts(
			m.courier.register(Webhook{CallbackURL: address, Events: slices.Clone(events), Active: active}),
		)
	}
	return payload
}

// unreachable is why no delivery could reach an address, "" where one may. An address of a private
// network counts as reachable.
func unreachable(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "must be an absolute http or https address"
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Unmap().IsUnspecified() {
			return "must not be an unspecified address"
		}
		return ""
	}
	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return "must not be localhost"
	case strings.HasSuffix(host, "internal"),
		strings.HasSuffix(strings.ToLower(strings.TrimRight(address, "/.")), "internal"):
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

// Announce tells the webhooks of a publication once more, as for a new one. Nothing is told of one
// that is not on the list.
func (m *Marketplace) Announce(id string) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if r := m.live(id); r != nil {
		m.announce(r)
	}
}

// announce tells the webhooks for new publications.
func (m *Marketplace) announce(r *record) {
	m.courier.tell(eventCreated, false, func() any { return map[string]any{"publication": m.publicationBody(r)} })
}

// contentChanged tells the channel's default webhook, and those that were created for products.
func (m *Marketplace) contentChanged(r *record) {
	if r.Listing == nil {
		return
	}
	product := map[string]any{"id": r.Listing.ProductID}
	m.courier.tell(eventContent, false, func() any { return map[string]any{"product": product} })
	m.courier.tell(eventContent, true, func() any {
		switch m.opts.ChannelPayload {
		case NamesPublication:
			return map[string]any{"publication": m.publicationBody(r)}
		case NamesListing:
			return map[string]any{"listing": map[string]any{"id": r.Listing.ID}}
		case NamesVariant:
			variant := map[string]any{"product": product}
			if len(r.Listing.Variants) > 0 {
				variant["id"] = r.Listing.Variants[0].ID
			}
			return map[string]any{"productVariant": variant}
		case NamesNothing:
			return map[string]any{}
		default:
			return map[string]any{"product": product}
		}
	})
}

func (m *Marketplace) publicationBody(r *record) any {
	body := struct {
		ID        string `json:"id"`
		Status    string `json:"status"`
		Listing   any    `json:"listing"`
		CreatedAt string `json:"createdAt"`
		UpdatedAt string `json:"updatedAt"`
	}{ID: r.ID, Status: m.opts.spell(r.Status), CreatedAt: timestamp(r.CreatedAt), UpdatedAt: timestamp(r.UpdatedAt)}
	if r.Listing != nil {
		body.Listing = map[string]any{"product": map[string]any{"id": r.Listing.ProductID}}
	}
	return body
}

// register adds a registration and returns it as it now stands.
func (c *courier) register(w Webhook) Webhook {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.created++
	w.number = c.created
	w.ID = "webhook-" + strconv.Itoa(c.created)
	c.hooks = append(c.hooks, &w)
	return w
}

func (c *courier) registrations() []Webhook {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]Webhook, 0, len(c.hooks))
	for _, w := range c.hooks {
		if !w.channel {
			listed := *w
			listed.Events = slices.Clone(w.Events)
			out = append(out, listed)
		}
	}
	return out
}

func (c *courier) remove(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := len(c.hooks)
	c.hooks = slices.DeleteFunc(c.hooks, func(w *Webhook) bool { return w.ID == id })
	return len(c.hooks) < before
}

func (c *courier) setChannel(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hooks = slices.DeleteFunc(c.hooks, func(w *Webhook) bool { return w.channel })
	if address != "" {
		c.hooks = append(
			c.hooks,
			&Webhook{
				ID:          "channel-default",
				CallbackURL: address,
				Events:      []string{eventContent},
				Active:      true,
				channel:     true,
			},
		)
	}
}

// tell queues a delivery for each active registration of an event, either the channel's default
// webhook or the others. The body is made only when somebody wants it.
func (c *courier) tell(event string, channel bool, data func() any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var body []byte
	for _, w := range c.hooks {
		if c.closed || !w.Active || w.channel != channel || !slices.Contains(w.Events, event) {
			continue
		}
		if body == nil {
			var err error
			if body, err = json.Marshal(map[string]any{"data": data()}); err != nil {
				return // strings and maps of them always encode
			}
		}
		c.enqueue(&delivery{hook: w, event: event, body: body})
	}
}
