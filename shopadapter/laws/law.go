// Package laws is the book of what holds for every shop that pubsync publishes to: a table of [Law]s. Each has a
// sentence, and a check against a [Harness]. [Run] checks an adapter in Go, http/conform an endpoint.
//
// Faults are injected beneath the adapter: the first request of a call or its answer is lost, then the second, and so
// on. A law that needs what a harness lacks is skipped with a reason, and never passes.
package laws

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Law is one thing that holds for every shop.
type Law struct {
	ID       string // the subtest's name: lower case, hyphenated
	Sentence string
	needs    []string
	check    func(b *bench)
}

// book has of each law "# id: needs", the sentence, and its steps, see player; else its check is in Go.
//
//go:embed book.txt
var book string

var checks = map[string]func(*bench){
	"hostile-ids": checkHostileIDs, "parallel": checkParallel,
}

// Book lists every law, from the plain to the unlikely.
func Book() (all []Law) {
	for _, entry := range strings.Split("\n"+book, "\n# ")[1:] {
		head, rest, _ := strings.Cut(entry, "\n")
		id, needs, _ := strings.Cut(head, ": ")
		sentence, steps, told := strings.Cut(rest, "\n\n\t")
		law := Law{ID: id, Sentence: strings.Join(strings.Fields(sentence), " "), needs: strings.Fields(needs)}
		if law.check = checks[id]; told {
			law.check = func(b *bench) { play(b, steps) }
		}
		all = append(all, law)
	}
	return all
}

func (h Harness) has(need string) bool {
	e := h.Endpoint
	is, ok := map[string]bool{
		"always":   true,     // no adapter in Go is excused
		"inGo":     e == nil, // an endpoint would teach nothing
		"list":     e == nil || e.Lists,
		"observed": e == nil || e.Observed,
		"requests": !h.NoTransport,
	}[need]
	return is || !ok && !reflect.ValueOf(h).FieldByName(need).IsZero()
}

// optional needs may be missing without a reason; unoffered is why an endpoint's law is skipped.
var (
	optional = []string{
		"Endpoint", "DeleteStamp", "Drafts", "Details", "EditDetail", "Languages", "AddTax",
	}
	unoffered = map[string]string{
		"list": "the endpoint has no list, GET {base}/products?after=, or a long one: it is held to fewer laws, " +
			"since nothing but its answers tells what it holds",
		"observed": `GET /health does not say "observed": true: nothing tells what stands in the shop`,
		"Drafts":   `GET /health does not say "drafts": true: PUBSYNC_PUBLISH_AS=draft is refused`,
	}
)

// OfProtocol reports whether the law is of the http protocol alone.
func (l Law) OfProtocol() bool { return slices.Contains(l.needs, "Endpoint") }

// OfEndpoint reports whether an endpoint can be held to the law.
func (l Law) OfEndpoint() bool {
	return !slices.ContainsFunc(l.needs, func(need string) bool {
		return unoffered[need] == "" && !slices.Contains([]string{"always", "requests", "Endpoint"}, need)
	})
}

// A Skip is the error of a law that was not exercised.
type Skip struct{ Reason string }

func (s *Skip) Error() string { return s.Reason }

// Laws lists all laws but those of the http protocol alone.
func Laws() []Law { return slices.DeleteFunc(Book(), Law.OfProtocol) }

// Check exercises the law. It returns nil if the law held, a [Skip] if it was not exercised, else what went wrong.
func (l Law) Check(ctx context.Context, h Harness) error {
	if err := l.exercised(h); err != nil {
		return err
	}
	b := &bench{Harness: h, ctx: ctx, law: l.ID, wire: &tap{}}
	err := caught(func() {
		defer b.repair()
		b.restart()
		l.check(b)
	})
	if err != nil && !errors.As(err, new(*Skip)) {
		err = fmt.Errorf("step %d of %q%s: %w", len(b.done), strings.Join(b.done, "; "), b.place, err)
	}
	return errors.Join(err, caught(b.close))
}

// exercised returns a Skip if the harness gives this or another law a reason for what it lacks, else an error.
func (l Law) exercised(h Harness) error {
	if reason := h.Without[l.ID]; reason != "" && !slices.Contains(l.needs, "always") {
		return &Skip{reason}
	}
	i := slices.IndexFunc(l.needs, func(need string) bool { return !h.has(need) })
	if i < 0 {
		return nil
	}
	reason := unoffered[l.needs[i]]
	if h.Endpoint == nil && slices.Contains(optional, l.needs[i]) {
		reason = "the harness has no " + l.needs[i]
	}
	for _, one := range slices.Backward(Book()) {
		if slices.Contains(one.needs, l.needs[i]) {
			reason = cmp.Or(h.Without[one.ID], reason)
		}
	}
	if reason == "" {
		return fmt.Errorf("this law needs %s, and Without gives no reason for %q", l.needs[i], l.ID)
	}
	return &Skip{reason}
}

// A Test is a *testing.T, whose package is not imported, so that no program links it.
type Test[T any] interface {
	Context() context.Context
	Helper()
	Run(name string, test func(T)) bool
	Skipf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Run holds an adapter to every law, each in a subtest with a fresh harness. With -short it tries a fault at one
// place in twelve.
func Run[T Test[T]](t T, newHarness func(t T) Harness) {
	t.Helper()
	short := flag.Lookup("test.short")
	for _, law := range Book() {
		t.Run(law.ID, func(t T) {
			h := newHarness(t)
			if short != nil && short.Value.String() == "true" {
				h.Stride = max(h.Stride, 12)
			}
			var skip *Skip
			if err := law.Check(t.Context(), h); errors.As(err, &skip) {
				t.Skipf("not exercised: %s", skip.Reason)
			} else if err != nil {
				t.Errorf("%s\n%v", law.Sentence, err)
			}
		})
	}
}

func checkHostileIDs(b *bench) {
	var made []*subject
	for i, id := range hostileIDs(b.Prefix) {
		s := b.subject(id, 1)
		b.at("publish of %q", id)
		s.p.Title = fmt.Sprintf(`No. %d: Tom & "Jerry's" – ü, 日本 50%% {{title}} $1 \n`, i)
		s.publish(all)
		made = append(made, s)
	}
	for _, s := range made {
		b.at("%q, after all were made", s.p.ID)
		s.shows(all)
	}
	for i, s := range made {
		b.at("%q, after those before it were deleted", s.p.ID)
		s.stand()
		s.ref = s.bare()
		if s.unpublish(shopadapter.Delete); i+1 < len(made) {
			made[i+1].shows(all)
		}
	}
}

// hostileIDs are ids that a careless shop confuses with each other, a path, or its own members.
func hostileIDs(prefix string) (ids []shopadapter.PublicationID) {
	long := strings.Repeat("long ", 80)
	for _, name := range []string{
		"../x", "..", ".", "a/b?c#d", "a%2Fb", "a%252Fb", "a/b", "a b", "a+b", "a%20b", "?x=1", "#x", "a&b", "a;b",
		`"quoted" 'twice' \ back`, "<script>alert(1)</script>", "a&b=c;d", "line\nbreak\ttab", "a", "A", " a", "a ", "%00",
		"r\u00e9sum\u00e9", "re\u0301sume\u0301", "日本語 🎏", "-rf", "*", "[0]", "a,b", "index", "x.json", "1", "01",
		"__proto__", "constructor", long, long + "er",
	} {
		ids = append(ids, shopadapter.PublicationID(prefix+name))
	}
	return ids
}

func checkParallel(b *bench) {
	defer b.wire.arm(every, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		time.Sleep(20 * time.Millisecond) // lets calls overlap
		return next.RoundTrip(req)
	})()
	subjects := make([]*subject, 6)
	for i := range subjects {
		subjects[i] = b.subject(b.id(fmt.Sprint("p", i)), 1+i%3)
	}
	deleted := func(i int) bool { return i%3 == 2 }
	b.at("six publications at the same time")
	b.together(len(subjects), func(i int) {
		s := subjects[i]
		if s.publish(all); deleted(i) {
			b.must("unpublish", s.withdraw(shopadapter.Delete))
			return
		}
		s.revise(i+1, all)
		s.publish(all)
	})
	for i, s := range subjects {
		if deleted(i) {
			s.isGone(shopadapter.Delete)
		} else {
			s.shows(all)
			s.stand()
		}
	}
}

// discreet ends the check if a secret got out.
func (b *bench) discreet(err error) {
	if e := shopadapter.Explain(err); e != nil {
		shown := fmt.Sprintf("%v\n%+v\n%v\n%v\n%v", err, err, e, e.Message, e.Err)
		secret := contained(shown, b.Secrets) // the text is not repeated
		b.that(secret < 0, "an error contains secret number %d of the harness", secret)
	}
	b.that(!b.abroad.Load(), "a secret was sent to the host that a redirect named")
}

// under has every request cut, answered with a status and what was sent, or refused for its credentials.
func (b *bench) under(word string) (lift func()) {
	status, _ := strconv.Atoi(word) //nolint:errcheck // 0: no status
	f := echoed(status)
	switch {
	case word == "credentials":
		return b.BreakCredentials()
	case status == 0:
		f = unsent
	case status/100 == 3:
		moved := answer(status, "Location: https://"+foreignHost+"/login", "moved")
		f = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
			if req.URL.Host != foreignHost {
				return moved(req, nil)
			}
			if contained(sentOf(req), b.Secrets) >= 0 {
				b.abroad.Store(true)
			}
			return answer(http.StatusNotFound, "Content-Type: text/plain", "nothing here")(req, nil)
		}
	}
	disarm := b.wire.arm(every, f)
	return func() { disarm() }
}
