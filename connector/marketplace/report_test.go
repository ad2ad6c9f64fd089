package marketplace

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := map[string]string{
			"1": data(`{"publicationStatusUpdated":{"publication":{"status":"SUCCESS","updatedAt":"v"},"userErrors":[]}}`),
			"2": data(`{"publicationStatusUpdated":{"publication":null,` +
				`"userErrors":[{"field":["input","id"],"message":"not found"}]}}`),
			"3": `{"data":{"publicationStatusUpdated":null},"errors":[{"message":"Access denied for field",` +
				`"path":["publicationStatusUpdated"]}]}`,
			"4": data(`{"publicationStatusUpdated":{"publication":null,"userErrors":[]}}`),
			"7": `{"data":{"publicationStatusUpdated":null},"errors":[{"message":"Oops","path":["publicationStatusUpdated"]}]}`,
			"5": `{"errors":[{"message":"Variable \"$in\" got invalid value \"success\" at \"in.status\""}]}`,
		}
		w := &fakeWire{answer: func(_ int, s sent) (int, string) {
			if s.OperationName == "Look" {
				return 200, data(`{"publication":{"updatedAt":"u"}}`)
			}
			return 200, answers[fmt.Sprint(s.Variables["in"].(map[string]any)["id"])]
		}}
		c := known(t, w)
		for _, tt := range []struct {
			id, status string
			kind       Kind
			denied     bool
			text       string // "": it is accepted
		}{
			{id: "1", status: "success"},
			{id: "2", status: "failed", kind: Refused, text: "input.id: not found"},
			{id: "3", status: "success", kind: Refused, denied: true, text: "Access denied"},
			{id: "4", status: "success", text: "does not hold"},
			{id: "7", status: "success", text: "Oops"},
			{id: "5", status: "success", kind: Invalid, text: "PUBSYNC_MARKETPLACE_FORMS"},
		} {
			look, got, err := c.Report(t.Context(), Urgent, Report{ID: tt.id, Status: tt.status}, false)
			switch {
			case err != nil || look == nil || look.UpdatedAt != "u":
				t.Errorf("%s: a look %+v, %v", tt.id, look, err)
			case tt.text == "":
				if want := (Result{Status: "success", UpdatedAt: "v"}); *got != want {
					t.Errorf("%s: got %+v, want %+v", tt.id, got, want)
				}
			case got.Err == nil || KindOf(got.Err) != tt.kind || IsDenied(got.Err) != tt.denied:
				t.Errorf("%s: got %v, want kind %d, denied %t", tt.id, got.Err, tt.kind, tt.denied)
			default:
				contains(t, tt.id, got.Err.Error(), tt.text)
			}
		}
		for _, s := range w.seen {
			if in, ok := s.Variables["in"].(map[string]any); ok && in["id"] == "2" {
				if want := map[string]any{"id": "2", "status": "failed"}; !cmp.Equal(in, want) {
					t.Errorf("a report without an address sends %v, want %v", in, want)
				}
			}
		}
	})
}

// A lost answer leaves its report in doubt; where the look before the next one shows it, none is made.
func TestAReportWhoseAnswerIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWire{answer: func(_ int, s sent) (int, string) {
			if s.OperationName == "Look" {
				return 200, data(`{"publication":{"updatedAt":"u","status":"SUCCESS","productUrl":"https://shop.test/1"}}`)
			}
			return 502, ""
		}}
		c, r := known(t, w), Report{ID: "1", Status: "success", URL: "https://shop.test/1"}
		if _, got, err := c.Report(t.Context(), Urgent, r, false); KindOf(err) != Transient || got == nil || got.Err == nil {
			t.Fatalf("got %+v, %v, want a transient error", got, err)
		}
		if look, got, err := c.Report(t.Context(), Urgent, r, true); err != nil || got != nil || look.UpdatedAt != "u" {
			t.Errorf("got %+v after %+v, %v, want none", got, look, err)
		}
		r.URL = "https://shop.test/2"
		if _, got, _ := c.Report(t.Context(), Urgent, r, true); got == nil {
			t.Error("with another address none is made, want one")
		}
	})
}

// A report is tried once without userErrors where the server objects to them, after another look.
// What it accepts then is told by the status. Once one was accepted so, later ones are made without.
func TestReportsWithoutUserErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status := "success"
		w := &fakeWire{answer: func(_ int, s sent) (int, string) {
			switch {
			case s.OperationName == "Look":
				return 200, data(`{"publication":{"updatedAt":"u"}}`)
			case strings.Contains(s.Query, "userErrors"):
				return 200, `{"errors":[{"message":"Cannot query field \"userErrors\" on type \"Payload\"."}]}`
			default:
				return 200, data(`{"publicationStatusUpdated":{"publication":{"status":"` + status + `","updatedAt":"v"}}}`)
			}
		}}
		c := known(t, w)
		report := func() Result {
			t.Helper()
			_, got, err := c.Report(t.Context(), Urgent, Report{ID: "1", Status: "success"}, false)
			if err != nil || got == nil {
				t.Fatalf("got %v, %v, want a result", got, err)
			}
			return *got
		}
		if r := report(); r.Err != nil || r.UpdatedAt != "v" {
			t.Errorf("got %+v, want it accepted", r)
		}
		if diff := cmp.Diff([]string{"Look", "Report", "Look", "Report"}, w.operations()); diff != "" {
			t.Error(diff)
		}
		status = "syncing"
		if r := report(); KindOf(r.Err) != Refused {
			t.Errorf("got %+v, want a refusal, since the status is still another", r)
		}
		if n := len(w.operations()); n != 6 {
			t.Errorf("got %d requests, want 6", n)
		}
	})
}

// The points of a look and of its report are reserved together, however what the server asks differs from what is
// counted.
func TestPointsForALookAndItsReport(t *testing.T) {
	for _, asks := range [][3]int{{1, 1, 3}, {1, 2, 3}, {2, 1, 7}, {3, 5, 11}, {5, 3, 3}} {
		synctest.Test(t, func(t *testing.T) {
			w := &fakeWire{answer: func(_ int, s sent) (int, string) {
				points, body := asks[0], `{"publication":{"updatedAt":"u","status":"syncing"}}`
				if strings.Contains(s.Query, "productUrl") {
					points = asks[1]
				}
				if s.OperationName == "Report" {
					points = asks[2]
					body = `{"publicationStatusUpdated":{"publication":{"status":"success","updatedAt":"v"},"userErrors":[]}}`
				}
				return 200, `{"data":` + body + `,` + throttled(points, points, 1000) + `}`
			}}
			c := known(t, w)
			for i := range 60 {
				if _, got, err := c.Report(t.Context(), Urgent, Report{ID: "1", Status: "success"}, i%4 < 2); err != nil {
					t.Fatalf("%v, report %d: got %+v, %v, want it made", asks, i, got, err)
				}
			}
			if n := len(w.operations()); n > 130 {
				t.Errorf("%v: %d requests for 60 reports, want 130 at most", asks, n)
			}
		})
	}
}

func TestNoReportWithoutALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := always(502, "")
		_, _, err := known(t, w).Report(t.Context(), Urgent, Report{ID: "1", Status: "success"}, false)
		if diff := cmp.Diff([]string{"Look"}, w.operations()); err == nil || diff != "" {
			t.Errorf("got %v, want an error; requests (-want +got):\n%s", err, diff)
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
				if got != row.want || KindOf(err) != row.kind {
					t.Errorf("%q, %v", got, err)
				}
			})
		})
	}
}

// An address that is refused is the merchant's to mend.
func TestWebhookAddressThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := known(t, always(200, data(`{"webhookCreate":{"webhook":null,`+
			`"userErrors":[{"field":["input","callbackUrl"],"message":"is not reachable"}]}}`)))
		_, err := c.RegisterWebhook(t.Context(), "http://localhost/", []string{"PUBLICATION_CREATED"})
		if KindOf(err) != Refused || !strings.Contains(err.Error(), "input.callbackUrl: is not reachable") {
			t.Errorf("got %v, want a refusal with its reason", err)
		}
	})
}
