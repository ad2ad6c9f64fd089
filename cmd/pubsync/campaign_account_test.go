// An account of a campaign: what its suppliers and its retailer do, which faults befall its
// marketplace and its shop, and where a kill is made to fall.

package main_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// An account is a marketplace and a shop behind doors, with a supply that changes.
type account struct {
	*site
	name                 string
	most                 int // so many products are offered at most
	marketDoor, shopDoor *door
	ledger               *ledger

	mu      sync.Mutex
	trap    *trap
	faults  *rand.Rand // of the shop; nil: it has none
	made    int
	changes map[string]int // how often each publication has changed
	told    map[string]int // the change that each one's last webhook told; 0: it was not acknowledged
	gone    []string       // taken off the list, and not put back
}

// A trap is where a kill falls.
type trap struct {
	step
	nth    int           // of the requests at the sight of the step
	sprung chan struct{} // closed when it has come to that
	struck chan struct{} // closed when the signal has been sent, and with SIGKILL the process is gone
}

// openAccount puts doors before the marketplace and the shop of a site.
func openAccount(t *testing.T, name string, s *site, most int) *account {
	t.Helper()
	a := &account{
		site: s, name: name, most: most, ledger: &ledger{shop: s.shop, removed: map[string]bool{}},
		made: len(s.market.Publications()), changes: map[string]int{}, told: map[string]int{},
	}
	a.marketDoor, a.shopDoor = openDoor(t, s.market.Handler(), a.see), openDoor(t, s.shop, a.see)
	s.shop.rules(a.reply)
	return a
}

// by is the settings with which a replica comes to the doors.
func (a *account) by(replica string) settings {
	return a.env.with("MARKETPLACE_URL", a.marketDoor.URL+"/"+everybody, "HTTP_URL", a.shopDoor.URL+"/"+replica)
}

// everybody is the caller of the marketplace, which has one address for all replicas.
const everybody = "everybody"

// marketFaults are what befalls the marketplace: answers lost before and after what was asked is
// done, HTML, being throttled, and an empty list.
var marketFaults = []sandbox.Fault{
	{Kind: sandbox.Cut},
	{Kind: sandbox.Cut, Executed: true},
	{Kind: sandbox.HTML, Executed: true},
	{Kind: sandbox.ThrottledNow},
	{Kind: sandbox.InternalError, Executed: true},
	{Kind: sandbox.EmptyList},
	{Kind: sandbox.RefusedReport},
}

var marketKinds = []sandbox.Kind{
	sandbox.KindOther, sandbox.KindList, sandbox.KindContent, sandbox.KindLook, sandbox.KindReport,
}

var shopFaults = []shoptest.Reply{
	{Cut: shoptest.Before},
	{Wait: 30 * time.Millisecond, Cut: shoptest.After},
	{Status: 429, Err: shopadapter.Retry("too many").After(time.Second)},
	{Status: 503},
}

// arm has faults ready.
func (a *account) arm(dice *rand.Rand) {
	for range dice.IntN(3) {
		f := marketFaults[dice.IntN(len(marketFaults))]
		f.Next, f.On = 1, []sandbox.Kind{marketKinds[dice.IntN(len(marketKinds))]}
		a.market.Inject(f)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults = rand.New(rand.NewPCG(dice.Uint64(), 0))
}

// calm ends all that was in force in a round.
func (a *account) calm() {
	a.mu.Lock()
	a.trap, a.faults = nil, nil
	a.mu.Unlock()
	a.market.Heal()
}

func (a *account) lay(s step, dice *rand.Rand) *trap {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.trap = &trap{
		step: s, nth: 1 + dice.IntN(max(s.most, 1)), sprung: make(chan struct{}), struck: make(chan struct{}),
	}
	return a.trap
}

// see is told of every request, of both sides, at each of its moments. It reports whether the
// request goes on.
func (a *account) see(s sight, l letter) (on bool) {
	a.ledger.sees(s, l)
	a.mu.Lock()
	tr, springs := a.trap, false
	if tr != nil && tr.at == s {
		if tr.nth--; tr.nth == 0 {
			springs = true
			close(tr.sprung)
		}
	}
	a.mu.Unlock()
	if springs && s.moment != answered {
		<-tr.struck
		return tr.term // what drains goes on
	}
	return true
}

// reply is the shop's rule: now and then a fault.
func (a *account) reply(shoptest.Call) (v shoptest.Reply) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.faults != nil && a.faults.IntN(8) == 0 {
		v = shopFaults[a.faults.IntN(len(shopFaults))]
	}
	return v
}

// grow puts new lamps on the list. Some share their SKUs with the one before.
func (a *account) grow(n int) (id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for range n {
		a.made++
		l := lamp(a.made - a.made%5/4)
		id = a.add(l)
		a.changes[id] = 1
	}
	return id
}

func (a *account) pick(dice *rand.Rand) string {
	list := a.market.Publications()
	return list[dice.IntN(len(list))].ID
}

// move changes one product or adds one, and returns its publication.
func (a *account) move(dice *rand.Rand) (id string) {
	if dice.IntN(4) == 0 && len(a.market.Publications()) < a.most {
		return a.grow(1)
	}
	id = a.pick(dice)
	a.change(id, dice)
	return id
}

// change has the supplier change one to three things of a product, the price by little: no brake is
// to hold it.
func (a *account) change(id string, dice *rand.Rand) {
	a.update(id, func(l *sandbox.Listing) {
		for range 1 + dice.IntN(3) {
			v := &l.Variants[dice.IntN(len(l.Variants))]
			n := dice.IntN(1000)
			switch dice.IntN(6) {
			case 0:
				v.Quantity = n % 50
			case 1, 2:
				v.MSRP = fmt.Sprintf("2%d.%02d", n%5, n/5%100)
			case 3:
				describe(l, n)
			case 4:
				l.Pictures[0].URL = fmt.Sprintf("https://pictures.example/edition-%d.jpg", n)
			default:
				vary(l, n)
			}
		}
	})
}

func describe(l *sandbox.Listing, edition int) {
	text := l.Texts["en"]
	text.Description = fmt.Sprintf("<p>Edition <b>%d</b>.</p>", edition)
	l.Texts = map[string]sandbox.Text{"en": text, "nl": l.Texts["nl"]}
}

// vary adds a third variant, or takes it away.
func vary(l *sandbox.Listing, n int) {
	if len(l.Variants) > 2 {
		l.Variants = l.Variants[:2]
		return
	}
	v := l.Variants[0]
	v.ID, v.SKU, v.Options = "", fmt.Sprintf("%s-%d", v.SKU, n), color("Green")
	l.Variants = append(l.Variants, v)
}

func (a *account) remove(id string) {
	a.ledger.off(id)
	a.market.Remove(id)
	a.gone = append(a.gone, id)
}

// restore puts the one that has been gone longest back. That is a change.
func (a *account) restore() {
	if len(a.gone) > 0 {
		a.changes[a.gone[0]]++
		a.market.Restore(a.gone[0])
		a.gone = slices.Delete(a.gone, 0, 1)
	}
}

func (a *account) update(id string, f func(*sandbox.Listing), how ...sandbox.Change) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes[id]++
	if err := a.market.Update(id, f, how...); err != nil {
		a.t.Error(err)
	}
}

// tell sends the webhook of a publication's last change to an address, and reports whether it was
// acknowledged.
func (a *account) tell(address, id string) bool {
	a.mu.Lock()
	change := a.changes[id]
	a.told[id] = 0
	a.mu.Unlock()
	body := created(id)
	r, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		a.t.Error(err)
		return false
	}
	r.Header.Set("X-Service-Signature", signature(body)) // an unsigned one may wait for a minute
	res, err := (&http.Client{Timeout: 5 * time.Second}).Do(r)
	if err != nil { // the program has ended, or waits for its database
		return false
	}
	_ = res.Body.Close() //nolint:errcheck // it has none
	if res.StatusCode != http.StatusNoContent {
		if res.StatusCode != http.StatusServiceUnavailable {
			a.t.Errorf("a webhook to %s: %d, want 204 or 503", address, res.StatusCode)
		}
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told[id] = change
	return true
}

// asTold is the publications whose last change an acknowledged webhook told.
func (a *account) asTold() (ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, change := range a.told {
		if change > 0 && change == a.changes[id] {
			ids = append(ids, id)
		}
	}
	return ids
}
