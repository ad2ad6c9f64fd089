package marketplace_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A server that refuses several publications in one request is asked for as many as it takes. Its
// refusal is remembered for an hour, and then put to the test again.
func TestRefusedAliases(t *testing.T) {
	t.Parallel()
	const all = 12
	for _, tt := range []struct {
		name    string
		options sandbox.Options
		most    int
		unsaid  bool // the refusal does not say what it is about
	}{
		{"none are taken", sandbox.Options{MostAliases: -1}, 1, false},
		{"a number of them", sandbox.Options{MostAliases: 5}, 5, false},
		{"for no reason that is said", sandbox.Options{OneRootField: true}, 1, true},
		{
			"as an error of the request",
			sandbox.Options{MostAliases: -1, NoIntrospection: true, RequestErrorStatus: 400},
			1, false,
		},
	} {
		for _, by := range asking() {
			t.Run(tt.name+", "+by.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					m, c := open(t, tt.options, 0)
					ids := m.AddSound(all)
					if _, err := c.Probe(t.Context()); err != nil {
						t.Fatal(err)
					}
					round := func() (requests, refused int64) {
						before := c.Stats()
						by.ask(t, c, ids)
						after := c.Stats()
						return after.Requests - before.Requests, after.Errors - before.Errors
					}
					_, refused := round()
					b := c.Bound()
					switch {
					case b.Most != tt.most:
						t.Errorf("bound %+v, want %d; b.Most: got %v, want %v", b, tt.most, b.Most, tt.most)
					case b.Reason == "":
						t.Errorf("bound %+v, want %d; b.Reason: got %q, want another", b, tt.most, b.Reason)
					case time.Until(b.Until) > time.Hour:
						t.Errorf(
							"bound %+v, want %d; time.Until(b.Until): got %v, want at most %v", b, tt.most, time.Until(b.Until),
							time.Hour,
						)
					}
					if want := by.refused(tt.unsaid); refused != want {
						t.Errorf("%d requests were refused until that was known, want %d", refused, want)
					}
					parts := int64((all + tt.most - 1) / tt.most * by.requests)
					switch requests, refused := round(); {
					case refused != 0:
						t.Errorf(
							"with the bound known %d requests, %d of them refused, want %d and 0; refused: got %v, want %v", requests,
							refused, parts, refused, 0,
						)
					case requests != parts:
						t.Errorf(
							"with the bound known %d requests, %d of them refused, want %d and 0; requests: got %v, want %v", requests,
							refused, parts, requests, parts,
						)
					}
					time.Sleep(time.Hour)
					if b := c.Bound(); b != (marketplace.Bound{}) {
						t.Errorf("an hour later %+v, want %v", b, (marketplace.Bound{}))
					}
					if _, refused := round(); refused < 1 {
						t.Errorf("an hour later the trial is not made again; refused: got %v, want at least %v", refused, 1)
					}
				})
			})
		}
	}
}

// A way is one to ask for several publications.
type way struct {
	name     string
	requests int   // for each part
	unsaid   int64 // requests that are refused until it is found out why, where that is not said
	ask      func(t *testing.T, c *marketplace.Client, ids []string)
}

func (w way) refused(unsaid bool) int64 {
	if unsaid {
		return w.unsaid
	}
	return 1
}

func asking() []way {
	looks := func(t *testing.T, c *marketplace.Client, ids []string) {
		t.Helper()
		found, err := c.Look(t.Context(), marketplace.Sweep, ids, true)
		switch {
		case err != nil:
			t.Fatalf("%d found, %v; err: got %v, want nil", len(found), err, err)
		case len(found) != len(ids):
			t.Fatalf("%d found, %v; len(found): got %v, want %v", len(found), err, len(found), len(ids))
		}
		for id, e := range found {
			switch {
			case e == nil:
				t.Fatalf("%s is %+v; e: got nil, want a value", id, e)
			case e.Err != nil:
				t.Fatalf("%s is %+v; e.Err: got %v, want nil", id, e, e.Err)
			case e.UpdatedAt == "":
				t.Fatalf("%s is %+v; e.UpdatedAt: got %q, want another", id, e, e.UpdatedAt)
			}
		}
	}
	figures := func(t *testing.T, c *marketplace.Client, ids []string) {
		t.Helper()
		for len(ids) > 0 {
			of := make([]marketplace.Expected, len(ids))
			for i, id := range ids {
				of[i] = marketplace.Expected{ID: id, Variants: 6}
			}
			n, err := c.FitFigures(t.Context(), of)
			if err != nil {
				t.Fatal(err)
			}
			adm, err := c.AdmitFigures(t.Context(), marketplace.Sweep, of[:n])
			if err != nil {
				t.Fatal(err)
			}
			seen, err := c.Figures(t.Context(), adm, of[:n])
			switch {
			case err != nil:
				t.Fatalf("%d of %d seen, %v; err: got %v, want nil", len(seen), n, err, err)
			case len(seen) != n:
				t.Fatalf("%d of %d seen, %v; len(seen): got %v, want %v", len(seen), n, err, len(seen), n)
			}
			ids = ids[n:]
		}
	}
	reports := func(t *testing.T, c *marketplace.Client, ids []string) {
		t.Helper()
		told := make([]marketplace.Report, len(ids))
		for i, id := range ids {
			told[i] = marketplace.Report{ID: id, Status: "success", URL: "https://shop.example/" + id}
		}
		results, err := c.LookAndReport(
			t.Context(),
			marketplace.Urgent,
			told,
			func(looks map[string]*marketplace.Entry) (send []marketplace.Report) {
				for _, r := range told {
					if looks[r.ID] != nil && looks[r.ID].Err == nil {
						send = append(send, r)
					}
				}
				return send
			},
		)
		switch {
		case err != nil:
			t.Fatalf("%d results, %v; err: got %v, want nil", len(results), err, err)
		case len(results) != len(ids):
			t.Fatalf("%d results, %v; len(results): got %v, want %v", len(results), err, len(results), len(ids))
		}
		for i, r := range results {
			switch {
			case r.Err != nil:
				t.Fatalf("result %d is %+v; r.Err: got %v, want nil", i, r, r.Err)
			case r.ID != ids[i]:
				t.Fatalf("result %d is %+v; r.ID: got %v, want %v", i, r, r.ID, ids[i])
			}
		}
	}
	return []way{{"looks", 1, 4, looks}, {"figures", 1, 1, figures}, {"reports", 2, 4, reports}}
}

// One publication that the server cannot show is no reason to ask for all others alone.
func TestOneBadPublicationIsNoBound(t *testing.T) {
	t.Parallel()
	m, c := open(t, sandbox.Options{}, 0)
	ids := m.AddSound(6)
	ids[3] = "\x00"
	if _, err := c.Look(t.Context(), marketplace.Sweep, ids, false); err != nil {
		t.Fatal(err)
	}
	if b := c.Bound(); b != (marketplace.Bound{}) {
		t.Errorf("%+v, want %v", b, (marketplace.Bound{}))
	}
}
