package catalog

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	nethtml "golang.org/x/net/html"
)

var testTime = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

func renderProduct(t testing.TB, change func(p *shopadapter.Product)) string {
	t.Helper()
	p := bench("a")
	change(&p)
	r, _ := merge(shopadapter.Ref{}, nil, p, shopadapter.AllFields, testTime)
	page, err := productPage(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestPolicyMatchesStyle(t *testing.T) {
	page := renderProduct(t, func(*shopadapter.Product) {})
	policy := html.UnescapeString(
		regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1],
	)
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)[1]
	sum := sha256.Sum256([]byte(style))
	mustContain(
		t, "policy", policy, "default-src 'none'", "img-src http: https:",
		"style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'",
	)
	mustContain(t, "style", style, "prefers-color-scheme:dark", ".grid{")
	mustLack(t, "policy", policy, "unsafe")
	if !isOurs([]byte(page)) {
		t.Error("the page: got another beginning, want our mark")
	}
}

// A page is held to being complete in itself: it loads pictures over http(s) and nothing else, and
// is fit for a screen reader.
func TestPagesAreSelfContainedAndAccessible(t *testing.T) {
	c := newShop(t, t.TempDir())
	for i := range 130 {
		p := bench(fmt.Sprint("a", i))
		p.Category.Path = fmt.Sprint("C", i%3)
		if i%4 == 0 {
			p.Images = nil
		}
		if i%5 == 0 {
			p.Variants, p.Options = p.Variants[:1], nil
			p.Variants[0].Options = nil
		}
		put(t, c, p)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	all := files(t, c)
	for path, content := range all {
		if !strings.HasSuffix(path, ".html") {
			continue
		}
		doc, err := nethtml.Parse(strings.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		count, ids := map[string]int{}, map[string]bool{}
		for n := range doc.Descendants() {
			if n.Type != nethtml.ElementNode {
				continue
			}
			count[n.Data]++
			for _, a := range n.Attr {
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style":
					t.Errorf("%s: got <%s %s>, want no such attribute", path, n.Data, a.Key)
				case a.Key == "src" && !strings.HasPrefix(a.Val, "https://img.example.com/"):
					t.Errorf("%s: got %q loaded, want nothing from elsewhere", path, a.Val)
				case a.Key == "id" && ids[a.Val]:
					t.Errorf("%s: got the id %q twice, want it once", path, a.Val)
				case a.Key == "id":
					ids[a.Val] = true
				case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
					target := filepath.ToSlash(filepath.Join(filepath.Dir(path), a.Val))
					if _, there := all[target]; !there {
						t.Errorf("%s: got a link to %s, want one to what is there", path, target)
					}
				}
			}
			if n.Data == "img" && !hasAttr(n, "alt") {
				t.Errorf("%s: got a picture without alt, want a text", path)
			}
		}
		for _, one := range []string{"h1", "main", "header", "title", "style"} {
			if count[one] != 1 {
				t.Errorf("%s: got %d <%s>, want 1", path, count[one], one)
			}
		}
		if count["link"]+count["iframe"]+count["form"]+count["script"] > 0 {
			t.Errorf("%s: got %v, want no link, iframe, form or script", path, count)
		}
	}
}

func hasAttr(n *nethtml.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

func TestTextIsData(t *testing.T) {
	evil := `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	page := renderProduct(t, func(p *shopadapter.Product) {
		p.Title, p.Language, p.Returns, p.Brand, p.Currency = evil, evil, evil, evil, "EUR"
		p.Category = shopadapter.Category{Path: evil, Name: evil}
		p.Options = []string{evil}
		p.Translations = map[string]shopadapter.Translation{evil: {Title: evil, Description: evil}}
		p.Shipping = []shopadapter.Shipping{{CountryGroup: evil, EstimatedDays: evil}}
		p.Images = []string{
			"javascript:alert(1)", "data:text/html,x", "//img.example.com/x", "/x.png", "ftp://x/y", "http:///x",
			`https://img.example.com/` + evil,
		}
		for i := range p.Variants {
			v := &p.Variants[i]
			v.Title, v.SKU, v.Options = evil, evil, []shopadapter.Option{{Name: evil, Value: evil}}
			v.Weight, v.Origin, v.Tags, v.Materials, v.LeadTime = evil, evil, []string{evil}, []string{evil}, evil+v.ID
			v.AvailableAt = evil
		}
		p.Description = "<p>fine</p>" // sanitised where the product is made
	})
	doc, err := nethtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != nethtml.ElementNode {
			continue
		}
		if n.Data == "script" || n.Data == "iframe" || n.Data == "svg" {
			t.Errorf("got <%s> of the text's, want none", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Val, "javascript:") ||
				strings.HasPrefix(a.Val, "data:") {
				t.Errorf("got <%s %s=%q>, want no such attribute", n.Data, a.Key, a.Val)
			}
			if n.Data == "img" && a.Key == "src" && !strings.HasPrefix(a.Val, "https://img.example.com/") {
				t.Errorf("got a picture from %q, want none", a.Val)
			}
		}
	}
	mustContain(t, "page", page, "<p>fine</p>")
}

func TestPriceOf(t *testing.T) {
	v := func(price, msrp string) shopadapter.Variant { return shopadapter.Variant{Price: price, MSRP: msrp} }
	rows := []struct {
		name     string
		variants []shopadapter.Variant
		want     cost
	}{
		{"none", nil, cost{}},
		{"one", []shopadapter.Variant{v("19.95", "")}, cost{Low: "19.95"}},
		{
			"one below the recommended price",
			[]shopadapter.Variant{v("19.95", "24.95")},
			cost{Low: "19.95", Was: "24.95"},
		},
		{"one at the recommended price", []shopadapter.Variant{v("19.95", "19.95")}, cost{Low: "19.95"}},
		{"one above the recommended price", []shopadapter.Variant{v("19.95", "9.95")}, cost{Low: "19.95"}},
		{
			"a range, by number and not by letter",
			[]shopadapter.Variant{v("100.00", ""), v("9.50", ""), v("20.00", "")},
			cost{Low: "9.50", High: "100.00"},
		},
		{"several of one price", []shopadapter.Variant{v("5.00", "7.00"), v("5.00", "7.00")}, cost{Low: "5.00"}},
		{"a price that the merchant broke", []shopadapter.Variant{v("free", ""), v("5.00", "")}, cost{Low: "5.00"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := priceOf(row.variants, ""); got != row.want {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}

func TestStockOf(t *testing.T) {
	v := func(quantity int, backorders bool) shopadapter.Variant {
		return shopadapter.Variant{Quantity: quantity, Backorders: backorders}
	}
	rows := []struct {
		name     string
		variants []shopadapter.Variant
		want     stock
	}{
		{"plenty", []shopadapter.Variant{v(6, false)}, stock{"in", "In stock"}},
		{"few", []shopadapter.Variant{v(2, false), v(3, false)}, stock{"few", "Only 5 left"}},
		{"few, more on order", []shopadapter.Variant{v(2, true)}, stock{"in", "In stock"}},
		{"on order", []shopadapter.Variant{v(0, true)}, stock{"order", "Made to order"}},
		{"none", []shopadapter.Variant{v(0, false), v(0, false)}, stock{"out", "Sold out"}},
		{
			"below zero by the merchant's hand",
			[]shopadapter.Variant{v(-3, false), v(1, false)},
			stock{"few", "Only 1 left"},
		},
		{"absurdly many", []shopadapter.Variant{v(1<<62, false), v(1<<62, false)}, stock{"in", "In stock"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := stockOf(row.variants); got != row.want {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}
