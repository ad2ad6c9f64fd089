package admin

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// logIn posts the form with a token, from an address and, where that is a proxy, on behalf of a
// client.
func logIn(h http.Handler, token, from string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/login", strings.NewReader("token="+token))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.RemoteAddr = from
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Who guesses at the token waits longer and longer, up to a minute, whatever the guess; others do
// not, and a while later nothing is known of it.
func TestLoginIsThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		h := listener(adminToken, false)
		h.Logger = slog.New(slog.NewTextHandler(&said, nil))
		const stranger, owner = "203.0.113.7:4711", "203.0.113.8:4711"
		heard := 0
		for i := range 600 { // one each second for ten minutes
			w := logIn(h, fmt.Sprint("guess-", i), stranger)
			switch w.Code {
			case http.StatusUnauthorized:
				heard++
			case http.StatusTooManyRequests:
				if after, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || after < 1 || after > 61 {
					t.Errorf("Retry-After %q, want 1 to 61", w.Header().Get("Retry-After"))
				}
			default:
				t.Errorf("guess %d: %d, want 401 or 429", i, w.Code)
			}
			time.Sleep(time.Second)
		}
		if heard < freeGuesses || heard > 25 {
			t.Errorf("%d of 600 guesses were heard, want %d to 25", heard, freeGuesses)
		}
		w := logIn(h, adminToken, stranger)
		if w.Code != http.StatusTooManyRequests {
			t.Errorf("the right token among the guesses: %d, want %d", w.Code, http.StatusTooManyRequests)
		}
		if cookies := w.Result().Cookies(); len(cookies) > 0 {
			t.Errorf("the right token among the guesses gets %v, want no cookie", cookies)
		}
		if w := logIn(h, adminToken, owner); w.Code != http.StatusSeeOther {
			t.Errorf("the owner meanwhile: %d, want %d", w.Code, http.StatusSeeOther)
		}
		time.Sleep(longestWait)
		if w := logIn(h, adminToken, stranger); w.Code != http.StatusSeeOther {
			t.Errorf("the right token a minute later: %d, want %d", w.Code, http.StatusSeeOther)
		}
		for i := range freeGuesses {
			if w := logIn(h, fmt.Sprint("guess-", i), stranger); w.Code != http.StatusUnauthorized {
				t.Errorf("guess %d after the right token: %d, want %d", i, w.Code, http.StatusUnauthorized)
			}
		}
		time.Sleep(forgetGuesses)
		for i := range freeGuesses {
			if w := logIn(h, fmt.Sprint("another-", i), stranger); w.Code != http.StatusUnauthorized {
				t.Errorf("guess %d a while later: %d, want %d", i, w.Code, http.StatusUnauthorized)
			}
		}
		if n := strings.Count(said.String(), "wrong admin token"); n < 2 || n > 12 {
			t.Errorf("%d warnings, want 2 to 12: %.2000s", n, said.String())
		}
		if strings.Contains(said.String(), "guess-") {
			t.Errorf("a guess is logged, want none: %.2000s", said.String())
		}
		if !strings.Contains(said.String(), "203.0.113.7") {
			t.Errorf("the guesser's address is not logged: %.2000s", said.String())
		}
	})
}

// Behind a proxy a stranger's wrong tokens slow down that stranger alone. Without a proxy a made-up
// address in the header gains little.
func TestLoginBehindAProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := listener(adminToken, false)
		const proxy = "10.0.0.2:999"
		for i := range 50 {
			logIn(h, fmt.Sprint("guess-", i), proxy, "X-Forwarded-For", "198.51.100.1, 203.0.113.7")
		}
		if w := logIn(h, adminToken, proxy, "X-Forwarded-For", "203.0.113.7"); w.Code != http.StatusTooManyRequests {
			t.Errorf("the stranger: %d, want %d", w.Code, http.StatusTooManyRequests)
		}
		if w := logIn(h, adminToken, proxy, "X-Forwarded-For", "203.0.113.8"); w.Code != http.StatusSeeOther {
			t.Errorf("another behind the proxy: %d, want %d", w.Code, http.StatusSeeOther)
		}
		heard := 0
		for i := range 10_000 {
			if w := logIn(h, fmt.Sprint("guess-", i), "203.0.113.9:1", "X-Forwarded-For",
				fmt.Sprintf("198.51.%d.%d", i/250, i%250)); w.Code == http.StatusUnauthorized {
				heard++
			}
		}
		if heard > manyGuesses {
			t.Errorf("%d guesses were heard of one who makes up for whom it asks", heard)
		}
	})
}

// A program with an old token does not keep its neighbours out; one that tries many is slowed down
// as a browser is.
func TestGuessesInAHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := listener(adminToken, false)
		asks := func(token string) int {
			return knock(h, "GET /metrics", map[string]string{"Authorization": "Bearer " + token}).Code
		}
		for range 10 * manyGuesses {
			if code := asks("an-old-one"); code != http.StatusUnauthorized {
				t.Fatalf("an old token: %d, want %d", code, http.StatusUnauthorized)
			}
		}
		if code := asks(adminToken); code != http.StatusOK {
			t.Errorf("the token beside it: %d, want %d", code, http.StatusOK)
		}
		heard := 0
		for i := range 10 * manyGuesses {
			if asks(fmt.Sprint("guess-", i)) == http.StatusUnauthorized {
				heard++
			}
		}
		if heard > manyGuesses {
			t.Errorf("%d guesses were heard", heard)
		}
		time.Sleep(longestWait)
		if code := asks(adminToken); code != http.StatusOK {
			t.Errorf("the token a minute later: %d, want %d", code, http.StatusOK)
		}
	})
}

// The memory for failed logins is bounded, from however many addresses they come.
func TestThrottleIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle()
		for i := range 3 * mostGuessers {
			th.wrong([]guessing{{fmt.Sprint(i), freeGuesses}}, fmt.Sprint(i), time.Now())
			time.Sleep(time.Millisecond)
		}
		if n := len(th.guessers); n > mostGuessers || n < mostGuessers/2 {
			t.Errorf("%d addresses are remembered, want %d to %d", n, mostGuessers/2, mostGuessers)
		}
		if th.guessers[fmt.Sprint(3*mostGuessers-1)] == nil {
			t.Error("the last address is forgotten, want it remembered")
		}
		if th.guessers["0"] != nil {
			t.Error("the address that has been quiet longest is remembered, want it forgotten")
		}
	})
}

func TestAddressOf(t *testing.T) {
	for given, want := range map[string]string{
		"203.0.113.7:80": "203.0.113.7", "203.0.113.7": "203.0.113.7", "[2001:db8:1:2:3::4]:80": "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::9": "2001:db8:1:2::/64",
		"::ffff:203.0.113.7":   "203.0.113.7", "fe80::1%eth0": "fe80::/64", "unknown": "unknown", "": "",
		strings.Repeat("x", 100): strings.Repeat("x", 64),
	} {
		if got := addressOf(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

// The session's cookie goes over TLS alone where the page came so, to the listener or to a proxy
// before it.
func TestSessionCookieIsSecure(t *testing.T) {
	h := listener(adminToken, false)
	for _, tt := range []struct {
		name   string
		header []string
		want   bool
	}{
		{"plain HTTP", nil, false},
		{
			"plain HTTP through a proxy",
			[]string{"X-Forwarded-Proto", "http", "Forwarded", "for=203.0.113.7;proto=http"},
			false,
		},
		{"a proxy says so", []string{"X-Forwarded-Proto", "https"}, true},
		{"the first of two proxies says so", []string{"X-Forwarded-Proto", "HTTPS, http"}, true},
		{"the standard's header", []string{"Forwarded", `for="[2001:db8::1]";proto=https;by=203.0.113.43`}, true},
		{"the standard's header, quoted", []string{"Forwarded", `for=192.0.2.60, for=198.51.100.17;Proto="https"`}, true},
		{"the browser says so", []string{"Origin", "https://example.com"}, true},
	} {
		cookies := logIn(h, adminToken, "203.0.113.7:1", tt.header...).Result().Cookies()
		if len(cookies) != 1 || cookies[0].Secure != tt.want {
			t.Errorf("%s: %v", tt.name, cookies)
		}
	}
}
