// Kills at every step lose and double nothing: the campaigns.

package main_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store/memorytest"
)

// The seed is fixed, so that a run that fails blames the change before it. CI draws one each time,
// which covers new ground, and prints it.
var (
	crashSeed  = flag.Uint64("crash.seed", 1, "seed of the crash campaign; 0 draws one")
	crashKills = flag.Int("crash.kills", 0, "how often the program is killed, at least once at every step")
)

// A world is a kind of marketplace, and what a campaign in it may use.
type world struct {
	name  string
	o     sandbox.Options
	full  bool // enumerations and removals; without them the cursor alone must find everything
	pairs []string
}

func worlds() []world {
	return []world{
		{name: "cursor alone", o: sandbox.Options{Limit: 60}},
		{name: "enumerations", o: sandbox.Options{Limit: 60}, full: true},
		{
			name: "unsorted and tight-lipped", full: true,
			pairs: []string{"ON_REMOVED", "delete", "MARKETPLACE_FORMS", "status=SUCCESS,FAILED sort=ID_DESC"},
			o: sandbox.Options{
				Limit:           60,
				NoUpdatedAtSort: true,
				NoIntrospection: true,
				Status:          sandbox.StatusEnumUpper,
				Throttle:        sandbox.Bare429RetryAfter,
			},
		},
	}
}

// TestKillsAtEveryStepLoseAndDoubleNothing kills the program with SIGKILL at every named step,
// while both sides fail in all the ways they know, and holds what it wrote and reported to the
// laws: each publication of the list is on sale once, as its supplier last had it, and reported,
// and no report was never true. A seed stands for all that is decided; what the machine's timing
// makes of it may differ.
func TestKillsAtEveryStepLoseAndDoubleNothing(t *testing.T) { kills(t, 0) }

// TestKillsAtEveryStepWithEnumerations does it where the whole list is enumerated too.
func TestKillsAtEveryStepWithEnumerations(t *testing.T) { kills(t, 1) }

// TestKillsAtEveryStepOnAnotherMarketplace does it on a marketplace that neither sorts nor tells
// its schema.
func TestKillsAtEveryStepOnAnotherMarketplace(t *testing.T) { kills(t, 2) }

// drawnSeed is the seed of all campaigns of a run where none is given.
var drawnSeed = rand.Uint64() | 1

// kills holds one campaign: that of a world, with its share of the kills.
func kills(t *testing.T, of int) {
	t.Helper()
	long(t)
	seed := *crashSeed
	if seed == 0 {
		seed = drawnSeed
	}
	all := worlds()
	t.Logf("%s, seed %d", all[of].name, seed)
	c := openCampaign(t, all[of], seed)
	for n, s := range deal(seed, all, *crashKills)[of] {
		c.round(n, s)
	}
	c.settle()
	t.Logf("%d kills: %s", c.kills, c.tally())
}

// deal gives every world its steps in the order of their rounds: each step at least once in one of
// the worlds, and all worlds about as many.
func deal(seed uint64, worlds []world, kills int) [][]step {
	dice := rand.New(rand.NewPCG(seed, 0))
	rounds := make([][]step, len(worlds))
	for dealt := 0; ; {
		cards := steps()
		dice.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
		for _, s := range cards {
			if dealt >= max(kills, len(cards)) {
				for i := range rounds {
					slices.SortStableFunc(rounds[i], func(a, b step) int { return rank(a) - rank(b) })
				}
				return rounds
			}
			to := -1
			for i, w := range worlds {
				if (w.full || !s.full) && (!w.o.NoIntrospection || !s.schema) &&
					(to < 0 || len(rounds[i]) < len(rounds[to])) {
					to = i
				}
			}
			rounds[to] = append(rounds[to], s)
			dealt++
		}
	}
}

// rank puts what comes before anything is on the list first.
func rank(s step) int {
	if s.first {
		return 0
	}
	return 1
}

// A campaign is one world, and the program that is killed in it again and again.
type campaign struct {
	supply
	world
	seed   uint64
	doors  []*door
	hooks  string   // the address of the worker's webhook listener
	named  []string // publications that acknowledged webhooks have named
	beside *process // makes a backup
	kills  int
	hits   map[string]int
	latest []*process // the last of those that were started

	mu      sync.Mutex
	trap    *trap
	hang    sight
	blows   []blow
	counts  map[sight]int
	replies map[string]shoptest.Reply
	midway  func() // what moves while the list is being paged through
}

func openCampaign(t *testing.T, w world, seed uint64) *campaign {
	t.Helper()
	w.o.Seed = seed
	s := open(t, w.o)
	s.dir = memorytest.OnDisk(t) // in memory some steps are over before they are seen
	s.env = baseSettings(s.dir, s.market.URL, s.shop.server.URL)
	c := &campaign{
		supply: supply{site: s, ledger: newLedger(s.shop), told: map[string]bool{}},
		world:  w,
		seed:   seed,
		hits:   map[string]int{},
	}
	c.reset()
	market := openDoor(t, s.market.Handler(), marketKind, c.see)
	shop := openDoor(t, s.shop, shopKind, c.see)
	c.doors = []*door{market, shop}
	s.set("MARKETPLACE_URL", market.URL, "HTTP_URL", shop.URL, "ADMIN_LISTEN", "off", "BRAKE_REMOVED_PERCENT", "100",
		"SWEEP_SCHEDULE", "@every 1s", "RESYNC_SCHEDULE", "@every 1h")
	s.set(w.pairs...)
	s.shop.rules(c.reply)
	t.Cleanup(c.end)
	return c
}

// settle lets the program work in peace, and holds what is left to the laws: first while some
// products are refused, then once all are mended.
func (c *campaign) settle() {
	c.t.Helper()
	args := []string{"--patience", "30s"}
	if c.full {
		args = append(args, "--full")
	}
	if c.full {
		c.once(args...) // it may go on with an enumeration from before
	}
	sum := c.once(args...)
	if sum.Held > 0 {
		c.approve()
		sum = c.once(args...)
	}
	if sum.Exit > 1 || sum.Rejected != len(c.spoiled()) || sum.Pending+sum.Held+sum.Blocked > 0 {
		c.t.Errorf("the run after the kills: %+v, %d are refused", sum, len(c.spoiled()))
	}
	c.lawfulOf(c.spoiled())
	for _, id := range c.spoiled() {
		c.mend(id)
	}
	c.imported(args...)
	for _, broken := range c.ledger.take() {
		c.t.Error(broken)
	}
	c.lawful()
	c.imported()
	if c.o.NoUpdatedAtSort {
		c.shop.forget()
		if c.imported(); len(c.shop.requests("")) != 0 {
			c.t.Error("a run with nothing to do wrote to the shop")
		}
		return
	}
	c.idle(c.made)
}

// approve lets removals through that were held, and what is taken for another tool's. Behind a lost
// store the first that is found gone may be all that is on sale, and what came back to the list may
// be a success that the shop does not have. No price moves far enough to be held.
func (c *campaign) approve() {
	c.t.Helper()
	for _, kind := range []string{"removal", "foreign"} {
		if r := call(c.t, c.dir, c.env, "approve", "--kind", kind); r.code != 0 {
			c.t.Errorf("approve --kind %s ended with %d: %s", kind, r.code, r.stderr)
		} else {
			c.t.Logf("held: %s %s", kind, r.stdout)
		}
	}
}

// tally is how often each step was hit.
func (c *campaign) tally() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(c.hits)) {
		all = append(all, fmt.Sprintf("%s %d", name, c.hits[name]))
	}
	return strings.Join(all, ", ")
}

// sound fails the test unless a store opens and is whole.
func (c *campaign) sound(path string) {
	c.t.Helper()
	p := c.spawn(c.env.with("STORE_PATH", path), "status", "--json")
	// killed before it was made
	if code := p.code(commandBound); code != 0 && !strings.Contains(p.stderr.String(), "no store at") {
		c.t.Fatalf("the store at %s does not open after a kill: status ended with %d", path, code)
	}
}

// spawn starts the program. It ends with the campaign at the latest.
func (c *campaign) spawn(env settings, args ...string) *process {
	c.t.Helper()
	p := spawn(c.t, c.dir, env, exec.Command(binary, args...))
	c.latest = append(c.latest[max(0, len(c.latest)-3):], p)
	return p
}

// end ends what runs still, and after a failure tells what was run last.
func (c *campaign) end() {
	for _, p := range c.latest {
		p.kill()
		if c.t.Failed() {
			p.tell()
		}
	}
	if c.t.Failed() {
		c.t.Logf("replay: go test ./cmd/pubsync -run '^%s$' -crash.seed=%d -crash.kills=%d", c.t.Name(), c.seed, *crashKills)
	}
}
