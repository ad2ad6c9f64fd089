package listener

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/shopadapter/quote"
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
	Secrets  func() (secrets []string, pathToken string)
	Inbox    Inbox       // keeps the marks that webhooks lead to
	Marked   func()      // is called when there are new marks
	Gaps     *quota.Gaps // says when a webhook may lead to the next look
	Refusals *Refusals   // counts the deliveries that are refused
	// asks for one light sweep, within the share of points that belongs to all hints
	AskSweep    func()
	Count       func(result string) // counts a webhook by its result
	InboxFailed func(error)         // is called with an error of Inbox
	Log         *slog.Logger

	// Strange says that no account of ours is meant: what is signed is acknowledged and passed over.
	Strange bool

	// Announce is called before the mark of a signed webhook is durable, with the updatedAt that the
	// webhook gives the publication, "" for none. Looks are then repeated until the API shows it.
	Announce func(id, updatedAt string)
}

// Accepted is what a webhook is counted as that was acknowledged and points at something.
const Accepted = "accepted"

// Webhooks accepts the marketplace's webhooks at POST /webhooks and POST /webhooks/{path token}.
// The marks that a body leads to are durable before it is acknowledged. Only identifiers are read
// from a body: content is always fetched.
type Webhooks struct {
	Options
	bodies  *bodyLimiter
	unnamed health.LogLimiter // about webhooks that name nothing
	strange health.LogLimiter // about webhooks of another account
}

// NewWebhooks makes a Webhooks.
func NewWebhooks(o Options) *Webhooks { return &Webhooks{Options: o, bodies: newBodyLimiter()} }

func (h *Webhooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	token, tokenPath := strings.CutPrefix(r.URL.Path, "/webhooks/")
	secrets, pathToken := h.Secrets()
	signed := r.URL.Path == "/webhooks" && len(secrets) > 0
	hinted := tokenPath && pathToken != "" && same(token, pathToken)
	if h.unsigned(r) {
		status := http.StatusUnauthorized
		if !signed {
			status = http.StatusNotFound
		}
		h.Refusals.refused(unsignedWay, "unsigned", time.Now())
		h.answer(w, status, "unsigned")
		return
	}
	if !signed && !hinted {
		h.refuse(w, r, http.StatusNotFound, "not_found")
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		h.refuse(w, r, http.StatusMethodNotAllowed, "method")
		return
	}
	var p pointers
	var err error
	if signed {
		p, err = h.readSigned(r, secrets)
	} else {
		p, err = h.readUnsigned(w, r)
	}
	switch {
	case errors.Is(err, errTooLarge):
		h.refuse(w, r, http.StatusRequestEntityTooLarge, "too_large")
		return
	case errors.Is(err, errSignature):
		h.refuse(w, r, http.StatusUnauthorized, "signature")
		return
	case errors.Is(err, errGaveWay):
		w.Header().Set("Retry-After", "1")
		h.refuse(w, r, http.StatusServiceUnavailable, "busy")
		return
	case err != nil: // the sender broke off
		h.refuse(w, r, http.StatusBadRequest, "cut_off")
		return
	}
	Keep(r)
	from := sender{
		signed: signed, event: r.Header.Get(h.Prefix + "-Event"),
		account: strings.TrimSpace(r.Header.Get(h.Prefix + "-Account-Id")),
	}
	if err := h.accept(r.Context(), p, from); err != nil {
		h.InboxFailed(err)
		w.Header().Set("Retry-After", "30")
		h.refuse(w, r, http.StatusServiceUnavailable, "store")
		return
	}
	w.WriteHeader(http.StatusNoContent)
	if now := time.Now(); now.Sub(start) < answerWithin {
		h.Refusals.acknowledged(wayOf(r.URL.Path))
	} else if looksDelivered(r, h.Prefix) {
		h.Refusals.refused(wayOf(r.URL.Path), "late", now)
	}
}

// A sender is what the headers of an accepted webhook say.
type sender struct {
	signed  bool
	event   string
	account string // "" where it does not say
}

// errSignature says that a body was not signed with our secret.
var errSignature = errors.New("signature does not match")

// readSigned reads the pointers of a body, which one of secrets must have signed.
func (h *Webhooks) readSigned(r *http.Request, secrets []string) (p pointers, err error) {
	signature := r.Header.Get(h.Prefix + "-Signature")
	switch {
	case r.ContentLength > maxSignedBody:
		return p, errTooLarge
	case signatureOf(signature) == nil: // such a body need not be read
		return p, errSignature
	}
	err = h.bodies.read(r, maxSignedBody, func(body []byte) error {
		if !slices.ContainsFunc(secrets, func(secret string) bool { return validSignature(secret, body, signature) }) {
			return errSignature
		}
		p = pointsAt(body)
		return nil
	})
	return p, err
}

// readUnsigned reads the pointers of a body that came with the path token. A body that is too large
// is oversized, and points at nothing.
func (h *Webhooks) readUnsigned(w http.ResponseWriter, r *http.Request) (pointers, error) {
	if r.ContentLength <= maxHintBody {
		p, err := h.pointsAt(r)
		if !errors.Is(err, errTooLarge) && !errors.Is(err, errGaveWay) {
			return p, err
		}
	}
	return pointers{oversized: true}, drain(w, r)
}

// pointsAt reads the pointers of an unsigned body.
func (h *Webhooks) pointsAt(r *http.Request) (p pointers, err error) {
	err = h.bodies.read(r, maxHintBody, func(body []byte) error {
		p = pointsAt(body)
		return nil
	})
	return p, err
}

// unsigned reports whether a delivery of the marketplace came without a signature to the address of
// signed ones. It has one of the headers of deliveries, or a body that points at something.
func (h *Webhooks) unsigned(r *http.Request) bool {
	switch {
	case r.URL.Path != "/webhooks" || r.Method != http.MethodPost || r.Header.Get(h.Prefix+"-Signature") != "",
		r.ContentLength > maxSignedBody:
		return false
	case looksDelivered(r, h.Prefix):
		return true
	case r.ContentLength > maxHintBody:
		return false
	}
	p, err := h.pointsAt(r)
	return err == nil && !p.none()
}

func (h *Webhooks) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	if looksDelivered(r, h.Prefix) {
		h.Refusals.refused(wayOf(r.URL.Path), why, time.Now())
	}
	h.answer(w, status, why)
}

// answer counts a refusal and answers with it.
func (h *Webhooks) answer(w http.ResponseWriter, status int, why string) {
	h.Count("refused_" + why)
	http.Error(w, http.StatusText(status), status)
}

// accept makes the marks durable that a webhook leads to. A webhook that leads to no publication
// asks for a light sweep. The share of the hints pays for that sweep, since there are webhooks of
// products that are on no list.
func (h *Webhooks) accept(ctx context.Context, p pointers, from sender) error {
	ctx = context.WithoutCancel(ctx) // a delivery is kept even when its sender hangs up
	if h.Strange {
		h.passOver(from)
		return nil
	}
	says := publication.Webhook{Signed: from.signed, Event: from.event, Named: p.publications}
	if p.none() {
		h.warn(p, from)
		if says.Sweeps() {
			h.AskSweep()
		}
		return nil
	}
	ids, err := h.resolve(ctx, p, says)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		h.Count("unknown")
		h.AskSweep()
		return nil
	}
	if from.signed {
		for _, id := range p.publications {
			h.Announce(id, p.updatedAt)
		}
	}
	now := time.Now()
	marks := make([]store.Mark, len(ids))
	for i, id := range ids {
		marks[i] = says.Mark(id, h.Gaps.Next(id, from.signed, now))
	}
	if err := h.Inbox.Mark(ctx, marks...); err != nil {
		return err
	}
	h.Marked()
	h.Count(Accepted)
	return nil
}

// passOver counts a webhook of another account. It is acknowledged, since a refused delivery counts
// against the registration.
func (h *Webhooks) passOver(from sender) {
	h.Count("other_account")
	if untold, ok := h.strange.Allow(time.Now()); ok {
		h.Log.Warn("webhook is another account's, passed over", "account", line(from.account), "untold", untold)
	}
}

// resolve finds the publications that a webhook leads to.
func (h *Webhooks) resolve(ctx context.Context, p pointers, says publication.Webhook) ([]string, error) {
	named := p.publications
	if says.Signed { // a publication that it names need not be known
		named = nil
	}
	known, err := h.Inbox.Resolve(ctx, named, p.products, p.listings)
	return says.Publications(known), err
}

// warn counts a webhook that points at nothing, and logs it now and then.
func (h *Webhooks) warn(p pointers, from sender) {
	why := "unreadable"
	switch {
	case p.oversized:
		why = "oversized"
	case p.readable:
		why = "names_nothing"
	}
	h.Count(why)
	if untold, ok := h.unnamed.Allow(time.Now()); ok {
		h.Log.Warn(
			"webhook names nothing",
			"event", line(from.event), "signed", from.signed, "why", why, "untold", untold,
		)
	}
}

// same compares in constant time, whatever the texts and their lengths.
func same(given, secret string) bool {
	one, other := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(one[:], other[:]) == 1
}

// line is a text of a header as one bounded line.
func line(text string) string { return quote.Line(text, 100, strings.TrimSpace) }
