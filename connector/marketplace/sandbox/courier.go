package sandbox

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	deliveryTimeout = 5 * time.Second
	retries         = 19 // and failures in a row, of which the last deletes the registration
	retryPeriod     = 48 * time.Hour
	atOnce          = 16 // deliveries under way at a time
)

// The events that a sandbox has.
const (
	eventCreated = "PUBLICATION_CREATED"
	eventContent = "PRODUCT_UPDATED"
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

// A Delivery is one attempt to tell a receiver of an event.
type Delivery struct {
	WebhookID string
	Event     string
	URL       string
	Signed    bool
	Attempt   int // 1 for the first, up to 20
	At        time.Time
	Status    int    // HTTP status; 0 when there was no answer
	Err       string // why there was none
}

// Acknowledged reports whether the receiver accepted it.
func (d Delivery) Acknowledged() bool { return d.Status >= 200 && d.Status < 300 }

// A courier delivers webhooks: at once, and again at growing intervals until the receiver
// acknowledges.
type courier struct {
	account, secret string
	client          *http.Client
	ctx             context.Context
	cancel          context.CancelFunc
	working         sync.WaitGroup
	places          chan struct{} // of deliveries under way
	ended           func(event any)

	mu      sync.Mutex
	created int
	hooks   []*Webhook
}

func newCourier(o Options, ended func(event any)) *courier {
	c := &courier{account: o.Account, secret: o.Secret, places: make(chan struct{}, atOnce), ended: ended}
	transport := o.WebhookTransport
	if transport == nil {
		transport = &http.Transport{MaxIdleConnsPerHost: atOnce, IdleConnTimeout: 10 * time.Second}
	}
	c.client = &http.Client{
		Transport: transport, Timeout: deliveryTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

func (c *courier) register(w Webhook) Webhook {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.created++
	w.ID = "webhook-" + strconv.Itoa(c.created)
	c.hooks = append(c.hooks, &w)
	return w
}

// Webhooks lists the registrations in the order of creation, without the channel's default webhook.
func (m *Marketplace) Webhooks() (out []Webhook) {
	m.courier.mu.Lock()
	defer m.courier.mu.Unlock()
	for _, w := range m.courier.hooks {
		if !w.channel {
			out = append(out, *w)
		}
	}
	return out
}

// DeleteWebhook removes a registration without a word, as it happens.
func (m *Marketplace) DeleteWebhook(id string) {
	m.courier.mu.Lock()
	defer m.courier.mu.Unlock()
	m.courier.hooks = slices.DeleteFunc(m.courier.hooks, func(w *Webhook) bool { return w.ID == id })
}

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

// tell begins a delivery for each active registration of an event. Its body names what the event is
// about.
func (c *courier) tell(event, name string, about any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.hooks {
		if c.ctx.Err() == nil && w.Active && slices.Contains(w.Events, event) {
			body := encode(map[string]any{"data": map[string]any{name: about}})
			c.working.Go(func() { c.deliver(w, event, body) })
		}
	}
}

// deliver tries until the receiver acknowledges, at most two days long: the gaps are half a minute at
// first and seven hours at last.
func (c *courier) deliver(w *Webhook, event string, body []byte) {
	first := time.Now()
	for n := 1; n <= retries+1; n++ {
		gap := retryPeriod / (retries * retries * retries) * time.Duration((n-1)*(n-1)*(n-1))
		select {
		case <-time.After(time.Until(first.Add(gap))):
		case <-c.ctx.Done():
			return
		}
		c.places <- struct{}{}
		entry := Delivery{
			WebhookID: w.ID, Event: event, URL: w.CallbackURL, Signed: !w.channel, Attempt: n, At: time.Now(),
		}
		registered := c.registered(w)
		if registered {
			c.post(&entry, body)
		}
		<-c.places
		if !registered || c.ctx.Err() != nil && !entry.Acknowledged() { // deleted meanwhile, or cut short by close
			return
		}
		again := c.conclude(w, entry.Acknowledged())
		if c.ended(entry); !again {
			return
		}
	}
}

func (c *courier) registered(w *Webhook) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.hooks, w)
}

// conclude counts failures, and deletes the registration after too many. It reports whether the
// delivery is to be tried again.
func (c *courier) conclude(w *Webhook, acknowledged bool) (again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.Failures++; acknowledged {
		w.Failures = 0
	}
	if w.Failures >= retries {
		c.hooks = slices.DeleteFunc(c.hooks, func(other *Webhook) bool { return w == other })
	}
	return !acknowledged && w.Failures < retries
}

func (c *courier) post(d *Delivery, body []byte) {
	req, err := http.NewRequestWithContext(c.ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		d.Err = err.Error()
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "pubsync-sandbox/1")
	req.Header.Set("X-Service-Account-Id", c.account)
	req.Header.Set("X-Service-Event", d.Event)
	req.Header.Set("X-Service-Webhook-Id", d.WebhookID)
	if d.Signed {
		req.Header.Set("X-Service-Signature", sign(c.secret, body))
	}
	resp, err := c.client.Do(req)
	if err != nil {
		d.Err = err.Error()
		return
	}
	defer resp.Body.Close()                        //nolint:errcheck // only the status counts
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	d.Status = resp.StatusCode
}

func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func (c *courier) close() {
	c.mu.Lock()
	c.cancel() // with the lock, so that tell begins none after it
	c.mu.Unlock()
	c.working.Wait()
	c.client.CloseIdleConnections()
}
