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
	"sync"
	"time"
)

// What the specification says about deliveries.
const (
	deliveryTimeout = 5 * time.Second
	retries         = 19
	retryPeriod     = 48 * time.Hour

	userAgent = "pubsync-sandbox/1"
	couriers  = 16 // deliveries under way at a time
)

// FailuresAllowed is how many deliveries to a registration may fail in a row: the last of them
// deletes it.
const FailuresAllowed = 19

// A Delivery is one attempt to tell a receiver of an event.
type Delivery struct {
	WebhookID string
	Event     string
	URL       string
	Body      []byte
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
	account, prefix, secret string
	client                  *http.Client
	own                     *http.Transport // nil when the caller brought one
	ledger                  *ledgers
	ctx                     context.Context
	cancel                  context.CancelFunc
	working                 sync.WaitGroup

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

func newCourier(o Options, ledger *ledgers) *courier {
	c := &courier{
		account: o.Account, prefix: o.HeaderPrefix, secret: o.Secret,
		ledger: ledger, waiting: make(map[*delivery]*time.Timer),
	}
	transport := o.WebhookTransport
	if transport == nil {
		c.own = &http.Transport{MaxIdleConnsPerHost: couriers, IdleConnTimeout: 10 * time.Second}
		transport = c.own
	}
	c.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.setChannel(o.ChannelWebhookURL)
	return c
}

// enqueue queues a delivery, and starts a worker where all are busy. The caller holds the lock.
func (c *courier) enqueue(d *delivery) {
	c.queue = append(c.queue, d)
	if c.running < couriers {
		c.running++
		c.working.Add(1)
		go c.work()
	}
}

// work delivers what is queued, and ends when the queue is empty.
func (c *courier) work() {
	defer c.working.Done()
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
		if c.conclude(d, entry) {
			c.tellHeard(entry)
		}
	}
	c.running--
}

// listen has f called with each attempt.
func (c *courier) listen(f func(Delivery)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(c.heard, f)
}

// tellHeard calls the functions of listen without the lock, which the caller holds.
func (c *courier) tellHeard(entry Delivery) {
	all := c.heard
	c.mu.Unlock()
	defer c.mu.Lock()
	for _, f := range all {
		f(entry)
	}
}

// conclude records how an attempt ended. After too many failures it deletes the registration; else
// it tries a failed delivery again later. It returns false for an attempt that Close cut short.
func (c *courier) conclude(d *delivery, entry Delivery) bool {
	if c.closed && !entry.Acknowledged() {
		return false
	}
	c.ledger.deliveries.add(entry)
	if entry.Acknowledged() {
		d.hook.Failures = 0
		return true
	}
	d.hook.Failures++
	if d.hook.Failures >= FailuresAllowed {
		c.hooks = slices.DeleteFunc(c.hooks, func(w *Webhook) bool { return w == d.hook })
		for other, timer := range c.waiting {
			if other.hook == d.hook {
				timer.Stop()
				delete(c.waiting, other)
			}
		}
		return true
	}
	if d.attempt > retries || !slices.Contains(c.hooks, d.hook) {
		return true
	}
	c.waiting[d] = time.AfterFunc(time.Until(d.first.Add(retryAfter(d.attempt))), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if _, still := c.waiting[d]; still && !c.closed {
			delete(c.waiting, d)
			c.enqueue(d)
		}
	})
	return true
}

// retryAfter is when the n-th retry is due, counted from the first attempt. It grows with the third
// power of n: the gaps are half a minute at first and seven hours at last, and the last retry ends
// the two days.
func retryAfter(n int) time.Duration {
	return retryPeriod / (retries * retries * retries) * time.Duration(n*n*n)
}

// attempt posts a delivery once.
func (c *courier) attempt(d *delivery) Delivery {
	now := time.Now()
	if d.attempt == 0 {
		d.first = now
	}
	d.attempt++
	entry := Delivery{
		WebhookID: d.hook.ID, Event: d.event, URL: d.hook.CallbackURL, Body: d.body,
		Signed: !d.hook.channel, Attempt: d.attempt, At: now,
	}
	ctx, cancel := context.WithTimeout(c.ctx, deliveryTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.hook.CallbackURL, bytes.NewReader(d.body))
	if err != nil {
		entry.Err = err.Error()
		return entry
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set(c.prefix+"-Account-Id", c.account)
	req.Header.Set(c.prefix+"-Event", d.event)
	req.Header.Set(c.prefix+"-Webhook-Id", d.hook.ID)
	if entry.Signed {
		req.Header.Set(c.prefix+"-Signature", sign(c.secret, d.body))
	}
	resp, err := c.client.Do(req)
	if err != nil {
		entry.Err = err.Error()
		return entry
	}
	defer resp.Body.Close()
	// Only the status counts; the body is read so that the connection can be used again.
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
	c.closed = true
	c.queue = nil
	for _, timer := range c.waiting {
		timer.Stop()
	}
	clear(c.waiting)
	c.mu.Unlock()
	c.cancel()
	c.working.Wait()
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}
