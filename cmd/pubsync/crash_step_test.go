// The steps at which the program is killed.

package main_test

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	hang   sight         // whoever is at this sight waits in vain
	args   []string      // what is run; nil: the worker
	doors  bool          // with webhooks and the admin listener
	full   bool          // enumerates the list: not for a campaign in which the cursor alone is to find everything
	first  bool          // before anything is on the list
	// asks for the schema: not where that is refused, since the program keeps what it found out
	// instead
	schema bool

	before func(*campaign, *rand.Rand)                // what is done so that it comes to this
	during func(*campaign, *process, *rand.Rand) bool // waits for the moment; false: it did not come
	after  func(*campaign)                            // a law of this step alone
}

var (
	once     = []string{"run", "--once", "--json"}
	onceFull = []string{"run", "--once", "--full", "--json"}
	backup   = []string{"backup", "copy.db"}
)

// blink is the time in which a program takes in an answer: a kill falls before, while or after it
// is made durable.
const blink = 3 * time.Millisecond

// steps is the path of an import from the start of the program to the acknowledged report, and what
// may go on beside it.
func steps() []step {
	return []step{
		{name: "store made", first: true, before: (*campaign).withoutStore, during: (*campaign).making},
		{name: "store opened", during: (*campaign).opening},
		{name: "first moments", during: (*campaign).moments},
		{name: "any moment", during: (*campaign).anyMoment},
		{name: "schema asked", schema: true, at: sight{sandbox.KindIntrospection, arrived}},
		{name: "schema answered", schema: true, at: sight{sandbox.KindIntrospection, answered}, linger: blink},
		{name: "account asked", at: sight{sandbox.KindOther, arrived}},
		{name: "account answered", at: sight{sandbox.KindOther, answered}, linger: blink},
		{name: "page asked", before: (*campaign).flood, at: sight{sandbox.KindList, arrived}, most: 2},
		{name: "page made", before: (*campaign).flood, at: sight{sandbox.KindList, executed}, most: 2},
		{
			name:   "page answered",
			before: (*campaign).flood,
			at:     sight{sandbox.KindList, answered},
			most:   2,
			linger: blink,
		},
		{name: "content asked", at: sight{sandbox.KindContent, arrived}, most: 4},
		{name: "content answered", at: sight{sandbox.KindContent, answered}, most: 4, linger: blink},
		{name: "PUT arrived", at: sight{kindPut, arrived}, most: 3},
		{name: "PUT executed", at: sight{kindPut, executed}, most: 3},
		{name: "PUT answered", at: sight{kindPut, answered}, most: 3, linger: blink},
		{name: "look asked", at: sight{sandbox.KindLook, arrived}},
		{name: "look answered", at: sight{sandbox.KindLook, answered}, linger: blink},
		{name: "report arrived", at: sight{sandbox.KindReport, arrived}},
		{name: "report executed", at: sight{sandbox.KindReport, executed}},
		{name: "report answered", at: sight{sandbox.KindReport, answered}, linger: blink},
		{
			name:   "marketplace hangs",
			at:     sight{sandbox.KindContent, hanging},
			hang:   sight{sandbox.KindContent, arrived},
			linger: 20 * blink,
		},
		{
			name:   "report hangs",
			at:     sight{sandbox.KindReport, hanging},
			hang:   sight{sandbox.KindReport, executed},
			linger: 20 * blink,
		},
		{name: "shop hangs", at: sight{kindPut, hanging}, hang: sight{kindPut, arrived}, linger: 20 * blink},
		{
			name:   "shop hangs on what it did",
			at:     sight{kindPut, hanging},
			hang:   sight{kindPut, executed},
			linger: 20 * blink,
		},
		{name: "once, PUT executed", args: once, at: sight{kindPut, executed}, most: 3},
		{name: "once, report answered", args: once, at: sight{sandbox.KindReport, answered}, linger: blink},
		{name: "drain, PUT under way", term: true, at: sight{kindPut, arrived}, most: 3, linger: blink},
		{name: "drain, report under way", term: true, at: sight{sandbox.KindReport, arrived}, linger: blink},
		{name: "webhooks acknowledged", doors: true, during: (*campaign).hook, after: (*campaign).hooked},
		{
			name:   "webhooks taken over",
			doors:  true,
			during: (*campaign).hook,
			linger: 4 * blink,
			after:  (*campaign).hooked,
		},
		{name: "backup", args: backup, during: (*campaign).copying, after: (*campaign).copied},
		{name: "backup beside", doors: true, during: (*campaign).copyingBeside, after: (*campaign).copiedBeside},
		{name: "enumeration asked", full: true, args: onceFull, at: sight{sandbox.KindList, arrived}, most: 2},
		{
			name:   "enumeration answered",
			full:   true,
			args:   onceFull,
			at:     sight{sandbox.KindList, answered},
			most:   2,
			linger: blink,
		},
		{
			name:   "absence asked",
			full:   true,
			args:   onceFull,
			before: (*campaign).shrink,
			at:     sight{sandbox.KindLook, arrived},
		},
		{
			name:   "absence answered",
			full:   true,
			args:   onceFull,
			before: (*campaign).shrink,
			at:     sight{sandbox.KindLook, answered},
			linger: blink,
		},
		{
			name:   "DELETE arrived",
			full:   true,
			args:   onceFull,
			before: (*campaign).shrink,
			at:     sight{kindDelete, arrived},
		},
		{
			name:   "DELETE executed",
			full:   true,
			args:   onceFull,
			before: (*campaign).shrink,
			at:     sight{kindDelete, executed},
		},
		{
			name:   "DELETE answered",
			full:   true,
			args:   onceFull,
			before: (*campaign).shrink,
			at:     sight{kindDelete, answered},
			linger: blink,
		},
	}
}

// withoutStore has the program make its store anew.
func (c *campaign) withoutStore(*rand.Rand) {
	if err := os.Remove(c.env["PUBSYNC_STORE_PATH"]); err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
}

// making waits until the store is being made, under another name.
func (c *campaign) making(p *process, _ *rand.Rand) bool {
	return c.until(p, func() bool { return c.file(".pubsync.db.") })
}

// opening waits until the process has the store's file open, to check it. Where no /proc tells, the
// first moments must do.
func (c *campaign) opening(p *process, dice *rand.Rand) bool {
	dir := "/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/fd"
	if _, err := os.Stat(dir); err != nil {
		return c.moments(p, dice)
	}
	return c.until(p, func() bool {
		files, err := os.ReadDir(dir)
		for _, f := range files {
			if target, _ := os.Readlink(filepath.Join(dir, f.Name())); err == nil &&
				strings.HasSuffix(target, "pubsync.db") {
				return true
			}
		}
		return false
	})
}

func (c *campaign) moments(_ *process, dice *rand.Rand) bool {
	time.Sleep(time.Duration(dice.IntN(30)) * time.Millisecond)
	return true
}

func (c *campaign) anyMoment(_ *process, dice *rand.Rand) bool {
	time.Sleep(time.Duration(dice.IntN(400)) * time.Millisecond)
	return true
}

// flood changes more products than a page shows.
func (c *campaign) flood(dice *rand.Rand) {
	for range 30 {
		c.change(c.pick(dice), dice)
	}
}

// hook tells of changes that no updatedAt shows, until all are acknowledged: from then on nothing
// else is to bring them to the shop.
func (c *campaign) hook(p *process, dice *rand.Rand) bool {
	for range 1 + dice.IntN(5) {
		id := c.pick(dice)
		for n := 0; c.told[id] && n < 50; n++ {
			id = c.pick(dice)
		}
		c.told[id] = true
		stock := 100 + dice.IntN(900)
		change := func(l *sandbox.Listing) { l.Variants[0].Quantity = stock }
		c.update(id, change, sandbox.KeepUpdatedAt)
		if !c.until(p, func() bool { return c.tell(created(id)) }) {
			c.update(id, change) // it was not acknowledged
			return false
		}
		c.named = append(c.named, id)
	}
	return true
}

// hooked holds what was acknowledged to its law, before anything else moves the products that were
// named.
func (c *campaign) hooked() {
	c.once()
	for _, id := range c.named {
		p, listed := c.market.Publication(id)
		if h := c.shop.Products()[id]; listed && h.OnSale && !slices.Contains(c.spoiled(), id) {
			if got, want := h.Variants[0].Quantity, p.Listing.Variants[0].Quantity; got != want {
				c.t.Errorf("%s was named by a webhook that was acknowledged: the shop has %d of it, its supplier %d", id, got, want)
			}
		}
	}
	c.named = nil
}

// tell sends a webhook and reports whether it is acknowledged.
func (c *campaign) tell(body string) bool {
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, "http://"+c.hooks+"/webhooks",
		strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("X-Service-Signature", signature(body))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = res.Body.Close() //nolint:errcheck // it has none
	return res.StatusCode == http.StatusNoContent
}

// copying waits until a backup is being written, under another name.
func (c *campaign) copying(p *process, _ *rand.Rand) bool {
	return c.until(p, func() bool { return c.file(".copy.db.") })
}

// copyingBeside has a backup made beside the worker, and waits until it is being written.
func (c *campaign) copyingBeside(p *process, dice *rand.Rand) bool {
	if !c.until(p, func() bool { return c.file("pubsync.db.owner") }) {
		return false
	}
	c.beside = c.spawn(c.env, backup...)
	return c.copying(c.beside, dice)
}

// copiedBeside holds a backup whose worker was killed to its law: it succeeds with a whole copy, or
// fails and leaves none.
func (c *campaign) copiedBeside() {
	if c.beside == nil {
		return
	}
	code := c.beside.code(commandBound)
	if made := c.file("copy.db"); made != (code == 0) {
		c.t.Errorf("a backup ended with %d, and made a copy: %t", code, made)
	}
	c.beside = nil
	c.copied()
}

// copied holds a backup to its law: what bears its name is whole.
func (c *campaign) copied() {
	path := filepath.Join(c.dir, "copy.db")
	if _, err := os.Stat(path); err == nil {
		c.sound(path)
	}
	rest, err := filepath.Glob(filepath.Join(c.dir, "*copy.db*"))
	for _, file := range rest {
		err = os.Remove(file)
	}
	if err != nil {
		c.t.Error(err)
	}
}

// shrink takes a product that is on sale off the list, and puts another back.
func (c *campaign) shrink(dice *rand.Rand) {
	if dice.IntN(2) == 0 {
		c.restore()
	}
	held := c.shop.Products()
	if c.shop.onSale() == 0 {
		c.once()
		held = c.shop.Products()
	}
	for range 100 {
		if id := c.pick(dice); held[id].OnSale {
			c.remove(id)
			return
		}
	}
	c.t.Error("nothing is on sale that could be removed")
}

// file reports whether the folder has a file whose name begins so.
func (c *campaign) file(prefix string) bool {
	files, err := os.ReadDir(c.dir)
	for _, f := range files {
		if err == nil && strings.HasPrefix(f.Name(), prefix) {
			return true
		}
	}
	return false
}

// until looks again and again whether a moment has come. It gives up with the process, or when that
// takes too long.
func (c *campaign) until(p *process, come func() bool) bool {
	for deadline := time.Now().Add(stepBound); !come(); {
		if !p.running() || time.Now().After(deadline) {
			return false
		}
		time.Sleep(100 * time.Microsecond) // other tests need the processor too
	}
	return true
}
