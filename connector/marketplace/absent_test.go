package marketplace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// An error that says that there is no such publication is absence, on that path alone and with
// nothing there. Any other is time's to mend.
func TestWhatIsSaidOfAPublicationThatIsGone(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		gone       bool
	}{
		{"null", `{"data":{"publication":null}}`, true},
		{
			"not found",
			`{"data":{"publication":null},"errors":[{"message":"Publication not found","path":["publication"]}]}`, true,
		},
		{"not found, and no data at all", `{"data":null,"errors":[{"message":"Not found","path":["publication"]}]}`, true},
		{
			"does not exist",
			`{"data":null,"errors":[{"message":"The record p1 does not exist.","path":["publication"]}]}`, true,
		},
		{
			"could not be found",
			`{"data":null,"errors":[{"message":"Publication with that ID could not be found","path":["publication"]}]}`,
			true,
		},
		{
			"couldn't find",
			`{"data":null,"errors":[{"message":"Couldn't find ` +
				`Publication with 'id'=p1 for this channel","path":["publication"]}]}`,
			true,
		},
		{
			"a code",
			`{"data":{"publication":null},"errors":[{"message":"Oops","path":["publication"],` +
				`"extensions":{"code":"RESOURCE_NOT_FOUND"}}]}`,
			true,
		},
		{
			"another code",
			`{"data":{"publication":null},"errors":[{"message":"Oops",` +
				`"path":["publication"],"extensions":{"code":"not_found"}}]}`,
			true,
		},
		{
			"a code that names the record",
			`{"data":null,"errors":[{"message":"no","path":["publication"],"extensions":{"code":"RECORD_NOT_FOUND"}}]}`,
			true,
		},

		{"without a path", `{"data":{"publication":null},"errors":[{"message":"Publication not found"}]}`, false},
		{
			"of a part",
			`{"data":{"publication":null},"errors":[{"message":"Listing not found","path":["publication","listing"]}]}`,
			false,
		},
		{
			"of a part, at the root",
			`{"data":{"publication":null},"errors":[{"message":"Listing of publication p1 not found","path":["publication"]}]}`,
			false,
		},
		{"of another field", `{"data":{"publication":null},"errors":[{"message":"Not found","path":["account"]}]}`, false},
		{
			"beside content",
			`{"data":{"publication":{"updatedAt":"u","listing":null}},` +
				`"errors":[{"message":"Not found","path":["publication"]}]}`,
			false,
		},
		{
			"beside another error",
			`{"data":null,"errors":[{"message":"Not found","path":["publication"]},{"message":"Boom","path":["publication"]}]}`,
			false,
		},
		{
			"an internal error",
			`{"data":null,"errors":[{"message":"Internal server ` +
				`error","path":["publication"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}`,
			false,
		},
		{
			"an upstream that is away",
			`{"data":null,"errors":[{"message":"Publication not found: upstream timed out","path":["publication"]}]}`,
			false,
		},
		{"a service that is away", `{"data":null,"errors":[{"message":"Service not found","path":["publication"]}]}`, false},
		{"denied", `{"data":{"publication":null},"errors":[{"message":"Access denied","path":["publication"]}]}`, false},
		{"another error", `{"data":{"publication":null},"errors":[{"message":"Boom","path":["publication"]}]}`, false},
		{"no answer that is GraphQL", `Not found`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := known(t, always(200, tt.body))
				a, err := c.Admit(t.Context(), News)
				if err != nil {
					t.Fatal(err)
				}
				p, err := c.Publication(t.Context(), a, Expected{ID: "p1"})
				if gone := p == nil && err == nil; gone != tt.gone {
					t.Errorf("content: gone %t, want %t: %+v, %v", gone, tt.gone, p, err)
				}
				looks, err := c.Look(t.Context(), Sweep, []string{"p1"}, false)
				e, answered := looks["p1"]
				if gone := err == nil && answered && e == nil; gone != tt.gone {
					t.Errorf("look: gone %t, want %t: %+v, %v", gone, tt.gone, e, err)
				}
			})
		})
	}
}

// Where several are asked for, an error is that of its own alias; and where one that is gone takes
// all of the answer with it, the others are asked for again.
func TestOneOfSeveralIsGone(t *testing.T) {
	const complaint = `{"message":"Publication not found","path":[%q],"extensions":{"code":"NOT_FOUND"}}`
	for name, tt := range map[string]struct{ whole, first bool }{
		"null in its place": {}, "no data": {whole: true}, "no data, and the first is named alone": {
			whole: true, first: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWire{answer: func(_ int, s sent) (int, string) {
					var fields, complaints []string
					for _, v := range slices.Sorted(maps.Keys(s.Variables)) {
						key := "a" + strings.TrimPrefix(v, "id")
						if len(s.Variables) == 1 {
							key = "publication"
						}
						switch id := fmt.Sprint(s.Variables[v]); {
						case strings.HasPrefix(id, "gone"):
							fields = append(fields, fmt.Sprintf(`%q:null`, key))
							complaints = append(complaints, fmt.Sprintf(complaint, key))
						case id == "broken":
							fields = append(fields, fmt.Sprintf(`%q:null`, key))
							complaints = append(complaints, fmt.Sprintf(`{"message":"Boom","path":[%q]}`, key))
						default:
							fields = append(fields, fmt.Sprintf(`%q:{"updatedAt":%q}`, key, id))
						}
					}
					answer := "{" + strings.Join(fields, ",") + "}"
					if tt.whole && len(complaints) > 0 {
						answer = "null"
					}
					if tt.first {
						complaints = complaints[:min(len(complaints), 1)]
					}
					return 200, fmt.Sprintf(
						`{"data":%s,"errors":[%s],%s}`, answer, strings.Join(complaints, ","),
						throttled(10, 10, 1000),
					)
				}}
				ids := []string{"p1", "gone1", "gone2", "p2", "gone3", "p3"}
				if !tt.whole {
					ids = append(ids, "broken")
				}
				got, err := known(t, w).Look(t.Context(), Sweep, ids, false)
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range ids {
					e, answered := got[id]
					switch {
					case strings.HasPrefix(id, "gone") && (!answered || e != nil),
						id[0] == 'p' && (e == nil || e.Err != nil || e.UpdatedAt != id),
						id == "broken" && (e == nil || e.Err == nil):
						t.Errorf("%s: %t, %+v", id, answered, e)
					}
				}
			})
		})
	}
}
