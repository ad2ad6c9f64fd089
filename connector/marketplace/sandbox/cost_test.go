package sandbox

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCost(t *testing.T) {
	const page = `query($n: Int!, $m: Int!) { publications(first: $n) {
		nodes { id listing { variants(first: $m) { nodes { id options { name value } } pageInfo { hasNextPage } } } }
			pageInfo { endCursor } } }`
	for _, tt := range []struct {
		name              string
		opts              Options
		query             string
		vars              map[string]any
		requested, actual int
	}{
		{"scalars are free", Options{}, `{ publication(id: "a") { id status } }`, nil, 1, 1},
		{"or not", Options{ScalarCost: 1}, `{ publication(id: "a") { id status } }`, nil, 3, 3},
		{"an object that is null is refunded", Options{ScalarCost: 1}, `{ publication(id: "z") { id status } }`, nil, 3, 0},
		{"and all that is below it", Options{}, `{ publication(id: "b") { id listing { product { id } } } }`, nil, 3, 1},
		{
			"aliases cost each",
			Options{},
			`{ x: publication(id: "a") { id } y: publication(id: "a") { id } z: publication(id: "a") { id } }`, nil, 3, 3,
		},
		{"nodes count per entry", Options{}, `{ publications(first: 2) { nodes { id } } }`, nil, 3, 3},
		{"fewer entries are refunded", Options{}, `{ publications(first: 50) { nodes { id } } }`, nil, 51, 3},
		{
			"edges and nodes count both",
			Options{ScalarCost: 1},
			`{ publications(first: 50) { edges { cursor node { id } } } }`, nil, 1 + 50*4, 1 + 2*4,
		},
		{"pageInfo counts once", Options{ScalarCost: 1}, `{ publications(first: 50) { pageInfo { endCursor } } }`, nil, 3, 3},
		{
			"or per entry asked for",
			Options{ScalarCost: 1, PageInfoMultiplied: true},
			`{ publications(first: 50) { pageInfo { endCursor } } }`, nil, 101, 5,
		},
		{
			"connections multiply",
			Options{},
			page,
			map[string]any{"n": 4, "m": 30},
			1 + 4*(1+1+1+30*2+1) + 1,
			1 + (1 + 1 + 1 + 1*2 + 1) + 1 + 1,
		},
		{
			"first may come from a default",
			Options{},
			`query($n: Int! = 9) { publications(first: $n) { nodes { id } } }`,
			nil, 10, 3,
		},
		{"a plain list counts as one", Options{}, `{ categories { path parent { path } translation { name } } }`, nil, 3, 3},
		{
			"an empty one too",
			Options{},
			`{ publication(id: "a") { listing { dropshippingShippingDetails { countryGroup } } } }`, nil, 3, 3,
		},
		{
			"what is left out is free",
			Options{},
			`query($no: Boolean = false) { publication(id: "a") { id listing @include(if: $no) { id } } }`, nil, 1, 1,
		},
		{
			"a fragment used twice counts once",
			Options{},
			`{ publication(id: "a") { ...f ...f listing { id } } } ` +
				`fragment f on Publication { listing { product { id } } }`, nil, 3, 3,
		},
		{
			"a mutation costs more than its fields",
			Options{MutationCost: 10},
			`mutation { x: publicationStatusUpdated(input: {id: "a", status: "success"}) { publication { updatedAt }
				userErrors { field } }
				y: publicationStatusUpdated(input: {id: "a", status: "success"}) { userErrors { field } } }`, nil, 13 + 12, 13 + 12,
		},
		{
			"fields cost unlike their kind",
			Options{ScalarCost: 1, FieldCosts: FieldCosts{"publications": 4, "nodes": 3, "id": 0, "status": 5}},
			`{ publications(first: 10) { nodes { id status updatedAt } pageInfo { endCursor } } }`, nil, 4 + 10*(3+0+5+1) +
				2, 4 + 2*(3+0+5+1) + 2,
		},
		{
			"an object that is null is refunded at its own price",
			Options{FieldCosts: FieldCosts{"publication": 7}},
			`{ x: publication(id: "a") { id } y: publication(id: "z") { id } }`, nil, 14, 7,
		},
		{"typename is a scalar", Options{ScalarCost: 1}, `{ __typename }`, nil, 1, 1},
		{"introspection costs one in all", Options{ScalarCost: 1}, `{ __schema { types { fields { name } } } }`, nil, 1, 1},
		{
			"beside other fields too",
			Options{},
			`{ account { slug } __schema { types { name } } __type(name: "Query") { name } }`, nil, 2, 2,
		},
		{
			"a report",
			Options{},
			`mutation { publicationStatusUpdated(input: {id: "a", status: "success"}) { publication { updatedAt } ` +
				`userErrors { field } } }`, nil, 3, 3,
		},
		{
			"a refused report",
			Options{},
			`mutation { publicationStatusUpdated(input: {id: "z", status: "success"}) { publication { updatedAt } ` +
				`userErrors { field } } }`, nil, 3, 2,
		},
		{"an error while answering", Options{}, `{ publications(first: 5, after: "oops") { nodes { id } } }`, nil, 6, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newTest(t, tt.opts)
			m.Add(simple("a"), Publication{ID: "b"})
			e := post(t, m, tt.query, tt.vars)
			if e.Extends.Throttle == nil {
				t.Fatalf("got %s, want a throttle", e.body)
			}
			// The bucket may have got some of it back by now, but never more than it was full.
			got := *e.Extends.Throttle
			switch {
			case got.RequestedCost != tt.requested:
				t.Errorf(
					"throttle is %+v, want %d requested and %d actual; got.RequestedCost: got %v, want %v", got, tt.requested,
					tt.actual, got.RequestedCost, tt.requested,
				)
			case got.ActualCost != tt.actual:
				t.Errorf(
					"throttle is %+v, want %d requested and %d actual; got.ActualCost: got %v, want %v", got, tt.requested,
					tt.actual, got.ActualCost, tt.actual,
				)
			case got.Limit != 1000:
				t.Errorf(
					"throttle is %+v, want %d requested and %d actual; got.Limit: got %v, want %v", got, tt.requested, tt.actual,
					got.Limit, 1000,
				)
			case got.RestoreRate != 50:
				t.Errorf(
					"throttle is %+v, want %d requested and %d actual; got.RestoreRate: got %v, want %v", got, tt.requested,
					tt.actual, got.RestoreRate, 50,
				)
			}
			switch {
			case got.Remaining < 1000-tt.actual:
				t.Errorf(
					"%d remain after %d of 1000; got.Remaining: got %v, want at least %v", got.Remaining, tt.actual,
					got.Remaining, 1000-tt.actual,
				)
			case got.Remaining > 1000:
				t.Errorf(
					"%d remain after %d of 1000; got.Remaining: got %v, want at most %v", got.Remaining, tt.actual,
					got.Remaining, 1000,
				)
			}
			r := m.Requests()
			switch {
			case len(r) != 1:
				t.Errorf("the ledger has %+v; len(r): got %v, want %v", r, len(r), 1)
			case r[0].RequestedCost != tt.requested:
				t.Errorf("the ledger has %+v; r[0].RequestedCost: got %v, want %v", r, r[0].RequestedCost, tt.requested)
			case r[0].ActualCost != tt.actual:
				t.Errorf("the ledger has %+v; r[0].ActualCost: got %v, want %v", r, r[0].ActualCost, tt.actual)
			}
		})
	}
}

// Lists within lists do not overflow into something cheap.
func TestCostSaturates(t *testing.T) {
	m := newTest(t, Options{})
	const n = `2147483647`
	e := post(
		t,
		m,
		`{ publications(first: `+n+`) { nodes { listing { variants(first: `+n+`) { nodes { id } } images(first: `+n+
			`) { nodes { originalUrl } } } } } }`,
		nil,
	)
	switch {
	case !strings.Contains(e.messages(), "exceeds the single query limit of 1000"):
		t.Errorf("got %s, want a refusal for the single query limit", e.body)
	case e.Data != nil:
		t.Errorf("answered %s; e.Data: got %v, want nil", e.body, e.Data)
	}
}

func TestQueryLimit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opts  Options
		first int
		ok    bool
	}{
		{"the bucket's size by default", Options{}, 999, true},
		{"and no more", Options{}, 1000, false},
		{"a limit of its own", Options{QueryLimit: 400}, 399, true},
		{"and no more than that", Options{QueryLimit: 400}, 400, false},
		{"in a larger bucket", Options{Limit: 2000}, 1999, true},
		{"never above the bucket", Options{Limit: 1000, QueryLimit: 2000}, 1000, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newTest(t, tt.opts)
			e := post(
				t, m, `query($n: Int!) { publications(first: $n) { nodes { id } } }`, map[string]any{"n": tt.first},
			)
			if ok := len(e.Errors) == 0; ok != tt.ok {
				t.Errorf("answered %s; ok: got %v, want %v", e.body, ok, tt.ok)
			}
			if !tt.ok && (m.Remaining() != max(tt.opts.Limit, 1000) || strings.Contains(e.body, "Throttled")) {
				t.Errorf("a query that is too large: got %d left and %s, want a full bucket and no throttle", m.Remaining(), e.body)
			}
		})
	}
}

// The bucket empties by what is used, refuses what it has no room for, and fills at its rate.
func TestBucketRefills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTest(t, Options{})
		m.AddSound(600)
		const take600 = `{ publications(first: 599) { nodes { id } } }`
		if e := post(t, m, take600, nil); e.Extends.Throttle.Remaining != 400 {
			t.Fatalf("throttle is %+v, want 400 remaining", e.Extends.Throttle)
		}
		time.Sleep(3999 * time.Millisecond) // 599.95 points
		e := post(t, m, take600, nil)
		switch {
		case e.status != http.StatusOK:
			t.Fatalf("answered %d %s, want Throttled; e.status: got %v, want %v", e.status, e.body, e.status, http.StatusOK)
		case e.messages() != "Throttled":
			t.Fatalf(
				"answered %d %s, want Throttled; e.messages(): got %q, want %q", e.status, e.body, e.messages(), "Throttled",
			)
		case e.Data != nil:
			t.Fatalf("answered %d %s, want Throttled; e.Data: got %v, want nil", e.status, e.body, e.Data)
		}
		if got := *e.Extends.Throttle; got != (throttle{600, 0, 1000, 599, 50}) {
			t.Errorf("throttle is %+v, want %v", got, (throttle{600, 0, 1000, 599, 50}))
		}
		time.Sleep(time.Millisecond)
		switch e := post(t, m, take600, nil); {
		case len(e.Errors) > 0:
			t.Errorf("answered %.200s, want an empty bucket; len(e.Errors): got %v, want at most %v", e.body, len(e.Errors), 0)
		case e.Extends.Throttle.Remaining != 0:
			t.Errorf(
				"answered %.200s, want an empty bucket; e.Extends.Throttle.Remaining: got %v, want %v", e.body,
				e.Extends.Throttle.Remaining, 0,
			)
		}
		time.Sleep(time.Hour)
		if got := m.Remaining(); got != 1000 {
			t.Errorf("%d remain after an hour, want %v", got, 1000)
		}
		m.Spend(300)
		m.Spend(900)
		if got := m.Remaining(); got != 0 {
			t.Errorf("%d remain when another client has spent more than there was, want %v", got, 0)
		}
	})
}

// The requested cost is held while a request runs, and what it did not use is back when it ends.
func TestBucketHoldsWhatIsRequested(t *testing.T) {
	m := newTest(t, Options{RestoreRate: 0.001})
	m.Add(simple("a"))
	during := -1
	m.OnContentRead(func(string) { during = m.Remaining() })
	ask(t, m, `{ publications(first: 100) { nodes { listing { id } } } }`, nil)
	switch after := m.Remaining(); {
	case during != 1000-201:
		t.Errorf(
			"%d remained during the request and %d after it, want 799 and 997; during: got %v, want %v", during, after,
			during, 1000-201,
		)
	case after != 1000-3:
		t.Errorf(
			"%d remained during the request and %d after it, want 799 and 997; after: got %v, want %v", during, after,
			after, 1000-3,
		)
	}
}

func TestThrottleForms(t *testing.T) {
	for _, tt := range []struct {
		name    string
		form    ThrottleForm
		status  int
		retry   string
		message string
	}{
		{"an error", ThrottledInBody, 200, "", "Throttled"},
		{"a bare 429", Bare429, 429, "", ""},
		{"a 429 that says when", Bare429RetryAfter, 429, "3", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newTest(t, Options{Throttle: tt.form})
				m.Spend(1000)
				e := post(t, m, `{ publications(first: 100) { nodes { id } } }`, nil)
				switch {
				case e.status != tt.status:
					t.Errorf(
						"answered %d %q %s; e.status: got %v, want %v", e.status, e.header.Get("Retry-After"), e.body, e.status,
						tt.status,
					)
				case e.messages() != tt.message:
					t.Errorf(
						"answered %d %q %s; e.messages(): got %v, want %v", e.status, e.header.Get("Retry-After"), e.body,
						e.messages(), tt.message,
					)
				case e.header.Get("Retry-After") != tt.retry:
					t.Errorf(
						"answered %d %q %s; e.header.Get(\"Retry-After\"): got %v, want %v", e.status, e.header.Get("Retry-After"),
						e.body, e.header.Get("Retry-After"), tt.retry,
					)
				}
				if json := strings.HasPrefix(e.body, "{"); json != (tt.form == ThrottledInBody) {
					t.Errorf("body is %s; json: got %v, want %v", e.body, json, (tt.form == ThrottledInBody))
				}
				r := m.Requests()
				switch {
				case len(r) != 1:
					t.Errorf("the ledgers have %+v and %+v; len(r): got %v, want %v", r, m.Totals(), len(r), 1)
				case !r[0].Throttled:
					t.Errorf("the ledgers have %+v and %+v; r[0].Throttled: got false, want true", r, m.Totals())
				case r[0].Status != tt.status:
					t.Errorf("the ledgers have %+v and %+v; r[0].Status: got %v, want %v", r, m.Totals(), r[0].Status, tt.status)
				case m.Totals()[KindList] != (Total{1, 1, 0}):
					t.Errorf("the ledgers have %+v and %+v; "+
						"m.Totals()[KindList]: got %v, want %v", r, m.Totals(), m.Totals()[KindList], (Total{
						1, 1, 0,
					}))
				}
			})
		})
	}
}
