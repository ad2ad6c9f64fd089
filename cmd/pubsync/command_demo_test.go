// demo needs no configuration, and what it announces shows in its shop.

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

	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

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

// A configured shop is not touched by a demo that is not told to.
func TestDemoOnceImportsAndLeavesPages(t *testing.T) {
	t.Parallel()
	temporary, own := t.TempDir(), openShop(t)
	env := settings{"TMPDIR": temporary}.with("SHOP_ADAPTER", "http", "HTTP_URL", own.server.URL)
	r := call(t, t.TempDir(), env, "demo", "--once")
	if n := len(own.requests("")); r.code != 0 || r.took > slack*10*time.Second || n > 0 {
		t.Errorf("exit %d, want 0 after %s, %d requests of the configured shop: %s", r.code, r.took, n, r.stderr)
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
	r = call(t, t.TempDir(), settings{"TMPDIR": t.TempDir()}.with("CATALOG_DIR", dir), "demo", "--adapter", "catalog",
		"--once", "--json")
	var sum summary
	r.decode(t, &sum)
	if pages, _ := pagesIn(t, dir); r.code != 0 || sum.Exit != 0 || sum.Created < 20 || sum.Reported < 20 ||
		len(pages) < 20 {
		t.Errorf("exit %d, want 0, %+v, %d pages in PUBSYNC_CATALOG_DIR", r.code, sum, len(pages))
	}
}

// A shown is a demo that runs, and the addresses that it prints.
type shown struct {
	*process
	shop, dashboard, market string
}

// show starts a demo and waits for its addresses. Where the default ones are taken it uses free ports.
func show(t *testing.T, env settings, args ...string) *shown {
	t.Helper()
	p := &shown{process: launch(t, t.TempDir(), env, append([]string{"demo"}, args...)...)}
	eventually(t, 15*time.Second, "addresses are printed", func() bool {
		if !p.running() {
			t.Fatalf("the demo ended: %s", p.stderr.String())
		}
		return strings.Contains(p.stdout.String(), "Ctrl-C ends it")
	})
	for what, into := range map[string]*string{
		`the shop +(http://127\.0\.0\.1:\d+/catalog)/`:       &p.shop,
		`the status page +(http://127\.0\.0\.1:\d+)/`:        &p.dashboard,
		`pubsync sandbox do --at (http://127\.0\.0\.1:\d+) `: &p.market,
	} {
		if m := regexp.MustCompile(what).FindStringSubmatch(p.stdout.String()); m != nil {
			*into = m[1]
		}
	}
	return p
}

// announced finds a line of the demo's story, and waits for it.
func (p *shown) announced(t *testing.T, within time.Duration, line string) []string {
	t.Helper()
	pattern := regexp.MustCompile(line)
	var m []string
	eventually(t, within, line, func() bool { m = pattern.FindStringSubmatch(p.stdout.String()); return m != nil })
	return m
}

// live finds the page of a product on sale by its id or title.
func (p *shown) live(t *testing.T, what string) (page string) {
	t.Helper()
	var list struct {
		Publications []struct{ ID, Title, URL string }
	}
	_, answer := ask(t, "GET", p.dashboard+"/api/v1/publications?state=live", "", nil)
	if err := json.Unmarshal([]byte(answer), &list); err != nil {
		t.Fatal(err)
	}
	for _, one := range list.Publications {
		if one.ID == what || one.Title == what {
			_, page = ask(t, "GET", one.URL, "", nil)
		}
	}
	return page
}

// Its pages show what it announces, within a second or so, and what it says to type works.
func TestDemoShowsAChangeInItsShopWithinASecond(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	p := show(t, settings{"TMPDIR": temporary})
	for _, address := range []string{p.shop, p.dashboard} {
		if res, _ := ask(t, "GET", address+"/", "", nil); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", address, res.Status)
		}
	}
	change := p.announced(t, 10*time.Second, `the supplier changes the price of “(.*)” to (\d+\.\d\d)`)
	eventually(t, slack*time.Second, "the shop shows: "+change[0], func() bool {
		return strings.Contains(p.live(t, change[1]), change[2])
	})
	beside := p.announced(t, time.Second, `PUBSYNC_ADMIN_LISTEN=(\S+) PUBSYNC_STORE_PATH=(\S+) `+
		regexp.QuoteMeta(binary)+` approve --all`)
	own := settings{}.with("ADMIN_LISTEN", beside[1], "STORE_PATH", beside[2])
	eventually(t, 10*time.Second, "what the demo says to type approves a doubled price", func() bool {
		return call(t, t.TempDir(), own, "approve", "--all").stdout == "1 approved\n"
	})
	mug := (&playground{t: t, address: p.market}).order("add", "mug")[0]
	p.announced(t, 5*time.Second, `the retailer imports “Stoneware mug, 30 cl No. \d+”`)
	eventually(t, slack*time.Second, "the shop shows the mug", func() bool { return p.live(t, mug) != "" })
	p.signal(sigint)
	if code := p.code(20 * time.Second); code != 0 {
		t.Errorf("exit %d", code)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A demo in a shop of one's own sells there, and says where it cannot.
func TestDemoAgainstAShopOfOnesOwn(t *testing.T) {
	t.Parallel()
	own := openShop(t)
	env := settings{"TMPDIR": t.TempDir()}.with("HTTP_URL", own.server.URL, "HTTP_TOKEN", shopToken)
	if r := call(t, t.TempDir(), env, "demo", "--adapter", "http", "--once"); r.code != 0 || own.onSale() < 20 ||
		strings.Contains(r.stderr, "index.html") {
		t.Errorf("exit %d, want 0, and %d on sale: %s", r.code, own.onSale(), r.stderr)
	}
	own.healthy(401)
	own.rules(always(shoptest.Reply{Status: 401}))
	if r := call(t, t.TempDir(), env, "demo", "--adapter", "http", "--once"); r.code != 4 {
		t.Errorf("with a refused token: exit %d, want 4, %s", r.code, r.stderr)
	}
}
