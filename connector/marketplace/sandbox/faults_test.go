package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What a client sees of each fault, whether the report in the request took effect, and what the
// ledger says.
func TestFaults(t *testing.T) {
	const report = `mutation { publicationStatusUpdated(input: {id: "a", status: "success"}) { publication { status } } }`
	for _, tt := range []struct {
		name     string
		opts     Options
		fault    Fault
		executed bool
		status   int // 0: the request fails
		json     bool
		message  string // of the errors
		body     string // a part of it
	}{
		{name: "502", fault: Fault{Kind: ServerError}, status: 502, body: "<html>"},
		{
			name: "504 after execution", fault: Fault{Kind: ServerError, Status: 504, Executed: true}, executed: true,
			status: 504, body: "<html>",
		},
		{name: "cut before execution", fault: Fault{Kind: Cut}},
		{name: "cut after execution", fault: Fault{Kind: Cut, Executed: true}, executed: true},
		{name: "cut within the answer", fault: Fault{Kind: CutBody}, executed: true},
		{name: "HTML", fault: Fault{Kind: HTML}, status: 200, body: "<html>"},
		{name: "HTML after execution", fault: Fault{Kind: HTML, Executed: true}, executed: true, status: 200, body: "<html>"},
		{
			name: "half of the JSON", fault: Fault{Kind: TruncatedJSON}, executed: true, status: 200,
			body: `{"data":{"publicationStatusUpdated":`,
		},
		{name: "throttled", fault: Fault{Kind: ThrottledNow}, status: 200, json: true, message: "Throttled"},
		{
			name: "throttled by a proxy", opts: Options{Throttle: Bare429RetryAfter}, fault: Fault{Kind: ThrottledNow},
			status: 429, body: "Too many requests",
		},
		{name: "401", fault: Fault{Kind: Unauthorized}, status: 401, json: true, message: "Unauthorized"},
		{name: "internal error", fault: Fault{Kind: InternalError}, status: 200, json: true, message: "Internal " +
			"server error", body: `"data":null`},
		{
			name: "internal error after execution", fault: Fault{
				Kind: InternalError, Executed: true,
			}, executed: true, status: 200, json: true,
			message: "Internal server error", body: `"data":null`,
		},
		{
			name: "the report of another is refused", fault: Fault{Kind: RefusedReport, IDs: []string{"b"}},
			executed: true, status: 200, json: true, body: `"status":"success"`,
		},
		{
			name: "empty list, which is no fault of a report", fault: Fault{Kind: EmptyList}, executed: true, status: 200,
			json: true, body: `"status":"success"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newTest(t, tt.opts)
			m.Add(simple("a"))
			tt.fault.Next = 1
			m.Inject(tt.fault)
			e := post(t, m, report, nil)
			if tt.status == 0 {
				if !errors.Is(e.err, io.ErrUnexpectedEOF) {
					t.Errorf("answered %d %s %v, want a connection that is cut", e.status, e.body, e.err)
				}
			} else if e.err != nil || e.status != tt.status || e.messages() != tt.message || !strings.Contains(e.body, tt.body) {
				t.Errorf("got %d %s %v, want %d %q %q", e.status, e.body, e.err, tt.status, tt.message, tt.body)
			}
			if tt.status != 0 && json.Valid([]byte(e.body)) != tt.json {
				t.Errorf("got %s, want JSON %t", e.body, tt.json)
			}
			switch p, _ := m.Publication("a"); {
			case (p.Status == "success") != tt.executed:
				t.Errorf(
					"the status is %s, and %d reports came; (p.Status == \"success\"): got %v, want %v", p.Status,
					len(m.Reports()), (p.Status == "success"), tt.executed,
				)
			case len(m.Reports()) > 0 != tt.executed:
				t.Errorf(
					"the status is %s, and %d reports came; len(m.Reports()) > 0: got %v, want %v", p.Status, len(m.Reports()),
					len(m.Reports()) > 0, tt.executed,
				)
			}
			r := m.Requests()
			status := tt.status
			if tt.fault.Kind == CutBody {
				status = 200
			}
			switch {
			case len(r) != 1:
				t.Errorf("the ledger has %+v; len(r): got %v, want %v", r, len(r), 1)
			case r[0].Fault != tt.fault.Kind:
				t.Errorf("the ledger has %+v; r[0].Fault: got %v, want %v", r, r[0].Fault, tt.fault.Kind)
			case r[0].Status != status:
				t.Errorf("the ledger has %+v; r[0].Status: got %v, want %v", r, r[0].Status, status)
			case r[0].Kind != KindReport:
				t.Errorf("the ledger has %+v; r[0].Kind: got %v, want %v", r, r[0].Kind, KindReport)
			case (r[0].ActualCost > 0) != tt.executed:
				t.Errorf("the ledger has %+v; (r[0].ActualCost > 0): got %v, want %v", r, (r[0].ActualCost > 0), tt.executed)
			}
			// The fault is spent, and nothing is left of it.
			switch e := post(t, m, report, nil); {
			case e.err != nil:
				t.Errorf("the next request answered %d %s %v; e.err: got %v, want nil", e.status, e.body, e.err, e.err)
			case e.status != 200:
				t.Errorf("the next request answered %d %s %v; e.status: got %v, want %v", e.status, e.body, e.err, e.status, 200)
			case len(e.Errors) > 0:
				t.Errorf(
					"the next request answered %d %s %v; len(e.Errors): got %v, want at most %v", e.status, e.body, e.err,
					len(e.Errors), 0,
				)
			}
		})
	}
}

// A report that a fault refuses is answered and charged like any that is refused, and changes
// nothing.
func TestRefusedReportIsAFault(t *testing.T) {
	const report = `mutation { publicationStatusUpdated(input: {id: "a", status: "success"}) { publication { status ` +
		`} userErrors { field message } } }`
	m := newTest(t, Options{Faults: []Fault{{Kind: RefusedReport, Next: 1, On: []Kind{KindReport}}}})
	m.Add(simple("a"))
	before, _ := m.Publication("a")
	if e := post(t, m, report, nil); !strings.Contains(
		e.body, `"publication":null,"userErrors":[{"field":["status"],"message":`,
	) {
		t.Errorf("got %s, want userErrors about the status", e.body)
	}
	after, _ := m.Publication("a")
	switch reports := m.Reports(); {
	case after.Status != "syncing":
		t.Errorf("it is %+v, reported %+v; after.Status: got %q, want %q", after, reports, after.Status, "syncing")
	case !after.UpdatedAt.Equal(before.UpdatedAt):
		t.Errorf("it is %+v, reported %+v; after.UpdatedAt.Equal(before.UpdatedAt): got false, want true", after, reports)
	case len(reports) != 1:
		t.Errorf("it is %+v, reported %+v; len(reports): got %v, want %v", after, reports, len(reports), 1)
	case reports[0].Refused == "":
		t.Errorf("it is %+v, reported %+v; reports[0].Refused: got %q, want another", after, reports, reports[0].Refused)
	}
	post(t, m, report, nil)
	if after, _ = m.Publication("a"); after.Status != "success" {
		t.Errorf("the next report is not taken either: %q, want %q", after.Status, "success")
	}
}

func TestEmptyListIsAFault(t *testing.T) {
	m := newTest(t, Options{Faults: []Fault{{Kind: EmptyList, Next: 1}}})
	m.Add(simple("a"))
	const query = `{ publications(first: 5) { nodes { id } pageInfo { hasNextPage endCursor } } publication(id: ` +
		`"a") { id } }`
	if got := ask(t, m, query, nil); got != `{"publications":{"nodes":[],"pageInfo":{"hasNextPage":false,`+
		`"endCursor":null}},"publication":{"id":"a"}}` {
		t.Errorf("got %s, want an empty list", got)
	}
	if got := ask(t, m, query, nil); !strings.Contains(got, `"nodes":[{"id":"a"}]`) {
		t.Errorf("the next one: got %s, want the publication", got)
	}
}

func TestFaultsByKindAndNumber(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"))
	m.Inject(
		Fault{Kind: ServerError, Status: 500, Next: 2, On: []Kind{KindLook}},
		Fault{Kind: ServerError, Status: 503, Next: 1}, Fault{Kind: Cut},
	)
	const (
		look = `{ publication(id: "a") { id } }`
		list = `{ publications(first: 1) { nodes { id } } }`
	)
	for i, step := range []struct {
		query string
		want  int
	}{{look, 500}, {list, 503}, {list, 200}, {look, 500}, {look, 200}} {
		if e := post(t, m, step.query, nil); e.status != step.want {
			t.Errorf("request %d answered %d, want %d", i+1, e.status, step.want)
		}
	}
	m.Inject(Fault{Kind: ServerError, Probability: 1})
	if e := post(t, m, look, nil); e.status != 502 {
		t.Errorf("a certain fault answered %d, want %v", e.status, 502)
	}
	m.Heal()
	if e := post(t, m, look, nil); e.status != 200 {
		t.Errorf("healed, it answered %d, want %v", e.status, 200)
	}
}

// The same seed deals the same faults, about as many as asked for; another seed deals others.
func TestFaultsAreSeeded(t *testing.T) {
	fate := func(seed uint64) string {
		m := newTest(
			t,
			Options{Seed: seed, Faults: []Fault{{Kind: ServerError, Probability: 0.3}, {Kind: HTML, Probability: 0.1}}},
		)
		var b strings.Builder
		for range 400 {
			e := post(t, m, `{ account { slug } }`, nil)
			switch {
			case e.status == 502:
				b.WriteByte('5')
			case strings.HasPrefix(e.body, "<"):
				b.WriteByte('h')
			default:
				b.WriteByte('.')
			}
		}
		return b.String()
	}
	one := fate(1)
	if again := fate(1); again != one {
		t.Errorf("seed 1 dealt\n%s and then\n%s, want %v", one, again, one)
	}
	if two := fate(2); two == one {
		t.Errorf("seed 2 dealt the same as seed 1; two: got %v, want another", two)
	}
	switch n := strings.Count(one, "5"); {
	case n < 80:
		t.Errorf("%d of 400 requests met a fault of probability 0.3; n: got %v, want at least %v", n, n, 80)
	case n > 160:
		t.Errorf("%d of 400 requests met a fault of probability 0.3; n: got %v, want at most %v", n, n, 160)
	}
	switch n := strings.Count(one, "h"); {
	case n < 10:
		t.Errorf("%d of 400 requests met a fault of probability 0.07; n: got %v, want at least %v", n, n, 10)
	case n > 60:
		t.Errorf("%d of 400 requests met a fault of probability 0.07; n: got %v, want at most %v", n, n, 60)
	}
}

func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTest(t, Options{})
		m.Add(simple("a"))
		m.Inject(
			Fault{Kind: Slow, Delay: time.Second, Next: 1}, Fault{Kind: Slow, Delay: 2 * time.Second, Next: 1},
			Fault{Kind: ServerError, Next: 1},
		)
		start := time.Now()
		switch e := post(t, m, `{ account { slug } }`, nil); {
		case e.status != 502:
			t.Errorf(
				"answered %d after %v, want both delays and the fault; e.status: got %v, want %v", e.status,
				time.Since(start), e.status, 502,
			)
		case time.Since(start) != 3*time.Second:
			t.Errorf(
				"answered %d after %v, want both delays and the fault; time.Since(start): got %v, want %v", e.status,
				time.Since(start), time.Since(start), 3*time.Second,
			)
		}
		m.Inject(Fault{Kind: Slow, Delay: time.Minute, Next: 3})
		req := request(
			t,
			`{"query":"mutation { publicationStatusUpdated(input: {id: `+
				`\"a\", status: \"success\"}) { userErrors { message } } }"}`,
		)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start = time.Now()
		switch e := send(t, m, req.WithContext(ctx)); {
		case !errors.Is(e.err, context.DeadlineExceeded):
			t.Errorf(
				"a client with a second to spend got %v after %v; errors.Is(e.err, context.DeadlineExceeded): got false, want true",
				e.err, time.Since(start),
			)
		case time.Since(start) != time.Second:
			t.Errorf(
				"a client with a second to spend got %v after %v; time.Since(start): got %v, want %v", e.err,
				time.Since(start), time.Since(start), time.Second,
			)
		}
		if len(m.Reports()) != 0 {
			t.Errorf("what nobody waited for was executed; len(m.Reports()): got %v, want %v", len(m.Reports()), 0)
		}
		start = time.Now()
		go func() {
			time.Sleep(5 * time.Second)
			m.Close()
		}()
		switch e := post(t, m, `{ account { slug } }`, nil); {
		case !errors.Is(e.err, io.ErrUnexpectedEOF):
			t.Errorf(
				"closed, it answered %v after %v; errors.Is(e.err, io.ErrUnexpectedEOF): got false, want true", e.err,
				time.Since(start),
			)
		case time.Since(start) != 5*time.Second:
			t.Errorf(
				"closed, it answered %v after %v; time.Since(start): got %v, want %v", e.err, time.Since(start),
				time.Since(start), 5*time.Second,
			)
		}
	})
}

func TestAuthorization(t *testing.T) {
	m := newTest(t, Options{Token: "right"})
	m.Add(simple("a"))
	const body = `{"query":"{ publication(id: \"a\") { id } nonsense }"}`
	for _, tt := range []struct{ name, header string }{
		{"none", ""}, {"wrong", "Bearer wrong"}, {"empty", "Bearer "}, {
			"another scheme", "Basic right",
		}, {"no scheme", "right"}, {"two", "Bearer right right"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := request(t, body)
			req.Header.Set("Authorization", tt.header)
			if tt.header == "" {
				req.Header.Del("Authorization")
			}
			e := send(t, m, req)
			switch {
			case e.status != http.StatusUnauthorized:
				t.Errorf("answered %d %s; e.status: got %v, want %v", e.status, e.body, e.status, http.StatusUnauthorized)
			case e.messages() != "Unauthorized":
				t.Errorf("answered %d %s; e.messages(): got %q, want %q", e.status, e.body, e.messages(), "Unauthorized")
			case e.Data != nil:
				t.Errorf("answered %d %s; e.Data: got %v, want nil", e.status, e.body, e.Data)
			case e.Extends.Throttle != nil:
				t.Errorf("answered %d %s; e.Extends.Throttle: got %v, want nil", e.status, e.body, e.Extends.Throttle)
			}
		})
	}
	allowed := func(token string) bool {
		req := request(t, `{"query":"{ account { slug } }"}`)
		req.Header.Set("Authorization", "bearer "+token)
		return send(t, m, req).status == http.StatusOK
	}
	if !allowed("right") {
		t.Error("the right token: got refused, want accepted")
	}
	m.RevokeToken()
	switch {
	case allowed("right"):
		t.Error("a revoked token: got it accepted, want refused")
	case allowed(""):
		t.Error("no token after a revocation: got accepted, want refused")
	}
	m.SetToken("new")
	switch {
	case allowed("right"):
		t.Errorf("the new token is refused, or the old one taken; allowed(\"right\"): got true, want false")
	case !allowed("new"):
		t.Errorf("the new token is refused, or the old one taken; allowed(\"new\"): got false, want true")
	}
}

func TestTransportRules(t *testing.T) {
	m := newTest(t, Options{})
	const ok = `{"query":"{ account { slug } }"}`
	for _, tt := range []struct {
		name   string
		change func(r *http.Request)
		body   string
		status int
	}{
		{"as it should be", func(*http.Request) {}, ok, 200},
		{"without a version", func(r *http.Request) { r.URL.Path = "/graphql" }, ok, 200},
		{"with a character set", func(r *http.Request) {
			r.Header.Set("Content-Type", "application/json; "+
				"charset=utf-8")
		}, ok, 200},
		{"another path", func(r *http.Request) { r.URL.Path = "/v2/graphql" }, ok, 404},
		{"GET", func(r *http.Request) { r.Method = http.MethodGet }, ok, 405},
		{"no content type", func(r *http.Request) { r.Header.Del("Content-Type") }, ok, 415},
		{"a form", func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, ok, 415},
		{"no JSON", func(*http.Request) {}, `query`, 400},
		{"a list", func(*http.Request) {}, `[` + ok + `]`, 400},
		{"two documents", func(*http.Request) {}, ok + ok, 400},
		{"variables that are no object", func(*http.Request) {}, `{"query":"{ account { slug } }","variables":[1]}`, 400},
		{
			"members that nobody knows", func(*http.Request) {},
			`{"query":"{ account { slug } }","variables":null,"extensions":{},"x":1}`, 200,
		},
		{"too long", func(*http.Request) {}, `{"query":"` + strings.Repeat(" ", maxBody) + `"}`, 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := request(t, tt.body)
			tt.change(req)
			if e := send(t, m, req); e.status != tt.status {
				t.Errorf("answered %d %s, want %d", e.status, e.body, tt.status)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"))
	for _, tt := range []struct {
		query string
		kind  Kind
		roots int
	}{
		{`{ publications(first: 1) { nodes { id updatedAt status } } }`, KindList, 1},
		{
			`{ publications(first: 1) { edges { node { ...f } } } } fragment f on Publication { listing { id } }`,
			KindContent, 1,
		},
		{`{ publication(id: "a") { listing { id } } }`, KindContent, 1},
		{`{ a: publication(id: "a") { updatedAt } b: publication(id: "b") { updatedAt } }`, KindLook, 2},
		{
			`query($no: Boolean = false) { a: publication(id: "a") { updatedAt } b: publication(id: "b") @include(if: ` +
				`$no) { updatedAt } }`,
			KindLook, 1,
		},
		{`{ webhooks(first: 1) { nodes { id } } }`, KindWebhooks, 1},
		{
			`mutation { webhookCreate(input: {callbackUrl: "http://a.example", events: "ORDER_CREATED"}) { webhook { id } } }`,
			KindWebhookCreate, 1,
		},
		{
			`mutation { publicationStatusUpdated(input: {id: "a", status: "failed"}) { publication { listing { id } } } }`,
			KindReport, 1,
		},
		{`{ account { slug } }`, KindOther, 1},
		{`{ categories { path } __schema { types { name } } }`, KindOther, 2},
		{introspection, KindIntrospection, 1},
		{`{ __typename }`, KindOther, 1},
		{`{ nothing }`, KindInvalid, 0},
	} {
		m.Forget()
		post(t, m, tt.query, nil)
		r := m.Requests()
		switch {
		case len(r) != 1:
			t.Errorf("%s\nis in the ledger as %+v; len(r): got %v, want %v", tt.query, r, len(r), 1)
		case r[0].Kind != tt.kind:
			t.Errorf("%s\nis in the ledger as %+v; r[0].Kind: got %v, want %v", tt.query, r, r[0].Kind, tt.kind)
		case r[0].Roots != tt.roots:
			t.Errorf("%s\nis in the ledger as %+v; r[0].Roots: got %v, want %v", tt.query, r, r[0].Roots, tt.roots)
		case m.Totals()[tt.kind].Requests != 1:
			t.Errorf(
				"%s\nis in the ledger as %+v; m.Totals()[tt.kind].Requests: got %v, want %v", tt.query, r,
				m.Totals()[tt.kind].Requests, 1,
			)
		}
	}
}

// A ledger forgets the oldest, the totals nothing.
func TestLedgerIsBounded(t *testing.T) {
	m := newTest(t, Options{LedgerSize: 3})
	for _, name := range []string{"q1", "q2", "q3", "q4", "q5"} {
		ask(t, m, `query `+name+` { channels(first: 1) { nodes { id } } }`, nil)
	}
	var names []string
	for _, r := range m.Requests() {
		names = append(names, r.Operation)
	}
	if !slices.Equal(names, []string{"q3", "q4", "q5"}) {
		t.Errorf("got %v in the ledger, want q3, q4, q5", names)
	}
	if got := m.Totals()[KindOther]; got != (Total{5, 0, 10}) {
		t.Errorf("the total is %+v, want %v", got, (Total{5, 0, 10}))
	}
	m.Forget()
	switch {
	case len(m.Requests()) != 0:
		t.Errorf("something is left after Forget; len(m.Requests()): got %v, want %v", len(m.Requests()), 0)
	case len(m.Totals()) != 0:
		t.Errorf("something is left after Forget; len(m.Totals()): got %v, want %v", len(m.Totals()), 0)
	}
}
