package main_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// pagesIn is the HTML pages and the JSON files below a folder.
func pagesIn(t *testing.T, dir string) (pages, records []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch filepath.Ext(path) {
		case ".html":
			pages = append(pages, path)
		case ".json":
			records = append(records, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages, records
}

func TestDemoOnceImportsAndLeavesPages(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	r := call(t, t.TempDir(), settings{"TMPDIR": temporary}, "demo", "--once")
	if r.code != 0 || r.took > 10*time.Second {
		t.Errorf("exit %d after %s: %s", r.code, r.took, r.stderr)
	}
	index := regexp.MustCompile(regexp.QuoteMeta(temporary) + `\S*index\.html`).FindString(r.stdout + r.stderr)
	if index == "" {
		t.Fatalf("the folder of the pages is not printed: %s %s", r.stdout, r.stderr)
	}
	pages, records := pagesIn(t, filepath.Dir(index))
	if len(pages) < 20 || len(records) < 20 {
		t.Errorf("%d pages and %d records", len(pages), len(records))
	}
	if stores, err := filepath.Glob(filepath.Join(temporary, "*", "*.db*")); err != nil || len(stores) != 0 {
		t.Errorf("the temporary store is left: %v", stores)
	}

	dir := filepath.Join(t.TempDir(), "shop")
	r = call(t, t.TempDir(), settings{"TMPDIR": t.TempDir()}.with("CATALOG_DIR", dir), "demo", "--once", "--json")
	var sum summary
	r.decode(t, &sum)
	if pages, _ := pagesIn(t, dir); r.code != 0 || sum.Created < 20 || sum.Reported < 20 || len(pages) < 20 {
		t.Errorf("exit %d, %+v, %d pages in PUBSYNC_CATALOG_DIR", r.code, sum, len(pages))
	}
}

func TestDemoServesItsPagesAndGoesOnAdding(t *testing.T) {
	t.Parallel()
	// The default admin address may be taken: it then uses a free port.
	p := launch(t, t.TempDir(), settings{"TMPDIR": t.TempDir()}, "demo")
	link := regexp.MustCompile(`http://127\.0\.0\.1:\d+/\S*`)
	eventually(t, 15*time.Second, "addresses are printed", func() bool {
		if !p.running() {
			t.Fatalf("the demo ended: %s", p.stderr.String())
		}
		return len(link.FindAllString(p.stdout.String(), -1)) >= 2
	})
	var shop, dashboard string
	for _, address := range link.FindAllString(p.stdout.String(), -1) {
		if strings.Contains(address, "catalog") {
			shop = address
		} else {
			dashboard = address
		}
	}
	res, page := ask(t, "GET", shop, "", nil)
	first := regexp.MustCompile(`<li[^>]*>\s*<a[^>]* href="([^"]+)"`).FindStringSubmatch(page)
	if res.StatusCode != http.StatusOK || first == nil {
		t.Fatalf("the catalogue: %s, %.300s", res.Status, page)
	}
	base := strings.TrimSuffix(shop, "/") + "/"
	if res, one := ask(t, "GET", base+strings.TrimPrefix(first[1], "/catalog/"), "", nil); res.StatusCode != http.StatusOK || !strings.Contains(one, "<h1") {
		t.Errorf("a product's page %s: %s", first[1], res.Status)
	}
	if res, _ := ask(t, "GET", dashboard, "", nil); res.StatusCode != http.StatusOK {
		t.Errorf("the status page: %s", res.Status)
	}
	count := func() int {
		_, body := ask(t, "GET", strings.TrimSuffix(dashboard, "/")+"/api/v1/status", "", nil)
		var st status
		if err := json.Unmarshal([]byte(body), &st); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, k := range st.Publications {
			n += k
		}
		return n
	}
	before := count()
	eventually(t, 15*time.Second, "another publication", func() bool { return count() > before })
	p.signal(sigint)
	if code := p.code(20 * time.Second); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestTheCatalogueShop(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.market.AddSound(12)
	dir := filepath.Join(s.dir, "pages")
	s.set("SHOP_ADAPTER", "catalog", "CATALOG_DIR", dir, "CATALOG_URL", "https://lamps.example/shop", "HTTP_URL", "", "HTTP_TOKEN", "")
	if sum := s.imported(); sum.Created != 12 || sum.Reported != 12 {
		t.Errorf("the import: %+v", sum)
	}
	for _, id := range ids {
		p, _ := s.market.Publication(id)
		file, ok := strings.CutPrefix(p.ProductURL, "https://lamps.example/shop/")
		if p.Status != "success" || !ok {
			t.Fatalf("the marketplace holds %s %s for %s", p.Status, p.ProductURL, id)
		}
		if strings.HasSuffix(file, "/") {
			file += "index.html"
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			t.Errorf("the address of %s leads nowhere: %v", id, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "index.html")); err != nil {
		t.Error(err)
	}
	before, _ := pagesIn(t, dir)
	s.market.Remove(ids[0])
	if sum := s.imported("--full"); sum.Withdrawn != 1 {
		t.Errorf("the removal: %+v", sum)
	}
	if p := s.planOf(s.call("plan", "--full", "--json")); len(p.Create)+len(p.Change)+len(p.Withdraw) != 0 {
		t.Errorf("a plan with nothing to do: %+v", p)
	}
	if after, _ := pagesIn(t, dir); len(after) > len(before) {
		t.Errorf("%d pages became %d", len(before), len(after))
	}

	// A lost store doubles nothing: the catalogue lists what it made.
	if err := os.Remove(s.env["PUBSYNC_STORE_PATH"]); err != nil {
		t.Fatal(err)
	}
	if sum := s.imported("--full"); sum.Created != 0 || sum.Held != 0 {
		t.Errorf("after the store was lost: %+v", sum)
	}
	if after, records := pagesIn(t, dir); len(after) > len(before) || len(records) > 13 {
		t.Errorf("%d pages and %d records after the store was lost", len(after), len(records))
	}
}

func TestEntriesThatAnotherToolMadeAreHeld(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(3)
	for _, id := range ids[:2] {
		if err := s.market.SetStatus(id, "success"); err != nil {
			t.Fatal(err)
		}
	}
	s.set("SHOP_ADAPTER", "catalog", "CATALOG_DIR", filepath.Join(s.dir, "pages"), "CATALOG_URL", "https://lamps.example/", "HTTP_URL", "", "HTTP_TOKEN", "")
	if p := s.planOf(s.call("plan", "--json")); len(p.Held) != 2 || len(p.Create) != 1 {
		t.Errorf("the plan: %+v", p)
	}
	if sum := s.once(); sum.Exit != 1 || sum.Held != 2 || sum.Created != 1 {
		t.Errorf("the first run: %+v", sum)
	}
	if held := s.lines("held"); held[ids[0]].Error == "" || len(held) != 2 {
		t.Errorf("held: %+v", held)
	}
	if r := s.call("approve", ids[0]); r.code != 0 {
		t.Fatalf("approve: exit %d, %s", r.code, r.stderr)
	}
	if sum := s.once(); sum.Held != 1 || sum.Created != 1 {
		t.Errorf("after one approval: %+v", sum)
	}
	s.expectState(ids[0], "live")
	s.expectState(ids[1], "held")
}
