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
// acknowledges. Between deliveries it is a timer, not a goroutine.
type courier struct {
	account, secret string
	client          *http.Client
	ctx             context.Context
	cancel          context.CancelFunc
	working         sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	created int
	hooks   []*Webhook
	queue   []*delivery
	running int
	waiting map[*delivery]*time.Timer
	heard   []func(Delivery)
}

// A delivery is one event on its way to one registration.
type delivery struct {
	hook    *Webhook
	event   string
	body    []byte
	attempt int // so far
	first   time.Time
}

func newCourier(o Options) *courier {
	c := &courier{account: o.Account, secret: o.Secret, waiting: make(map[*delivery]*time.Timer)}
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

// tell queues a delivery for each active registration of an event. Its body names what the event is
// about. The body is made only when somebody wants it.
func (c *courier) tell(event, name string, about map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var body []byte
	for _, w := range c.hooks {
		if c.closed || !w.Active || !slices.Contains(w.Events, event) {
			continue
		}
		if body == nil {
			body = encode(map[string]any{"data": map[string]any{name: about}})
		}
		c.enqueue(&delivery{hook: w, event: event, body: body})
	}
}

// enqueue queues a delivery, and starts a worker where all are busy. The caller holds the lock.
func (c *courier) enqueue(d *delivery) {
	c.queue = append(c.queue, d)
	if c.running < couriers {
		c.running++
		c.working.Go(c.work)
	}
}

// work delivers what is queued, and ends when the queue is empty.
func (c *courier) work() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) > 0 && !c.closed {
		d := c.queue[0]
		c.queue = c.queue[1:]
		if !slices.Contains(c.hooks, d.hook) {
			continue // deleted meanwhile
		}
		c.mu.Unlock()
		entry := c.attempt(d)
		c.mu.Lock()
		if c.closed && !entry.Acknowledged() {
			break // Close cut it short
		}
		c.conclude(d, entry)
		heard := c.heard
		c.mu.Unlock()
		for _, f := range heard {
			f(entry)
		}
		c.mu.Lock()
	}
	c.running--
}

// conclude keeps how an attempt ended. After too many failures it deletes the registration; else it
// tries a failed delivery again later. The caller holds the lock.
func (c *courier) conclude(d *delivery, entry Delivery) {
	if entry.Acknowledged() {
		d.hook.Failures = 0
		return
	}
	if d.hook.Failures++; d.hook.Failures >= FailuresAllowed {
		c.hooks = slices.DeleteFunc(c.hooks, func(w *Webhook) bool { return w == d.hook })
		return
	}
	if d.attempt > retries || !slices.Contains(c.hooks, d.hook) {
		return
	}
	c.waiting[d] = time.AfterFunc(time.Until(d.first.Add(retryAfter(d.attempt))), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if delete(c.waiting, d); !c.closed {
			c.enqueue(d)
		}
	})
}

// retryAfter is when the n-th retry is due, counted from the first attempt. It grows with the third
// power of n: the gaps are half a minute at first and seven hours at last, and the last retry ends
// the two days.
func retryAfter(n int) time.Duration {
	return retryPeriod / (retries * retries * retries) * time.Duration(n*n*n)
}

// attempt posts a delivery once.
func (c *courier) attempt(d *delivery) Delivery {
	if d.attempt++; d.attempt == 1 {
		d.first = time.Now()
	}
	entry := Delivery{
		WebhookID: d.hook.ID, Event: d.event, URL: d.hook.CallbackURL, Signed: !d.hook.channel,
		Attempt: d.attempt, At: time.Now(),
	}
	req, err := http.NewRequestWithContext(c.ctx, http.MethodPost, d.hook.CallbackURL, bytes.NewReader(d.body))
	if err != nil {
		entry.Err = err.Error()
		return entry
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "pubsync-sandbox/1",
		"X-Service-Account-Id": c.account, "X-Service-Event": d.event, "X-Service-Webhook-Id": d.hook.ID,
	} {
		req.Header.Set(name, value)
	}
	if entry.Signed {
		req.Header.Set("X-Service-Signature", sign(c.secret, d.body))
	}
	resp, err := c.client.Do(req)
	if err != nil {
		entry.Err = err.Error()
		return entry
	}
	defer resp.Body.Close() //nolint:errcheck // only the status counts
	// The body is read so that the connection can be used again.
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	entry.Status = resp.StatusCode
	return entry
}

// sign is the signature of a body: HMAC-SHA256 in hexadecimal.
func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func (c *courier) close() {
	c.mu.Lock()
	c.closed, c.queue = true, nil
	for _, timer := range c.waiting {
		timer.Stop()
	}
	clear(c.waiting)
	c.mu.Unlock()
	c.cancel()
	c.working.Wait()
	c.client.CloseIdleConnections()
}
