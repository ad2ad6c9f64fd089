package admin

import (
	"crypto/sha256"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	freeGuesses = 5 // wrong tokens that an address may try before it has to wait
	// and a proxy, behind which many may be, or a program that sends its token with each request
	manyGuesses   = 20 * freeGuesses
	firstWait     = time.Second
	longestWait   = time.Minute
	forgetGuesses = 15 * time.Minute
	mostGuessers  = 4096        // addresses remembered
	warnEvery     = time.Minute // between two warnings about wrong tokens
)

// A throttle slows down guesses at the admin token. Each wrong token beyond the free ones doubles
// the time for which none from its address is compared, from a second to a minute. An address is
// forgotten 15 minutes after its last wrong token, or once it sends the right one; until then it is
// answered 429 with the time to wait. The same wrong token again, as of a program with an old one,
// is no guess.
type throttle struct {
	mu       sync.Mutex
	guessers map[string]*guesser
	warn     time.Time // when the next warning is due
	untold   int       // wrong tokens that were not warned of since the last
}

type guesser struct {
	wrong       int
	last        [sha256.Size]byte // the last wrong token
	at, refused time.Time         // of that, and until when no token is compared
}

func newThrottle() *throttle { return &throttle{guessers: map[string]*guesser{}} }

// A guessing is a name under which guesses are counted, and how many are free.
type guessing struct {
	name string
	free int
}

// guessings is the names under which the tokens of a request count. Clients behind a proxy are told
// apart by the address that the proxy adds. A client without a proxy may make that address up, so
// the proxy's own address counts too.
func guessings(r *http.Request, form bool) []guessing {
	peer, kind, free := addressOf(r.RemoteAddr), "form ", freeGuesses
	if !form {
		kind, free = "header ", manyGuesses
	}
	forwarded := r.Header.Values("X-Forwarded-For")
	if len(forwarded) == 0 {
		return []guessing{{kind + peer, free}}
	}
	client := forwarded[len(forwarded)-1]
	client = addressOf(strings.TrimSpace(client[strings.LastIndexByte(client, ',')+1:]))
	return []guessing{{kind + peer + " " + client, free}, {kind + peer, max(free, manyGuesses)}}
}

// addressOf returns the address without its port. Of an IPv6 address it returns the /64 network,
// which has one owner.
func addressOf(s string) string {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	ip, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return s[:min(len(s), 64)]
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}

// wait returns for how long the tokens of a request are not compared.
func (t *throttle) wait(by []guessing, now time.Time) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range by {
		if known := t.guessers[g.name]; known != nil && now.Sub(known.at) < forgetGuesses {
			wait = max(wait, known.refused.Sub(now))
		}
	}
	return wait
}

// wrong counts a wrong token. It reports whether to log a warning, once a minute at most, and how
// many wrong tokens came since the last one.
func (t *throttle) wrong(by []guessing, token string, now time.Time) (untold int, warn bool) {
	sum := sha256.Sum256([]byte(token))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(now)
	for _, g := range by {
		known := t.guessers[g.name]
		if known == nil || now.Sub(known.at) >= forgetGuesses {
			known = &guesser{}
			t.guessers[g.name] = known
		}
		known.at = now
		if known.wrong > 0 && known.last == sum {
			continue
		}
		known.wrong, known.last = known.wrong+1, sum
		if over := known.wrong - g.free; over >= 0 {
			known.refused = now.Add(min(firstWait<<min(over, 10), longestWait))
		}
	}
	if now.Before(t.warn) {
		t.untold++
		return 0, false
	}
	untold, t.untold, t.warn = t.untold, 0, now.Add(warnEvery)
	return untold, true
}

// right forgets the address that sent the right token. It does not forget its proxy, behind which
// others may be.
func (t *throttle) right(by []guessing) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.guessers, by[0].name)
}

// forget removes the addresses whose time is over. If there are still too many it removes the
// quietest eighth at once, so that not every new address costs a search of the map.
func (t *throttle) forget(now time.Time) {
	if len(t.guessers) < mostGuessers {
		return
	}
	byAge := slices.SortedFunc(maps.Keys(t.guessers),
		func(a, b string) int { return t.guessers[a].at.Compare(t.guessers[b].at) })
	for i, name := range byAge {
		if i >= mostGuessers/8 && now.Sub(t.guessers[name].at) < forgetGuesses {
			return
		}
		delete(t.guessers, name)
	}
}
