package listener

import (
	"cmp"
	"context"
	"crypto/hmac"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
)

const (
	refusalsAllowed = 19             // after so many refused deliveries in a row the marketplace deletes a registration
	refusalsCount   = 48 * time.Hour // the marketplace retries for two days
)

// An Inbox stores the marks that webhooks lead to. The store is one.
type Inbox interface {
	// Resolve finds the known publications of these ids, of these products and of these listings.
	Resolve(ctx context.Context, publications, products, listings []string) (ids []string, err error)
	// Mark returns once the marks are durable.
	Mark(ctx context.Context, marks ...store.Mark) error
}

// Options are what a Webhooks is made from.
type Options struct {
	Prefix string // of the marketplace's headers
	// the secrets that may sign webhooks, and the path token of unsigned ones; empty: none are accepted
	Secrets     func() (secrets []string, pathToken string)
	Inbox       Inbox // nil: what is signed is another account's, acknowledged and passed over
	InboxFailed func(error)
	LookAt      func(id string, signed bool, now time.Time) time.Time // when a webhook may lead to a look
	Marked      func()                                                // there are new marks
	AskSweep    func()                                                // for a light sweep, paid by the share of hints
	Count       func(result string)
	Log         *slog.Logger
}

// Webhooks accepts the marketplace's webhooks at POST /webhooks and POST /webhooks/{path token}.
// Only identifiers are read from a body: content is always fetched.
type Webhooks struct {
	Options
	signed, hints   bodies
	warned, refused rate.Sometimes // of what a stranger can provoke, and of refused deliveries

	mu  sync.Mutex
	row Refused
}

// NewWebhooks makes a Webhooks.
func NewWebhooks(o Options) *Webhooks {
	return &Webhooks{
		Options: o, warned: rate.Sometimes{Interval: time.Minute}, refused: rate.Sometimes{Interval: time.Minute},
	}
}

// Refused is the deliveries that were refused in a row, as far as they arrived: the marketplace also
// counts those that did not.
type Refused struct {
	InARow  int       `json:"inARow"`
	Since   time.Time `json:"since"` // the first of them
	Last    time.Time `json:"last"`
	Why     string    `json:"why"`     // of the last
	Allowed int       `json:"allowed"` // after so many the marketplace deletes the registration
	Says    string    `json:"says"`    // what Why means, and who mends it
}

var refusals = map[string]string{
	"signature": "signed with another secret than PUBSYNC_WEBHOOK_SECRET",
	"unsigned": "not signed, as all that no app registered: set PUBSYNC_WEBHOOK_PATH_TOKEN, and give the marketplace " +
		"the address of /webhooks followed by a slash and that token; where the marketplace signs under another name, " +
		"set PUBSYNC_WEBHOOK_HEADER_PREFIX",
	"not_found": "sent to an address where no webhooks are accepted, with another path token perhaps",
	"too_large": "larger than is accepted",
	"cut_off":   "broken off, or sent too slowly: it is accepted when it is sent again",
	"store":     "the store cannot be written",
}

// Refused is the row of refused deliveries. It ends with an acknowledged delivery, and after two days
// without a refusal.
func (h *Webhooks) Refused() (row Refused) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.row.Last) < refusalsCount {
		row = h.row
	}
	return row
}

// looksDelivered reports whether a request may be the marketplace's: it has a header of its deliveries,
// under any prefix. Others may send one too.
func looksDelivered(r *http.Request) bool {
	for name, values := range r.Header {
		if (strings.HasSuffix(name, "-Webhook-Id") || strings.HasSuffix(name, "-Event")) && values[0] != "" {
			return r.Method == http.MethodPost
		}
	}
	return false
}

// note counts a delivery by why it was refused, "" for one that was not.
func (h *Webhooks) note(r *http.Request, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	row, now := &h.row, time.Now()
	if why == "" || now.Sub(row.Last) >= refusalsCount {
		*row = Refused{Since: now, Allowed: refusalsAllowed}
	}
	if why == "" || !looksDelivered(r) {
		return
	}
	row.InARow, row.Last, row.Why, row.Says = row.InARow+1, now, why, cmp.Or(refusals[why], why)
	h.refused.Do(func() {
		h.Log.Warn("webhooks are refused, the marketplace deletes a registration after too many in a row",
			"in_a_row", row.InARow, "allowed", row.Allowed, "since", row.Since, "why", why)
	})
}

func (h *Webhooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, why := h.receive(w, r)
	h.note(r, why)
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	h.Count("refused_" + why)
	http.Error(w, http.StatusText(status), status)
}

// receive keeps what a request points at, or tells why it is refused.
func (h *Webhooks) receive(w http.ResponseWriter, r *http.Request) (status int, why string) {
	secrets, pathToken := h.Secrets()
	signed := r.URL.Path == "/webhooks" && len(secrets) > 0
	token, hinted := strings.CutPrefix(r.URL.Path, "/webhooks/")
	signature := strings.ToLower(strings.TrimSpace(r.Header.Get(h.Prefix + "-Signature")))
	switch {
	case !signed && (!hinted || pathToken == "" || !hmac.Equal([]byte(token), []byte(pathToken))):
		return http.StatusNotFound, "not_found"
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return http.StatusMethodNotAllowed, "method"
	case signed && signature == "":
		return http.StatusUnauthorized, "unsigned"
	}
	read, most := h.hints.read, int64(maxHint)
	if signed {
		read, most = h.signed.read, maxSigned
	}
	body, err := read(w, r, most)
	long := errors.As(err, new(*http.MaxBytesError))
	if long && !signed {
		_, err = io.Copy(io.Discard, r.Body)
	}
	switch {
	case long && signed:
		return http.StatusRequestEntityTooLarge, "too_large"
	case err != nil: // the sender broke off, or was too slow
		w.Header().Set("Retry-After", "1")
		return http.StatusServiceUnavailable, "cut_off"
	case signed && !slices.ContainsFunc(secrets, func(secret string) bool {
		return hmac.Equal(marketplace.Signature([]byte(secret), body), []byte(signature))
	}):
		return http.StatusUnauthorized, "signature"
	}
	p := pointers{none: "oversized"}
	if !long {
		p = pointsAt(body)
	}
	// It is kept also where the sender hangs up.
	if err := h.accept(context.WithoutCancel(r.Context()), r.Header, p, signed); err != nil {
		h.InboxFailed(err)
		w.Header().Set("Retry-After", "30")
		return http.StatusServiceUnavailable, "store"
	}
	return http.StatusNoContent, ""
}

// accept makes the marks durable that a webhook leads to. One that leads to no publication asks for a
// light sweep: there are webhooks of products that are on no list.
func (h *Webhooks) accept(ctx context.Context, header http.Header, p pointers, signed bool) error {
	says := publication.Webhook{
		Signed: signed, Event: header.Get(h.Prefix + "-Event"), Named: p.publications, UpdatedAt: p.updatedAt,
	}
	if h.Inbox == nil {
		p.none = "other_account" // acknowledged, since a refused delivery counts against the registration
	}
	if p.none != "" {
		h.Count(p.none)
		h.warned.Do(func() {
			h.Log.Warn("webhook is passed over", "why", p.none, "event", line(says.Event), "signed", signed,
				"account", line(header.Get(h.Prefix+"-Account-Id")))
		})
		if says.Sweeps() {
			h.AskSweep()
		}
		return nil
	}
	named := p.publications
	if signed { // a publication that it names need not be known
		named = nil
	}
	stored, err := h.Inbox.Resolve(ctx, named, p.products, p.listings)
	if err != nil {
		return err
	}
	ids := says.Publications(stored)
	if len(ids) == 0 {
		h.Count("unknown")
		h.AskSweep()
		return nil
	}
	now := time.Now()
	marks := make([]store.Mark, len(ids))
	for i, id := range ids {
		marks[i] = says.Mark(id, h.LookAt(id, signed, now), now)
	}
	if err := h.Inbox.Mark(ctx, marks...); err != nil {
		return err
	}
	h.Marked()
	h.Count("accepted")
	return nil
}

func line(text string) string { return wire.Line(text, 100, strings.TrimSpace) }
