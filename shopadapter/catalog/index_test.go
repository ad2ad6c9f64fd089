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
		time.Sleep(2 * passEvery)
		if got := n.Load(); got != 1 {
			t.Errorf("passes after a burst: got %d, want 1", got)
		}
		mustContain(t, "index", readFile(t, c, indexPath), fileName("a0"), fileName("a49"), "50 products")
		if _, err := c.Unpublish(t.Context(), shopadapter.Ref{Publication: "a0"}, shopadapter.TakeOffline); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		index := readFile(t, c, indexPath)
		mustContain(t, "index", index, "49 products")
		mustLack(t, "index", index, fileName("a0")+".html")
		if n.Load() != 2 {
			t.Errorf("passes while nothing changes: got %d, want 2", n.Load())
		}
	})
}

// An index that a crash left behind, or that could not be written, is caught up with by the next check.
func TestCheckCatchesUp(t *testing.T) {
	var log strings.Builder
	dir := t.TempDir()
	put(t, forsake(t, dir), bench("a"))
	synctest.Test(t, func(t *testing.T) {
		c, err := open(shopadapter.Options{
			Settings: map[string]string{"DIR": dir}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		n := passes(c)
		for range 2 {
			if _, err := c.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
		mustContain(t, "index", readFile(t, c, indexPath), fileName("a"))
		if n.Load() != 1 {
			t.Errorf("passes: got %d, want none with nothing to catch up with", n.Load())
		}
		if listing := put(t, c, bench("b")); listing.URL != "" {
			t.Errorf("the address without a base: got %q, want none", listing.URL)
		}
		setStep(c, func(string) error { return syscall.EIO })
		time.Sleep(time.Hour)
		synctest.Wait() // for the pass that logs
		setStep(c, nil)
		if n := strings.Count(log.String(), "catalogue index not written"); n != 1 {
			t.Errorf("logged %d times, want once: %s", n, log.String())
		}
		if _, err := c.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		mustContain(t, "index", readFile(t, c, indexPath), fileName("b"))
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
