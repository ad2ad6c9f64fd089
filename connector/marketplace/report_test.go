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
		got, err := known(t, w).LookAndReport(t.Context(), Urgent, []Report{
			{ID: "1", Status: "success", URL: "https://shop.test/1"},
			{ID: "2", Status: "failed"},
			{ID: "3", Status: "success"},
			{ID: "4", Status: "success"},
			{ID: "7", Status: "success"},
			{ID: "5", Status: "success"},
			{ID: "6", Status: "success"},
		}, func(r Report, look *Entry) bool { return look.UpdatedAt == "u" && r.ID != "6" })
		if err != nil || len(got) != 6 {
			t.Fatalf("got %d results, %v, want 6", len(got), err)
		}
		if want := (Result{ID: "1", Status: "success", UpdatedAt: "v"}); got[0] != want {
			t.Errorf("got %+v, want %+v", got[0], want)
		}
		if KindOf(got[1].Err) != Refused {
			t.Errorf("2: got %v, want a refusal", got[1].Err)
		}
		contains(t, "refusal", got[1].Err.Error(), "input.id: not found")
		if KindOf(got[2].Err) != Refused || IsDenied(got[2].Err) {
			t.Errorf("3: got %v, want a refusal of this publication alone", got[2].Err)
		}
		if got[3].Err == nil || KindOf(got[3].Err) != Transient {
			t.Errorf("4: got %v, want a transient error", got[3].Err)
		}
		if got[4].Err == nil || KindOf(got[4].Err) != Transient {
			t.Errorf("7: got %v, want a transient error, and the next report made", got[4].Err)
		}
		if KindOf(got[5].Err) != Invalid {
			t.Errorf("5: got %v, want an objection", got[5].Err)
		}
		contains(t, "objection", got[5].Err.Error(), "set status=SUCCESS,FAILED in PUBSYNC_MARKETPLACE_FORMS")
		for _, s := range w.seen {
			if in, ok := s.Variables["in"].(map[string]any); ok && in["id"] == "2" {
				if want := map[string]any{"id": "2", "status": "failed"}; !cmp.Equal(in, want) {
					t.Errorf("a report without an address sends %v, want %v", in, want)
				}
			}
		}
	})
}

// A lost answer leaves its report in doubt, and no other is begun.
func TestAReportWhoseAnswerIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWire{answer: func(_ int, s sent) (int, string) {
			if s.OperationName == "Look" {
				return 200, data(`{"publication":{"updatedAt":"u"}}`)
			}
			return 502, ""
		}}
		var many []Report
		for i := range 50 {
			many = append(many, Report{ID: fmt.Sprint(i), Status: "success"})
		}
		got, err := known(t, w).LookAndReport(t.Context(), Urgent, many, every)
		if err == nil || KindOf(err) != Transient {
			t.Fatalf("got %v, want a transient error", err)
		}
		if len(got) == 0 || len(got) > atOnce {
			t.Errorf("got %d results, want at most %d", len(got), atOnce)
		}
		for _, r := range got {
			if r.Err == nil {
				t.Errorf("%s: got no error, want one", r.ID)
			}
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
			got, err := c.LookAndReport(t.Context(), Urgent, []Report{{ID: "1", Status: "success"}}, every)
			if err != nil || len(got) != 1 {
				t.Fatalf("got %v, %v, want one result", got, err)
			}
			return got[0]
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

func TestNoReportWithoutALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := always(502, "")
		_, err := known(t, w).LookAndReport(t.Context(), Urgent, []Report{{ID: "1", Status: "success"}}, every)
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
