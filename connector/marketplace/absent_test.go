package marketplace

import (
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

		{
			"an error inside the product that leaves nothing of the publication",
			`{"data":{"publication":null},"errors":[{"message":"Oops","path":["publication","listing","product","brand"]}]}`,
			false,
		},
		{
			"an error inside the product that leaves nothing of the listing",
			`{"data":{"publication":{"updatedAt":"u","listing":null}},"errors":[{"message":"Oops",` +
				`"path":["publication","listing","product","brand"]}]}`,
			false,
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
