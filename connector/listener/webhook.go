package listener

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/health"
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

// Options are what a Webhooks is made from. All but Strange are required.
type Options struct {
	Prefix string // of the marketplace's headers
	// the secrets that may sign webhooks, and the path token of unsigned ones; empty: none are
	// accepted
	Secrets     func() (secrets []string, pathToken string)
	Inbox       Inbox               // keeps the marks that webhooks lead to
	InboxFailed func(error)         // is called with an error of Inbox
	Marked      func()              // is called when there are new marks
	AskSweep    func()              // asks for one light sweep, within the share of points of all hints
	Refusals    *Refusals           // counts the deliveries that are refused
	Count       func(result string) // counts a webhook by its result
	Log         *slog.Logger

	// LookAt says when a webhook may lead to the next look; nil: at once
	LookAt func(id string, signed bool, now time.Time) time.Time
	// Strange says that no account of ours is meant: what is signed is acknowledged and passed over.
	Strange bool
}

// Webhooks accepts the marketplace's webhooks at POST /webhooks and POST /webhooks/{path token}.
// The marks that a body leads to are durable before it is acknowledged. Only identifiers are read
// from a body: content is always fetched.
type Webhooks struct {
	Options
	signed, hints bodies
	warned        health.LogLimiter // of what a stranger can provoke
}

// NewWebhooks makes a Webhooks.
func NewWebhooks(o Options) *Webhooks { return &Webhooks{Options: o} }

func (h *Webhooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	in, why, status := h.receive(w, r)
	now := time.Now()
	if status == http.StatusNoContent && now.Sub(start) >= answerWithin {
		why = "late"
	}
	switch {
	case why == "":
		h.Refusals.end(in)
	case looksDelivered(r):
		h.Refusals.refused(in, why, now)
	}
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	h.Count("refused_" + why)
	http.Error(w, http.StatusText(status), status)
}

// receive keeps what a request points at, or tells why it is refused.
func (h *Webhooks) receive(w http.ResponseWriter, r *http.Request) (in, why string, status int) {
	in = wayOf(r.URL.Path)
	token, _ := strings.CutPrefix(r.URL.Path, "/webhooks/")
	secrets, pathToken := h.Secrets()
	signed := r.URL.Path == "/webhooks" && len(secrets) > 0
	hinted := in == hintWay && pathToken != "" && hmac.Equal([]byte(token), []byte(pathToken))
	bare := r.URL.Path == "/webhooks" && r.Header.Get(h.Prefix+"-Signature") == "" && looksDelivered(r)
	switch {
	case bare && signed:
		return bareWay, "unsigned", http.StatusUnauthorized
	case bare:
		return bareWay, "unsigned", http.StatusNotFound
	case !signed && !hinted:
		return in, "not_found", http.StatusNotFound
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return in, "method", http.StatusMethodNotAllowed
	}
	from := sender{signed: signed, event: r.Header.Get(h.Prefix + "-Event")}
	var p pointers
	var err error
	if signed {
		from.account = strings.TrimSpace(r.Header.Get(h.Prefix + "-Account-Id"))
		p, err = h.readSigned(w, r, secrets)
	} else {
		p, err = h.readHint(w, r)
	}
	switch {
	case tooLarge(err):
		return in, "too_large", http.StatusRequestEntityTooLarge
	case errors.Is(err, errSignature):
		return in, "signature", http.StatusUnauthorized
	case err != nil: // the sender broke off, or was too slow
		w.Header().Set("Retry-After", "1")
		return in, "cut_off", http.StatusServiceUnavailable
	}
	if err := h.accept(context.WithoutCancel(r.Context()), p, from); err != nil { // also where the sender hangs up
		h.InboxFailed(err)
		w.Header().Set("Retry-After", "30")
		return in, "store", http.StatusServiceUnavailable
	}
	return in, "", http.StatusNoContent
}

// A sender is what the headers of an accepted webhook say.
type sender struct {
	signed  bool
	event   string
	account string // "" where it is not signed, or does not say
}

var errSignature = errors.New("signature does not match")

// readSigned reads the pointers of a body, which one of secrets must have signed.
func (h *Webhooks) readSigned(w http.ResponseWriter, r *http.Request, secrets []string) (p pointers, err error) {
	given, err := hex.DecodeString(strings.TrimSpace(r.Header.Get(h.Prefix + "-Signature")))
	switch {
	case r.ContentLength > maxSigned:
		return p, &http.MaxBytesError{Limit: maxSigned}
	case err != nil || len(given) != sha256.Size: // such a body need not be read
		return p, errSignature
	}
	body, err := h.signed.read(w, r, maxSigned)
	if err != nil {
		return p, err
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		if hmac.Equal(mac.Sum(nil), given) {
			return pointsAt(body), nil
		}
	}
	return p, errSignature
}

// readHint reads the pointers of an unsigned body. One that is too long points at nothing, and is
// read to its end.
func (h *Webhooks) readHint(w http.ResponseWriter, r *http.Request) (pointers, error) {
	body, err := h.hints.read(w, r, maxHint)
	switch {
	case tooLarge(err):
		_, err = io.Copy(io.Discard, r.Body)
		return pointers{unread: "oversized"}, err
	case err != nil:
		return pointers{}, err
	}
	return pointsAt(body), nil
}

// accept makes the marks durable that a webhook leads to. A webhook that leads to no publication
// asks for a light sweep. The share of the hints pays for that sweep, since there are webhooks of
// products that are on no list.
func (h *Webhooks) accept(ctx context.Context, p pointers, from sender) error {
	says := publication.Webhook{
		Signed: from.signed, Event: from.event, Named: p.publications, UpdatedAt: p.updatedAt,
	}
	switch {
	case h.Strange: // acknowledged, since a refused delivery counts against the registration
		h.Count("other_account")
		if untold, ok := h.warned.Allow(time.Now()); ok {
			h.Log.Warn("webhook is another account's, passed over", "account", line(from.account), "untold", untold,
				"advice", "where it is yours, set PUBSYNC_ACCOUNT_ID in the file of that account")
		}
		return nil
	case p.none():
		why := p.unread
		if why == "" {
			why = "names_nothing"
		}
		h.Count(why)
		if untold, ok := h.warned.Allow(time.Now()); ok {
			h.Log.Warn("webhook names nothing", "event", line(from.event), "signed", from.signed, "why", why,
				"untold", untold)
		}
		if says.Sweeps() {
			h.AskSweep()
		}
		return nil
	}
	named := p.publications
	if from.signed { // a publication that it names need not be known
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
		at := time.UnixMilli(1) // at once, by whichever clock the account is worked on
		if h.LookAt != nil {
			at = h.LookAt(id, from.signed, now)
		}
		marks[i] = says.Mark(id, at, now)
	}
	if err := h.Inbox.Mark(ctx, marks...); err != nil {
		return err
	}
	h.Marked()
	h.Count("accepted")
	return nil
}

func line(text string) string { return wire.Line(text, 100, strings.TrimSpace) }
