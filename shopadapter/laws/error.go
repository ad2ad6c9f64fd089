package laws

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// calls are a creation, an update and a removal, each of which is to end in an error.
func (b *bench) calls(there, fresh *subject) map[string]func() error {
	return map[string]func() error{
		"creation":  func() error { return fresh.try(all) },
		"update":    func() error { return there.try(all) },
		"unpublish": func() error { return there.withdraw(there.ref, shopadapter.TakeOffline) },
	}
}

func checkErrorKinds(b *bench) {
	const wait = 7 * time.Second
	for _, o := range []struct {
		name   string
		fault  fault
		after  time.Duration // the shop's own word on when to come back; it is shop-wide
		status bool          // a removal may take the answer's status for the whole answer
	}{
		{"429 with Retry-After", answer(429, "text/plain", "slow down", http.Header{"Retry-After": {"7"}}), wait, false},
		{"500", answer(500, "application/json", `{"message":"internal error"}`, nil), 0, false},
		{"502 with HTML", answer(502, "text/html", "<h1>502 Bad Gateway</h1>", nil), 0, false},
		{"503 without a body", answer(503, "text/plain", "", nil), 0, false},
		{"200 with HTML", answer(200, "text/html", "<h1>Back soon</h1>", nil), 0, false},
		{"200 without a body", answer(200, "application/json", "", nil), 0, true},
		{"half a body", halved, 0, true},
		{"a cut connection", unsent, 0, false},
	} {
		there, fresh := b.published(o.name, 2), b.subject("new-"+o.name, 2)
		there.revise(1, all)
		for name, call := range b.calls(there, fresh) {
			b.in("%s, %s", o.name, name)
			lift := b.wire.arm(every, o.fault)
			err := call()
			met := lift()
			e := shopadapter.Explain(err)
			switch {
			case !met:
				b.fail("it made no request")
			case err == nil && name == "unpublish" && o.status:
			case err == nil:
				b.fail("it reported no error")
			case e.Kind != shopadapter.Transient:
				b.fail("kind of the error: got %s, want transient: %w", e.Kind, err)
			case o.after > 0 && (e.RetryAfter != o.after || !e.ShopWide):
				b.fail("the error: got shop-wide %t, to come back after %s, want true and %s: %w",
					e.ShopWide, e.RetryAfter, o.after, err)
			}
		}
		b.in("%s, when it is over", o.name)
		b.goOn(there, fresh)
	}
}

// goOn ends the check unless a creation and an update that failed are made now.
func (b *bench) goOn(there, fresh *subject) {
	for _, s := range []*subject{there, fresh} {
		s.put(all)
		s.shown()
	}
}

func checkCredentials(b *bench) {
	there, fresh := b.published("there", 2), b.subject("new", 2)
	there.revise(1, all)
	mend := b.BreakCredentials()
	for name, call := range b.calls(there, fresh) {
		err := call()
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide {
			mend()
			b.fail("%s with a wrong token, or other credentials: got %s, want it refused (blocked and shop-wide; over "+
				"HTTP 401 or 403)", name, said(err))
		}
	}
	mend()
	b.in("mended")
	b.goOn(there, fresh)
}

func checkChecker(b *bench) {
	b.published("there", 1)
	before := b.snapshot()
	b.info()
	mend := b.BreakCredentials()
	_, err := b.adapter.Check(b.ctx)
	mend()
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked {
		b.fail("check with bad credentials: got %s, want an error of kind blocked", said(err))
	}
	b.info()
	if !b.NoTransport {
		lift := b.wire.arm(every, unsent)
		_, err := b.adapter.Check(b.ctx)
		lift()
		if err == nil || shopadapter.Explain(err).Kind == shopadapter.Blocked {
			b.fail("check of a shop that cannot be reached: got %s, want an error that time mends", said(err))
		}
	}
	b.unchanged(before)
}

func checkNoSecret(b *bench) {
	there, fresh := b.published("there", 2), b.subject("new", 2)
	there.revise(1, all)
	hint := there.ref
	abroad := &border{secrets: b.Secrets}
	look := func() {
		calls := b.calls(there, fresh)
		calls["check"] = func() error { _, err := b.adapter.Check(b.ctx); return err }
		for name, call := range calls {
			there.ref, fresh.ref = hint, fresh.bare()
			if secret := revealed(call(), b.Secrets); secret >= 0 { // the text is not repeated
				b.fail("%s: an error contains secret number %d of the harness", name, secret)
			}
			if abroad.found.Load() {
				b.fail("%s: a secret was sent to the host that a redirect named", name)
			}
		}
	}
	met := map[string]fault{"a cut connection": unsent}
	for _, status := range []int{400, 401, 404, 422, 500, 200} {
		met[fmt.Sprint(status, " that echoes the request")] = echoed(status)
	}
	for _, status := range []int{302, 307, 308} {
		met[fmt.Sprint(status, " to another host")] = abroad.redirect(status)
	}
	for name, f := range met {
		b.in("%s", name)
		b.restart() // no session is open yet, so what it logs in with is at stake as well
		lift := b.wire.arm(every, f)
		look()
		lift()
	}
	if b.BreakCredentials != nil {
		b.in("refused credentials")
		mend := b.BreakCredentials()
		defer mend()
		look()
	}
}

// revealed is the index of the first secret in any text that an error shows, or -1.
func revealed(err error, secrets []string) int {
	if err == nil {
		return -1
	}
	e := shopadapter.Explain(err)
	shown := []string{err.Error(), fmt.Sprintf("%+v", err), e.Error(), e.Message, fmt.Sprint(e.Err)}
	return contained(strings.Join(shown, "\n"), secrets)
}

// contained is the index of the first secret found in text, as it is or escaped for a query or
// JSON, or -1.
func contained(text string, secrets []string) int {
	for i, secret := range secrets {
		quoted, _ := json.Marshal(secret)
		for _, form := range []string{
			secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(string(quoted), `"`),
			base64.StdEncoding.EncodeToString([]byte(secret)),
		} {
			if secret != "" && strings.Contains(text, form) {
				return i
			}
		}
	}
	return -1
}

// sentOf is all that a request carries, in words.
func sentOf(req *http.Request) (string, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		if err = errors.Join(err, req.Body.Close()); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%v %s %s", req.Header, req.URL, body), nil
}

// echoed answers with the request's headers, address and body in every place where APIs put the
// text of an error.
func echoed(status int) fault {
	return func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
		echo, err := sentOf(req)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(map[string]any{
			"title": echo, "detail": echo, "message": echo, "error": echo, "code": "bad_request",
			"errors": []map[string]any{{"message": echo, "extensions": map[string]any{"code": "BAD_REQUEST"}}},
		})
		if err != nil {
			return nil, err
		}
		return answer(status, "application/problem+json", string(data), nil)(req, nil)
	}
}

// A border redirects every request to another host and searches what arrives there.
type border struct {
	secrets []string
	found   atomic.Bool
}

const foreignHost = "elsewhere.example.net"

func (b *border) redirect(status int) fault {
	return func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
		if req.URL.Host != foreignHost {
			to := http.Header{"Location": {"https://" + foreignHost + "/login"}}
			return answer(status, "text/plain", "moved", to)(req, nil)
		}
		sent, err := sentOf(req)
		if err != nil {
			return nil, err
		}
		if contained(sent, b.secrets) >= 0 {
			b.found.Store(true)
		}
		return answer(http.StatusNotFound, "text/plain", "nothing here", nil)(req, nil)
	}
}
