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

	"github.com/pubsync/pubsync/connector/desk"
)

// pagesIn is how many pages there are in a folder.
func pagesIn(t *testing.T, dir string) (pages int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if filepath.Ext(path) == ".html" {
			pages++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// A configured shop is not touched by a demo that is not told to.
func TestDemoOnceImportsAndLeavesPages(t *testing.T) {
	t.Parallel()
	temporary, own := t.TempDir(), openShop(t)
	env := settings{"TMPDIR": temporary}.with("SHOP_ADAPTER", "http", "HTTP_URL", own.server.URL, "HTTP_TOKEN", shopToken)
	r := call(t, t.TempDir(), env, "demo", "--once", "--json")
	var sum desk.Summary
	r.decode(t, &sum)
	if n := len(own.requests("")); r.code != 0 || sum.Created < 20 || sum.Reported < 20 || n > 0 {
		t.Errorf("exit %d, want 0, %+v, %d requests of the configured shop: %s", r.code, sum, n, r.stderr)
	}
	index := regexp.MustCompile(regexp.QuoteMeta(temporary) + `\S*index\.html`).FindString(r.stderr)
	if index == "" || pagesIn(t, filepath.Dir(index)) < 20 {
		t.Errorf("the folder of the pages is not printed, or has few: %s", r.stderr)
	}
	if stores, err := filepath.Glob(filepath.Join(temporary, "*", "*.db*")); err != nil || len(stores) != 0 {
		t.Errorf("the temporary store is left: %v", stores)
	}

	dir := filepath.Join(t.TempDir(), "shop")
	r = call(t, t.TempDir(), env.with("CATALOG_DIR", dir), "demo", "--adapter", "catalog", "--once")
	if pages := pagesIn(t, dir); r.code != 0 || pages < 20 {
		t.Errorf("exit %d, want 0, %d pages in PUBSYNC_CATALOG_DIR", r.code, pages)
	}

	if r := call(t, t.TempDir(), env, "demo", "--adapter", "http", "--once"); r.code != 0 || own.onSale() < 20 ||
		strings.Contains(r.stderr, "index.html") {
		t.Errorf("in a shop of one's own: exit %d, want 0, and %d on sale: %s", r.code, own.onSale(), r.stderr)
	}
}

// announced finds a line of the demo's story, and waits for it.
func (p *process) announced(t *testing.T, within time.Duration, line string) []string {
	t.Helper()
	pattern := regexp.MustCompile(line)
	var m []string
	eventually(t, within, line, func() bool { m = pattern.FindStringSubmatch(p.stdout.String()); return m != nil })
	return m
}

// Its pages show what it announces, within a second or so, and what it says to type works.
func TestDemoShowsAChangeInItsShopWithinASecond(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	p := launch(t, t.TempDir(), settings{"TMPDIR": temporary}, "demo") // where default ports are taken it uses free ones
	shop := p.announced(t, 15*time.Second, `the shop +(http://127\.0\.0\.1:\d+/catalog)/`)[1]
	dashboard := p.announced(t, time.Second, `the status page +(http://127\.0\.0\.1:\d+)/`)[1]
	market := p.announced(t, time.Second, `pubsync sandbox do --at (http://127\.0\.0\.1:\d+) `)[1]
	live := func(what string) (page string) { // of a product on sale, by its id or title
		var list struct {
			Publications []struct{ ID, Title, URL string }
		}
		_, answer := ask(t, "GET", dashboard+"/api/v1/publications?state=live", "", nil)
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
	for _, address := range []string{shop, dashboard} {
		if res, _ := ask(t, "GET", address+"/", "", nil); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", address, res.Status)
		}
	}
	change := p.announced(t, 10*time.Second, `the supplier changes the price of “(.*)” to (\d+\.\d\d)`)
	eventually(t, slack*time.Second, "the shop shows: "+change[0], func() bool {
		return strings.Contains(live(change[1]), change[2])
	})
	beside := p.announced(t, time.Second, `PUBSYNC_ADMIN_LISTEN=(\S+) PUBSYNC_STORE_PATH=(\S+) `+
		regexp.QuoteMeta(binary)+` approve --all`)
	own := settings{}.with("ADMIN_LISTEN", beside[1], "STORE_PATH", beside[2])
	eventually(t, 10*time.Second, "what the demo says to type approves a doubled price", func() bool {
		return call(t, t.TempDir(), own, "approve", "--all").stdout == "1 approved\n"
	})
	mug := (&playground{t: t, address: market}).order("add", "mug")[0]
	p.announced(t, 5*time.Second, `the retailer imports “Stoneware mug, 30 cl No. \d+”`)
	eventually(t, slack*time.Second, "the shop shows the mug", func() bool { return live(mug) != "" })
	p.signal(sigint)
	if code := p.code(20 * time.Second); code != 0 {
		t.Errorf("exit %d", code)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
