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

// What the specification says about deliveries.
const (
	deliveryTimeout = 5 * time.Second
	retries         = 19
	retryPeriod     = 48 * time.Hour

	couriers = 16 // deliveries under way at a time
)

// FailuresAllowed is how many deliveries to a registration may fail in a row: the last of them
// deletes it.
const FailuresAllowed = 19

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

	mu      sync.Mutex
	created int
	hooks   []*Webhook
	heard   []func(Delivery)
}

func newCourier(o Options) *courier {
	c := &courier{account: o.Account, secret: o.Secret, places: make(chan struct{}, couriers)}
	transport := o.WebhookTransport
	if transport == nil {
		transport = &http.Transport{MaxIdleConnsPerHost: couriers, IdleConnTimeout: 10 * time.Second}
	}
	c.client = &http.Client{
		Transport: transport, Timeout: deliveryTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.setChannel(o.ChannelWebhookURL)
	return c
}

// register adds a registration and returns it as it now stands.
func (c *courier) register(w Webhook) Webhook {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.created++
	w.ID = "webhook-" + strconv.Itoa(c.created)
	c.hooks = append(c.hooks, &w)
	return w
}

func (c *courier) registrations() (out []Webhook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.hooks {
		if !w.channel {
			out = append(out, *w)
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
	const id = "channel-default"
	c.remove(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	if address != "" {
		c.hooks = append(c.hooks, &Webhook{
			ID: id, CallbackURL: address, Events: []string{eventContent}, Active: true, channel: true,
		})
	}
}

// listen has f called with each attempt.
func (c *courier) listen(f func(Delivery)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(c.heard, f)
}

// tell begins a delivery for each active registration of an event. Its body names what the event is
// about.
func (c *courier) tell(event, name string, about map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.hooks {
		if c.ctx.Err() == nil && w.Active && slices.Contains(w.Events, event) {
			body := encode(map[string]any{"data": map[string]any{name: about}})
			c.working.Go(func() { c.deliver(w, event, body) })
		}
	}
}

// deliver tries until the receiver acknowledges, at most two days long.
func (c *courier) deliver(w *Webhook, event string, body []byte) {
	var first time.Time
	for n := 1; ; n++ {
		select {
		case c.places <- struct{}{}:
		case <-c.ctx.Done():
			return
		}
		now := time.Now()
		if n == 1 {
			first = now
		}
		entry := Delivery{
			WebhookID: w.ID, Event: event, URL: w.CallbackURL, Signed: !w.channel, Attempt: n, At: now,
		}
		registered := c.registered(w)
		if registered {
			c.post(&entry, body)
		}
		<-c.places
		if !registered || c.ctx.Err() != nil && !entry.Acknowledged() { // deleted meanwhile, or cut short by close
			return
		}
		again := c.conclude(w, entry) && n <= retries
		if !again {
			return
		}
		timer := time.NewTimer(time.Until(first.Add(retryAfter(n))))
		select {
		case <-timer.C:
		case <-c.ctx.Done():
			timer.Stop()
			return
		}
	}
}

func (c *courier) registered(w *Webhook) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.hooks, w)
}

// conclude counts how an attempt ended, and tells of it. After too many failures it deletes the
// registration. It reports whether the delivery is to be tried again.
func (c *courier) conclude(w *Webhook, entry Delivery) (again bool) {
	c.mu.Lock()
	if entry.Acknowledged() {
		w.Failures = 0
	} else if w.Failures++; w.Failures >= FailuresAllowed {
		c.hooks = slices.DeleteFunc(c.hooks, func(other *Webhook) bool { return w == other })
	} else {
		again = true
	}
	heard := c.heard
	c.mu.Unlock()
	for _, f := range heard {
		f(entry)
	}
	return again
}

// retryAfter is when the n-th retry is due, counted from the first attempt. It grows with the third
// power of n: the gaps are half a minute at first and seven hours at last, and the last retry ends
// the two days.
func retryAfter(n int) time.Duration {
	return retryPeriod / (retries * retries * retries) * time.Duration(n*n*n)
}

// post makes one attempt, and records how it ended.
func (c *courier) post(d *Delivery, body []byte) {
	req, err := http.NewRequestWithContext(c.ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		d.Err = err.Error()
		return
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "pubsync-sandbox/1",
		"X-Service-Account-Id": c.account, "X-Service-Event": d.Event, "X-Service-Webhook-Id": d.WebhookID,
	} {
		req.Header.Set(name, value)
	}
	if d.Signed {
		req.Header.Set("X-Service-Signature", sign(c.secret, body))
	}
	resp, err := c.client.Do(req)
	if err != nil {
		d.Err = err.Error()
		return
	}
	defer resp.Body.Close() //nolint:errcheck // only the status counts
	// The body is read so that the connection can be used again.
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	d.Status = resp.StatusCode
}

// sign is the signature of a body: HMAC-SHA256 in hexadecimal.
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
