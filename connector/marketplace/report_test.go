package marketplace

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

func TestReport(t *testing.T) {
	reports := []Report{
		{ID: "1", Status: "success", URL: "https://shop.test/1"},
		{ID: "2", Status: "failed"},
		{ID: "3", Status: "success"},
		{ID: "4", Status: "success"},
	}
	t.Run("each has its own outcome", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := always(200, `{"data":{"a0":{"publication":{"status":"SUCCESS","updatedAt":"u"},"userErrors":[]},
				"a1":{"publication":null,"userErrors":[{"field":["input","id"],"message":"not found"}]},"a2":null,
					"a3":{"publication":null,"userErrors":[]}},
				"errors":[{"message":"Access denied for field","path":["a2"]}]}`)
			c := known(t, w)
			got, err := c.Report(t.Context(), Urgent, reports)
			switch {
			case err != nil:
				t.Fatalf("%d results, %v; err: got %v, want nil", len(got), err, err)
			case len(got) != 4:
				t.Fatalf("%d results, %v; len(got): got %v, want %v", len(got), err, len(got), 4)
			}
			if got[0] != (Result{ID: "1", Status: "success", UpdatedAt: "u"}) {
				t.Errorf("%+v, want %v", got[0], (Result{ID: "1", Status: "success", UpdatedAt: "u"}))
			}
			if KindOf(got[1].Err) != Refused {
				t.Errorf("%+v; KindOf(got[1].Err): got %v, want %v", got[1], KindOf(got[1].Err), Refused)
			}
			contains(t, "refusal", got[1].Err.Error(), "input.id: not found")
			switch r := got[2]; {
			case KindOf(r.Err) != Refused:
				t.Errorf("%+v; KindOf(r.Err): got %v, want %v", r, KindOf(r.Err), Refused)
			case IsDenied(r.Err):
				t.Errorf("%+v; IsDenied(r.Err): got true, want false", r)
			}
			switch r := got[3]; {
			case r.Err == nil:
				t.Errorf("%+v; r.Err: got nil, want an error", r)
			case KindOf(r.Err) != Transient:
				t.Errorf("%+v; KindOf(r.Err): got %v, want %v", r, KindOf(r.Err), Transient)
			}
			if in := w.seen[0].Variables["in1"]; !cmp.Equal(in, map[string]any{"id": "2", "status": "failed"}) {
				t.Errorf("a report without an address sends %v", in)
			}
		})
	})
	t.Run("a lost answer leaves all in doubt", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := always(200, "")
			c := known(t, w)
			w.err = errors.New("cut")
			got, err := c.Report(t.Context(), Urgent, reports)
			switch {
			case err == nil:
				t.Fatalf("%d results, %v; err: got nil, want an error", len(got), err)
			case KindOf(err) != Transient:
				t.Fatalf("%d results, %v; KindOf(err): got %v, want %v", len(got), err, KindOf(err), Transient)
			case len(got) != 4:
				t.Fatalf("%d results, %v; len(got): got %v, want %v", len(got), err, len(got), 4)
			}
			for _, r := range got {
				if !errors.Is(r.Err, err) {
					t.Errorf("%+v", r)
				}
			}
		})
	})
	t.Run("batches are bounded and stop at the first that fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var many []Report
			for i := range 50 {
				many = append(many, Report{ID: fmt.Sprint(i), Status: "success"})
			}
			w := &fakeWire{answer: func(n int, s sent) (int, string) {
				if n == 2 {
					return 502, ""
				}
				var fields []string
				for name := range s.Variables {
					fields = append(
						fields,
						fmt.Sprintf(
							`"a%s":{"publication":{"status":"success","updatedAt":"u"}}`,
							strings.TrimPrefix(name, "in"),
						),
					)
				}
				return 200, data("{" + strings.Join(fields, ",") + "}")
			}}
			got, err := known(t, w).Report(t.Context(), Urgent, many)
			switch {
			case err == nil:
				t.Fatalf("%d results of %d requests, %v; err: got nil, want an error", len(got), len(w.seen), err)
			case len(got) != 50:
				t.Fatalf("%d results of %d requests, %v; len(got): got %v, want %v", len(got), len(w.seen), err, len(got), 50)
			case len(w.seen) != 2:
				t.Fatalf("%d results of %d requests, %v; len(w.seen): got %v, want %v", len(got), len(w.seen), err, len(w.seen), 2)
			}
			taken := 0
			for i, r := range got {
				if r.ID != many[i].ID {
					t.Errorf("result %d is of %s, want %v", i, r.ID, many[i].ID)
				}
				if r.Err == nil {
					taken++
				}
			}
			switch {
			case taken != len(w.seen[0].Variables):
				t.Errorf(
					"%d were taken of %d sent; taken: got %v, want %v", taken, len(w.seen[0].Variables), taken,
					len(w.seen[0].Variables),
				)
			case taken > mostReports:
				t.Errorf(
					"%d were taken of %d sent; taken: got %v, want at most %v", taken, len(w.seen[0].Variables), taken,
					mostReports,
				)
			}
		})
	})
}

func TestSettleSendsNothingWithoutALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := always(502, "")
		c, reports := known(t, w), []Report{{ID: "1", Status: "success"}}
		_, err := c.LookAndReport(t.Context(), Urgent, reports, func(map[string]*Entry) []Report {
			t.Error("asked to choose without a look")
			return nil
		})
		if err == nil {
			t.Error("no error")
		}
		if diff := cmp.Diff([]string{"Look"}, w.operations()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAccount(t *testing.T) {
	for _, row := range []struct {
		name, body string
		status     int
		want       string
		kind       Kind
	}{
		{name: "slug", status: 200, body: data(`{"account":{"name":"Retailer","slug":"retailer"}}`), want: "retailer"},
		{name: "name", status: 200, body: data(`{"account":{"name":"Retailer","slug":null}}`), want: "Retailer"},
		{name: "null", status: 200, body: data(`{"account":null}`)},
		{
			name: "not allowed", status: 200,
			body: `{"data":null,"errors":[{"message":"Access denied: account_read is missing","path":["account"]}]}`,
		},
		{
			name: "a scope the token lacks", status: 200,
			body: `{"data":null,"errors":[{"message":"Access denied: the token lacks the scope.","path":["account"]}]}`,
		},
		{
			name: "no such field", status: 200,
			body: `{"errors":[{"message":"Field 'account' doesn't exist on type 'Query'"}]}`,
		},
		{
			name: "a bad token", status: 200,
			body: `{"data":null,"errors":[{"message":"Unauthenticated: invalid token","path":["account"]}]}`,
			kind: Unauthorized,
		},
		{name: "401", status: 401, kind: Unauthorized},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, err := known(t, always(row.status, row.body)).Account(t.Context())
				switch {
				case got != row.want:
					t.Errorf("%q, %v; got: got %v, want %v", got, err, got, row.want)
				case KindOf(err) != row.kind:
					t.Errorf("%q, %v; KindOf(err): got %v, want %v", got, err, KindOf(err), row.kind)
				}
			})
		})
	}
}

func TestWebhookAddressThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := known(
			t,
			always(
				200,
				data(
					`{"webhookCreate":{"webhook":null,"userErrors":[{"field":["input","callbackUrl"],"message":"is not reachable"}]}}`,
				),
			),
		)
		_, err := c.RegisterWebhook(t.Context(), "http://localhost/", []string{form.CreatedEvent})
		if KindOf(err) != Refused {
			t.Errorf("%v; KindOf(err): got %v, want %v", err, KindOf(err), Refused)
		}
	})
}
