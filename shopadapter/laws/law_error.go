package laws

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

func errorLaws() []Law {
	return []Law{
		{
			ID: "error-kinds", needs: needs(transport()), check: checkErrorKinds,
			Sentence: "What time mends is Transient: 429 (shop-wide, with its Retry-After), 5xx, HTML in place of an " +
				"answer, a cut connection.",
		}, {
			ID: "credentials", needs: needs(breakCredentials()), check: checkCredentials,
			Sentence: "Refused credentials are told as such (blocked and shop-wide; over HTTP 401 or 403), and once they " +
				"are mended everything goes on.",
		}, {
			ID: "no-secret", needs: needs(secrets(), transport()), check: checkNoSecret,
			Sentence: "No error contains a secret, not even one that the shop sent back, and no secret follows a " +
				"redirect to another host.",
		},
	}
}

// An outage is what every request meets for a while.
type outage struct {
	name     string
	fault    fault
	after    time.Duration // the shop's own word on when to come back
	shopWide bool
	status   bool // a removal may take the answer's status for the whole answer
}

func outages() []outage {
	wait := http.Header{"Retry-After": {"7"}}
	return []outage{
		{
			name:     "429 with Retry-After",
			fault:    answer(429, "text/plain", "slow down", wait),
			after:    7 * time.Second,
			shopWide: true,
		},
		{name: "500", fault: answer(500, "application/json", `{"message":"internal error"}`, nil)},
		{name: "502 with HTML", fault: answer(502, "text/html", "<h1>502 Bad Gateway</h1>", nil)},
		{name: "503 without a body", fault: answer(503, "text/plain", "", nil)},
		{name: "200 with HTML", fault: answer(200, "text/html", "<h1>Back soon</h1>", nil)},
		{name: "200 without a body", fault: answer(200, "application/json", "", nil), status: true},
		{name: "half a body", fault: halved, status: true},
		{name: "a cut connection", fault: unsent},
	}
}

func checkErrorKinds(ctx context.Context, b *bench) error {
	for _, o := range outages() {
		if err := b.checkOutage(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
	}
	return nil
}

func (b *bench) checkOutage(ctx context.Context, o outage) error {
	there := b.sample(b.id(o.name), 2)
	ref, err := b.made(ctx, there)
	if err != nil {
		return err
	}
	fresh := b.sample(b.id("new-"+o.name), 2)
	revised := b.revise(there, 1)
	for _, call := range []struct {
		name string
		do   func() error
	}{
		{"creation", func() error { _, _, err := b.try(ctx, b.ref(fresh.ID), fresh, shopadapter.AllFields); return err }},
		{"update", func() error { _, _, err := b.try(ctx, ref, revised, shopadapter.AllFields); return err }},
		{"unpublish", func() error { return b.withdraw(ctx, ref, shopadapter.TakeOffline) }},
	} {
		lift := b.wire.arm(every, o.fault)
		err := call.do()
		met := lift()
		e := shopadapter.Explain(err)
		switch {
		case !met:
			return fmt.Errorf("%s made no request", call.name)
		case err == nil && call.name == "unpublish" && o.status:
		case err == nil:
			return fmt.Errorf("%s reported no error", call.name)
		case e.Kind != shopadapter.Transient:
			return fmt.Errorf("%s: kind of the error: got %s, want transient: %w", call.name, e.Kind, err)
		case o.after > 0 && e.RetryAfter != o.after:
			return fmt.Errorf(
				"%s: the error says to come back after %s, the shop said %s",
				call.name,
				e.RetryAfter,
				o.after,
			)
		case o.shopWide && !e.ShopWide:
			return fmt.Errorf("%s: the error is not shop-wide: %w", call.name, err)
		}
	}
	if _, err := b.made(ctx, fresh); err != nil {
		return fmt.Errorf("when it is over: %w", err)
	}
	if _, _, err := b.put(ctx, ref, revised, shopadapter.AllFields); err != nil {
		return fmt.Errorf("when it is over: %w", err)
	}
	return errors.Join(b.expect(ctx, fresh), b.expect(ctx, revised))
}

func checkCredentials(ctx context.Context, b *bench) error {
	there := b.sample(b.id("there"), 2)
	ref, err := b.made(ctx, there)
	if err != nil {
		return err
	}
	blocked := func(name string, err error) error {
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide {
			return fmt.Errorf(
				"%s with refused credentials: got %v, want an error that is blocked and shop-wide",
				name,
				err,
			)
		}
		return nil
	}
	fresh := b.sample(b.id("new"), 2)
	mend := b.BreakCredentials()
	_, _, err = b.try(ctx, b.ref(fresh.ID), fresh, shopadapter.AllFields)
	faults := []error{blocked("creation", err)}
	_, _, err = b.try(ctx, ref, b.revise(there, 1), shopadapter.AllFields)
	faults = append(
		faults,
		blocked("update", err),
		blocked("unpublish", b.withdraw(ctx, ref, shopadapter.Delete)),
	)
	mend()
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if _, err := b.made(ctx, fresh); err != nil {
		return fmt.Errorf("mended: %w", err)
	}
	if _, _, err := b.put(ctx, ref, there, shopadapter.AllFields); err != nil {
		return fmt.Errorf("mended: %w", err)
	}
	return errors.Join(b.expect(ctx, fresh), b.expect(ctx, there))
}

func checkNoSecret(ctx context.Context, b *bench) error {
	there := b.sample(b.id("there"), 2)
	ref, err := b.made(ctx, there)
	if err != nil {
		return err
	}
	fresh := b.sample(b.id("new"), 2)
	calls := func() error {
		_, _, first := b.try(ctx, b.ref(fresh.ID), fresh, shopadapter.AllFields)
		_, _, second := b.try(ctx, ref, b.revise(there, 1), shopadapter.AllFields)
		faults := []error{first, second, b.withdraw(ctx, ref, shopadapter.TakeOffline)}
		_, err := b.adapter.Check(ctx)
		faults = append(faults, err)
		for _, err := range faults {
			if err := b.revealed(err); err != nil {
				return err
			}
		}
		return nil
	}
	abroad := &border{secrets: b.Secrets}
	for _, f := range []struct {
		name  string
		fault fault
	}{
		{"a cut connection", unsent},
		{"400 that echoes the request", echoed(http.StatusBadRequest)},
		{"401 that echoes the request", echoed(http.StatusUnauthorized)},
		{"404 that echoes the request", echoed(http.StatusNotFound)},
		{"422 that echoes the request", echoed(http.StatusUnprocessableEntity)},
		{"500 that echoes the request", echoed(http.StatusInternalServerError)},
		{"200 that echoes the request", echoed(http.StatusOK)},
		{"302 to another host", abroad.redirect(http.StatusFound)},
		{"307 to another host", abroad.redirect(http.StatusTemporaryRedirect)},
		{"308 to another host", abroad.redirect(http.StatusPermanentRedirect)},
	} {
		// A new adapter has opened no session yet, so what it logs in with is at stake as well.
		if err := b.restart(); err != nil {
			return err
		}
		lift := b.wire.arm(every, f.fault)
		err := calls()
		lift()
		if err := errors.Join(err, abroad.smuggled()); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if b.BreakCredentials == nil {
		return nil
	}
	mend := b.BreakCredentials()
	defer mend()
	return calls()
}

// revealed is nil when no secret is in any text that err shows. It does not repeat the text.
func (b *bench) revealed(err error) error {
	if err == nil {
		return nil
	}
	e := shopadapter.Explain(err)
	shown := strings.Join([]string{err.Error(), fmt.Sprintf("%+v", err), e.Error(), e.Message, fmt.Sprint(e.Err)}, "\n")
	if secret := contained(shown, b.Secrets); secret >= 0 {
		return fmt.Errorf("an error contains secret number %d of the harness", secret)
	}
	return nil
}

// contained is the index of the first secret found in text, as it is or escaped for a query or
// JSON, or -1.
func contained(text string, secrets []string) int {
	for i, secret := range secrets {
		quoted, _ := json.Marshal(secret)
		forms := []string{
			secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(string(quoted), `"`),
			base64.StdEncoding.EncodeToString([]byte(secret)),
		}
		for _, form := range forms {
			if secret != "" && strings.Contains(text, form) {
				return i
			}
		}
	}
	return -1
}

// echoed answers with the request's headers, address and body in every place where APIs put the
// text of an error.
func echoed(status int) fault {
	return func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
		var body []byte
		if req.Body != nil {
			body, _ = io.ReadAll(req.Body)
			_ = req.Body.Close()
		}
		echo := fmt.Sprintf("bad request: %v %s %s", req.Header, req.URL, body)
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
	mu      sync.Mutex
	found   bool
}

const foreignHost = "elsewhere.example.net"

func (b *border) redirect(status int) fault {
	return func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
		if req.URL.Host != foreignHost {
			return answer(
				status,
				"text/plain",
				"moved",
				http.Header{"Location": {"https://" + foreignHost + "/login"}},
			)(
				req,
				nil,
			)
		}
		var body []byte
		if req.Body != nil {
			body, _ = io.ReadAll(req.Body)
			_ = req.Body.Close()
		}
		if contained(fmt.Sprintf("%v %s %s", req.Header, req.URL, body), b.secrets) >= 0 {
			b.mu.Lock()
			b.found = true
			b.mu.Unlock()
		}
		return answer(http.StatusNotFound, "text/plain", "nothing here", nil)(req, nil)
	}
}

func (b *border) smuggled() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.found {
		return errors.New("a secret was sent to the host that a redirect named")
	}
	return nil
}
