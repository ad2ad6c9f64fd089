package connector

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/store"
)

// A receiver takes the marketplace's webhooks. What a body points at is durable before it is acknowledged; what it says is never believed:
// content is always fetched.
type receiver struct{ c *Connector }

// WebhookHandler serves POST /webhooks and POST /webhooks/{token}.
func (c *Connector) WebhookHandler() http.Handler { return receiver{c} }

func (rc receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := rc.c
	token, tokenPath := strings.CutPrefix(r.URL.Path, "/webhooks/")
	signed := r.URL.Path == "/webhooks" && c.webhook.Secret != ""
	hinted := tokenPath && c.webhook.PathToken != "" && same(token, c.webhook.PathToken)
	if !signed && !hinted {
		rc.refuse(w, http.StatusNotFound, "not_found")
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		rc.refuse(w, http.StatusMethodNotAllowed, "method")
		return
	}
	given := r.Header.Get(c.webhook.Prefix + "-Signature")
	if signed && signatureOf(given) == nil && r.ContentLength <= maxWebhookBody { // what was not signed need not be read
		rc.refuse(w, http.StatusUnauthorized, "signature")
		return
	}
	body, err := c.room.read(w, r)
	switch {
	case errors.Is(err, errTooLarge):
		rc.refuse(w, http.StatusRequestEntityTooLarge, "too_large")
		return
	case err != nil:
		rc.refuse(w, http.StatusBadRequest, "cut_off") // nobody is left to read it
		return
	}
	if signed && !validSignature(c.webhook.Secret, body, given) {
		rc.refuse(w, http.StatusUnauthorized, "signature")
		return
	}
	stay(r)
	if err := rc.take(pointsAt(body), signed, r.Header.Get(c.webhook.Prefix+"-Event")); err != nil {
		c.storeFailed(err)
		w.Header().Set("Retry-After", "30")
		rc.refuse(w, http.StatusServiceUnavailable, "store")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (rc receiver) refuse(w http.ResponseWriter, status int, why string) {
	rc.c.metrics.webhooks.WithLabelValues("refused_" + why).Inc()
	http.Error(w, http.StatusText(status), status)
}

// validSignature compares the hex HMAC-SHA256 of the raw body in constant time.
func validSignature(secret string, body []byte, signature string) bool {
	given := signatureOf(signature)
	if given == nil || secret == "" {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal(mac.Sum(nil), given)
}

// signatureOf is the bytes of a signature in hex, nil where it is none.
func signatureOf(header string) []byte {
	given, err := hex.DecodeString(strings.TrimSpace(header))
	if err != nil || len(given) != sha256.Size {
		return nil
	}
	return given
}

// pointers is the identifiers a body points at.
type pointers struct {
	publications, products, listings []string
	readable                         bool
}

func (p pointers) none() bool { return len(p.publications)+len(p.products)+len(p.listings) == 0 }

// pointsAt reads identifiers, and nothing else, from a body. What cannot be read points at nothing.
func pointsAt(body []byte) pointers {
	if p, ok := plainly(body); ok {
		return p
	}
	type object struct {
		ID ident `json:"id"`
	}
	type node struct {
		ID      ident           `json:"id"`
		Product lenient[object] `json:"product"`
		Listing lenient[struct {
			Product lenient[object] `json:"product"`
		}] `json:"listing"`
	}
	var b struct {
		Data struct {
			Publication    lenient[node]   `json:"publication"`
			Product        lenient[object] `json:"product"`
			Listing        lenient[object] `json:"listing"`
			ProductVariant lenient[node]   `json:"productVariant"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return pointers{}
	}
	p := pointers{readable: true}
	p.publications = known(b.Data.Publication.Value.ID)
	p.products = known(b.Data.Product.Value.ID, b.Data.Publication.Value.Listing.Value.Product.Value.ID, b.Data.ProductVariant.Value.Product.Value.ID)
	p.listings = known(b.Data.Listing.Value.ID)
	return p
}

// plainly reads a body in which everything is of the shape that is documented, as nearly every one is, at a fraction of the cost.
func plainly(body []byte) (p pointers, ok bool) {
	type object struct {
		ID string `json:"id"`
	}
	type node struct {
		ID      string `json:"id"`
		Product object `json:"product"`
		Listing struct {
			Product object `json:"product"`
		} `json:"listing"`
	}
	var b struct {
		Data struct {
			Publication    node   `json:"publication"`
			Product        object `json:"product"`
			Listing        object `json:"listing"`
			ProductVariant node   `json:"productVariant"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &b) != nil {
		return pointers{}, false
	}
	p = pointers{readable: true, publications: known(b.Data.Publication.ID), listings: known(b.Data.Listing.ID)}
	p.products = known(b.Data.Product.ID, b.Data.Publication.Listing.Product.ID, b.Data.ProductVariant.Product.ID)
	return p, true
}

// lenient reads a value whose shape may be anything: what does not fit is empty, and the rest of the body still counts.
type lenient[T any] struct{ Value T }

func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	var v T
	if json.Unmarshal(data, &v) == nil {
		l.Value = v
	}
	return nil
}

// ident is an id, which a marketplace may write as a string or as a number.
type ident string

func (i *ident) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err == nil {
		*i = ident(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(data, &n); err == nil {
		*i = ident(n.String())
	}
	return nil
}

const maxIdent = 1024 // bytes of an id that is believed to be one

func known[ID ~string](ids ...ID) []string {
	var out []string
	for _, id := range ids {
		if id != "" && len(id) <= maxIdent && !slices.Contains(out, string(id)) {
			out = append(out, string(id))
		}
	}
	return out
}

// take makes durable what a webhook points at. A signed one may name a publication that is not known yet; an unsigned one only leads to what is
// known, else to one light sweep.
func (rc receiver) take(p pointers, signed bool, event string) error {
	c := rc.c
	if p.none() {
		why := "unreadable"
		if p.readable {
			why = "names_nothing"
		}
		c.metrics.webhooks.WithLabelValues(why).Inc()
		c.log.Warn("webhook names nothing", "event", quote.Line(event, 100, strings.TrimSpace), "signed", signed)
		if !signed { // the channel's default webhook, whose body is documented nowhere: something changed
			c.askSweep(false)
		}
		return nil
	}
	var known, named []string
	if signed { // it may name one that is not known yet
		named = p.publications
	} else {
		known = p.publications
	}
	ids, err := c.store.Resolve(known, p.products, p.listings)
	if err != nil {
		return err
	}
	for _, id := range named {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		c.metrics.webhooks.WithLabelValues("unknown").Inc()
		c.askSweep(signed)
		return nil
	}
	now := time.Now()
	marks := make([]store.Mark, 0, len(ids))
	for _, id := range ids {
		m := store.Mark{ID: id, Class: store.ClassHint, Cause: store.CauseUnsigned, At: store.At(c.looks.when(id, signed, now))}
		if signed {
			m.Class, m.Cause = store.ClassHook, store.CauseSigned
		}
		marks = append(marks, m)
	}
	if err := c.store.Accept(marks...); err != nil {
		return err
	}
	c.metrics.webhooks.WithLabelValues("accepted").Inc()
	return nil
}

// askSweep asks for one light sweep. It needs no record: a start sweeps anyway.
func (c *Connector) askSweep(signed bool) {
	c.queue.ask(func(q *sweepQueue) {
		if signed {
			q.incremental = true
		} else {
			q.hint = true
		}
	})
}
