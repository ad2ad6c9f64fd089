package sandbox

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	deliveryTimeout = 5 * time.Second
	retries         = 19 // and failures in a row, of which the last deletes the registration
	retryPeriod     = 48 * time.Hour
	atOnce          = 16 // deliveries under way at a time

	channelID    = "channel" // of the default webhook, which is not signed, not listed and never deleted
	eventCreated = "PUBLICATION_CREATED"
	eventContent = "PRODUCT_UPDATED"
)

// A Webhook is a registration: where to deliver, and what.
type Webhook struct {
	ID          string   `json:"id"`
	CallbackURL string   `json:"callbackUrl"`
	Events      []string `json:"events"`
	Active      bool     `json:"active"`
	Failures    int      `json:"-"` // in a row, over all deliveries to it
}

// SetChannelWebhook sets where the channel's default webhook goes; "" is nowhere.
func (m *Marketplace) SetChannelWebhook(address string) {
	w := &Webhook{ID: channelID, CallbackURL: address, Events: []string{eventContent}, Active: address != ""}
	m.locked(func() { m.channel = w })
}

// Webhooks lists the registrations in the order of creation.
func (m *Marketplace) Webhooks() (out []Webhook) {
	m.locked(func() {
		for _, w := range m.hooks {
			out = append(out, *w)
		}
	})
	return out
}

// DeleteWebhook removes a registration without a word, as it happens.
func (m *Marketplace) DeleteWebhook(id string) {
	m.locked(func() { m.hooks = slices.DeleteFunc(m.hooks, func(w *Webhook) bool { return w.ID == id }) })
}

func (m *Marketplace) announce(r *record) {
	body := object{
		"id": r.ID, "status": m.opts.spell(r.Status), "listing": nil,
		"createdAt": timestamp(r.CreatedAt), "updatedAt": timestamp(r.UpdatedAt),
	}
	if r.Listing != nil {
		body["listing"] = object{"product": object{"id": r.Listing.ProductID}}
	}
	m.notify(eventCreated, "publication", body)
}

// notify begins a delivery for each active registration of an event.
func (m *Marketplace) notify(event, name string, about object) {
	for _, w := range append(slices.Clip(m.hooks), m.channel) {
		if m.closed.Err() == nil && w.Active && slices.Contains(w.Events, event) {
			body := encode(object{"data": object{name: about}})
			m.working.Go(func() { m.deliver(w, event, body) })
		}
	}
}

// deliver tries until the receiver acknowledges, at most two days long: the gaps are half a minute at
// first and seven hours at last. Too many failures, of whatever delivery, delete the registration.
func (m *Marketplace) deliver(w *Webhook, event string, body []byte) {
	first := time.Now()
	for n, again := 0, true; again && n <= retries; n++ {
		gap := retryPeriod / (retries * retries * retries) * time.Duration(n*n*n)
		select {
		case <-time.After(time.Until(first.Add(gap))):
		case <-m.closed.Done():
			return
		}
		m.places <- struct{}{}
		again = m.attempt(w, event, n+1, body)
		<-m.places
	}
}

// attempt makes one delivery, and reports whether it is to be tried again.
func (m *Marketplace) attempt(w *Webhook, event string, n int, body []byte) (again bool) {
	gone := false
	m.locked(func() { gone = w.ID != channelID && !slices.Contains(m.hooks, w) })
	if gone {
		return false
	}
	said, acknowledged := m.post(w, event, body)
	if m.closed.Err() != nil && !acknowledged { // cut short by Close
		return false
	}
	m.locked(func() {
		if w.Failures++; acknowledged {
			w.Failures = 0
		}
		again = !acknowledged && w.Failures < retries
		if w.Failures >= retries {
			m.hooks = slices.DeleteFunc(m.hooks, func(other *Webhook) bool { return w == other })
		}
	})
	m.tell(fmt.Sprintf("webhook %s to %s, attempt %d: %s", event, w.CallbackURL, n, said))
	return again
}

func (m *Marketplace) post(w *Webhook, event string, body []byte) (said string, acknowledged bool) {
	req, err := http.NewRequestWithContext(m.closed, http.MethodPost, w.CallbackURL, bytes.NewReader(body))
	if err != nil {
		return err.Error(), false
	}
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"pubsync-sandbox/1"}, "X-Service-Event": {event},
		"X-Service-Account-Id": {m.opts.Account}, "X-Service-Webhook-Id": {w.ID},
	}
	if w.ID != channelID {
		req.Header.Set("X-Service-Signature", sign(m.opts.Secret, body))
	}
	resp, err := m.client.Do(req)
	if err != nil {
		return err.Error(), false
	}
	defer resp.Body.Close()                        //nolint:errcheck // only the status counts
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	return "answered " + strconv.Itoa(resp.StatusCode), resp.StatusCode >= 200 && resp.StatusCode < 300
}

func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
