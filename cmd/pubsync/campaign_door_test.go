// What marketplace and shop are asked in a campaign, and the moments at which a kill may fall.

package main_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A moment is a point in the life of a request, as the side that is asked sees it.
type moment string

const (
	arrived  moment = "arrived"  // nothing is done yet
	executed moment = "executed" // nothing is answered yet
	answered moment = "answered" // the answer has left
)

// The kinds of requests are the sandbox's for the marketplace, and the methods for the shop.
const (
	kindPut    = sandbox.Kind(http.MethodPut)
	kindDelete = sandbox.Kind(http.MethodDelete)
)

// A sight is a request of a kind at a moment of its life.
type sight struct {
	kind   sandbox.Kind
	moment moment
}

// A letter is what a request says.
type letter struct {
	caller string // the replica that sent it
	path   string
	id     string // of the shop's product; empty where it names none
	body   []byte
}

// A door stands before the marketplace or the shop. The first part of an address's path names the
// caller. The watch function sees each request at every moment of its life, and may hold it up.
type door struct {
	*httptest.Server
	house http.Handler
	watch func(s sight, l letter) (on bool)
	pause time.Duration // for up to so long a request is on its way
	under atomic.Int64  // requests under way
}

func openDoor(t *testing.T, house http.Handler, watch func(sight, letter) bool) *door {
	t.Helper()
	d := &door{house: house, watch: watch}
	d.Server = httptest.NewServer(d)
	t.Cleanup(func() {
		d.CloseClientConnections()
		d.Close()
	})
	return d
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.under.Add(1)
	defer d.under.Add(-1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	l := letter{body: body}
	l.caller, l.path, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	l.id, _ = strings.CutPrefix(l.path, "products/")
	kind := kindOf(r, body)
	if !d.watch(sight{kind, arrived}, l) {
		panic(http.ErrAbortHandler)
	}
	time.Sleep(rand.N(d.pause + 1))
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer, whole := answerOf(http.StripPrefix("/"+l.caller, d.house), r)
	sound := whole && answer.Code < 300 && (answer.Body.Len() == 0 || json.Valid(answer.Body.Bytes())) &&
		!bytes.Contains(answer.Body.Bytes(), []byte(`"errors":`))
	if sound && !d.watch(sight{kind, executed}, l) {
		panic(http.ErrAbortHandler)
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // whoever has been killed does not read it
	_ = http.NewResponseController(w).Flush()
	if !whole {
		panic(http.ErrAbortHandler)
	}
	if sound {
		d.watch(sight{kind, answered}, l)
	}
}

// answerOf has the house answer, and reports whether it answered to the end.
func answerOf(house http.Handler, r *http.Request) (answer *httptest.ResponseRecorder, whole bool) {
	answer = httptest.NewRecorder()
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			panic(p)
		}
	}()
	house.ServeHTTP(answer, r)
	return answer, true
}

func kindOf(r *http.Request, body []byte) sandbox.Kind {
	if r.Method != http.MethodPost { // of the shop
		return sandbox.Kind(r.Method)
	}
	for _, k := range []struct {
		word string
		kind sandbox.Kind
	}{
		{"publicationStatusUpdated(", sandbox.KindReport},
		{"listing", sandbox.KindContent},
		{"publications(", sandbox.KindList},
		{"publication(", sandbox.KindLook},
	} {
		if bytes.Contains(body, []byte(k.word)) {
			return k.kind
		}
	}
	return sandbox.KindOther
}
