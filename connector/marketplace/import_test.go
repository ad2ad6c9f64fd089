package marketplace_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestImport reads a whole list with all content and reports it, on a marketplace of every kind,
// and holds the client to its promises: everything is read whole, nothing is refused for lack of
// points, and what the client counts is what is charged.
func TestImport(t *testing.T) {
	german := [][2]string{{"  nl: Translation\n", "  nl: Translation\n  de: Translation\n"}}
	for _, row := range []struct {
		name    string
		options sandbox.Options
		forms   string // PUBSYNC_MARKETPLACE_FORMS
		refused int    // requests refused while sizes and the sort are found out, at most
	}{
		{name: "as specified"},
		{
			name:    "upper-case status enum, string method, no introspection",
			options: sandbox.Options{Status: sandbox.StatusEnumUpper, Schema: [][2]string{{"method: ImageMethod", "method: String"}}, NoIntrospection: true},
			refused: 1, forms: "status=SUCCESS,FAILED method=String languages=en,nl",
		},
		{
			name: "enums and strings of our own invention",
			options: sandbox.Options{Status: sandbox.StatusEnum, Schema: [][2]string{
				{"inventoryPolicy: String", "inventoryPolicy: Policy"},
				{"enum WebhookEvent", "enum Policy { CONTINUE DENY } enum WebhookEvent"},
				{"dropshippingReturns: Boolean", "dropshippingReturns: String"},
				{"estimatedShippingDays: Int", "estimatedShippingDays: String"},
			}},
		},
		{name: "extra languages", options: sandbox.Options{Schema: german}},
		{name: "scalars cost", options: sandbox.Options{ScalarCost: 1}},
		{name: "scalars cost, pageInfo multiplied", options: sandbox.Options{ScalarCost: 1, PageInfoMultiplied: true}},
		{
			name: "query limit 400", options: sandbox.Options{ScalarCost: 1, PageInfoMultiplied: true, QueryLimit: 400},
			refused: 3,
		},
		{name: "query limit 200", options: sandbox.Options{ScalarCost: 1, QueryLimit: 200}, refused: 3},
		{name: "limit 400", options: sandbox.Options{ScalarCost: 1, PageInfoMultiplied: true, Limit: 400}},
		{name: "limit 2000", options: sandbox.Options{ScalarCost: 1, Limit: 2000}},
		{name: "bare 429", options: sandbox.Options{ScalarCost: 1, Throttle: sandbox.Bare429}},
		{
			name:    "refusals are HTTP 400",
			options: sandbox.Options{NoUpdatedAtSort: true, NoIntrospection: true, RequestErrorStatus: 400}, refused: 2,
			forms: "languages=en,nl",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const count = 40
				m, c := opened(t, row.options, count, row.forms)
				first := m.Publications()[0].ID
				if err := m.Update(first, func(l *sandbox.Listing) {
					l.Texts["de"] = sandbox.Text{
						Title: "Gartenbank",
					}
				}); err != nil {
					t.Fatal(err)
				}
				_, err := c.Probe(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				order := marketplace.UpdatedAtAsc
				if _, err := c.List(t.Context(), marketplace.Sweep, order, ""); errors.Is(
					err, marketplace.ErrNotSorted,
				) {
					order = marketplace.IDDesc
				} else if err != nil {
					t.Fatal(err)
				}
				if sorted := order == marketplace.UpdatedAtAsc; sorted == row.options.NoUpdatedAtSort {
					t.Errorf("sorts by updatedAt: %v; sorted: got %v, want another", sorted, sorted)
				}
				entries := enumerate(t, c, order)
				if len(entries) != count {
					t.Fatalf("%d entries listed, want %d", len(entries), count)
				}
				german := 0
				var reports []marketplace.Report
				for _, e := range entries {
					p, err := next(t, c, e.ID, 0)
					if err != nil {
						t.Fatalf("publication: %v", err)
					}
					same(t, m, p)
					if p.Listing != nil && p.Listing.Translations["de"].Title != "" {
						german++
					}
					reports = append(
						reports, marketplace.Report{ID: e.ID, Status: "success", URL: "https://shop.test/" + e.ID},
					)
				}
				if wants := row.name == "extra languages"; wants != (german > 0) {
					t.Errorf("%d publications have a German title; wants: got %v, want %v", german, wants, (german > 0))
				}
				listed := map[string]string{}
				for _, e := range entries {
					listed[e.ID] = e.UpdatedAt
				}
				choose := func(r marketplace.Report, look *marketplace.Entry) bool {
					if look == nil || look.Err != nil || look.UpdatedAt != listed[r.ID] {
						t.Errorf("look at %s: got %+v, want it as listed at %s", r.ID, look, listed[r.ID])
					}
					return true
				}
				results, err := c.LookAndReport(t.Context(), marketplace.Urgent, reports, choose)
				if err != nil || len(results) != count {
					t.Fatalf("settle: %d results, %v", len(results), err)
				}
				for _, r := range results {
					if r.Err != nil || r.Status != "success" || r.UpdatedAt == "" {
						t.Errorf("result %+v", r)
					}
				}
				if got := len(m.Reports()); got != count {
					t.Errorf("the marketplace has %d reports, want %d", got, count)
				}
				for _, o := range m.Requests() {
					if o.Throttled {
						t.Errorf("throttled: %+v", o)
					}
				}
				stats := c.Stats()
				if int(stats.Errors) > row.refused || stats.Throttled > 0 {
					t.Errorf("%+v: want at most %d refusals", stats, row.refused)
				}
				charged := 0
				for _, total := range m.Totals() {
					charged += total.ActualCost
				}
				if int(stats.Cost) != charged {
					t.Errorf(
						"the client counts %g points, the marketplace %d; int(stats.Cost): got %v, want %v", stats.Cost, charged,
						int(stats.Cost), charged,
					)
				}
				forms, _ := c.Probe(t.Context())
				t.Logf(
					"%d requests, %g points, %v: %v", stats.Requests, stats.Cost,
					time.Since(start()).Round(time.Second), forms,
				)
			})
		})
	}
}

// start is when time begins in a bubble.
func start() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }
