package catalog

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	nethtml "golang.org/x/net/html"

	"github.com/pubsync/pubsync/shopadapter"
)

func renderProduct(t testing.TB, change func(p *shopadapter.Product)) string {
	t.Helper()
	p := bench("a")
	change(&p)
	r, _ := merge(shopadapter.Ref{}, nil, p, shopadapter.AllFields)
	page, err := render("product", newView(r))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// A page is held to being complete in itself: it loads pictures over http(s) and nothing else, and
// is fit for a screen reader.
func TestPagesAreSelfContainedAndAccessible(t *testing.T) {
	c, _ := openShop(t, t.TempDir())
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
	closeShop(t, c)
	all := files(t, c.dir)
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
		p.Images = []string{"javascript:alert(1)", "data:text/html,x", `https://img.example.com/` + evil}
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
			loads := a.Key == "src" || a.Key == "href"
			script := strings.HasPrefix(a.Val, "javascript:") || strings.HasPrefix(a.Val, "data:")
			if strings.HasPrefix(a.Key, "on") || loads && script {
				t.Errorf("got <%s %s=%q>, want no such attribute", n.Data, a.Key, a.Val)
			}
		}
	}
	mustContain(t, "page", page, "<p>fine</p>")
}

func TestOffers(t *testing.T) {
	v := func(price, msrp string, quantity int, backorders bool) shopadapter.Variant {
		return shopadapter.Variant{Price: price, MSRP: msrp, Quantity: quantity, Backorders: backorders}
	}
	for _, row := range []struct {
		name     string
		variants []shopadapter.Variant
		want     offer
	}{
		{"none", nil, offer{"", "", "out", "Sold out"}},
		{"plenty", []shopadapter.Variant{v("19.95", "", 6, false)}, offer{"€\u00a019.95", "", "in", "In stock"}},
		{
			"below the recommended price, the last one",
			[]shopadapter.Variant{v("19.95", "24.95", 1, false)},
			offer{"€\u00a019.95", "€\u00a024.95", "few", "Only 1 left"},
		},
		{
			"at the recommended price, more on order",
			[]shopadapter.Variant{v("19.95", "19.95", 2, true)},
			offer{"€\u00a019.95", "", "in", "In stock"},
		},
		{
			"above the recommended price, on order",
			[]shopadapter.Variant{v("19.95", "9.95", 0, true)},
			offer{"€\u00a019.95", "", "order", "Made to order"},
		},
		{
			"a span, by number and not by letter",
			[]shopadapter.Variant{v("100.00", "", 2, false), v("9.50", "", 3, false), v("20.00", "", 0, false)},
			offer{"€\u00a09.50 – €\u00a0100.00", "", "few", "Only 5 left"},
		},
		{
			"several of one price, one below zero by the merchant's hand",
			[]shopadapter.Variant{v("5.00", "7.00", -3, false), v("5.00", "7.00", 1, false)},
			offer{"€\u00a05.00", "", "few", "Only 1 left"},
		},
		{
			"absurdly many",
			[]shopadapter.Variant{v("5.00", "", 1<<62, false), v("5.00", "", 1<<62, false)},
			offer{"€\u00a05.00", "", "in", "In stock"},
		},
	} {
		if got := offerOf(row.variants, "EUR"); got != row.want {
			t.Errorf("%s: got %+v, want %+v", row.name, got, row.want)
		}
	}
	if got := offerOf([]shopadapter.Variant{v("5.00", "", 0, false)}, "").Price; got != "5.00" {
		t.Errorf("without a currency: got %q, want the amount alone", got)
	}
}

func TestIndexFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := openShop(t, t.TempDir())
		var passes atomic.Int32
		f.set(func(doing string) error {
			if doing == "rename "+indexPath {
				passes.Add(1)
			}
			return nil
		})
		for i := range 50 {
			put(t, c, bench(fmt.Sprint("a", i)))
		}
		time.Sleep(2 * passEvery)
		mustContain(t, "index", files(t, c.dir)[indexPath], fileName("a0"), fileName("a49"), "50 products")
		if _, err := c.Unpublish(t.Context(), shopadapter.Ref{Publication: "a0"}, shopadapter.TakeOffline); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		mustContain(t, "index", files(t, c.dir)[indexPath], "49 products")
		mustLack(t, "index", files(t, c.dir)[indexPath], fileName("a0")+".html")
		if got := passes.Load(); got != 2 {
			t.Errorf("passes after a burst, and after one change: got %d, want 2", got)
		}
	})
}

// An index that a crash left behind, or that could not be written, is caught up with by the next check.
func TestCheckCatchesUp(t *testing.T) {
	var log strings.Builder
	dir := t.TempDir()
	dead, _ := openShop(t, dir)
	put(t, dead, bench("a"))
	synctest.Test(t, func(t *testing.T) {
		c, f := openShop(t, dir)
		c.base, c.log = "", slog.New(slog.NewTextHandler(&log, nil))
		check := func(id shopadapter.PublicationID) {
			t.Helper()
			if _, err := c.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			mustContain(t, "index", files(t, dir)[indexPath], fileName(id))
		}
		check("a")
		if listing := put(t, c, bench("b")); listing.URL != "" {
			t.Errorf("the address without a base: got %q, want none", listing.URL)
		}
		mend := f.set(func(string) error { return syscall.EIO })
		time.Sleep(time.Hour)
		synctest.Wait() // for the pass that logs
		if n := strings.Count(log.String(), "catalogue index not written"); n != 1 {
			t.Errorf("logged %d times, want once: %s", n, log.String())
		}
		mend()
		check("b")
	})
}

func TestIndexShowsWhatIsOnSale(t *testing.T) {
	c, _ := openShop(t, t.TempDir())
	for _, id := range []string{"shown", "page lost", "sold out"} {
		p := bench(id)
		if id == "sold out" {
			p.Variants, p.Images, p.Title = p.Variants[1:2], nil, "Émile & Co"
		}
		put(t, c, p)
	}
	writeFile(t, c, "products/foreign.json", `{"title":"foreign"}`)
	writeFile(t, c, "products/copy.json", files(t, c.dir)[recordPath(fileName("shown"))])
	writeFile(t, c, "products/copy.html", `copy`)
	if err := os.Remove(c.abs(pagePath(fileName("page lost")))); err != nil {
		t.Fatal(err)
	}
	c.changed()
	closeShop(t, c)
	index := files(t, c.dir)[indexPath]
	mustContain(t, "index", index, fileName("shown"), "99.95", "1139.50", "Émile &amp; Co", ">É<", "Sold out",
		"2 products", "https://img.example.com/1.jpg", `<html lang="en">`, `<li><a class="card"`)
	mustLack(t, "index", index, "foreign", "copy", fileName("page lost"))
}
