package catalog

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
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
		if c.folder.has(indexPath) || !c.folder.has(behindPath) {
			t.Error("during a burst: got a pass or no word that the index is behind, want the word alone")
		}
		time.Sleep(2 * gather)
		if got := n.Load(); got != 1 {
			t.Errorf("passes after a burst: got %d, want 1", got)
		}
		if c.folder.has(behindPath) {
			t.Error("after a burst: got the index behind, want it up to date")
		}
		mustContain(t, "index", readFile(t, c, indexPath), fileName("a0"), fileName("a49"), "50 products")

		if err := c.Unpublish(t.Context(), shopadapter.Ref{Publication: "a0"}, shopadapter.TakeOffline); err != nil {
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

// A thousand publishes in ten seconds are at most a pass a second.
func TestIndexIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newShop(t, t.TempDir())
		n := passes(c)
		for i := range 200 {
			p := bench(fmt.Sprint("a", i%5))
			p.Title = fmt.Sprint("Edition ", i)
			put(t, c, p)
			time.Sleep(50 * time.Millisecond)
		}
		if got := n.Load(); got < 8 || got > 11 {
			t.Errorf("%d passes in ten seconds", got)
		}
	})
}

func TestCloseBringsTheIndexUpToDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newShop(t, t.TempDir())
		put(t, c, bench("a"))
		for range 2 {
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		mustContain(t, "index", readFile(t, c, indexPath), fileName("a"), "1 product<")
		if c.folder.has(behindPath) {
			t.Error("the index: got it behind, want it up to date")
		}
		n := passes(c)
		put(t, c, bench("late"))
		time.Sleep(time.Minute)
		if n.Load() != 0 || !c.folder.has(behindPath) {
			t.Error("a publish after Close: got a pass or no word that the index is behind, want the word alone")
		}
	})
}

func TestCloseDuringPass(t *testing.T) {
	c := newShop(t, t.TempDir())
	entered, leave := make(chan struct{}), make(chan struct{})
	var once sync.Once
	setStep(c, func(doing string) error {
		if doing == "rename "+indexPath {
			once.Do(func() {
				close(entered)
				<-leave
			})
		}
		return nil
	})
	put(t, c, bench("a"))
	<-entered
	put(t, c, bench("b")) // too late for the pass under way
	closed := make(chan error)
	go func() { closed <- c.Close() }()
	close(leave)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	mustContain(t, "index", readFile(t, c, indexPath), fileName("a"), fileName("b"))
	if c.folder.has(behindPath) {
		t.Error("the index: got it behind, want it up to date")
	}
}

func TestCheckCatchesUpAfterACrash(t *testing.T) {
	dir := t.TempDir()
	put(t, forsake(t, dir), bench("a"))
	synctest.Test(t, func(t *testing.T) {
		c := newShop(t, dir)
		if err := c.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		mustContain(t, "index", readFile(t, c, indexPath), fileName("a"))
		if c.folder.has(behindPath) {
			t.Error("the index: got it behind, want it up to date")
		}
		n := passes(c)
		if err := c.Check(t.Context()); err != nil {
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

func TestCloseReportsWhatItCouldNotWrite(t *testing.T) {
	c, err := open(shopadapter.Options{Settings: map[string]string{"DIR": t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, c, bench("a"))
	setStep(c, func(string) error { return syscall.ENOSPC })
	if err := c.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("close on a full disk: got %v, want %v", err, syscall.ENOSPC)
	}
	if !c.folder.has(behindPath) {
		t.Error("got no word that the index is behind, want it")
	}
}

func TestIndexShowsWhatIsOnSale(t *testing.T) {
	c := newShop(t, t.TempDir())
	for _, id := range []string{"shown", "page lost", "record lost", "edited", "sold out"} {
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
	edit(t, c, "edited", func(r map[string]any) { r["title"] = "The merchant's own" })
	lost := []string{pagePath(fileName("page lost")), recordPath(fileName("record lost"))}
	if err := errors.Join(os.Remove(c.folder.abs(lost[0])), os.Remove(c.folder.abs(lost[1]))); err != nil {
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
		"The merchant&#39;s own",
		"99.95",
		"1139.50",
		"Émile &amp; Co",
		">É<",
		"Sold out",
		"3 products",
		"https://img.example.com/1.jpg",
		`<html lang="en">`,
		`<li><a class="card"`,
	)
	mustLack(t, "index", index, "foreign", "copy", fileName("page lost"), fileName("record lost"))
}

// A record that is broken or half-written while a pass reads it does not take the product out of
// the index: its page is on sale.
func TestIndexKeepsCardOfBrokenRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newShop(t, t.TempDir())
		put(t, c, bench("a"))
		time.Sleep(time.Minute)
		path := recordPath(fileName("a"))
		whole := readFile(t, c, path)
		for _, step := range []struct{ content, shows string }{
			{whole[:len(whole)/2], "Oak bench"}, {strings.ReplaceAll(whole, "Oak", "Elm"), "Elm bench"},
		} {
			writeFile(t, c, path, step.content)
			p := bench("b")
			p.Title = "To set off a pass before " + step.shows
			put(t, c, p)
			time.Sleep(time.Minute)
			mustContain(t, "index", readFile(t, c, indexPath), fileName("a"), ">"+step.shows)
		}
	})
}

func TestPaged(t *testing.T) {
	cards := func(n int) []*card {
		all := make([]*card, n)
		for i := range all {
			all[i] = &card{Href: fmt.Sprint(n - i)} // the newest has the highest number
		}
		return all
	}
	for n, want := range map[int][]string{
		0: {"index.html 0-0"}, 1: {"index.html 1-1"}, 60: {"index.html 60-1"}, 119: {"index.html 119-1"},
		120: {"index.html 120-61 older page-1.html", "page-1.html 60-1 newer index.html"},
		179: {"index.html 179-61 older page-1.html", "page-1.html 60-1 newer index.html"},
		200: {
			"index.html 200-121 older page-2.html", "page-2.html 120-61 newer index.html older page-1.html",
			"page-1.html 60-1 newer page-2.html",
		},
	} {
		var got []string
		for _, p := range paged(nil, indexPage{}, cards(n), "index", "page") {
			first, last := "0", "0"
			if len(p.Cards) > 0 {
				first, last = p.Cards[0].Href, p.Cards[len(p.Cards)-1].Href
			}
			s := fmt.Sprintf("%s %s-%s", p.path, first, last)
			if p.Newer != "" {
				s += " newer " + p.Newer
			}
			if p.Older != "" {
				s += " older " + p.Older
			}
			got = append(got, s)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d cards: %q, want %q", n, got, want)
		}
	}
}

// A category shows the branch that it stands in, also after a restart, and that of a category which
// the merchant chose is not made up.
func TestIndexShowsTheBranch(t *testing.T) { synctest.Test(t, testIndexShowsTheBranch) }

func testIndexShowsTheBranch(t *testing.T) {
	c := newShop(t, t.TempDir())
	for i, leaf := range []string{"Candles", "Clocks"} {
		p := bench(fmt.Sprint("a", i))
		path := "HOME_LIVING_" + strings.ToUpper(leaf)
		p.Category = shopadapter.Category{
			Path: path, Name: leaf, Branch: []shopadapter.Level{
				{Path: "HOME_LIVING", Name: "Home & living"}, {Path: path, Name: leaf},
			},
		}
		put(t, c, p)
	}
	again := newShop(t, c.folder.dir)
	put(t, again, bench("new"))
	time.Sleep(time.Minute)
	for _, leaf := range []string{"Candles", "Clocks"} {
		mustContain(t, "navigation", readFile(t, c, "index.html"), ">Home &amp; living › "+leaf+"</a>")
	}
}

// A new product must not rewrite the archive: only the front pages of the range and of its category
// change.
func TestIndexRewritesLittle(t *testing.T) { synctest.Test(t, testIndexRewritesLittle) }

func testIndexRewritesLittle(t *testing.T) {
	c := newShop(t, t.TempDir())
	for i := range 190 {
		p := bench(fmt.Sprint("a", i))
		p.Category.Path = []string{"TOYS", "KITCHEN"}[i%2]
		p.Category.Name = ""
		put(t, c, p)
	}
	time.Sleep(time.Minute)
	var index []string
	for path := range files(t, c) {
		if !strings.Contains(path, "/") {
			index = append(index, path)
		}
	}
	slices.Sort(index)
	toys, kitchen := categoryStem("TOYS")+".html", categoryStem("KITCHEN")+".html"
	want := []string{kitchen, toys, "index.html", "page-1.html", "page-2.html"}
	slices.Sort(want)
	if !slices.Equal(index, want) {
		t.Fatalf("index pages: %q, want %q", index, want)
	}
	mustContain(
		t,
		"navigation",
		readFile(t, c, "page-1.html"),
		`<a href="`+toys+`">Toys</a>`,
		`<a href="`+kitchen+`">Kitchen</a>`,
	)

	for _, again := range []*catalog{c, newShop(t, c.folder.dir)} {
		var renamed []string
		setStep(again, func(doing string) error {
			if path, ok := strings.CutPrefix(doing, "rename "); ok && !strings.Contains(path, "/") {
				renamed = append(renamed, path)
			}
			return nil
		})
		p := bench(fmt.Sprint("new", again == c))
		p.Category = shopadapter.Category{Path: "TOYS"}
		put(t, again, p)
		time.Sleep(time.Minute)
		synctest.Wait()
		slices.Sort(renamed)
		if want := []string{toys, "index.html"}; !slices.Equal(renamed, want) {
			t.Errorf("rewritten: %q, want %q", renamed, want)
		}
		setStep(again, nil)
	}
}

func TestIndexPagesThatAreNoMoreAreRemoved(t *testing.T) {
	c := newShop(t, t.TempDir())
	for i := range 130 {
		p := bench(fmt.Sprint("a", i))
		p.Category.Path = fmt.Sprint("C", i%2)
		put(t, c, p)
	}
	writeFile(t, c, "page-mine.html", "<p>mine")
	writeFile(t, c, "category-mine.html", "<p>mine")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if !c.folder.has("page-1.html") || !c.folder.has(categoryStem("C1")+".html") {
		t.Fatal("pages are missing")
	}
	c = newShop(t, c.folder.dir)
	for i := range 129 {
		ref := shopadapter.Ref{Publication: shopadapter.PublicationID(fmt.Sprint("a", i+1))}
		if err := c.Unpublish(t.Context(), ref, shopadapter.Delete); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	var left []string
	for path := range files(t, c) {
		left = append(left, path)
	}
	slices.Sort(left)
	want := []string{
		categoryStem(
			"C0",
		) + ".html", "category-mine.html", "index.html", "page-mine.html",
		recordPath(fileName("a0")), pagePath(fileName("a0")),
	}
	slices.Sort(want)
	if !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

func TestParallel(t *testing.T) {
	c := newShop(t, t.TempDir())
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 20 {
				p := bench(fmt.Sprint("w", worker, "-", i%4))
				p.Title = fmt.Sprint("Edition ", i)
				if _, err := c.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields); err != nil {
					t.Error(err)
				}
				if i%5 == 4 {
					if err := c.Unpublish(t.Context(), shopadapter.Ref{Publication: p.ID}, shopadapter.Removal(i%2)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for listed, err := range c.Listings(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if listed.OnSale {
			shown++
		}
	}
	mustContain(t, "index", readFile(t, c, indexPath), fmt.Sprintf("%d products", shown))
}
