package sandbox

import (
	"bytes"
	"image"
	_ "image/png"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The catalogue has what the connector must be able to take.
func TestCatalogueCovers(t *testing.T) {
	templates := Catalogue()
	if len(templates) < 24 {
		t.Errorf("%d products; len(templates): got %v, want at least %v", len(templates), len(templates), 24)
	}
	names, both, brands := map[string]bool{}, 0, map[string]bool{}
	for _, tpl := range templates {
		if names[tpl.Name] {
			t.Errorf("got two products called %s, want one", tpl.Name)
		}
		names[tpl.Name] = true
		l := tpl.Listing
		if l == nil {
			continue
		}
		brands[l.Brand] = true
		if l.Texts["en"].Title != "" && l.Texts["nl"].Title != "" {
			both++
		}
		for _, v := range l.Variants {
			switch {
			case len(v.Options) == 0:
				t.Errorf("%s has the variant %+v; len(v.Options): got %v, want another", tpl.Name, v, len(v.Options))
			case len(v.Options) > 3:
				t.Errorf("%s has the variant %+v; len(v.Options): got %v, want at most %v", tpl.Name, v, len(v.Options), 3)
			case v.Cost == "":
				t.Errorf("%s has the variant %+v; v.Cost: got %q, want another", tpl.Name, v, v.Cost)
			case v.SKU == "":
				t.Errorf("%s has the variant %+v; v.SKU: got %q, want another", tpl.Name, v, v.SKU)
			}
		}
	}
	switch {
	case both < 24:
		t.Errorf("%d products in both languages, of %d brands; both: got %v, want at least %v", both, len(brands), both, 24)
	case len(brands) < 8:
		t.Errorf(
			"%d products in both languages, of %d brands; len(brands): got %v, want at least %v", both, len(brands),
			len(brands), 8,
		)
	}
	listing := func(name string) *Listing { return Named(name).Listing }
	all := func(name string) string { return listing(name).Texts["en"].Description }
	for _, tt := range []struct {
		name string
		ok   bool
	}{
		{"one variant", len(listing("one-variant").Variants) == 1},
		{
			"sixty variants",
			len(listing("sixty-variants").Variants) == 60 && len(listing("sixty-variants").optionNames()) == 2,
		},
		{"three options", slices.Equal(listing("three-options").optionNames(), []string{"Color", "Size", "Option"})},
		{"HTML", strings.Contains(all("html-description"), "<h2>") && strings.Contains(all("html-description"), "<ol>")},
		{"msrp", listing("missing-msrp").Variants[0].MSRP != ""},
		{
			"msrp missing on some",
			slices.ContainsFunc(listing("missing-msrp").Variants, func(v Variant) bool { return v.MSRP == "" }),
		},
		{
			"negative stock",
			slices.ContainsFunc(listing("negative-stock").Variants, func(v Variant) bool {
				return v.Quantity < 0 && v.Policy == policyDeny
			}),
		},
		{
			"backorders",
			slices.ContainsFunc(listing("backorder").Variants, func(v Variant) bool {
				return v.Quantity < 0 && v.Policy == policyContinue
			}),
		},
		{"Dutch alone", len(listing("dutch-only").Texts) == 1 && listing("dutch-only").Texts["nl"].Title != ""},
		{"English alone", len(listing("english-only").Texts) == 1 && listing("english-only").Texts["en"].Title != ""},
		{"no image", len(listing("no-image").Pictures) == 0},
		{"script", strings.Contains(all("hostile-html"), "<script>")},
		{"onerror", strings.Contains(all("hostile-html"), "onerror=")},
		{
			"unbalanced tags",
			strings.Contains(all("hostile-html"), "</div></div>") && !strings.Contains(all("hostile-html"), "</b>"),
		},
		{"shortcode", strings.Contains(all("hostile-html"), "[gallery ids=1]")},
		{"javascript link", strings.Contains(all("hostile-html"), "javascript:")},
		{"quotes, ampersand, emoji", regexp.MustCompile(`".*&.*🦉.*<`).MatchString(listing("odd-title").Texts["en"].Title)},
		{"no listing", listing("no-listing") == nil},
		{"no variants", len(listing("no-variants").Variants) == 0},
		{"no title", listing("no-title").Texts["en"].Title == "" && listing("no-title").Texts["nl"].Title == ""},
		{
			"one SKU on two products",
			listing("shared-sku-ring").Variants[0].SKU == listing("shared-sku-bangle").Variants[0].SKU,
		},
		{"a long description", len(all("long-description")) > 10_000},
	} {
		if !tt.ok {
			t.Errorf("got no product for %s, want one", tt.name)
		}
	}
}

// Publications made from the same template are distinct in every id, and flawed ones are left out
// where they are not wanted.
func TestAddCatalogue(t *testing.T) {
	m := newTest(t, Options{})
	rounds := 3
	ids := m.AddCatalogue(rounds * len(Catalogue()))
	eans, variants, listings, skus := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, p := range m.Publications() {
		if p.Listing == nil {
			continue
		}
		listings[p.Listing.ID]++
		listings[p.Listing.ProductID]++
		for _, v := range p.Listing.Variants {
			eans[v.EAN]++
			variants[v.ID]++
			skus[v.SKU]++
			if sum := checksum(v.EAN); sum%10 != 0 {
				t.Errorf("the EAN %s has the sum %d; sum%%10: got %v, want %v", v.EAN, sum, sum%10, 0)
			}
		}
	}
	for name, seen := range map[string]map[string]int{"EAN": eans, "variant": variants, "listing": listings} {
		for id, n := range seen {
			switch {
			case n > 1:
				t.Errorf("%s %q is there %d times; n: got %v, want at most %v", name, id, n, n, 1)
			case id == "":
				t.Errorf("%s %q is there %d times; id: got %q, want another", name, id, n, id)
			}
		}
	}
	twice := 0
	for _, n := range skus {
		if n > 1 {
			twice++
		}
	}
	if twice != 2*rounds { // the two sizes that the ring and the bangle share
		t.Errorf("%d SKUs are there twice, want %v", twice, 2*rounds)
	}
	switch {
	case len(ids) != len(m.Publications()):
		t.Errorf(
			"%d ids for %d publications, in order: %v; len(ids): got %v, want %v", len(ids), len(m.Publications()),
			slices.IsSorted(ids), len(ids), len(m.Publications()),
		)
	case !slices.IsSorted(ids):
		t.Errorf(
			"%d ids for %d publications, in order: %v; slices.IsSorted(ids): got false, want true", len(ids),
			len(m.Publications()), slices.IsSorted(ids),
		)
	}
	first, _ := m.Publication(ids[0])
	second, _ := m.Publication(ids[len(Catalogue())])
	if first.Listing.Texts["nl"].Title+" No. 2" != second.Listing.Texts["nl"].Title {
		t.Errorf(
			"the second round is called %q; first.Listing.Texts[\"nl\"].Title+\" No. 2\": got %v, want %v",
			second.Listing.Texts["nl"].Title, first.Listing.Texts["nl"].Title+" No. 2", second.Listing.Texts["nl"].Title,
		)
	}
	sound := newTest(t, Options{Seed: 7})
	sound.AddSound(60)
	for _, p := range sound.Publications() {
		switch {
		case p.Listing == nil:
			t.Errorf("%+v is not sound; p.Listing: got nil, want a value", p.Listing)
		case len(p.Listing.Variants) == 0:
			t.Errorf("%+v is not sound; len(p.Listing.Variants): got %v, want another", p.Listing, len(p.Listing.Variants))
		case p.Listing.Texts["en"].Title+p.Listing.Texts["nl"].Title == "":
			t.Errorf(
				"%+v is not sound; p.Listing.Texts[\"en\"].Title+p.Listing.Texts[\"nl\"].Title: got %q, want another",
				p.Listing, p.Listing.Texts["en"].Title+p.Listing.Texts["nl"].Title,
			)
		case slices.ContainsFunc(p.Listing.Variants, func(v Variant) bool { return v.MSRP == "" }):
			t.Errorf("got %+v, want a sound product", p.Listing)
		}
	}
	if sound.Publications()[0].ID == ids[0] {
		t.Errorf(
			"another seed makes the same ids; sound.Publications()[0].ID: got %v, want another",
			sound.Publications()[0].ID,
		)
	}
}

func checksum(ean string) int {
	if len(ean) != 13 {
		return 1
	}
	sum := 0
	for i, d := range ean {
		sum += int(d-'0') * (1 + i%2*2)
	}
	return sum
}

func TestAddSoundOf(t *testing.T) {
	m := New(Options{})
	defer m.Close()
	for _, id := range m.AddSoundOf(3, 20) {
		switch p, ok := m.Publication(id); {
		case !ok:
			t.Errorf("%s: %t, %+v; ok: got false, want true", id, ok, p.Listing)
		case len(p.Listing.Variants) != 3:
			t.Errorf("%s: %t, %+v; len(p.Listing.Variants): got %v, want %v", id, ok, p.Listing, len(p.Listing.Variants), 3)
		}
	}
}

func TestNamed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an unknown name: got a template, want a panic")
		}
	}()
	Named("nothing of the kind")
}

func TestPictures(t *testing.T) {
	const base = "https://m.example/market"
	m := newTest(t, Options{BaseURL: base + "/", Limit: 2000})
	m.Add(
		Publication{
			ID: "a",
			Listing: &Listing{
				ID:       "odd/id ü-1",
				Pictures: append(pictures(2, Vase, "c4683f"), Picture{URL: "https://cdn.example/x.jpg"}),
			},
		},
	)
	m.AddCatalogue(len(Catalogue()))
	type answer struct {
		Publications struct {
			Nodes []struct {
				Listing *struct {
					Images struct {
						Nodes []struct{ OriginalURL, TransformedURL string }
					}
				}
			}
		}
	}
	nodes := into[answer](t, m, `{ publications(first: 90) { nodes { listing { images(first: 9) {
		nodes { originalUrl transformedUrl(width: 40, height: 30, method: FILL) } } } } } }`, nil).Publications.Nodes
	seen := map[string]string{}
	for _, n := range nodes {
		if n.Listing == nil {
			continue
		}
		for _, i := range n.Listing.Images.Nodes {
			if i.OriginalURL == "https://cdn.example/x.jpg" {
				if i.TransformedURL != i.OriginalURL {
					t.Errorf("a picture of its own address is transformed to %s, want %v", i.TransformedURL, i.OriginalURL)
				}
				continue
			}
			switch {
			case !strings.HasPrefix(i.OriginalURL, "https://m.example/market/images/"):
				t.Errorf("got the picture at %s, want it below the marketplace", i.OriginalURL)
			case !strings.HasSuffix(i.OriginalURL, ".png"):
				t.Errorf("the picture lies at %s; strings.HasSuffix(i.OriginalURL, \".png\"): got false, want true", i.OriginalURL)
			}
			status, kind, data := get(t, m, i.TransformedURL)
			switch {
			case status != http.StatusOK:
				t.Fatalf("%s answers %d %s; status: got %v, want %v", i.TransformedURL, status, kind, status, http.StatusOK)
			case kind != "image/png":
				t.Fatalf("%s answers %d %s; kind: got %q, want %q", i.TransformedURL, status, kind, kind, "image/png")
			}
			config, format, err := image.DecodeConfig(bytes.NewReader(data))
			switch {
			case err != nil:
				t.Errorf("%s is %s %+v %v; err: got %v, want nil", i.TransformedURL, format, config, err, err)
			case format != "png":
				t.Errorf("%s is %s %+v %v; format: got %q, want %q", i.TransformedURL, format, config, err, format, "png")
			case config.Width != 40:
				t.Errorf("%s is %s %+v %v; config.Width: got %v, want %v", i.TransformedURL, format, config, err, config.Width, 40)
			case config.Height != 30:
				t.Errorf(
					"%s is %s %+v %v; config.Height: got %v, want %v", i.TransformedURL, format, config, err, config.Height, 30,
				)
			}
			if other, same := seen[string(data)]; same {
				t.Errorf("got the same picture at %s and %s, want two", i.OriginalURL, other)
			}
			seen[string(data)] = i.OriginalURL
		}
	}
	if len(seen) < 60 {
		t.Errorf("%d pictures; len(seen): got %v, want at least %v", len(seen), len(seen), 60)
	}
	first := base + picturePath("odd/id ü-1", 0)
	m.Remove("a")
	for _, tt := range []struct {
		name, address string
		status, width int
	}{
		{"of its own size", first, 200, pictureSide},
		{"of a size that is none", first + "?width=-4&height=x", 200, pictureSide},
		{"of a size too large", first + "?width=99999&height=1", 200, maxPictureSide},
		{"a third that is not drawn here", base + picturePath("odd/id ü-1", 3), 404, 0},
		{"before the first", base + picturePath("odd/id ü-1", -1), 404, 0},
		{"of no listing", base + picturePath("nothing", 0), 404, 0},
		{"of no number", base + "/images/x.png", 404, 0},
		{"another format", base + "/images/x-1.jpg", 404, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, data := get(t, m, tt.address)
			if status != tt.status {
				t.Fatalf("answers %d, want %v", status, tt.status)
			}
			if config, _, _ := image.DecodeConfig(bytes.NewReader(data)); config.Width != tt.width {
				t.Errorf("is %d wide, want %d", config.Width, tt.width)
			}
		})
	}
}

func get(t *testing.T, m *Marketplace, address string) (status int, kind string, data []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), data
}
