// An account of a campaign: what its marketplace and its shop are asked, what they answer, and where
// a kill is made to fall.

package main_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// An account is a marketplace and a shop behind doors, with a supply that changes.
type account struct {
	name string
	supply
	marketDoor, shopDoor *door

	mu      sync.Mutex
	trap    *trap
	blows   []blow
	counts  map[sight]int
	replies map[string]shoptest.Reply
	midway  func() // moves while the list is being paged through
}

// A trap is where a kill falls.
type trap struct {
	step
	nth    int           // of the requests at the sight of the step
	id     string        // of the publication whose request it was
	sprung chan struct{} // closed when it has come to that
	struck chan struct{} // closed when the signal has been sent, and with SIGKILL the process is gone
}

// openAccount puts doors before the marketplace and the shop of a site.
func openAccount(t *testing.T, name string, s *site, most int) *account {
	t.Helper()
	a := &account{name: name, supply: supply{
		site: s, ledger: newLedger(s.shop), most: most, changes: map[string]int{}, told: map[string]int{},
	}}
	a.made = len(s.market.Publications())
	a.marketDoor = openDoor(t, s.market.Handler(), a.see)
	a.shopDoor = openDoor(t, s.shop, a.see)
	s.shop.rules(a.reply)
	a.calm()
	return a
}

// everybody is the caller of the marketplace, which has one address for all replicas.
const everybody = "everybody"

// by is the settings with which a replica comes to the doors.
func (a *account) by(replica string) settings {
	return a.env.with("MARKETPLACE_URL", a.marketDoor.URL+"/"+everybody, "HTTP_URL", a.shopDoor.URL+"/"+replica)
}

// arm has faults ready, where there are to be some, and has products change while the list is paged
// through. It returns the faults in words.
func (a *account) arm(dice *rand.Rand, faults, moves bool) string {
	var blows []blow
	if faults {
		blows = drawBlows(dice)
	}
	moved := rand.New(rand.NewPCG(dice.Uint64(), 0))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.blows = blows
	a.midway = sync.OnceFunc(func() {
		for range 3 {
			if moves {
				a.move(moved)
			}
		}
	})
	return fmt.Sprintf("%+v", blows)
}

// calm ends all that was in force in a round.
func (a *account) calm() {
	a.mu.Lock()
	midway := a.midway
	a.trap, a.blows, a.midway = nil, nil, nil
	a.counts, a.replies = map[sight]int{}, map[string]shoptest.Reply{}
	a.mu.Unlock()
	a.market.Heal()
	if midway != nil {
		midway()
	}
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
	a.counts[s]++
	n := a.counts[s]
	for _, b := range a.blows {
		if s == (sight{b.kind, arrived}) && b.nth == n {
			a.replies[l.id] = b.shop
			if b.market.Kind != "" {
				a.market.Inject(b.market)
			}
		}
	}
	midway, tr := a.midway, a.trap
	here := tr != nil && tr.at == s
	springs := here && tr.nth == n
	if springs {
		tr.id = l.id
		close(tr.sprung)
	}
	a.mu.Unlock()
	if s == (sight{sandbox.KindList, executed}) && midway != nil {
		midway()
	}
	switch {
	case here && tr.hang:
		<-l.sender
		return false
	case springs && s.moment != answered:
		<-tr.struck
		return tr.term // what drains goes on
	}
	return true
}

// reply is the shop's rule: what a blow says, and no to what is forbidden.
func (a *account) reply(c shoptest.Call) shoptest.Reply {
	id := string(c.ID)
	a.mu.Lock()
	v, struck := a.replies[id]
	delete(a.replies, id)
	a.mu.Unlock()
	spared := struck && (v.Status != 0 || v.Cut == shoptest.Before)
	if strings.HasPrefix(c.Product.Title, forbidden) && !spared {
		a.ledger.refuses(id)
		return problem(http.StatusUnprocessableEntity, "such things are not sold here")
	}
	return v
}
