// A worker over a file is killed at every step, while marketplace and shop fail in all the ways they
// know.

package main_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A step is where the program is killed: at a sight of a door, or when during says that the moment
// has come.
type step struct {
	name   string
	at     sight
	most   int           // the kill falls on one of the first so many sights; 0: on the first
	linger time.Duration // it falls up to so long after
	term   bool          // a SIGTERM falls on the sight, and the kill after it
	full   bool          // in a run that enumerates the list: not where the cursor alone is to find everything
	hooks  bool          // with webhooks

	before func(*killed, *rand.Rand)                // what is done so that it comes to this
	during func(*killed, *process, *rand.Rand) bool // waits for the moment; false: it did not come
	after  func(*killed)                            // a law of this step alone
}

// blink is the time in which a program takes in an answer: a kill falls before, while or after it
// is made durable.
const blink = 3 * time.Millisecond

// steps is the path of an import from the start of the program to the acknowledged report, and what
// may go on beside it.
func steps() []step {
	const list, look, report = sandbox.KindList, sandbox.KindLook, sandbox.KindReport
	shrink := (*killed).shrink
	all := []step{
		{name: "any moment", during: within(400 * time.Millisecond)},
		{name: "drain, PUT under way", term: true, at: sight{kindPut, arrived}, most: 3, linger: blink},
		{
			name: "webhooks", hooks: true, during: (*killed).hook, linger: 4 * blink, after: (*killed).hooked,
			before: func(k *killed, _ *rand.Rand) { k.once() }, // what is not read yet needs no webhook
		},
		{name: "page", at: sight{list, answered}, most: 2, linger: blink},
		{name: "content", at: sight{sandbox.KindContent, answered}, most: 4, linger: blink},
		{name: "look", at: sight{look, answered}, linger: blink},
		{name: "enumeration", full: true, at: sight{list, answered}, most: 2, linger: blink},
		{name: "absence", full: true, at: sight{look, answered}, linger: blink, before: shrink},
	}
	for _, call := range []step{
		{at: sight{kind: kindPut}, most: 3},
		{at: sight{kind: report}, most: 2},
		{at: sight{kind: kindDelete}, full: true, before: shrink},
	} {
		for _, m := range []moment{arrived, executed, answered} {
			call.name, call.at.moment, call.linger = fmt.Sprint(call.at.kind, " ", m), m, 0
			if m == answered {
				call.linger = blink
			}
			all = append(all, call)
		}
	}
	return all
}

// markets are the kinds of marketplaces. They have no list of variants: that would show what a lost
// webhook told. In the first the cursor alone must find everything, the second has the full steps.
var markets = []struct {
	name  string
	o     sandbox.Options
	pairs []string
}{
	{name: "cursor alone", o: sandbox.Options{Limit: 60, Denied: []string{"productVariants"}}},
	{
		name:  "unsorted and tight-lipped",
		pairs: []string{"ON_REMOVED", "delete", "MARKETPLACE_FORMS", "status=SUCCESS,FAILED sort=ID_DESC"},
		o: sandbox.Options{
			Limit: 60, NoUpdatedAtSort: true, NoIntrospection: true, Status: sandbox.StatusEnumUpper,
			Bare429: true, Denied: []string{"productVariants"},
		},
	},
}

// dealt is the steps of one of the markets: each falls to one that can have it, in turn.
func dealt(seed uint64, kind int) (mine []step) {
	dice, cards := rand.New(rand.NewPCG(seed, 0)), steps()
	for n := range max(*campaignKills, len(cards)) {
		if n%len(cards) == 0 {
			dice.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
		}
		if s := cards[n%len(cards)]; s.full && kind == 1 || !s.full && n%len(markets) == kind {
			mine = append(mine, s)
		}
	}
	return mine
}

// A killed is a worker over a file, which is killed again and again.
type killed struct {
	*account
	full  bool
	hooks string   // the address of its listener
	last  *process // the worker
}

// stepBound is how long a step may keep the campaign waiting before it is tried again without
// faults.
const stepBound = 30 * time.Second

// Each publication of the list is on sale once, as its supplier last had it, and reported, and no
// report was ever untrue.
func TestKillsAtEveryStep(t *testing.T) {
	long(t)
	t.Parallel()
	for kind, m := range markets {
		t.Run(m.name, func(t *testing.T) {
			c := newCampaign(t, m.name)
			m.o.Seed = c.seed
			s := open(t, m.o)
			k := &killed{account: openAccount(t, "default", s, 1_000_000), full: kind == 1}
			c.accounts = []*account{k.account}
			s.env = k.by("worker").with("ADMIN_LISTEN", "off", "BRAKE_REMOVED_PERCENT", "100", "SWEEP_SCHEDULE", "@every 1s",
				"RESYNC_SCHEDULE", "@every 1h").with(m.pairs...)
			t.Cleanup(func() {
				if k.last.kill(); t.Failed() {
					k.last.tell()
				}
			})
			k.grow(24)
			birth := step{name: "about when the store is made", during: within(100 * time.Millisecond)}
			for n, s := range append([]step{birth}, dealt(c.seed, kind)...) {
				c.round(n, s.name, func(dice *rand.Rand) bool { return k.strike(s, dice) })
			}
			k.rest()
			c.lawful(0, (*account).all)
			c.sound("at the end")
			k.shop.forget()
			k.market.Forget()
			sum := k.imported()
			if n := len(k.shop.requests("")) + len(k.market.Reports()); n > 0 || sum.Created+sum.Updated > 0 {
				t.Errorf("a run with nothing to do wrote: %+v", sum)
			}
		})
	}
}

// strike starts the program, kills it at a step, and reports whether that is where the kill fell.
func (k *killed) strike(s step, dice *rand.Rand) (hit bool) {
	k.t.Helper()
	if s.before != nil {
		s.before(k, dice)
	}
	linger := rand.N(s.linger + 1)
	tr := k.lay(s, dice)
	env, args := k.env, []string{"run"}
	if s.full {
		args = append(args, "--once", "--full", "--json")
	}
	if s.hooks {
		k.hooks = freePort(k.t)
		env = env.with("WEBHOOK_LISTEN", k.hooks, "WEBHOOK_SECRET", hookSecret)
	}
	p := spawn(k.t, k.dir, env, exec.Command(binary, args...))
	k.last = p
	if s.during != nil {
		hit = s.during(k, p, dice)
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
	fell := p.cmd.ProcessState.ExitCode() == -1 // else it was faster
	if !s.full && !s.term && !fell {
		k.t.Errorf("the worker ended by itself, with %d", p.cmd.ProcessState.ExitCode())
	}
	eventually(k.t, stepBound, "no request is under way",
		func() bool { return k.marketDoor.under.Load()+k.shopDoor.under.Load() == 0 })
	if s.after != nil {
		k.calm()
		s.after(k)
	}
	return hit && fell
}

// rest makes single runs, the last of which must end well: no price moves far enough to be held.
func (k *killed) rest() {
	k.t.Helper()
	args := []string{"--patience", "30s"}
	if k.full {
		args = append(args, "--full")
		k.once(args...) // it may go on with an enumeration from before
	}
	k.imported(args...)
}

// until looks again and again whether a moment has come. It gives up with the process, or when that
// takes too long.
func (k *killed) until(p *process, come func() bool) bool {
	for deadline := time.Now().Add(stepBound); !come(); {
		if !p.running() || time.Now().After(deadline) {
			return false
		}
		time.Sleep(100 * time.Microsecond) // other tests need the processor too
	}
	return true
}

// within lets up to so long pass.
func within(most time.Duration) func(*killed, *process, *rand.Rand) bool {
	return func(_ *killed, _ *process, dice *rand.Rand) bool {
		time.Sleep(time.Duration(dice.Int64N(int64(most))))
		return true
	}
}

// shrink takes a product that is on sale off the list, and puts another back.
func (k *killed) shrink(dice *rand.Rand) {
	if dice.IntN(2) == 0 {
		k.restore()
	}
	if k.shop.onSale() == 0 {
		k.once()
	}
	held := k.shop.Products()
	for range 100 {
		if id := k.pick(dice); held[id].OnSale {
			k.remove(id)
			return
		}
	}
	k.t.Error("nothing is on sale that could be removed")
}

// hook tells of changes that no updatedAt shows, until all are acknowledged: from then on nothing
// else is to bring them to the shop. It names each publication once: a second webhook soon after the
// first may be put off.
func (k *killed) hook(p *process, dice *rand.Rand) bool {
	for range 1 + dice.IntN(5) {
		id := k.pick(dice)
		if _, named := k.told[id]; named {
			continue
		}
		edition := dice.IntN(1000)
		change := func(l *sandbox.Listing) { describe(l, edition) }
		k.update(id, change, sandbox.KeepUpdatedAt)
		if !k.until(p, func() bool { return k.tell("http://"+k.hooks+"/webhooks", id) }) {
			k.update(id, change) // it was not acknowledged
			return false
		}
	}
	return len(k.asTold()) > 0
}

// hooked holds what was acknowledged to its law, before anything else moves the products that were
// named.
func (k *killed) hooked() {
	k.once()
	for _, id := range k.asTold() {
		p, listed := k.market.Publication(id)
		if h := k.shop.Products()[id]; listed && h.OnSale {
			if offer, has := offered(p.Listing), had(h); offer != has {
				k.t.Errorf("%s was named by a webhook that was acknowledged\noffered\n%s\nin the shop\n%s", id, offer, has)
			}
		}
	}
}
