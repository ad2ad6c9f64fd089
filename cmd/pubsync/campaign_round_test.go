// Whatever befalls the program, its marketplaces and its shops, nothing is lost or doubled: the
// campaign, round by round.

package main_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// The seed is fixed, so that a run that fails blames the change before it. CI draws one each time,
// which covers new ground, and prints it. A seed stands for all that is decided; what the machine's
// timing makes of it may differ.
var (
	campaignSeed  = flag.Uint64("campaign.seed", 1, "seed of the campaigns; 0 draws one")
	campaignKills = flag.Int("campaign.kills", 0,
		"how often workers over a file are killed in all, at least once at every step")
	campaignSteps = flag.Int("campaign.steps", 2,
		"how many troubles replicas over PostgreSQL meet")
	campaignAccounts = flag.Int("campaign.accounts", 6, "how many accounts the replicas have")
)

// drawnSeed is the seed of all campaigns of a run where none is given.
var drawnSeed = rand.Uint64() | 1

// A campaign has the program work for accounts while it, their marketplaces and their shops are in
// trouble.
type campaign struct {
	t        *testing.T
	name     string
	seed     uint64
	accounts []*account
}

// A world is the store that the program works over. It says how the program is started and ended,
// and what befalls it.
type world interface {
	troubles(dice *rand.Rand) []trouble // in the order of their rounds
	rest()                              // the program works in peace until it has done what is to be done
	patience() time.Duration            // how long after that the laws may come true
	audit()                             // ends the program, and holds it to the laws of this world alone
}

// A trouble befalls the program.
type trouble struct {
	name   string
	first  bool                           // before anything is on the list
	before func(*rand.Rand)               // what is done so that it comes to this; may be nil
	befall func(*rand.Rand) (struck bool) // false: it did not come to this
	after  func()                         // holds what it left to a law of its own; may be nil
}

// tries is how often a round is tried, the first time under faults of marketplace and shop.
const tries = 20

func newCampaign(t *testing.T, name string) *campaign {
	t.Helper()
	c := &campaign{t: t, name: name, seed: *campaignSeed}
	if c.seed == 0 {
		c.seed = drawnSeed
	}
	t.Logf("%s, -campaign.seed=%d", name, c.seed)
	return c
}

// run is the campaign: its troubles, a round each, and then the laws, first while the shops refuse
// some products, then once all are mended.
func (c *campaign) run(w world) {
	c.t.Helper()
	met := map[string]int{}
	for n, tr := range w.troubles(rand.New(rand.NewPCG(c.seed, 0))) {
		c.round(n, tr)
		met[tr.name]++
	}
	w.rest()
	c.lawful(w.patience(), (*account).all)
	for _, a := range c.accounts {
		for _, id := range a.spoiled() {
			a.mend(id)
		}
	}
	w.rest()
	c.lawful(w.patience(), (*account).all)
	w.audit()
	c.sound("at the end")
	c.t.Logf("what befell the program, and how often: %v", met)
}

// round changes what is offered, has faults ready, and lets a trouble befall the program, until it
// has come to that.
func (c *campaign) round(n int, tr trouble) {
	c.t.Helper()
	for try := range tries {
		dice := c.dice(n, try)
		if !tr.first {
			for _, a := range c.accounts {
				a.stir(dice)
			}
		}
		if tr.before != nil {
			tr.before(dice)
		}
		faults := ""
		for _, a := range c.accounts {
			faults += a.arm(dice, try == 0, !tr.first)
		}
		struck := tr.befall(dice)
		for _, a := range c.accounts {
			a.calm()
		}
		if tr.after != nil {
			tr.after()
		}
		c.sound(fmt.Sprintf("round %d, %s, under the faults %s", n, tr.name, faults))
		if struck {
			return
		}
	}
	c.t.Fatalf("round %d: it never came to %q", n, tr.name)
}

// dice are those of one try at a round: whatever happened before, they fall the same.
func (c *campaign) dice(n, try int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %d", c.name, n, try)
	return rand.New(rand.NewPCG(c.seed, h.Sum64()))
}

// sound ends the test where a request has broken a law, or the test has failed.
func (c *campaign) sound(when string) {
	c.t.Helper()
	var broken []string
	for _, a := range c.accounts {
		broken = append(broken, a.ledger.take()...)
	}
	if len(broken) > 0 || c.t.Failed() {
		c.t.Fatalf("%s:\n%s", when, strings.Join(broken, "\n"))
	}
}

// lawful fails the test unless the laws of some publications of each account hold within a time.
func (c *campaign) lawful(within time.Duration, of func(*account) []string) {
	c.t.Helper()
	deadline := time.Now().Add(within)
	for _, a := range c.accounts {
		broken := a.unlawful(of(a))
		for len(broken) > 0 && time.Now().Before(deadline) {
			time.Sleep(100 * time.Millisecond)
			broken = a.unlawful(of(a))
		}
		for _, law := range broken {
			c.t.Error(law)
		}
	}
}
