// Whatever befalls the program, its marketplaces and its shops, nothing is lost or doubled: the
// campaigns, round by round.

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
	campaignSteps    = flag.Int("campaign.steps", 2, "how many troubles replicas over PostgreSQL meet")
	campaignAccounts = flag.Int("campaign.accounts", 6, "how many accounts the replicas have")
)

// drawnSeed is the seed of all campaigns of a run where none is given.
var drawnSeed = rand.Uint64() | 1

// tries is how often a round is tried, the first time under faults of marketplace and shop.
const tries = 20

// A campaign has the program work for accounts while it, their marketplaces and their shops are in
// trouble.
type campaign struct {
	t        *testing.T
	name     string
	seed     uint64
	accounts []*account
}

func newCampaign(t *testing.T, name string) *campaign {
	t.Helper()
	c := &campaign{t: t, name: name, seed: *campaignSeed}
	if c.seed == 0 {
		c.seed = drawnSeed
	}
	t.Logf("%s, -campaign.seed=%d", name, c.seed)
	return c
}

// round changes what is offered and lets a trouble befall the program, until it has come to that.
func (c *campaign) round(n int, trouble string, befall func(dice *rand.Rand) (struck bool)) {
	c.t.Helper()
	for try := range tries {
		h := fnv.New64a()
		fmt.Fprintf(h, "%s %d %d", c.name, n, try)
		dice := rand.New(rand.NewPCG(c.seed, h.Sum64())) // they fall the same, whatever happened before
		for _, a := range c.accounts {
			for range 6 {
				a.move(dice)
			}
			if try == 0 {
				a.arm(dice)
			}
		}
		struck := befall(dice)
		for _, a := range c.accounts {
			a.calm()
		}
		c.sound(fmt.Sprintf("round %d, %s", n, trouble))
		if struck {
			return
		}
	}
	c.t.Fatalf("round %d: it never came to %q", n, trouble)
}

// sound ends the test where a request has broken a law, or the test has failed.
func (c *campaign) sound(when string) {
	c.t.Helper()
	var broken []string
	for _, a := range c.accounts {
		broken = append(broken, a.ledger.faults()...)
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
