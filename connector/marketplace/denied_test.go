package marketplace

import (
	"strings"
	"testing"
	"testing/synctest"
)

// A denial is one of reports where no report of the request was taken; a word about rights in a
// refusal of one publication is its own.
func TestDeniedReports(t *testing.T) {
	reports := []Report{{ID: "1", Status: "success"}, {ID: "2", Status: "failed"}}
	for _, tt := range []struct {
		name, body string
		status     int
		denied     bool
	}{
		{"the token", `{"message":"Unauthorized"}`, 401, true},
		{"forbidden", `<html>Forbidden</html>`, 403, true},
		{"not authorized", `{"data":null,"errors":[{"message":"Not authorized to update publications"}]}`, 200, true},
		{
			"each field",
			`{"data":{"a0":null,"a1":null},"errors":[{"message":"Access denied","path":["a0"]},{"message":"Access ` +
				`denied","path":["a1"]}]}`,
			200, true,
		},
		{"a code", `{"data":null,"errors":[{"message":"No","path":["a0"],"extensions":{"code":"FORBIDDEN"}}]}`, 200, true},
		{
			"a refusal that speaks of it", `{"data":{"a0":{"publication":null,"userErrors":[{"message":"This domain is ` +
				`forbidden"}]},` +
				`"a1":{"publication":null,"userErrors":[{"message":"This domain is forbidden"}]}}}`, 200, false,
		},
		{"an internal error", `{"data":null,"errors":[{"message":"Internal server error"}]}`, 200, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := known(t, always(tt.status, tt.body))
				results, err := tell(t.Context(), c, reports...)
				for _, r := range results {
					if IsDenied(r.Err) != tt.denied {
						t.Errorf("%v: denied %t, want %t", r.Err, !tt.denied, tt.denied)
					}
					if tt.denied && (KindOf(r.Err) != Refused || !strings.Contains(r.Err.Error(), ReportsDenied)) {
						t.Errorf("%v is no refusal that names the right", r.Err)
					}
				}
				if tt.denied && len(results) != len(reports) || tt.denied && err != nil {
					t.Errorf("%d results, %v", len(results), err)
				}
			})
		})
	}
}
