// The main job on that marketplace.

package main_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// A fair is a site whose marketplace is a bazaar.
type fair struct {
	*site
	bazaar *bazaar
}

func openFair(t *testing.T, closed bool, cut time.Duration) *fair {
	t.Helper()
	t.Parallel()
	f := &fair{site: &site{t: t, shop: openShop(t), dir: t.TempDir()}, bazaar: openBazaar(t, closed, cut)}
	f.env = baseSettings(f.dir, f.bazaar.server.URL, f.shop.server.URL)
	return f
}

// told is what the bazaar was told of an entry.
func (f *fair) told(id string) []string {
	f.bazaar.mu.Lock()
	defer f.bazaar.mu.Unlock()
	return slices.Clone(f.bazaar.told[id])
}

func (f *fair) expectTold(id string, want ...string) {
	f.t.Helper()
	if got := f.told(id); !slices.Equal(got, want) {
		f.t.Errorf("the bazaar was told %v of %s, want %v", got, id, want)
	}
}

// spent is the requests, the points and the throttled answers since the last call.
func (f *fair) spent() (requests, points, throttled int) {
	f.bazaar.mu.Lock()
	defer f.bazaar.mu.Unlock()
	requests, points, throttled = f.bazaar.requests, f.bazaar.points, f.bazaar.throttled
	f.bazaar.requests, f.bazaar.points, f.bazaar.throttled = 0, 0, 0
	return requests, points, throttled
}

func TestTheMainJobOnAnotherMarketplace(t *testing.T) { importAndChange(t, false, 0) }

func TestTheMainJobOnAMarketplaceOfSeconds(t *testing.T) { importAndChange(t, false, time.Second) }

func TestTheMainJobWithoutIntrospection(t *testing.T) { importAndChange(t, true, 0) }

func TestRemovalsOnAnotherMarketplace(t *testing.T) { importAndRemove(t, false, 0) }

func TestRemovalsOnAMarketplaceOfSeconds(t *testing.T) { importAndRemove(t, false, time.Second) }

func TestRemovalsWithoutIntrospection(t *testing.T) { importAndRemove(t, true, 0) }

func importAndRemove(t *testing.T, closed bool, cut time.Duration) {
	t.Helper()
	f := openFair(t, closed, cut)
	ids := f.bazaar.add(60)
	f.imported()
	f.removals(ids)
}

// importAndChange imports sixty, of which the second run finds nothing new, and then changes some.
func importAndChange(t *testing.T, closed bool, cut time.Duration) {
	t.Helper()
	f := openFair(t, closed, cut)
	ids := f.bazaar.add(60)
	if sum := f.imported(); sum.Swept != 60 || sum.Created != 60 || sum.Reported != 60 {
		t.Errorf("the import: %+v", sum)
	}
	if n := len(f.shop.requests(http.MethodPut)); n != 60 {
		t.Errorf("%d PUTs", n)
	}
	for _, id := range ids {
		f.expectTold(id, "SUCCESS")
	}
	if requests, points, throttled := f.spent(); throttled > 0 {
		t.Errorf("throttled %d times in %d requests, %d points", throttled, requests, points)
	}
	if v := f.shop.product(t, "7").sent.Variants; len(v) != 2 || v[0].Price != "16.50" || v[1].Quantity != 6 {
		t.Errorf("variants: %+v", v)
	}

	if sum := f.imported(); sum.Updated+sum.Created+sum.Reported != 0 || len(f.shop.requests("")) != 60 {
		t.Errorf("the second run: %+v", sum)
	}
	if requests, points, _ := f.spent(); cut == 0 && (requests > 4 || points > 30) {
		t.Errorf("an idle sweep costs %d requests and %d points", requests, points)
	}
	f.changes(cut)
}

// changes has the suppliers change this and that.
func (f *fair) changes(cut time.Duration) {
	f.t.Helper()
	time.Sleep(cut) // a change within the second of the report is not to be seen in updatedAt
	f.shop.forget()
	f.bazaar.change("3", false, func(s *stall) { s.wares[0].msrp = "17" })
	f.bazaar.change("4", false, func(s *stall) { s.wares[0].quantity = 1 })
	f.bazaar.change("5", false, func(s *stall) { s.wares[0].msrp, s.wares[1].quantity = "33", 77 })
	if sum := f.once(); sum.Exit != 1 || sum.Held != 1 || sum.Updated != 3 {
		f.t.Errorf("the changes: %+v", sum)
	}
	for id, want := range map[string]string{"3": "price", "4": "stock", "5": "stock"} {
		if puts := f.shop.puts(id); len(puts) != 1 || !slices.Equal(puts[0].Sent.Changed, []string{want}) {
			f.t.Errorf("the change of %s: %d PUTs", id, len(puts))
		}
	}
	if v := f.shop.product(f.t, "5").sent.Variants; v[0].Price != "16.50" || v[1].Quantity != 77 {
		f.t.Errorf("held and flowing: %+v", v)
	}
	if r := f.call("approve", "5"); r.code != 0 {
		f.t.Errorf("approve: exit %d, %s", r.code, r.stderr)
	}
	if f.imported(); f.prices("5")[0] != "33.00" {
		f.t.Errorf("approved: %v", f.prices("5"))
	}

	// What the shop refuses is told, and told anew when it is mended.
	id := f.bazaar.add(1)[0]
	f.shop.rules(only(id, problem(422, "no kettles of that name")))
	if sum := f.once(); sum.Exit != 1 || sum.Rejected != 1 {
		f.t.Errorf("the refusal: %+v", sum)
	}
	f.expectTold(id, "FAILED")
	f.shop.rules(nil)
	time.Sleep(cut)
	f.bazaar.change(id, false, func(s *stall) { s.title = "A good kettle" })
	f.imported()
	f.expectTold(id, "FAILED", "SUCCESS")

	// The supplier changes the price of one between the reading and the report.
	other := f.bazaar.add(1)[0]
	changed := false
	f.bazaar.mu.Lock()
	f.bazaar.onRead = func(s *stall) {
		if !changed && s.title == "Kettle "+other {
			changed = true
			s.wares[0].msrp = "18"
			f.bazaar.touch(s)
		}
	}
	f.bazaar.mu.Unlock()
	f.imported()
	if cut > 0 {
		f.imported("--full")
	}
	if got := f.prices(other); !changed || got[0] != "18.00" {
		f.t.Errorf("the price is %v", got)
	}
	f.expectTold(other, "SUCCESS")
}

// removals takes some, then many, off the list, and refuses the token.
func (f *fair) removals(ids []string) {
	f.t.Helper()
	remove := func(ids ...string) {
		for _, id := range ids {
			f.bazaar.change(id, true, func(s *stall) { s.gone = true })
		}
	}
	onSale := f.shop.onSale()
	f.set("MARKETPLACE_TOKEN", "an-old-one")
	if sum := f.once("--full"); sum.Exit != 3 || f.shop.onSale() != onSale {
		f.t.Errorf("a refused token: %+v", sum)
	}
	f.set("MARKETPLACE_TOKEN", marketToken)
	remove(ids[10:13]...)
	if sum := f.imported("--full"); sum.Withdrawn != 3 || f.shop.onSale() != onSale-3 {
		f.t.Errorf("three removals: %+v", sum)
	}
	remove(ids[20:50]...)
	if sum := f.once("--full"); sum.Exit != 1 || sum.Held != 30 || f.shop.onSale() != onSale-3 {
		f.t.Errorf("thirty removals: %+v", sum)
	}
	if r := f.call("approve", "--all"); r.code != 0 {
		f.t.Errorf("approve: exit %d, %s", r.code, r.stderr)
	}
	if sum := f.imported(); sum.Withdrawn != 30 || f.shop.onSale() != onSale-33 {
		f.t.Errorf("approved: %+v", sum)
	}
}

func TestTheWorkerOnAnotherMarketplace(t *testing.T) {
	f := openFair(t, false, 0)
	ids := f.bazaar.add(5)
	listen := freePort(t)
	w := f.work("WEBHOOK_LISTEN", listen, "WEBHOOK_URL", "http://"+listen+"/webhooks")
	w.settles(5)
	eventually(t, 5*time.Second, "registered", func() bool {
		f.bazaar.mu.Lock()
		defer f.bazaar.mu.Unlock()
		return len(f.bazaar.hooks) == 1
	})
	id := f.bazaar.add(1)[0]
	// The bazaar writes its numbers as numbers.
	if status := w.hook("PUBLICATION_CREATED", `{"data":{"publication":{"id":`+id+`}}}`); status != 204 {
		t.Fatalf("the webhook was answered with %d, want %d", status, 204)
	}
	eventually(t, 5*time.Second, "reported", func() bool { return slices.Equal(f.told(id), []string{"SUCCESS"}) })
	f.bazaar.change(ids[0], true, func(s *stall) { s.wares[0].msrp = "17.25" })
	if status := w.hint(`{"data":{"product":{"id":"7` + ids[0] + `"}}}`); status != 204 {
		t.Fatalf("the webhook was answered with %d, want %d", status, 204)
	}
	eventually(t, 5*time.Second, "refreshed", func() bool { return f.prices(ids[0])[0] == "17.25" })
	w.stop()
	f.bazaar.mu.Lock()
	reads := maps.Clone(f.bazaar.reads)
	f.bazaar.mu.Unlock()
	for _, id := range append(ids[1:], id) {
		if reads[id] != 1 {
			t.Errorf("%s was read %d times", id, reads[id])
		}
	}
	if strings.Contains(w.stderr.String(), `"ERROR"`) {
		t.Errorf("errors in the log: %s", tail(w.stderr.String()))
	}
}

func TestAReportThatDoesNotValidateStaysOwed(t *testing.T) {
	f := openFair(t, false, 0)
	ids := f.bazaar.add(4)
	refuse := func(message string) {
		f.bazaar.mu.Lock()
		defer f.bazaar.mu.Unlock()
		f.bazaar.refusing = message
	}
	refuse(`Unknown type "StatusUpdate".`)
	if sum := f.once("--patience", "2s"); sum.Exit != 3 || sum.Reported != 0 || sum.Created != 4 || sum.Error == "" {
		t.Errorf("the run: %+v", sum)
	}
	refuse("")
	if sum := f.imported(); sum.Reported != 4 {
		t.Errorf("the next run: %+v", sum)
	}
	for _, id := range ids {
		f.expectTold(id, "SUCCESS")
	}
}

// Reports that another marketplace refuses stand, and are made again by the next run and by a
// worker until they are taken.
func TestRefusedReportsOnAnotherMarketplace(t *testing.T) {
	f := openFair(t, false, 0)
	ids := f.bazaar.add(5)
	f.bazaar.mu.Lock()
	f.bazaar.denied = map[string]int{ids[0]: 1, ids[3]: 3}
	f.bazaar.mu.Unlock()
	if sum := f.once(); sum.Exit != 1 || sum.Created != 5 || sum.Reported != 3 || sum.Refused != 2 || sum.Error != "" {
		t.Errorf("the first run: %+v", sum)
	}
	if sum := f.once(); sum.Exit != 1 || sum.Reported != 1 || sum.Refused != 1 {
		t.Errorf("the second run: %+v", sum)
	}
	if l := f.expectState(ids[3], "live"); !strings.Contains(l.Error, "is being reviewed") {
		t.Errorf("the merchant is told %q", l.Error)
	}
	w := f.work()
	eventually(t, 30*time.Second, "the last report is taken", func() bool { return len(f.told(ids[3])) == 1 })
	w.settles(5)
	w.stop()
	for _, id := range ids {
		f.expectTold(id, "SUCCESS")
	}
}
