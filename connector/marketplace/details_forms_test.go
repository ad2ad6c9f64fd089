package marketplace_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A marketplace whose connections have edges alone gives all details, whether its schema can be
// read or the setting says so.
func TestDetailsThroughEdges(t *testing.T) {
	for name, lacks := range map[string][]string{
		"of a product's variants": {"ProductVariantConnection.nodes"},
		"of a listing's variants": {"ListingVariantConnection.nodes"},
		"of both":                 {"ProductVariantConnection.nodes", "ListingVariantConnection.nodes"},
		"of all": {
			"ProductVariantConnection.nodes", "ListingVariantConnection.nodes", "ImageConnection.nodes",
		},
	} {
		for mode, o := range map[string]sandbox.Options{
			"introspected": {Lacks: lacks}, "assumed": {Lacks: lacks, NoIntrospection: true},
		} {
			t.Run(name+" "+mode, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := marketplace.Config{Details: true, Forms: saying(t, "connections=edges")}
					read, _, _ := detailed(t, o, c, "planter")
					l := read(marketplace.Expected{})
					if len(l.Unread) > 0 {
						t.Errorf("unread: got %v, want nothing", l.Unread)
					}
					if len(l.BySKU) != 4 {
						t.Errorf("variants with details: got %d, want 4", len(l.BySKU))
					}
					if len(l.Variants) != 4 {
						t.Errorf("variants: got %d, want 4", len(l.Variants))
					}
				})
			})
		}
	}
}

// saying is what PUBSYNC_MARKETPLACE_FORMS says.
func saying(t *testing.T, text string) marketplace.Said {
	t.Helper()
	said, err := marketplace.ParseSaid(text)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// An edited transport changes what answers say of a listing's product.
type edited struct {
	next http.RoundTripper
	edit func(product map[string]any) any
}

func (e edited) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := e.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil {
		return nil, err
	}
	var whole map[string]any
	if json.Unmarshal(body, &whole) == nil {
		data, _ := whole["data"].(map[string]any)
		publication, _ := data["publication"].(map[string]any)
		listing, _ := publication["listing"].(map[string]any)
		if product, ok := listing["product"].(map[string]any); ok {
			listing["product"] = e.edit(product)
			if body, err = json.Marshal(whole); err != nil {
				return nil, err
			}
		}
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	answer.ContentLength = int64(len(body))
	return answer, nil
}

// with is an edit that changes the product in place.
func with(change func(product map[string]any)) func(map[string]any) any {
	return func(product map[string]any) any {
		change(product)
		return product
	}
}

// What an answer leaves out without a word of an error is unread: the shop keeps it.
func TestDetailsThatAreLeftOut(t *testing.T) {
	variants := func(p map[string]any) map[string]any { return p["variants"].(map[string]any) }
	first := func(p map[string]any) map[string]any { return variants(p)["nodes"].([]any)[0].(map[string]any) }
	for name, edit := range map[string]func(map[string]any) any{
		"the product":          func(map[string]any) any { return nil },
		"the list of variants": with(func(p map[string]any) { p["variants"] = nil }),
		"the nodes":            with(func(p map[string]any) { variants(p)["nodes"] = nil }),
		"a variant":            with(func(p map[string]any) { variants(p)["nodes"].([]any)[1] = nil }),
		"where the next page is": with(func(p map[string]any) {
			variants(p)["pageInfo"] = map[string]any{"hasNextPage": true}
		}),
		"a shape": with(func(p map[string]any) { p["weight"] = map[string]any{"value": "1"} }),
		"a tag":   with(func(p map[string]any) { first(p)["tags"] = []any{nil} }),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := sandbox.New(sandbox.Options{BaseURL: "https://market.test"})
				t.Cleanup(m.Close)
				id := m.Add(sandbox.Publication{Listing: sandbox.Named("planter").Listing})[0]
				client := marketplace.New(marketplace.Config{
					URL: "https://market.test", Token: sandbox.DefaultToken, Languages: []string{"en"}, Details: true,
					Transport: edited{m.Transport(), edit},
				})
				t.Cleanup(func() { client.Close() })
				adm, err := client.Admit(t.Context(), marketplace.News)
				if err != nil {
					t.Fatal(err)
				}
				p, err := client.Publication(t.Context(), adm, marketplace.Expected{ID: id, Details: true})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Contains(p.Listing.Unread, marketplace.UnreadDetails) {
					t.Errorf("unread: got %v, want the details among them", p.Listing.Unread)
				}
				if len(p.Listing.Variants) != 4 {
					t.Errorf("variants: got %d, want 4", len(p.Listing.Variants))
				}
			})
		})
	}
}

// A reading says whether the schema has the day from which a variant is available.
func TestAvailableIsKnown(t *testing.T) {
	for _, lacks := range [][]string{nil, {"ProductVariant.availableAt"}} {
		synctest.Test(t, func(t *testing.T) {
			read, _, _ := detailed(t, sandbox.Options{Lacks: lacks}, marketplace.Config{Details: true}, "planter")
			if l := read(marketplace.Expected{}); l.Available != (lacks == nil) {
				t.Errorf("without %v: known: got %t, want %t", lacks, l.Available, lacks == nil)
			}
		})
	}
}
