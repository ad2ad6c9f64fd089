package marketplace

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// An error that says that there is no such publication is absence, on that path alone and with
// nothing there. Any other is time's to mend.
func TestWhatIsSaidOfAPublicationThatIsGone(t *testing.T) {
	const none, publication = `{"publication":null}`, `"publication"`
	fault := func(message, path, code string) string {
		return fmt.Sprintf(`{"message":%q,"path":[%s],"extensions":{"code":%q}}`, message, path, code)
	}
	of := func(path, message string) string { return fault(message, path, "") }
	it := func(message string) string { return of(publication, message) }
	const brand = `"publication","listing","product","brand"`
	for _, tt := range []struct {
		name, data, errors string
		gone               bool
	}{
		{"null", none, "", true},
		{"not found", none, it("Publication not found"), true},
		{"not found, and no data at all", "null", it("Not found"), true},
		{"does not exist", "null", it("The record p1 does not exist."), true},
		{"could not be found", "null", it("Publication with that ID could not be found"), true},
		{"couldn't find", "null", it("Couldn't find Publication with 'id'=p1 for this channel"), true},
		{"a code", none, fault("Oops", publication, "RESOURCE_NOT_FOUND"), true},
		{"another code", none, fault("Oops", publication, "not_found"), true},
		{"a code that names the record", "null", fault("no", publication, "RECORD_NOT_FOUND"), true},

		{"an error inside the product that leaves nothing of the publication", none, of(brand, "Oops"), false},
		{
			"an error inside the product that leaves nothing of the listing",
			`{"publication":{"updatedAt":"u","listing":null}}`, of(brand, "Oops"), false,
		},
		{"without a path", none, `{"message":"Publication not found"}`, false},
		{"of a part", none, of(`"publication","listing"`, "Listing not found"), false},
		{"of a part, at the root", none, it("Listing of publication p1 not found"), false},
		{"of another field", none, of(`"account"`, "Not found"), false},
		{"beside content", `{"publication":{"updatedAt":"u","listing":null}}`, it("Not found"), false},
		{"beside another error", "null", it("Not found") + "," + it("Boom"), false},
		{"an internal error", "null", fault("Internal server error", publication, "INTERNAL_SERVER_ERROR"), false},
		{"an upstream that is away", "null", it("Publication not found: upstream timed out"), false},
		{"a service that is away", "null", it("Service not found"), false},
		{"denied", none, it("Access denied"), false},
		{"another error", none, it("Boom"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := `{"data":` + tt.data + `,"errors":[` + tt.errors + `]}`
				c := known(t, always(200, body))
				a, err := c.Admit(t.Context(), News)
				if err != nil {
					t.Fatal(err)
				}
				p, err := c.Publication(t.Context(), a, Expected{ID: "p1"})
				if gone := p == nil && err == nil; gone != tt.gone {
					t.Errorf("content: gone %t, want %t: %+v, %v", gone, tt.gone, p, err)
				}
				e, err := c.Look(t.Context(), Sweep, "p1")
				if gone := err == nil && e == nil; gone != tt.gone {
					t.Errorf("look: gone %t, want %t: %+v, %v", gone, tt.gone, e, err)
				}
			})
		})
	}
}
