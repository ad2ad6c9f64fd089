// One round of a campaign: a step, a kill, a start.

package main_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// stepBound is how long a step may keep the campaign waiting before it is tried again without
// faults, and stepTries how often it is tried.
const (
	stepBound = 30 * time.Second
	stepTries = 20
)

// dice are those of one try at a round: whatever happened before, they fall the same.
func (c *campaign) dice(n, try int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %d", c.name, n, try)
	return rand.New(rand.NewPCG(c.seed, h.Sum64()))
}

// round tries a step until the kill has fallen where it should, the first time under faults.
func (c *campaign) round(n int, s step) {
	c.t.Helper()
	if !s.first && c.made == 0 {
		c.grow(24)
	}
	for try := range stepTries {
		dice := c.dice(n, try)
		var blows []blow
		if try == 0 {
			blows = drawBlows(dice)
		}
		hit := c.try(s, blows, dice)
		if broken := c.ledger.take(); len(broken) > 0 || c.t.Failed() {
			c.t.Fatalf("round %d, %s, %s:\n%s", n, s.name, describe(blows), strings.Join(broken, "\n"))
		}
		if hit {
			c.hits[s.name]++
			return
		}
	}
	c.t.Fatalf("round %d: it never came to %q", n, s.name)
}

// try starts the program, kills it at the step, and reports whether that is where the kill fell.
func (c *campaign) try(s step, blows []blow, dice *rand.Rand) (hit bool) {
	c.t.Helper()
	if s.before != nil {
		s.before(c, dice)
	}
	if !s.first {
		c.stir(dice)
	}
	moved, spoils, linger := dice.Uint64(), dice.IntN(4) == 0, time.Duration(dice.Int64N(int64(s.linger+1)))
	midway := sync.OnceFunc(func() {
		if !s.first {
			dice := rand.New(rand.NewPCG(c.seed, moved))
			c.change(c.pick(dice), dice)
			c.change(c.pick(dice), dice)
			c.grow(1)
		}
	})
	tr := &trap{
		at:     s.at,
		nth:    1 + dice.IntN(max(s.most, 1)),
		lets:   s.term,
		sprung: make(chan struct{}),
		struck: make(chan struct{}),
	}
	c.mu.Lock()
	c.trap, c.hang, c.blows, c.midway = tr, s.hang, blows, midway
	c.mu.Unlock()
	env := c.env
	if s.doors {
		c.hooks = freePort(c.t)
		env = env.with("WEBHOOK_LISTEN", c.hooks, "WEBHOOK_SECRET", hookSecret, "ADMIN_LISTEN", freePort(c.t))
	}
	args := s.args
	if args == nil {
		args = []string{"run"}
	}
	p := c.spawn(env, args...)
	hit = c.strike(s, p, tr, linger, dice)
	if s.args == nil && !s.term && p.cmd.ProcessState.ExitCode() != -1 {
		c.t.Errorf("the worker ended by itself, with %d", p.cmd.ProcessState.ExitCode())
	}
	eventually(c.t, stepBound, "no request is under way",
		func() bool { return c.doors[0].under.Load()+c.doors[1].under.Load() == 0 })
	c.reset()
	c.market.Heal()
	midway()
	if _, listed := c.market.Publication(tr.id); hit && spoils && listed {
		c.spoil(tr.id)
	}
	c.sound(c.env["PUBSYNC_STORE_PATH"])
	if s.after != nil {
		s.after(c)
	}
	return hit
}

// strike waits for the moment and kills.
func (c *campaign) strike(s step, p *process, tr *trap, linger time.Duration, dice *rand.Rand) (hit bool) {
	late := time.NewTimer(stepBound)
	defer late.Stop()
	if s.during != nil {
		hit = s.during(c, p, dice)
	} else {
		select {
		case <-tr.sprung:
			hit = true
		case <-p.ended:
		case <-late.C:
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
	if p.cmd.ProcessState.ExitCode() == -1 {
		c.kills++
		return hit
	}
	return false // it was faster
}
