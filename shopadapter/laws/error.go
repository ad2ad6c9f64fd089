package laws

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/pubsync/pubsync/shopadapter"
)

// A pair of publications is called where something is wrong: one is on sale, the other is new.
type pair struct{ there, fresh *subject }

func (b *bench) pair(name string) pair {
	p := pair{b.published(name, 2), b.subject("new-"+name, 2)}
	p.there.revise(1, all)
	return p
}

// each makes a creation, an update and a removal, each of which is to end in an error.
func (p pair) each(judge func(call string, err error)) {
	judge("creation", p.fresh.try(all))
	judge("update", p.there.try(all))
	judge("unpublish", p.there.withdraw(shopadapter.TakeOffline))
}

// goOn ends the check unless the creation and the update that failed are made now.
func (p pair) goOn() {
	p.there.put(all)
	p.fresh.put(all)
}

func checkCredentials(b *bench) {
	p := b.pair("there")
	mend := b.BreakCredentials()
	p.each(func(call string, err error) {
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide {
			mend()
			b.fail("%s with a wrong token, or other credentials: got %s, want it refused (blocked and shop-wide; over "+
				"HTTP 401 or 403)", call, said(err))
		}
	})
	mend()
	b.in("mended")
	p.goOn()
}

func checkChecker(b *bench) {
	b.published("there", 1)
	before := b.snapshot()
	b.info()
	checks := func(what string, blocked bool) {
		_, err := b.adapter.Check(b.ctx)
		if e := shopadapter.Explain(err); e == nil || (e.Kind == shopadapter.Blocked) != blocked {
			b.fail("check %s: got %s, want an error that is blocked: %t", what, said(err), blocked)
		}
	}
	mend := b.BreakCredentials()
	err := caught(func() { checks("with bad credentials", true) })
	mend()
	b.must("checker", err)
	b.info()
	if !b.NoTransport {
		lift := b.wire.arm(every, unsent)
		checks("of a shop that cannot be reached", false)
		lift()
	}
	b.same("the shop", before, b.snapshot())
}

const foreignHost = "elsewhere.example.net"

func checkNoSecret(b *bench) {
	p := b.pair("there")
	hint := p.there.ref
	var abroad atomic.Bool // a secret crossed the border
	judge := func(call string, err error) {
		p.there.ref, p.fresh.ref = hint, p.fresh.bare()
		if e := shopadapter.Explain(err); e != nil {
			shown := fmt.Sprintf("%v\n%+v\n%v\n%v\n%v", err, err, e, e.Message, e.Err)
			if secret := contained(shown, b.Secrets); secret >= 0 { // the text is not repeated
				b.fail("%s: an error contains secret number %d of the harness", call, secret)
			}
		}
		b.equal(call+": a secret was sent to the host that a redirect named", abroad.Load(), false)
	}
	look := func() {
		p.each(judge)
		_, err := b.adapter.Check(b.ctx)
		judge("check", err)
	}
	met := map[string]fault{"a cut connection": unsent}
	for _, status := range []int{400, 401, 404, 422, 500, 200} {
		met[fmt.Sprint(status, " that echoes the request")] = echoed(status)
	}
	for _, status := range []int{302, 307, 308} {
		met[fmt.Sprint(status, " to another host")] = func(
			req *http.Request, next http.RoundTripper,
		) (*http.Response, error) {
			if req.URL.Host != foreignHost {
				to := http.Header{"Location": {"https://" + foreignHost + "/login"}}
				return answer(status, "text/plain", "moved", to)(req, next)
			}
			if contained(sentOf(req), b.Secrets) >= 0 {
				abroad.Store(true)
			}
			return answer(http.StatusNotFound, "text/plain", "nothing here", nil)(req, next)
		}
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
		defer b.BreakCredentials()()
		look()
	}
}

// contained is the index of the first secret found in text, as it is or encoded, or -1.
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
func sentOf(req *http.Request) string {
	body, err := drain(req.Body)
	req.Body = nil
	return fmt.Sprintf("%v %s %s %v", req.Header, req.URL, body, err)
}

// echoed answers with the request's headers, address and body in every place where APIs put the
// text of an error.
func echoed(status int) fault {
	return func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		echo := sentOf(req)
		data, err := json.Marshal(map[string]any{
			"title": echo, "detail": echo, "message": echo, "error": echo, "code": "bad_request",
			"errors": []map[string]any{{"message": echo, "extensions": map[string]any{"code": "BAD_REQUEST"}}},
		})
		if err != nil {
			return nil, err
		}
		return answer(status, "application/problem+json", string(data), nil)(req, next)
	}
}
