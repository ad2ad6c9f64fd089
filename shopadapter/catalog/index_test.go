package catalog

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// passes counts how often the front page was written.
func passes(c *catalog) *atomic.Int64 {
	var n atomic.Int64
	setStep(c, func(doing string) error {
		if doing == "rename "+indexPath {
			n.Add(1)
		}
		return nil
	})
	return &n
}

func TestIndexFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newShop(t, t.TempDir())
		n := passes(c)
		for i := range 50 {
			put(t, c, bench(fmt.Sprint("a", i)))
		}
		if c.folder.has(indexPath) {
			t.Error("during a burst: got a pass, want none")
		}
		time.Sleep(2 * gather)
		if got := n.Load(); got != 1 {
			t.Errorf("passes after a burst: got %d, want 1", got)
		}
		mustContain(t, "index", readFile(t, c, indexPath), fileName("a0"), fileName("a49"), "50 products")

		if _, err := c.Unpublish(t.Context(), shopadapter.Ref{Publication: "a0"}, shopadapter.TakeOffline); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * gather)
		if n.Load() != 1 {
			t.Error("within the second: got a second pass, want none")
		}
		time.Sleep(passEvery)
		index := readFile(t, c, indexPath)
		mustContain(t, "index", index, "49 products")
		mustLack(t, "index", index, fileName("a0")+".html")

		time.Sleep(time.Hour)
		if n.Load() != 2 {
			t.Errorf("passes while nothing changes: got %d, want 2", n.Load())
		}
	})
}

func TestCheckCatchesUpAfterACrash(t *testing.T) {
	dir := t.TempDir()
	put(t, forsake(t, dir), bench("a"))
	synctest.Test(t, func(t *testing.T) {
		c := newShop(t, dir)
		if _, err := c.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		mustContain(t, "index", readFile(t, c, indexPath), fileName("a"))
		n := passes(c)
		if _, err := c.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if n.Load() != 0 {
			t.Error("a check with nothing to catch up with: got a pass, want none")
		}
	})
}

func TestIndexErrorIsLoggedOnceAndMended(t *testing.T) {
	var log strings.Builder
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c, err := open(
			shopadapter.Options{
				Settings: map[string]string{"DIR": dir},
				Logger:   slog.New(slog.NewTextHandler(&log, nil)),
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		if listing := put(t, c, bench("a")); listing.URL != "" {
			t.Errorf("the address without a base: got %q, want none", listing.URL)
		}
		var tries atomic.Int64
		setStep(c, func(string) error {
			tries.Add(1)
			return syscall.EIO
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := strings.Count(log.String(), "catalogue index not written"); n != 1 || tries.Load() < 5 ||
			tries.Load() > 7 {
			t.Errorf("got %d tries, logged %d times, want 5 to 7, logged once: %s", tries.Load(), n, log.String())
		}
		setStep(c, nil)
		time.Sleep(2 * afterFault)
		mustContain(t, "index", readFile(t, c, indexPath), fmt.Sprintf(`href="products/%s.html"`, fileName("a")))
		setStep(c, func(string) error { return syscall.EIO })
		if err := c.Close(); err != nil {
			t.Errorf("close with nothing owed: got %v, want nil", err)
		}
	})
}

func TestIndexShowsWhatIsOnSale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no pass begins before the shop is as it is to be
		c := newShop(t, t.TempDir())
		for _, id := range []string{"shown", "page lost", "sold out"} {
			p := bench(id)
			if id == "sold out" {
				p.Variants, p.Images, p.Title = p.Variants[1:2], nil, "Émile & Co"
			}
			put(t, c, p)
		}
		writeFile(t, c, "products/foreign.json", `{"title":"foreign"}`)
		writeFile(t, c, "products/foreign.html", `foreign`)
		writeFile(t, c, "products/copy.json", files(t, c)[recordPath(fileName("shown"))])
		writeFile(t, c, "products/copy.html", `copy`)
		if err := os.Remove(c.folder.abs(pagePath(fileName("page lost")))); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		index := readFile(t, c, indexPath)
		mustContain(
			t,
			"index",
			index,
			fileName("shown"),
			"99.95",
			"1139.50",
			"Émile &amp; Co",
			">É<",
			"Sold out",
			"2 products",
			"https://img.example.com/1.jpg",
			`<html lang="en">`,
			`<li><a class="card"`,
		)
		mustLack(t, "index", index, "foreign", "copy", fileName("page lost"))
	})
}
