package sandbox

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// command sends a body to the control, and returns the status and the answer.
func command(t *testing.T, m *Marketplace, method, path, contentType, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://marketplace"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := (&http.Client{Transport: m.Transport()}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(bytes.TrimSpace(text))
}

// carry gives an order that must be carried out.
func carry(t *testing.T, m *Marketplace, body string) Outcome {
	t.Helper()
	status, answer := command(t, m, http.MethodPost, "/sandbox/orders", "application/json", body)
	var done Outcome
	switch err := json.Unmarshal([]byte(answer), &done); {
	case err != nil:
		t.Fatalf("%s answered %d %s; err: got %v, want nil", body, status, answer, err)
	case status != http.StatusOK:
		t.Fatalf("%s answered %d %s; status: got %v, want %v", body, status, answer, status, http.StatusOK)
	case done.Said == "":
		t.Fatalf("%s answered %d %s; done.Said: got %q, want another", body, status, answer, done.Said)
	}
	return done
}

func TestOrdersChangeTheList(t *testing.T) {
	for _, tt := range []struct {
		body string
		want func(l *Listing)
		said string
	}{
		{
			`{"do":"price","ids":["a"],"amount":"12.5"}`,
			func(l *Listing) { l.Variants[0].MSRP, l.Variants[1].MSRP = "12.50", "12.50" },
			`the supplier changes the price of “Title of a” from 10.00 to 12.50`,
		},
		{`{"do":"price","ids":["a"],"amount":"x2.2"}`, func(l *Listing) {
			for i := range l.Variants {
				l.Variants[i].MSRP, l.Variants[i].Cost = "22.00", "11.00"
			}
		}, `the supplier changes the price of “Title of a” from 10.00 to 22.00`},
		{`{"do":"price","ids":["a"],"variant":"b","cost":"6.10"}`, func(l *Listing) { l.Variants[1].Cost = "6.10" }, ""},
		{
			`{"do":"stock","ids":["a"],"quantity":0}`,
			func(l *Listing) { l.Variants[0].Quantity, l.Variants[1].Quantity = 0, 0 },
			`the supplier has 0 of “Title of a”`,
		},
		{`{"do":"stock","ids":["a"],"variant":"b","quantity":8}`, func(l *Listing) { l.Variants[1].Quantity = 8 }, ""},
		{
			`{"do":"text","ids":["a"],"title":"New"}`, func(l *Listing) { l.Texts["en"] = Text{Title: "New"} },
			`the supplier rewrites “Title of a”`,
		},
		{
			`{"do":"text","ids":["a"],"html":"<p>x</p>","language":"nl"}`,
			func(l *Listing) { l.Texts["nl"] = Text{Description: "<p>x</p>"} }, "",
		},
		{
			`{"do":"images","ids":["a"],"images":["https://pictures.example/1.jpg"]}`,
			func(l *Listing) { l.Pictures = []Picture{{URL: "https://pictures.example/1.jpg"}} },
			`the supplier shows “Title of a” in 1 pictures`,
		},
		{
			`{"do":"images","ids":["a"],"count":2}`,
			func(l *Listing) { l.Pictures = []Picture{{Colour: "8c8c8c"}, {Colour: "8c8c8c"}} }, "",
		},
		{
			`{"do":"variants","ids":["a"],"count":1}`, func(l *Listing) { l.Variants = l.Variants[:1] },
			`the supplier offers “Title of a” in 1 variants`,
		},
	} {
		t.Run(tt.body, func(t *testing.T) {
			m := newTest(t, Options{})
			p := simple("a")
			p.Listing.Variants = append(p.Listing.Variants, p.Listing.Variants[0])
			p.Listing.Variants[1].ID = "b"
			m.Add(p, simple("other"))
			before, _ := m.Publication("a")
			want := before.Listing.clone()
			tt.want(want)
			done := carry(t, m, tt.body)
			after, _ := m.Publication("a")
			if diff := cmp.Diff(want, after.Listing, cmp.Transformer("none", func(p []Picture) []Picture {
				return append([]Picture{}, p...)
			})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			switch {
			case !after.UpdatedAt.After(before.UpdatedAt):
				t.Errorf(
					"updatedAt %s, was %s, outcome %+v; after.UpdatedAt.After(before.UpdatedAt): got false, want true",
					after.UpdatedAt, before.UpdatedAt, done,
				)
			case !slices.Equal(done.IDs, []string{"a"}):
				t.Errorf(
					"updatedAt %s, was %s, outcome %+v; slices.Equal(done.IDs, []string{\"a\"}): got false, want true",
					after.UpdatedAt, before.UpdatedAt, done,
				)
			case tt.said != "" && done.Said != tt.said:
				t.Errorf("updatedAt %s, was %s, outcome %+v", after.UpdatedAt, before.UpdatedAt, done)
			}
			if other, _ := m.Publication("other"); !cmp.Equal(other.Listing, simple("other").Listing) {
				t.Errorf("another publication: got %+v, want it unchanged", other.Listing)
			}
		})
	}
}

func TestMoreVariantsAreTheirOwn(t *testing.T) {
	m := newTest(t, Options{})
	id := m.AddSound(1)[0]
	before, _ := m.Publication(id)
	carry(t, m, `{"do":"variants","ids":["`+id+`"],"count":`+"12}")
	p, _ := m.Publication(id)
	ids, skus, values := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, v := range p.Listing.Variants {
		ids[v.ID], skus[v.SKU] = true, true
		values[v.Options[0].Value] = true
	}
	switch had := len(before.Listing.Variants); {
	case len(ids) != 12:
		t.Errorf(
			"%d ids, %d SKUs, %d values of %d variants; len(ids): got %v, want %v", len(ids), len(skus), len(values),
			len(p.Listing.Variants), len(ids), 12,
		)
	case len(skus) != 12:
		t.Errorf(
			"%d ids, %d SKUs, %d values of %d variants; len(skus): got %v, want %v", len(ids), len(skus), len(values),
			len(p.Listing.Variants), len(skus), 12,
		)
	case len(values) < 12-had:
		t.Errorf(
			"%d ids, %d SKUs, %d values of %d variants; len(values): got %v, want at least %v", len(ids), len(skus),
			len(values), len(p.Listing.Variants), len(values), 12-had,
		)
	case ids[""]:
		t.Errorf("%d ids, %d SKUs, %d values of %d variants", len(ids), len(skus), len(values), len(p.Listing.Variants))
	}
}

func TestOrdersPutOnTheListAndTakeOff(t *testing.T) {
	m := newTest(t, Options{})
	var heard []Outcome
	m.OnOrder(func(done Outcome) { heard = append(heard, done) })
	mug := carry(t, m, `{"do":"add","template":"mug"}`)
	many := carry(t, m, `{"do":"add","count":3}`)
	switch p, ok := m.Publication(mug.IDs[0]); {
	case !ok:
		t.Fatalf("added %+v and %+v: %d on the list; ok: got false, want true", mug, many, len(m.Publications()))
	case p.Listing.Texts["en"].Title == "":
		t.Fatalf(
			"added %+v and %+v: %d on the list; p.Listing.Texts[\"en\"].Title: got %q, want another", mug, many,
			len(m.Publications()), p.Listing.Texts["en"].Title,
		)
	case len(many.IDs) != 3:
		t.Fatalf(
			"added %+v and %+v: %d on the list; len(many.IDs): got %v, want %v", mug, many, len(m.Publications()),
			len(many.IDs), 3,
		)
	case len(m.Publications()) != 4:
		t.Fatalf(
			"added %+v and %+v: %d on the list; len(m.Publications()): got %v, want %v", mug, many, len(m.Publications()),
			len(m.Publications()), 4,
		)
	}
	if done := carry(t, m, `{"do":"remove","ids":["`+mug.IDs[0]+`"]}`); !strings.Contains(done.Said, "Stoneware mug") {
		t.Errorf("got %q, want the title in it", done.Said)
	}
	if _, ok := m.Publication(mug.IDs[0]); ok {
		t.Error("got it on the list, want it removed")
	}
	if done := carry(t, m, `{"do":"relist"}`); !slices.Equal(done.IDs, mug.IDs) {
		t.Errorf("got %v listed again, want %v", done.IDs, mug.IDs)
	}
	switch p, ok := m.Publication(mug.IDs[0]); {
	case !ok:
		t.Errorf("listed again as %+v; ok: got false, want true", p)
	case p.Status != statusSyncing:
		t.Errorf("listed again as %+v; p.Status: got %v, want %v", p, p.Status, statusSyncing)
	}
	if carry(t, m, `{"do":"remove"}`); len(m.Publications()) != 3 {
		t.Errorf("%d on the list, want %v", len(m.Publications()), 3)
	}
	switch {
	case len(heard) != 5:
		t.Errorf("heard %+v; len(heard): got %v, want %v", heard, len(heard), 5)
	case heard[0].Do != "add":
		t.Errorf("heard %+v; heard[0].Do: got %q, want %q", heard, heard[0].Do, "add")
	case heard[4].Do != "remove":
		t.Errorf("heard %+v; heard[4].Do: got %q, want %q", heard, heard[4].Do, "remove")
	}
}

func TestWhatIsPickedCanBeSoldAndIsOnSale(t *testing.T) {
	m := newTest(t, Options{})
	m.AddCatalogue(len(Catalogue()))
	for range 50 {
		id, err := m.pick()
		switch p, _ := m.Publication(id); {
		case err != nil:
			t.Fatalf("picked %q, %v; err: got %v, want nil", id, err, err)
		case !p.Listing.sellable():
			t.Fatalf("picked %q, %v; p.Listing.sellable(): got false, want true", id, err)
		}
	}
	last := m.Publications()[7].ID
	if err := m.SetStatus(last, statusSuccess); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		switch id, err := m.pick(); {
		case id != last:
			t.Fatalf("picked %q, %v: %s alone is on sale; id: got %v, want %v", id, err, last, id, last)
		case err != nil:
			t.Fatalf("picked %q, %v: %s alone is on sale; err: got %v, want nil", id, err, last, err)
		}
	}
}

func TestOrdersOfFaults(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"))
	look := func() int { return post(t, m, `{ publication(id: "a") { id } }`, nil).status }
	throttled := func() bool {
		return strings.Contains(post(t, m, `{ publication(id: "a") { id } }`, nil).body, "Throttled")
	}
	carry(t, m, `{"do":"throttle","next":2}`)
	for n, want := range []bool{true, true, false} {
		if throttled() != want {
			t.Errorf(
				"request %d is throttled: %t, and the next two are to be; throttled(): got %v, want %v", n+1, !want,
				throttled(), want,
			)
		}
	}
	carry(t, m, `{"do":"revoke"}`)
	if look() != http.StatusUnauthorized {
		t.Errorf("a revoked token is accepted; look(): got %v, want %v", look(), http.StatusUnauthorized)
	}
	carry(t, m, `{"do":"throttle"}`)
	carry(t, m, `{"do":"heal"}`)
	switch {
	case look() != http.StatusOK:
		t.Errorf("not healed; look(): got %v, want %v", look(), http.StatusOK)
	case throttled():
		t.Errorf("not healed; throttled(): got true, want false")
	}
	carry(t, m, `{"do":"refuse","ids":["a"],"next":1}`)
	for i, refused := range []bool{true, false} {
		ask(
			t, m,
			`mutation { publicationStatusUpdated(input: {id: "a", status: "success"}) { userErrors { message } } }`,
			nil,
		)
		if r := m.Reports(); (r[i].Refused != "") != refused {
			t.Errorf("report %d: %+v; (r[i].Refused != \"\"): got %v, want %v", i+1, r[i], (r[i].Refused != ""), refused)
		}
	}
}

// An order has the marketplace object to requests that name a publication, of one kind.
func TestObjectionsByOrder(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"), simple("b"))
	carry(t, m, `{"do":"object","message":"It is odd","ids":["a"],"on":"report"}`)
	report := `mutation { publicationStatusUpdated(input: {id: "ID", status: "success"}) { userErrors { message } } }`
	for query, want := range map[string]bool{
		strings.ReplaceAll(report, "ID", "a"): true,
		strings.ReplaceAll(report, "ID", "b"): false,
		`{ publication(id: "a") { status } }`: false,
	} {
		answer := post(t, m, query, nil)
		if got := len(answer.Errors) == 1 && answer.Errors[0].Message == "It is odd"; got != want {
			t.Errorf("%s is objected to: %t, %s, want %t", query, got, answer.body, want)
		}
	}
	if n := len(m.Reports()); n != 1 {
		t.Errorf("%d reports, want that of b alone", n)
	}
}

// An order removes the app, as its owner does in the back office: the tokens of installations are
// refused for good, also once everything is healed.
func TestTheAppIsRemovedByOrder(t *testing.T) {
	m := newTest(t, Options{})
	if _, err := m.Carry(Order{Do: "uninstall"}); err == nil {
		t.Error("an app that is not installed: got it removed, want an error")
	}
	redirect, err := m.Answer(authorizeAddress(), Consent{})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(redirect)
	if err != nil {
		t.Fatal(err)
	}
	if _, answer := redeem(t, m, u.Query().Get("code"), DefaultSecret); answer["access_token"] == "" {
		t.Fatalf("the exchange gave %v; answer[\"access_token\"]: got %q, want another", answer, answer["access_token"])
	}
	carry(t, m, `{"do":"uninstall"}`)
	carry(t, m, `{"do":"heal"}`)
	if left := m.InstalledTokens(); len(left) != 0 {
		t.Errorf("%d tokens are good, want %v", len(left), 0)
	}
}

// A token reads what its scopes name, and write implies read.
func TestScopesOfAnInstallation(t *testing.T) {
	for _, tt := range []struct {
		scopes []string
		field  string
		want   bool
	}{
		{nil, "account", true},
		{[]string{}, "account", false},
		{[]string{"products_read"}, "account", false},
		{[]string{"products_read"}, "channels", false},
		{[]string{"account_write"}, "channels", true},
		{[]string{"products_write"}, "categories", true},
		{[]string{"account_read"}, "productVariants", false},
		{[]string{"account_read"}, "publications", true},
	} {
		if got := (grant{scopes: tt.scopes}).may(tt.field); got != tt.want {
			t.Errorf("%q with %q: %t, want %v", tt.field, tt.scopes, got, tt.want)
		}
	}
}

func TestADelayOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTest(t, Options{})
		m.Add(simple("a"))
		carry(t, m, `{"do":"delay","delay":"3s"}`)
		start := time.Now()
		ask(t, m, `{ publication(id: "a") { id } }`, nil)
		if late := time.Since(start); late != 3*time.Second {
			t.Errorf("answered after %s, want %v", late, 3*time.Second)
		}
	})
}

func TestOrdersThatCannotBeCarriedOutChangeNothing(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"), Publication{ID: "bare"})
	before := m.Publications()
	for body, says := range map[string]string{
		`{"do":"dance"}`: "one of add, delay",
		`{"do":"price","ids":["z"],"amount":"1"}`:               `no publication \"z\"`,
		`{"do":"price","ids":["a"]}`:                            "needs an amount",
		`{"do":"price","ids":["a"],"amount":"cheap"}`:           "neither a price",
		`{"do":"price","ids":["a"],"amount":"-3"}`:              "neither a price",
		`{"do":"price","ids":["a"],"amount":"1e9999999"}`:       "neither a price",
		`{"do":"price","ids":["a"],"cost":"x"}`:                 "not a cost",
		`{"do":"price","ids":["a","bare"],"amount":"1"}`:        "one publication",
		`{"do":"price","ids":["bare"],"amount":"1"}`:            "no listing",
		`{"do":"stock","ids":["a"],"variant":"z"}`:              "no variant",
		`{"do":"text","ids":["a"]}`:                             "title or a description",
		`{"do":"text","ids":["a"],"title":"x","language":"zz"}`: "no language",
		`{"do":"images","ids":["a"],"images":["file:///etc"]}`:  "absolute",
		`{"do":"images","ids":["a"],"count":51}`:                "0 to 50",
		`{"do":"variants","ids":["a"],"count":501}`:             "0 to 500",
		`{"do":"add","template":"unicorn"}`:                     "no template",
		`{"do":"add","count":10001}`:                            "1 to 10000",
		`{"do":"remove","ids":["a","z"]}`:                       "no publication",
		`{"do":"relist"}`:                                       "was removed",
		`{"do":"relist","ids":["a"]}`:                           "was not removed",
		`{"do":"delay"}`:                                        "not a span",
		`{"do":"throttle","next":-1}`:                           "below zero",
		`{"do":"refuse","ids":["z"]}`:                           "no publication",
		`{"do":"object"}`:                                       "has a message",
		`{"do":"object","message":"no","on":"x"}`:               "is not one of",
		`{"do":"object","message":"no","ids":["z"]}`:            "no publication",
	} {
		status, answer := command(t, m, http.MethodPost, "/sandbox/orders", "application/json", body)
		switch {
		case status != http.StatusUnprocessableEntity:
			t.Errorf(
				"%s answered %d %s, want %q; status: got %v, want %v", body, status, answer, says, status,
				http.StatusUnprocessableEntity,
			)
		case !strings.Contains(answer, says):
			t.Errorf(
				"%s answered %d %s, want %q; strings.Contains(answer, says): got false, want true", body, status, answer,
				says,
			)
		}
	}
	if diff := cmp.Diff(before, m.Publications()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheControlIsStrict(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"))
	for _, tt := range []struct {
		name, method, path, contentType, body string
		status                                int
	}{
		{"a form, as a page of another origin sends it", "POST", "/sandbox/orders", "text/plain", `{"do":"revoke"}`, 415},
		{
			"a member that is unknown", "POST", "/sandbox/orders", "application/json",
			`{"do":"price","id":"a","amount":"1"}`, 400,
		},
		{"no JSON", "POST", "/sandbox/orders", "application/json", `do=price`, 400},
		{"two orders", "POST", "/sandbox/orders", "application/json", `{"do":"heal"}{"do":"heal"}`, 400},
		{"a GET", "GET", "/sandbox/orders", "", "", 405},
		{"elsewhere", "GET", "/sandbox/", "", "", 404},
	} {
		if status, answer := command(t, m, tt.method, tt.path, tt.contentType, tt.body); status != tt.status {
			t.Errorf("%s: %d %s, want %v", tt.name, status, answer, tt.status)
		}
	}
	status, answer := command(t, m, "GET", "/sandbox/publications", "", "")
	var list struct{ Publications []Line }
	switch err := json.Unmarshal([]byte(answer), &list); {
	case err != nil:
		t.Errorf("%d %s; err: got %v, want nil", status, answer, err)
	case status != 200:
		t.Errorf("%d %s; status: got %v, want %v", status, answer, status, 200)
	case len(list.Publications) != 1:
		t.Errorf("%d %s; len(list.Publications): got %v, want %v", status, answer, len(list.Publications), 1)
	case list.Publications[0].Title != "Title of a":
		t.Errorf(
			"%d %s; list.Publications[0].Title: got %q, want %q", status, answer, list.Publications[0].Title, "Title of a",
		)
	case list.Publications[0].Variants[0] != (VariantLine{ID: "variant-a", MSRP: "10.00", Cost: "5.00", Quantity: 3}):
		t.Errorf("%d %s", status, answer)
	}
}

func TestLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &inbox{}
		m := newTest(t, Options{WebhookTransport: in, ChannelWebhookURL: "http://10.0.0.1/webhooks/channel"})
		subscribe(t, m, "http://10.0.0.1/webhooks")
		m.AddCatalogue(len(Catalogue()))
		synctest.Wait()
		imported := len(in.all())
		var at []time.Duration
		var what []string
		start := time.Now()
		m.OnOrder(func(done Outcome) {
			at, what = append(at, time.Since(start)), append(what, done.Do)
		})
		ended := make(chan struct{})
		go func() { m.Live(t.Context(), 5*time.Second); close(ended) }()
		time.Sleep(time.Duration(len(day())) * 5 * time.Second)
		synctest.Wait()
		switch {
		case len(at) < len(day()):
			t.Errorf("%d changes, at %v; len(at): got %v, want at least %v", len(at), at, len(at), len(day()))
		case at[0] != time.Second:
			t.Errorf("%d changes, at %v; at[0]: got %v, want %v", len(at), at, at[0], time.Second)
		case at[1] != 6*time.Second:
			t.Errorf("%d changes, at %v; at[1]: got %v, want %v", len(at), at, at[1], 6*time.Second)
		}
		for _, name := range []string{"add", "price", "stock", "text", "images", "variants", "remove", "relist"} {
			if !slices.Contains(what, name) {
				t.Errorf("got a day with %v, want %s in it", what, name)
			}
		}
		// Each change but a removal is told of by a webhook.
		if told := len(in.all()) - imported; told != len(what)-1 {
			t.Errorf("%d webhooks for %v, want %v", told, what, len(what)-1)
		}
	})
}
