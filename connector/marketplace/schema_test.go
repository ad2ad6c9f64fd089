package marketplace

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A choice is one way to fill in what the specification leaves open.
type choice struct {
	sandbox.Options
	setting           string // PUBSYNC_MARKETPLACE_FORMS. That publications are not sorted is found out
	languages, method string // that the client is to find
}

// choices are the half of all combinations in which any six of the seven are combined in every way.
func choices() (all []choice) {
	edges := []string{
		"WebhookConnection.nodes", "PublicationConnection.nodes", "ListingVariantConnection.nodes", "ImageConnection.nodes",
	}
	for n := range 3 << 6 {
		bits := func(i int) int { return n >> i & 1 }
		status := n >> 6
		if (status+bits(0)+bits(1)+bits(2)+bits(3)+bits(4)+bits(5))%2 != 0 {
			continue
		}
		c := choice{setting: "languages=en,nl", languages: "en nl"}
		c.Status = sandbox.StatusForm(status)
		if bits(0) == 1 {
			c.Schema = append(c.Schema, [2]string{": ID!", ": String!"})
		}
		if bits(1) == 1 {
			c.Schema = append(c.Schema, [2]string{"events: [String!]!", "events: [WebhookEvent!]!"})
		}
		c.NoUpdatedAtSort = bits(3) == 1
		if bits(5) == 1 {
			const nl = "  nl: Translation\n"
			c.Schema = append(c.Schema, [2]string{nl, nl + "  de: Translation\n  fr: Translation\n"})
			c.languages += " de fr"
			c.setting += ",de,fr"
		}
		if c.Status == sandbox.StatusEnumUpper {
			c.setting += " status=SUCCESS,FAILED"
		}
		if c.method = "ImageMethod"; bits(2) == 1 {
			c.method = "String"
			c.Schema = append(c.Schema, [2]string{"method: ImageMethod", "method: String"})
			c.setting += " method=String"
		}
		if bits(4) == 1 {
			c.Lacks = edges
			c.setting += " connections=edges"
		}
		all = append(all, c)
	}
	return all
}

// exercise sends every document there is.
func exercise(t *testing.T, m *sandbox.Marketplace, c *Client, sorted bool) {
	t.Helper()
	ctx := t.Context()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	listing := &sandbox.Listing{Texts: map[string]sandbox.Text{"en": {Title: "Screws"}}}
	for i := range 2 * usualVariants { // two pages
		listing.Variants = append(listing.Variants, sandbox.Variant{
			Options: []sandbox.Option{{Name: "Size", Value: fmt.Sprint(i)}}, Cost: "1.00",
		})
	}
	for range 2 * usualImages {
		listing.Pictures = append(listing.Pictures, sandbox.Picture{})
	}
	m.Add(sandbox.Publication{ID: "p0"}, sandbox.Publication{ID: "p1", Listing: listing})
	_, err := c.Account(ctx)
	must("account", err)
	for _, order := range []Sort{IDDesc, UpdatedAtAsc} {
		first, err := c.list(ctx, Sweep, order, "", 1)
		if order == UpdatedAtAsc && !sorted {
			if !errors.Is(err, ErrNotSorted) {
				t.Errorf("list by updatedAt on a server that does not sort so: %v", err)
			}
			continue
		}
		must("list", err)
		second, err := c.list(ctx, Sweep, order, first.End, 1)
		must("list behind a cursor", err)
		if len(first.Entries) != 1 || len(second.Entries) != 1 || first.Entries[0] == second.Entries[0] {
			t.Errorf("list by %s: got %+v, then %+v, want one entry each", order, first, second)
		}
	}
	for _, detail := range []bool{false, true} {
		one, err := c.look(ctx, &Admission{priority: Sweep}, "p1", detail)
		must("look", err)
		none, err := c.look(ctx, &Admission{priority: Sweep}, "p2", detail)
		must("look", err)
		if one == nil || one.Err != nil || none != nil {
			t.Errorf("looks are %+v and %+v", one, none)
		}
	}
	p, err := read1(t, c, 0)
	must("publication", err)
	if len(p.Listing.Variants) != len(listing.Variants) || len(p.Listing.Images) != len(listing.Pictures) {
		t.Errorf("got %d variants and %d pictures, want all", len(p.Listing.Variants), len(p.Listing.Images))
	}
	made, err := c.RegisterWebhook(ctx, "https://shop.test/webhooks", []string{"PUBLICATION_CREATED"})
	must("register webhook", err)
	hooks, err := c.Webhooks(ctx)
	must("webhooks", err)
	if len(hooks) != 1 || hooks[0].ID != made.ID || hooks[0].Events[0] != "PUBLICATION_CREATED" {
		t.Errorf("webhooks are %+v", hooks)
	}
	reports := []Report{{ID: "p1", Status: "success", URL: "https://shop.test/p1"}, {ID: "p0", Status: "failed"}}
	for _, r := range reports {
		look, got, err := c.Report(ctx, Urgent, r, r.ID == "p0")
		must("report", err)
		if look == nil || got.Err != nil || got.Status != r.Status {
			t.Errorf("%s after %+v, %v, want %q, in lower case", got.Status, look, got.Err, r.Status)
		}
		if r.ID == "p0" {
			continue
		}
		if look, got, err = c.Report(ctx, Urgent, r, true); err != nil || got != nil || look.Status != r.Status {
			t.Errorf("again: %+v after %+v, %v, want none, since the look shows it", got, look, err)
		}
	}
}

// TestEveryDocumentFitsEverySchema runs every method against a marketplace of each combination of the
// open types, with introspection, and without where the setting says what they are.
func TestEveryDocumentFitsEverySchema(t *testing.T) {
	for _, c := range choices() {
		name := fmt.Sprintf("%s edits=%d sorted=%t", c.setting, len(c.Schema), !c.NoUpdatedAtSort)
		t.Run(strings.ReplaceAll(name, " ", ","), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for _, c.NoIntrospection = range []bool{false, true} {
					said, err := ParseSaid(c.setting)
					if err != nil {
						t.Fatal(err)
					}
					m := sandbox.New(c.Options)
					defer m.Close()
					client := New(Config{
						URL: "https://market.test", Token: sandbox.DefaultToken, Languages: []string{"en", "nl", "de", "fr", "it"},
						Forms: said, Transport: m.Transport(),
					})
					exercise(t, m, client, !c.NoUpdatedAtSort)
					forms, err := client.Probe(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if got := strings.Join(forms.Languages, " "); got != c.languages {
						t.Errorf("languages %q, want %q", got, c.languages)
					}
					if forms.Introspected == c.NoIntrospection || forms.Sorted == c.NoUpdatedAtSort ||
						forms.Method != c.method || forms.Edges != (len(c.Lacks) > 0) {
						t.Errorf("forms are %v", forms)
					}
					if c.Status == sandbox.StatusEnumUpper && (forms.Success != "SUCCESS" || forms.Failed != "FAILED") {
						t.Errorf("forms are %v", forms)
					}
					refused, want := len(m.Requests("invalid")), 0
					if c.NoIntrospection && c.NoUpdatedAtSort {
						want = 1 // the list by a sort that it does not have
					}
					if refused != want {
						t.Errorf("%d requests were refused, want %d", refused, want)
					}
				}
			})
		})
	}
}
