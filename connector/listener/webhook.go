package listener

import (
	"context"
	"crypto/hmac"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
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
	Inbox       Inbox       // nil: what is signed is another account's, acknowledged and passed over
	InboxFailed func(error) // is called with an error of Inbox
	Marked      func()      // is called when there are new marks
	AskSweep    func()      // asks for one light sweep, within the share of points of all hints
	// when a webhook may lead to the next look
	LookAt   func(id string, signed bool, now time.Time) time.Time
	Refusals *Refusals           // counts the deliveries that are refused
	Count    func(result string) // counts a webhook by its result
	Log      *slog.Logger
}

// Webhooks accepts the marketplace's webhooks at POST /webhooks and POST /webhooks/{path token}.
// Only identifiers are read from a body: content is always fetched.
type Webhooks struct {
	Options
	signed, hints bodies
	warned        rate.Sometimes // of what a stranger can provoke
}

// NewWebhooks makes a Webhooks.
func NewWebhooks(o Options) *Webhooks {
	return &Webhooks{Options: o, warned: rate.Sometimes{Interval: time.Minute}}
}

func (h *Webhooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun := time.Now()
	status, why := h.receive(w, r)
	if why == "" && time.Since(begun) >= answerWithin {
		why = "late"
	}
	h.Refusals.note(r, r.Header.Get(h.Prefix+"-Signature") != "", why)
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
	switch {
	case !signed && (!hinted || pathToken == "" || !hmac.Equal([]byte(token), []byte(pathToken))):
		return http.StatusNotFound, "not_found"
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return http.StatusMethodNotAllowed, "method"
	}
	var p pointers
	var err error
	if signed {
		p, err = h.readSigned(w, r, secrets)
	} else {
		p, err = h.readHint(w, r)
	}
	switch {
	case tooLarge(err):
		return http.StatusRequestEntityTooLarge, "too_large"
	case errors.Is(err, errUnsigned):
		return http.StatusUnauthorized, "unsigned"
	case errors.Is(err, errSignature):
		return http.StatusUnauthorized, "signature"
	case err != nil: // the sender broke off, or was too slow
		w.Header().Set("Retry-After", "1")
		return http.StatusServiceUnavailable, "cut_off"
	}
	// It is kept also where the sender hangs up.
	if err := h.accept(context.WithoutCancel(r.Context()), r.Header, p, signed); err != nil {
		h.InboxFailed(err)
		w.Header().Set("Retry-After", "30")
		return http.StatusServiceUnavailable, "store"
	}
	return http.StatusNoContent, ""
}

var errUnsigned, errSignature = errors.New("not signed"), errors.New("signature does not match")

// readSigned reads the pointers of a body, which one of secrets must have signed.
func (h *Webhooks) readSigned(w http.ResponseWriter, r *http.Request, secrets []string) (p pointers, err error) {
	given := strings.ToLower(strings.TrimSpace(r.Header.Get(h.Prefix + "-Signature")))
	switch {
	case r.ContentLength > maxSigned:
		return p, &http.MaxBytesError{Limit: maxSigned}
	case given == "": // such a body need not be read
		return p, errUnsigned
	}
	body, err := h.signed.read(w, r, maxSigned)
	if err != nil {
		return p, err
	}
	for _, secret := range secrets {
		if hmac.Equal(marketplace.Signature([]byte(secret), body), []byte(given)) {
			return pointsAt(body), nil
		}
	}
	return p, errSignature
}

// readHint reads the pointers of an unsigned body. One that is too long points at nothing, and is
// read to its end.
func (h *Webhooks) readHint(w http.ResponseWriter, r *http.Request) (pointers, error) {
	body, err := h.hints.read(w, r, maxHint)
	if tooLarge(err) {
		_, err = io.Copy(io.Discard, r.Body)
		return pointers{none: "oversized"}, err
	}
	return pointsAt(body), err
}

// accept makes the marks durable that a webhook leads to. One that leads to no publication asks for a
// light sweep. The share of the hints pays for that sweep, since there are webhooks of products that
// are on no list.
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
