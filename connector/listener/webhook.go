package listener

import (
	"bytes"
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

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
)

const (
	refusalsCount = 48 * time.Hour // the marketplace retries for so long
	tellEvery     = time.Minute    // of one reason, in the log
)

type Inbox interface {
	Resolve(ctx context.Context, publications, products, listings []string) (ids []string, err error)
	// Mark returns once the marks are durable.
	Mark(ctx context.Context, marks ...store.Mark) error
}

type Options struct {
	Prefix string // of the marketplace's headers
	// of signed webhooks, and of the path of unsigned ones; empty: not accepted
	Secrets func() (secrets []string, pathToken string)
	Inbox   Inbox // nil: webhooks go to Owner
	// Owner serves an authenticated webhook of an account that became known just now; nil: it is passed over.
	Owner       func(r *http.Request) http.Handler
	InboxFailed func(error)
	LookAt      func(id string, signed bool, now time.Time) time.Time // earliest look
	Marked      func()                                                // after new marks
	AskSweep    func()                                                // for a light sweep, paid by the share of hints
	Count       func(result string)
	Log         *slog.Logger
}

// Webhooks accepts POST /webhooks and POST /webhooks/{path token}. It never takes content from a body.
type Webhooks struct {
	Options
	signed, hints bodies

	mu   sync.Mutex
	row  Refused
	told map[string]time.Time // in the log, by reason
}

func NewWebhooks(o Options) *Webhooks { return &Webhooks{Options: o, told: map[string]time.Time{}} }

// Refused are deliveries refused in a row. The marketplace, which counts lost ones too, ends a registration after 19.
type Refused struct {
	InARow int       `json:"inARow"`
	Last   time.Time `json:"last"`
	Why    string    `json:"why"` // of the last
	Says   string    `json:"says"`
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

// Refused returns the row, which ends with an accepted delivery or after two days without a refusal.
func (h *Webhooks) Refused() (row Refused) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.row.Last) < refusalsCount {
		row = h.row
	}
	return row
}

// looksDelivered reports whether a request has a header of deliveries, under any prefix. Others may send one too.
func looksDelivered(r *http.Request) bool {
	for name, values := range r.Header {
		if (strings.HasSuffix(name, "-Webhook-Id") || strings.HasSuffix(name, "-Event")) && values[0] != "" {
			return r.Method == http.MethodPost
		}
	}
	return false
}

// note counts a delivery; without why it was accepted.
func (h *Webhooks) note(r *http.Request, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	row, now := &h.row, time.Now()
	if why == "" || now.Sub(row.Last) >= refusalsCount {
		*row = Refused{}
	}
	if why == "" || !looksDelivered(r) {
		return
	}
	row.InARow, row.Last, row.Why, row.Says = row.InARow+1, now, why, cmp.Or(refusals[why], why)
	if h.seldom(why) {
		h.Log.Warn("webhooks are refused, the marketplace deletes a registration after 19 in a row",
			"in_a_row", row.InARow, "why", why)
	}
}

// seldom reports whether the log was not told of a reason just now. h.mu is held.
func (h *Webhooks) seldom(why string) bool {
	now := time.Now()
	if now.Sub(h.told[why]) < tellEvery {
		return false
	}
	h.told[why] = now
	return true
}

func (h *Webhooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, why := h.receive(w, r)
	h.note(r, why)
	switch status {
	case 0: // answered
		return
	case http.StatusNoContent:
		w.WriteHeader(status)
		return
	}
	h.Count("refused_" + why)
	http.Error(w, http.StatusText(status), status)
}

func (h *Webhooks) receive(w http.ResponseWriter, r *http.Request) (status int, why string) {
	secrets, pathToken := h.Secrets()
	secrets = slices.DeleteFunc(secrets, func(secret string) bool { return secret == "" })
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
	case err != nil:
		w.Header().Set("Retry-After", "1")
		return http.StatusServiceUnavailable, "cut_off"
	case signed && !slices.ContainsFunc(secrets, func(secret string) bool {
		return hmac.Equal(marketplace.Signature([]byte(secret), body), []byte(signature))
	}):
		return http.StatusUnauthorized, "signature"
	}
	if h.Inbox == nil {
		if owner := h.Owner(r); owner != nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
			owner.ServeHTTP(w, r)
			return 0, ""
		}
	}
	p := pointers{none: "oversized"}
	if !long {
		p = pointsAt(body)
	}
	// A sender that hangs up does not stop accept.
	if err := h.accept(context.WithoutCancel(r.Context()), r.Header, p, signed); err != nil {
		h.InboxFailed(err)
		w.Header().Set("Retry-After", "30")
		return http.StatusServiceUnavailable, "store"
	}
	return http.StatusNoContent, ""
}

// accept makes a webhook's marks durable, and asks for a light sweep where it names no known publication.
func (h *Webhooks) accept(ctx context.Context, header http.Header, p pointers, signed bool) error {
	says := publication.Webhook{
		Signed: signed, Event: header.Get(h.Prefix + "-Event"), Named: p.publications, UpdatedAt: p.updatedAt,
	}
	if h.Inbox == nil {
		p.none = "other_account" // a refusal would count against the registration
	}
	if p.none != "" {
		h.warn(p.none, header, signed)
		if says.Sweeps() {
			h.AskSweep()
		}
		return nil
	}
	named := p.publications
	if signed { // a named publication need not be known
		named = nil
	}
	stored, err := h.Inbox.Resolve(ctx, named, p.products, p.listings)
	if err != nil {
		return err
	}
	ids := says.Publications(stored)
	now := time.Now()
	marks := make([]store.Mark, len(ids))
	for i, id := range ids {
		marks[i] = says.Mark(id, h.LookAt(id, signed, now), now)
	}
	if len(ids) == 0 {
		h.AskSweep()
	} else if err := h.Inbox.Mark(ctx, marks...); err != nil {
		return err
	} else {
		h.Marked()
	}
	switch {
	case says.Event != "" && !says.IsOurs():
		h.warn("unknown_event", header, signed)
	case len(ids) == 0:
		h.Count("unknown")
	default:
		h.Count("accepted")
	}
	return nil
}

// warn counts a webhook, and logs one a minute of each reason.
func (h *Webhooks) warn(why string, header http.Header, signed bool) {
	h.Count(why)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seldom(why) {
		h.Log.Warn("webhook is unexpected", "why", why, "event", line(header.Get(h.Prefix+"-Event")), "signed", signed,
			"account", line(header.Get(h.Prefix+"-Account-Id")))
	}
}

func line(text string) string { return wire.Line(text, 100, strings.TrimSpace) }
