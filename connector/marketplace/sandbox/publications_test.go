package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

type listed struct {
	Publications struct {
		Nodes []struct {
			ID, UpdatedAt string
		}
		PageInfo struct {
			HasNextPage, HasPreviousPage bool
			StartCursor, EndCursor       *string
		}
	}
}

func (l listed) ids() []string {
	ids := make([]string, len(l.Publications.Nodes))
	for i, n := range l.Publications.Nodes {
		ids[i] = n.ID
	}
	return ids
}

// listPage reads one page of the import list.
func listPage(t *testing.T, m *Marketplace, sort string, first int, after *string) listed {
	t.Helper()
	vars := map[string]any{"n": first}
	if after != nil {
		vars["after"] = *after
	}
	return into[listed](
		t,
		m,
		`query($n: Int!, $after: String) { publications(first: $n, sort: `+sort+`, after: $after) {
		nodes { id updatedAt } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
		vars,
	)
}

// listAll reads the import list in pages.
func listAll(t *testing.T, m *Marketplace, sort string, first int) []string {
	t.Helper()
	var (
		ids   []string
		after *string
	)
	for {
		page := listPage(t, m, sort, first, after)
		if got := page.Publications.PageInfo.HasPreviousPage; got != (len(ids) > 0) {
			t.Errorf("hasPreviousPage is %v after %d entries, want %v", got, len(ids), (len(ids) > 0))
		}
		ids = append(ids, page.ids()...)
		if !page.Publications.PageInfo.HasNextPage {
			return ids
		}
		after = page.Publications.PageInfo.EndCursor
	}
}

func TestPaging(t *testing.T) {
	m := newTest(t, Options{})
	for i := range 7 {
		m.Add(simple(fmt.Sprintf("p%d", i)))
	}
	if err := m.SetStock("p2", "", 9); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		sort string
		want string
	}{
		{"ID_DESC", "p6 p5 p4 p3 p2 p1 p0"},
		{"UPDATED_AT_ASC", "p0 p1 p3 p4 p5 p6 p2"},
	} {
		for first := 1; first <= 8; first++ {
			t.Run(fmt.Sprintf("%s by %d", tt.sort, first), func(t *testing.T) {
				if got := strings.Join(listAll(t, m, tt.sort, first), " "); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
			})
		}
	}
	if got := into[listed](t, m, `{ publications(first: 1) { nodes { id } } }`, nil).ids(); !slices.Equal(
		got,
		[]string{"p6"},
	) {
		t.Errorf("without a sort the first is %v, want the newest", got)
	}
}

// A cursor stays good while entries come, go and move: nothing is shown twice that did not move,
// nothing is left out.
func TestCursorsStayGood(t *testing.T) {
	for _, tt := range []struct {
		name, sort string
		between    func(t *testing.T, m *Marketplace)
		rest       string
	}{
		{"nothing happens", "UPDATED_AT_ASC", func(*testing.T, *Marketplace) {}, "c d"},
		{
			"the last one shown moves", "UPDATED_AT_ASC",
			func(t *testing.T, m *Marketplace) { must(t, m.SetStock("b", "", 1)) }, "c d b",
		},
		{"the last one shown goes", "UPDATED_AT_ASC", func(_ *testing.T, m *Marketplace) { m.Remove("b") }, "c d"},
		{"the next one goes", "UPDATED_AT_ASC", func(_ *testing.T, m *Marketplace) { m.Remove("c") }, "d"},
		{"a new one comes", "UPDATED_AT_ASC", func(_ *testing.T, m *Marketplace) { m.Add(simple("0")) }, "c d 0"},
		{"by id, the last one shown goes", "ID_DESC", func(_ *testing.T, m *Marketplace) { m.Remove("c") }, "b a"},
		{
			"by id, a new one comes", "ID_DESC", func(_ *testing.T, m *Marketplace) { m.Add(simple("e"), simple("b2")) },
			"b2 b a",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newTest(t, Options{})
			m.Add(simple("a"), simple("b"), simple("c"), simple("d"))
			page := listPage(t, m, tt.sort, 2, nil)
			tt.between(t, m)
			got := listPage(t, m, tt.sort, 10, page.Publications.PageInfo.EndCursor).ids()
			if strings.Join(got, " ") != tt.rest {
				t.Errorf("the rest is %v, want %s", got, tt.rest)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestEqualUpdatedAt(t *testing.T) {
	m := newTest(t, Options{})
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	for _, id := range []string{"d", "b", "a", "c"} {
		m.Add(simple(id))
		must(t, m.SetUpdatedAt(id, at))
	}
	for first := 1; first <= 4; first++ {
		if got := listAll(t, m, "UPDATED_AT_ASC", first); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
			t.Errorf("in pages of %d: got %v, want a b c d", first, got)
		}
	}
	if got := listPage(
		t, m, "UPDATED_AT_ASC", 1, nil,
	).Publications.Nodes[0].UpdatedAt; got != "2026-01-02T03:04:05.000006Z" {
		t.Errorf("updatedAt is %s, want %q", got, "2026-01-02T03:04:05.000006Z")
	}
}

func TestEmptyPage(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"))
	last := listPage(t, m, "UPDATED_AT_ASC", 1, nil).Publications.PageInfo.EndCursor
	page := listPage(t, m, "UPDATED_AT_ASC", 1, last).Publications
	switch {
	case len(page.Nodes) != 0:
		t.Errorf("the page behind the last is %+v; len(page.Nodes): got %v, want %v", page, len(page.Nodes), 0)
	case page.PageInfo.EndCursor != nil:
		t.Errorf("the page behind the last is %+v; page.PageInfo.EndCursor: got %v, want nil", page, page.PageInfo.EndCursor)
	case page.PageInfo.StartCursor != nil:
		t.Errorf(
			"the page behind the last is %+v; page.PageInfo.StartCursor: got %v, want nil", page,
			page.PageInfo.StartCursor,
		)
	case page.PageInfo.HasNextPage:
		t.Errorf("the page behind the last is %+v; page.PageInfo.HasNextPage: got true, want false", page)
	case !page.PageInfo.HasPreviousPage:
		t.Errorf("the page behind the last is %+v; page.PageInfo.HasPreviousPage: got false, want true", page)
	}
}

func TestRefusedCursors(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"), simple("b"), simple("c"))
	must(t, m.AddVariant("a", Variant{}))
	const query = `query($after: String) { publications(first: 1, sort: UPDATED_AT_ASC, after: $after) { nodes { id } } }`
	good := *listPage(t, m, "UPDATED_AT_ASC", 1, nil).Publications.PageInfo.EndCursor
	second := *listPage(t, m, "UPDATED_AT_ASC", 1, &good).Publications.PageInfo.EndCursor
	byIDs := *listPage(t, m, "ID_DESC", 1, nil).Publications.PageInfo.EndCursor
	refused := func(name, after string) {
		t.Helper()
		e := post(t, m, query, map[string]any{"after": after})
		switch {
		case e.status != 200:
			t.Errorf("%s: answered %s; e.status: got %v, want %v", name, e.body, e.status, 200)
		case e.messages() != "Invalid cursor":
			t.Errorf("%s: answered %s; e.messages(): got %q, want %q", name, e.body, e.messages(), "Invalid cursor")
		case string(e.Data) != "null":
			t.Errorf("%s: answered %s; string(e.Data): got %q, want %q", name, e.body, string(e.Data), "null")
		case e.Errors[0].Path[0] != "publications":
			t.Errorf("%s: answered %s; e.Errors[0].Path[0]: got %q, want %q", name, e.body, e.Errors[0].Path[0], "publications")
		}
	}
	refused("of another order", byIDs)
	refused("made up", "abc")
	ask(t, m, query, map[string]any{"after": good})
	m.RefuseCursors(good)
	refused("that is named", good)
	ask(t, m, query, map[string]any{"after": second})
	m.ExpireCursors()
	refused("of before", second)
	fresh := listPage(t, m, "UPDATED_AT_ASC", 1, nil).Publications.PageInfo.EndCursor
	ask(t, m, query, map[string]any{"after": *fresh})
	switch e := post(t, m, `query($after: String) { publication(id: "a") { listing { variants(first: 1, after: $after) `+
		`{ nodes { id } } } } }`,
		map[string]any{"after": *fresh}); {
	case e.messages() != "Invalid cursor":
		t.Errorf("a cursor of another list answers %s; e.messages(): got %q, want %q", e.body, e.messages(), "Invalid cursor")
	case string(e.Data) != `{"publication":{"listing":null}}`:
		t.Errorf(
			"a cursor of another list answers %s; string(e.Data): got %q, want %q", e.body, string(e.Data),
			`{"publication":{"listing":null}}`,
		)
	}
}

// Variants are paged by a number that outlives their neighbours.
func TestPagingVariants(t *testing.T) {
	m := newTest(t, Options{Limit: 100_000})
	l := Named("sixty-variants").Listing
	for i := range l.Variants {
		l.Variants[i].ID = fmt.Sprintf("v%02d", i)
	}
	m.Add(Publication{ID: "a", Listing: l})
	type page struct {
		Publication struct {
			Listing struct {
				Variants struct {
					Nodes    []struct{ ID string }
					PageInfo struct {
						HasNextPage bool
						EndCursor   string
					}
				}
			}
		}
	}
	read := func(after string) (ids []string, more bool, end string) {
		vars := map[string]any{}
		if after != "" {
			vars["after"] = after
		}
		p := into[page](
			t,
			m,
			`query($after: String) { publication(id: "a") { listing { variants(first: 25, after: $after) {
			nodes { id } pageInfo { hasNextPage endCursor } } } } }`,
			vars,
		).Publication.Listing.Variants
		for _, n := range p.Nodes {
			ids = append(ids, n.ID)
		}
		return ids, p.PageInfo.HasNextPage, p.PageInfo.EndCursor
	}
	one, more, end := read("")
	switch {
	case len(one) != 25:
		t.Fatalf("the first page is %v; len(one): got %v, want %v", one, len(one), 25)
	case !more:
		t.Fatalf("the first page is %v; more: got false, want true", one)
	case one[24] != "v24":
		t.Fatalf("the first page is %v; one[24]: got %q, want %q", one, one[24], "v24")
	}
	must(t, m.RemoveVariant("a", "v03"))
	must(t, m.RemoveVariant("a", "v24"))
	must(t, m.AddVariant("a", Variant{ID: "new"}))
	two, more, end := read(end)
	switch {
	case len(two) != 25:
		t.Fatalf("the second page is %v; len(two): got %v, want %v", two, len(two), 25)
	case !more:
		t.Fatalf("the second page is %v; more: got false, want true", two)
	case two[0] != "v25":
		t.Fatalf("the second page is %v; two[0]: got %q, want %q", two, two[0], "v25")
	}
	three, more, _ := read(end)
	switch {
	case len(three) != 11:
		t.Fatalf("the third page is %v; len(three): got %v, want %v", three, len(three), 11)
	case more:
		t.Fatalf("the third page is %v; more: got true, want false", three)
	case three[0] != "v50":
		t.Fatalf("the third page is %v; three[0]: got %q, want %q", three, three[0], "v50")
	case three[10] != "new":
		t.Fatalf("the third page is %v; three[10]: got %q, want %q", three, three[10], "new")
	}
	// A list in another order is a list from the start.
	must(t, m.Update("a", func(l *Listing) { slices.Reverse(l.Variants) }))
	switch ids, _, _ := read(""); {
	case ids[0] != "new":
		t.Errorf("reversed, the first page is %v; ids[0]: got %q, want %q", ids, ids[0], "new")
	case ids[1] != "v59":
		t.Errorf("reversed, the first page is %v; ids[1]: got %q, want %q", ids, ids[1], "v59")
	}
}

func TestProductVariantsByUpdate(t *testing.T) {
	m := newTest(t, Options{})
	for _, id := range []string{"a", "b", "c"} {
		m.Add(simple(id))
	}
	m.Add(Publication{ID: "none"})
	type page struct {
		ProductVariants struct {
			Nodes []struct {
				ID, UpdatedAt string
				Product       struct{ ID string }
			}
			PageInfo struct {
				HasNextPage bool
				EndCursor   *string
			}
		}
	}
	read := func() string {
		var ids []string
		vars := map[string]any{}
		for {
			p := into[page](
				t,
				m,
				`query($after: String) { productVariants(first: 2, sort: UPDATED_AT_ASC, after: $after) {
				nodes { id updatedAt product { id } } pageInfo { hasNextPage endCursor } } }`,
				vars,
			).ProductVariants
			for _, n := range p.Nodes {
				ids = append(ids, n.ID)
			}
			if !p.PageInfo.HasNextPage {
				return strings.Join(ids, " ")
			}
			vars["after"] = *p.PageInfo.EndCursor
		}
	}
	if got := read(); got != "variant-a variant-b variant-c" {
		t.Errorf("got %s, want %q", got, "variant-a variant-b variant-c")
	}
	must(t, m.SetPrice("a", "variant-a", "6.00", "12.00", KeepUpdatedAt))
	must(t, m.Update("c", func(l *Listing) { l.Brand = "Other" })) // no variant differs
	m.Remove("b")
	if got := read(); got != "variant-c variant-a" {
		t.Errorf("after a price and a removal got %s, want %q", got, "variant-c variant-a")
	}
}

// Every change does to content, updatedAt and webhooks what it says.
func TestChanges(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(m *Marketplace, how ...Change) error
		want   func(p Publication) bool
	}{
		{
			"price", func(m *Marketplace, how ...Change) error {
				return m.SetPrice("a", "variant-a", "6.50", "13.00", how...)
			},
			func(p Publication) bool {
				return p.Listing.Variants[0].Cost == "6.50" && p.Listing.Variants[0].MSRP == "13.00"
			},
		},
		{
			"price of all", func(m *Marketplace, how ...Change) error { return m.SetPrice("a", "", "6.50", "13.00", how...) },
			func(p Publication) bool { return p.Listing.Variants[0].Cost == "6.50" },
		},
		{
			"stock", func(m *Marketplace, how ...Change) error { return m.SetStock("a", "variant-a", -4, how...) },
			func(p Publication) bool { return p.Listing.Variants[0].Quantity == -4 },
		},
		{
			"a variant more", func(m *Marketplace, how ...Change) error {
				return m.AddVariant("a", Variant{
					SKU: "new",
				}, how...)
			},
			func(p Publication) bool {
				return len(p.Listing.Variants) == 2 && p.Listing.Variants[1].SKU == "new" && p.Listing.Variants[1].ID != ""
			},
		},
		{
			"a variant fewer", func(m *Marketplace, how ...Change) error { return m.RemoveVariant("a", "variant-a", how...) },
			func(p Publication) bool { return len(p.Listing.Variants) == 0 },
		},
		{"anything", func(m *Marketplace, how ...Change) error {
			return m.Update("a", func(l *Listing) { l.Texts["en"] = Text{Title: "Other"}; l.Category = "TOYS" }, how...)
		}, func(p Publication) bool {
			return p.Listing.Texts["en"].Title == "Other" && p.Listing.Category == "TOYS"
		}},
		{
			"another listing", func(m *Marketplace, how ...Change) error {
				return m.SetListing("a", &Listing{
					Brand: "X",
				}, how...)
			},
			func(p Publication) bool { return p.Listing.Brand == "X" && p.Listing.ID != "" },
		},
		{
			"no listing", func(m *Marketplace, how ...Change) error { return m.SetListing("a", nil, how...) },
			func(p Publication) bool { return p.Listing == nil },
		},
	} {
		for _, how := range [][]Change{nil, {KeepUpdatedAt}, {NoWebhook}, {KeepUpdatedAt, NoWebhook}} {
			t.Run(fmt.Sprintf("%s %v", tt.name, how), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					in := &inbox{}
					m := newTest(t, Options{ChannelWebhookURL: "http://hooks.example", WebhookTransport: in})
					m.Add(simple("a"), simple("b"))
					before, _ := m.Publication("a")
					must(t, tt.change(m, how...))
					after, on := m.Publication("a")
					switch {
					case !on:
						t.Errorf("the publication is %+v %+v; on: got false, want true", after, after.Listing)
					case !tt.want(after):
						t.Errorf("the publication is %+v %+v; tt.want(after): got false, want true", after, after.Listing)
					}
					if moved := after.UpdatedAt.After(before.UpdatedAt); moved == slices.Contains(how, KeepUpdatedAt) {
						t.Errorf("updatedAt went from %v to %v; moved: got %v, want another", before.UpdatedAt, after.UpdatedAt, moved)
					}
					order := strings.Join(listAll(t, m, "UPDATED_AT_ASC", 10), "")
					if moved := order == "ba"; moved == slices.Contains(how, KeepUpdatedAt) {
						t.Errorf("the order is %s; moved: got %v, want another", order, moved)
					}
					synctest.Wait()
					if want := after.Listing != nil && !slices.Contains(how, NoWebhook); (len(in.all()) == 1) != want {
						t.Errorf("told %d times, want %v", len(in.all()), want)
					}
				})
			})
		}
	}
}

func TestChangesOfWhatIsNotThere(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"))
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"update", m.Update("z", func(*Listing) {})},
		{"listing", m.SetListing("z", nil)},
		{"status", m.SetStatus("z", "failed")},
		{"updatedAt", m.SetUpdatedAt("z", time.Now())},
		{"variant", m.SetStock("a", "z", 1)},
		{"variant to remove", m.RemoveVariant("a", "z")},
	} {
		switch {
		case tt.err == nil:
			t.Errorf("%s: the error is %v; tt.err: got nil, want a value", tt.name, tt.err)
		case !strings.Contains(tt.err.Error(), `"z"`):
			t.Errorf("%s: the error is %v; strings.Contains(tt.err.Error(), `\"z\"`): got false, want true", tt.name, tt.err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an id that is in use: got it added, want a panic")
		}
	}()
	m.Add(simple("a"))
}

func TestRemoveAndRestore(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"), simple("b"))
	must(t, m.SetStatus("a", "success"))
	m.Remove("a", "a", "nothing")
	if got := ask(
		t, m, `{ publication(id: "a") { id } product(id: "product-a") { id } publications(first: 9) { nodes { id } } }`,
		nil,
	); got !=
		`{"publication":null,"product":null,"publications":{"nodes":[{"id":"b"}]}}` {
		t.Errorf("after the removal: got %s, want b alone", got)
	}
	must(t, m.SetStock("a", "", 7)) // the supplier goes on meanwhile
	m.Restore("a", "b", "nothing")
	p, on := m.Publication("a")
	switch {
	case !on:
		t.Errorf("it came back as %+v; on: got false, want true", p)
	case p.Status != "syncing":
		t.Errorf("it came back as %+v; p.Status: got %q, want %q", p, p.Status, "syncing")
	case p.Listing.Variants[0].Quantity != 7:
		t.Errorf("it came back as %+v; p.Listing.Variants[0].Quantity: got %v, want %v", p, p.Listing.Variants[0].Quantity, 7)
	}
	if got := listAll(t, m, "UPDATED_AT_ASC", 9); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("got the list %v, want b a", got)
	}
}

// Values passed in and handed out are copies: a later change of one does not reach the sandbox.
func TestPublicationsAreCopies(t *testing.T) {
	m := newTest(t, Options{})
	p := simple("a")
	m.Add(p)
	p.Listing.Variants[0].Cost = "0"
	p.Listing.Texts["en"] = Text{}
	out := m.Publications()[0]
	out.Listing.Variants[0].Options[0].Value = "changed"
	must(t, m.Update("a", func(l *Listing) { p.Listing = l }))
	p.Listing.Variants = append(p.Listing.Variants[:0], Variant{})
	got, _ := m.Publication("a")
	v := got.Listing.Variants[0]
	switch {
	case v.Cost != "5.00":
		t.Errorf("the publication became %+v; v.Cost: got %q, want %q", got.Listing, v.Cost, "5.00")
	case v.Options[0].Value != "M":
		t.Errorf("the publication became %+v; v.Options[0].Value: got %q, want %q", got.Listing, v.Options[0].Value, "M")
	case got.Listing.Texts["en"].Title == "":
		t.Errorf(
			"the publication became %+v; got.Listing.Texts[\"en\"].Title: got %q, want another", got.Listing,
			got.Listing.Texts["en"].Title,
		)
	}
}

// Stamps grow even when the clock does not, and repeat when the marketplace is coarse.
func TestStamps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fine, coarse := newTest(t, Options{}), newTest(t, Options{UpdatedAtPrecision: time.Second})
		fine.AddSound(50)
		coarse.AddSound(50)
		stamps := map[time.Time]bool{}
		for _, p := range fine.Publications() {
			stamps[p.UpdatedAt] = true
		}
		if len(stamps) != 50 {
			t.Errorf("50 publications have %d stamps, want %v", len(stamps), 50)
		}
		first := coarse.Publications()[0].UpdatedAt
		for _, p := range coarse.Publications() {
			if !p.UpdatedAt.Equal(first) {
				t.Errorf("got updatedAt %v, want %v", p.UpdatedAt, first)
			}
		}
		if got := len(listAll(t, coarse, "UPDATED_AT_ASC", 7)); got != 50 {
			t.Errorf("paging a list of equal stamps shows %d, want %v", got, 50)
		}
	})
}

// The list of twenty thousand is read in pages without a sort for each.
func TestTwentyThousand(t *testing.T) {
	m := newTest(t, Options{Limit: 1_000_000})
	start := time.Now()
	m.AddSound(20_000)
	seen := map[string]bool{}
	for _, id := range listAll(t, m, "UPDATED_AT_ASC", 500) {
		seen[id] = true
	}
	for _, id := range listAll(t, m, "ID_DESC", 500) {
		if !seen[id] {
			t.Fatalf("got %s in one order alone, want it in both", id)
		}
	}
	if len(seen) != 20_000 {
		t.Errorf("%d listed, want %v", len(seen), 20_000)
	}
	t.Logf("added and listed twice in %v", time.Since(start))
}

// A hook sees the marketplace at the moment in question, and may change it.
func TestHooks(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"), simple("b"))
	var read, reported []string
	m.OnContentRead(func(id string) {
		read = append(read, id)
		must(t, m.SetStock(id, "", 99))
	})
	m.OnReport(func(id string) {
		p, _ := m.Publication(id)
		reported = append(reported, id+" "+p.Status)
		must(t, m.SetStock(id, "", 100))
	})
	const content = `{ publications(first: 2, sort: UPDATED_AT_ASC) { nodes { id listing { variants(first: 1) { ` +
		`nodes { inventoryQuantity } } } } } }`
	if got := ask(t, m, content, nil); strings.Contains(got, "99") {
		t.Errorf("got a later change in the answer: %s, want the content as it was", got)
	}
	switch {
	case !slices.Equal(read, []string{"a", "b"}):
		t.Errorf(
			"read %v, then %+v; slices.Equal(read, []string{\"a\", \"b\"}): got false, want true", read, m.Publications(),
		)
	case m.Publications()[1].Listing.Variants[0].Quantity != 99:
		t.Errorf(
			"read %v, then %+v; m.Publications()[1].Listing.Variants[0].Quantity: got %v, want %v", read, m.Publications(),
			m.Publications()[1].Listing.Variants[0].Quantity, 99,
		)
	}
	ask(t, m, `{ publications(first: 2) { nodes { id updatedAt } } }`, nil)
	if len(read) != 2 {
		t.Errorf("a look without listings counted as reading: %v; len(read): got %v, want %v", read, len(read), 2)
	}
	got := ask(
		t,
		m,
		`mutation { a: publicationStatusUpdated(input: {id: "a", status: "success"}) { publication { updatedAt } }
		b: publicationStatusUpdated(input: {id: "b", status: "failed"}) { publication { status } } }`,
		nil,
	)
	switch {
	case !slices.Equal(reported, []string{"a syncing", "b syncing"}):
		t.Errorf(
			"reported %v, answered %s; slices.Equal(reported, []string{\"a syncing\", \"b syncing\"}): got false, want true",
			reported, got,
		)
	case !strings.Contains(got, "failed"):
		t.Errorf("reported %v, answered %s; strings.Contains(got, \"failed\"): got false, want true", reported, got)
	}
	switch p, _ := m.Publication("b"); {
	case p.Listing.Variants[0].Quantity != 100:
		t.Errorf("b is %+v; p.Listing.Variants[0].Quantity: got %v, want %v", p, p.Listing.Variants[0].Quantity, 100)
	case p.Status != "failed":
		t.Errorf("b is %+v; p.Status: got %q, want %q", p, p.Status, "failed")
	}
}
