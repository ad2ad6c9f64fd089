// The world of one worker over a file: it is killed at every step, while marketplace and shop fail in
// all the ways they know.

package main_test

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A market is a kind of marketplace, and what a campaign with it may use.
type market struct {
	name  string
	o     sandbox.Options
	full  bool // enumerations and removals; without them the cursor alone must find everything
	pairs []string
}

// markets are the marketplaces of the campaigns. Two of them have no list of variants: that would show
// what a lost webhook told.
func markets() []market {
	return []market{
		{name: "cursor alone", o: sandbox.Options{Limit: 60, Denied: []string{"productVariants"}}},
		{name: "enumerations", o: sandbox.Options{Limit: 60}, full: true},
		{
			name: "unsorted and tight-lipped", full: true,
			pairs: []string{"ON_REMOVED", "delete", "MARKETPLACE_FORMS", "status=SUCCESS,FAILED sort=ID_DESC"},
			o: sandbox.Options{
				Limit: 60, NoUpdatedAtSort: true, NoIntrospection: true, Status: sandbox.StatusEnumUpper,
				Bare429: true, Denied: []string{"productVariants"},
			},
		},
	}
}

// A fileWorld is a worker over a file, which is killed again and again.
type fileWorld struct {
	*account
	kind   int // of the marketplace, among markets
	traits market
	hooks  string   // the address of the worker's webhook listener
	admin  string   // and of its admin listener
	beside *process // makes a backup
	last   *process // that was started
}

// stepBound is how long a step may keep the campaign waiting before it is tried again without
// faults.
const stepBound = 30 * time.Second

// Each publication of the list is on sale once, as its supplier last had it, and reported, and no
// report was ever untrue.
func TestKillsAtEveryStepLoseAndDoubleNothing(t *testing.T) { kills(t, 0) }

// The whole list is enumerated too.
func TestKillsAtEveryStepWithEnumerations(t *testing.T) { kills(t, 1) }

// The marketplace neither sorts nor tells its schema.
func TestKillsAtEveryStepOnAnotherMarketplace(t *testing.T) { kills(t, 2) }

// kills holds the campaign with a kind of marketplace, which has its share of the kills.
func kills(t *testing.T, kind int) {
	t.Helper()
	long(t)
	m := markets()[kind]
	c := newCampaign(t, m.name)
	m.o.Seed = c.seed
	s := open(t, m.o)
	w := &fileWorld{account: openAccount(t, "default", s, 1_000_000), kind: kind, traits: m}
	s.env = w.by("worker").with("ADMIN_LISTEN", "off", "BRAKE_REMOVED_PERCENT", "100", "SWEEP_SCHEDULE", "@every 1s",
		"RESYNC_SCHEDULE", "@every 1h").with(m.pairs...)
	t.Cleanup(func() {
		for _, p := range []*process{w.last, w.beside} {
			if p == nil {
				continue
			}
			if p.kill(); t.Failed() {
				p.tell()
			}
		}
	})
	c.accounts = []*account{w.account}
	c.run(w)
}

func (w *fileWorld) patience() time.Duration { return 0 }

// troubles are kills, one at each step that this marketplace is dealt.
func (w *fileWorld) troubles(dice *rand.Rand) (all []trouble) {
	first, later := deal(dice, markets(), w.kind, *campaignKills)
	for _, s := range append(first, later...) {
		tr := trouble{
			name: s.name, first: s.first,
			befall: func(dice *rand.Rand) bool { return w.strike(s, dice) },
		}
		if s.before != nil {
			tr.before = func(dice *rand.Rand) { s.before(w, dice) }
		}
		if s.after != nil {
			tr.after = func() { s.after(w) }
		}
		all = append(all, tr)
	}
	return all
}

// deal gives each step in turn to a marketplace that can have it, at least once, and returns those of
// one of them. Steps before anything is on the list come first.
func deal(dice *rand.Rand, markets []market, kind, kills int) (first, later []step) {
	cards, to := steps(), 0
	for n := range max(kills, len(cards)) {
		if n%len(cards) == 0 {
			dice.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
		}
		s := cards[n%len(cards)]
		to = (to + 1) % len(markets)
		for s.full && !markets[to].full || s.schema && markets[to].o.NoIntrospection {
			to = (to + 1) % len(markets)
		}
		switch {
		case to != kind:
		case s.first:
			first = append(first, s)
		default:
			later = append(later, s)
		}
	}
	return first, later
}

// strike starts the program, kills it at a step, and reports whether that is where the kill fell.
func (w *fileWorld) strike(s step, dice *rand.Rand) (hit bool) {
	w.t.Helper()
	spoils, linger := dice.IntN(4) == 0, rand.N(s.linger+1)
	tr := w.lay(s, dice)
	env, args := w.env, s.args
	if s.doors {
		w.hooks, w.admin = freePort(w.t), freePort(w.t)
		env = env.with("WEBHOOK_LISTEN", w.hooks, "WEBHOOK_SECRET", hookSecret, "ADMIN_LISTEN", w.admin)
	}
	if args == nil {
		args = []string{"run"}
	}
	p := w.spawn(env, args...)
	w.last = p
	if s.during != nil {
		hit = s.during(w, p, dice)
	} else {
		select {
		case <-tr.sprung:
			hit = true
		case <-p.ended:
		case <-time.After(stepBound):
		}
	}
	if s.term {
		p.signal(sigterm)
		close(tr.struck)
	}
	time.Sleep(linger)
	p.kill()
	if !s.term {
		close(tr.struck)
	}
	killed := p.cmd.ProcessState.ExitCode() == -1 // else it was faster
	if s.args == nil && !s.term && !killed {
		w.t.Errorf("the worker ended by itself, with %d", p.cmd.ProcessState.ExitCode())
	}
	eventually(w.t, stepBound, "no request is under way",
		func() bool { return w.marketDoor.under.Load()+w.shopDoor.under.Load() == 0 })
	if _, listed := w.market.Publication(tr.id); hit && killed && spoils && listed {
		w.spoil(tr.id)
	}
	w.whole(w.env["PUBSYNC_STORE_PATH"])
	return hit && killed
}

// rest makes single runs, and holds the last to what the shop refuses.
func (w *fileWorld) rest() {
	w.t.Helper()
	args := []string{"--patience", "30s"}
	if w.traits.full {
		args = append(args, "--full")
		w.once(args...) // it may go on with an enumeration from before
	}
	sum := w.once(args...)
	if sum.Held > 0 {
		w.approve()
		sum = w.once(args...)
	}
	refused := len(w.spoiled())
	if sum.Exit > min(refused, 1) || sum.Rejected != refused || sum.Pending+sum.Held+sum.Blocked > 0 {
		w.t.Errorf("the run after the kills: %+v, %d are refused", sum, refused)
	}
}

// audit has the program find nothing to do, at a price of next to nothing.
func (w *fileWorld) audit() {
	w.t.Helper()
	w.imported()
	w.shop.forget()
	w.market.Forget()
	sum := w.imported()
	if n := len(w.shop.requests("")) + len(w.market.Reports()) + sum.Created + sum.Updated; n != 0 {
		w.t.Errorf("a run with nothing to do wrote: %+v", sum)
	}
	read := len(w.contentReads())
	if !w.traits.o.NoUpdatedAtSort && (sum.Requests > 4 || sum.Cost > 30 || sum.Throttled > 0 || read > 0) {
		w.t.Errorf("an idle sweep of %d: %+v, and the content of %d read", w.made, sum, read)
	}
}

// approve lets removals through that were held, and what is taken for another tool's. Behind a lost
// store the first that is found gone may be all that is on sale, and what came back to the list may
// be a success that the shop does not have. No price moves far enough to be held.
func (w *fileWorld) approve() {
	w.t.Helper()
	for _, kind := range []string{"removal", "foreign"} {
		if r := call(w.t, w.dir, w.env, "approve", "--kind", kind); r.code != 0 {
			w.t.Errorf("approve --kind %s ended with %d: %s", kind, r.code, r.stderr)
		} else {
			w.t.Logf("held: %s %s", kind, r.stdout)
		}
	}
}

// whole fails the test unless a store opens and is whole.
func (w *fileWorld) whole(path string) {
	w.t.Helper()
	p := w.spawn(w.env.with("STORE_PATH", path), "status", "--json")
	// killed before it was made
	if code := p.code(commandBound); code != 0 && !strings.Contains(p.stderr.String(), "no store at") {
		w.t.Fatalf("the store at %s does not open after a kill: status ended with %d", path, code)
	}
}

func (w *fileWorld) spawn(env settings, args ...string) *process {
	w.t.Helper()
	return spawn(w.t, w.dir, env, exec.Command(binary, args...))
}
