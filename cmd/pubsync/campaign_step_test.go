// The steps at which a worker over a file is killed.

package main_test

import (
	"fmt"
	"math/rand/v2"
	"net"
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
	hang   bool          // whoever is at this sight waits in vain
	args   []string      // what is run; nil: the worker
	doors  bool          // with webhooks and the admin listener
	full   bool          // enumerates the list: not for a campaign in which the cursor alone is to find everything
	first  bool          // before anything is on the list
	schema bool          // asks for it: not where that is refused, since the program keeps what it found out instead

	before func(*fileWorld, *rand.Rand)                // what is done so that it comes to this
	during func(*fileWorld, *process, *rand.Rand) bool // waits for the moment; false: it did not come
	after  func(*fileWorld)                            // a law of this step alone
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
	const (
		schema, other, list   = sandbox.KindIntrospection, sandbox.KindOther, sandbox.KindList
		content, look, report = sandbox.KindContent, sandbox.KindLook, sandbox.KindReport
	)
	shrink, hook, hooked := (*fileWorld).shrink, (*fileWorld).hook, (*fileWorld).hooked
	all := []step{
		{name: "store made", first: true, before: (*fileWorld).withoutStore, during: (*fileWorld).making},
		{name: "store opened", during: (*fileWorld).opening},
		{name: "first moments", during: within(30 * time.Millisecond)},
		{name: "any moment", during: within(400 * time.Millisecond)},
		{name: "marketplace hangs", at: sight{content, arrived}, hang: true, linger: 20 * blink},
		{name: "report hangs", at: sight{report, executed}, hang: true, linger: 20 * blink},
		{name: "shop hangs", at: sight{kindPut, arrived}, hang: true, linger: 20 * blink},
		{name: "shop hangs on what it did", at: sight{kindPut, executed}, hang: true, linger: 20 * blink},
		{name: "once, PUT executed", args: once, at: sight{kindPut, executed}, most: 3},
		{name: "once, report answered", args: once, at: sight{report, answered}, linger: blink},
		{name: "drain, PUT under way", term: true, at: sight{kindPut, arrived}, most: 3, linger: blink},
		{name: "drain, report under way", term: true, at: sight{report, arrived}, linger: blink},
		{name: "webhooks acknowledged", doors: true, during: hook, after: hooked},
		{name: "webhooks taken over", doors: true, during: hook, linger: 4 * blink, after: hooked},
		{name: "backup", args: backup, during: (*fileWorld).copying, after: (*fileWorld).copied},
		{name: "backup beside", doors: true, during: (*fileWorld).copyingBeside, after: (*fileWorld).copiedBeside},
	}
	for _, path := range []struct {
		step
		kind    sandbox.Kind
		moments []moment
	}{
		{step{name: "schema", schema: true}, schema, []moment{arrived, answered}},
		{step{name: "account"}, other, []moment{arrived, answered}},
		{step{name: "page", before: (*fileWorld).flood, most: 2}, list, []moment{arrived, executed, answered}},
		{step{name: "content", most: 4}, content, []moment{arrived, answered}},
		{step{name: "PUT", most: 3}, kindPut, []moment{arrived, executed, answered}},
		{step{name: "look"}, look, []moment{arrived, answered}},
		{step{name: "report"}, report, []moment{arrived, executed, answered}},
		{step{name: "enumeration", full: true, args: onceFull, most: 2}, list, []moment{arrived, answered}},
		{step{name: "absence", full: true, args: onceFull, before: shrink}, look, []moment{arrived, answered}},
		{step{name: "DELETE", full: true, args: onceFull, before: shrink}, kindDelete, []moment{arrived, executed, answered}},
	} {
		for _, m := range path.moments {
			s := path.step
			s.name, s.at = s.name+" "+string(m), sight{path.kind, m}
			if m == answered {
				s.linger = blink
			}
			all = append(all, s)
		}
	}
	return all
}

func (w *fileWorld) withoutStore(*rand.Rand) {
	if err := os.Remove(w.env["PUBSYNC_STORE_PATH"]); err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
}

// making waits until the store is being made, under another name.
func (w *fileWorld) making(p *process, _ *rand.Rand) bool {
	return w.until(p, func() bool { return w.file(".pubsync.db.") })
}

// opening waits until the process has the store's file open, to check it. Where no /proc tells, the
// first moments must do.
func (w *fileWorld) opening(p *process, dice *rand.Rand) bool {
	dir := "/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/fd"
	if _, err := os.Stat(dir); err != nil {
		return within(30*time.Millisecond)(w, p, dice)
	}
	return w.until(p, func() bool {
		links, _ := filepath.Glob(filepath.Join(dir, "*"))
		return slices.ContainsFunc(links, func(link string) bool {
			target, _ := os.Readlink(link)
			return strings.HasSuffix(target, "pubsync.db")
		})
	})
}

func within(span time.Duration) func(*fileWorld, *process, *rand.Rand) bool {
	return func(_ *fileWorld, _ *process, dice *rand.Rand) bool {
		time.Sleep(time.Duration(dice.Int64N(int64(span))))
		return true
	}
}

func (w *fileWorld) flood(dice *rand.Rand) {
	for range 30 {
		w.change(w.pick(dice), dice)
	}
}

// hook tells of changes that no updatedAt shows, until all are acknowledged: from then on nothing
// else is to bring them to the shop. It names each publication once: a second webhook soon after the
// first may be put off.
func (w *fileWorld) hook(p *process, dice *rand.Rand) bool {
	for range 1 + dice.IntN(5) {
		id := w.pick(dice)
		for n := 0; w.named(id) && n < 50; n++ {
			id = w.pick(dice)
		}
		text := fmt.Sprintf("<p>Told <b>%d</b>.</p>", dice.IntN(1000))
		change := func(l *sandbox.Listing) {
			retext(l, "en", func(t *sandbox.Text) { t.Description = text })
		}
		w.update(id, change, sandbox.KeepUpdatedAt)
		if !w.until(p, func() bool { return w.tell("http://"+w.hooks+"/webhooks", id) }) {
			w.update(id, change) // it was not acknowledged
			return false
		}
	}
	return true
}

// hooked holds what was acknowledged to its law, before anything else moves the products that were
// named.
func (w *fileWorld) hooked() {
	w.once()
	for _, id := range w.asTold() {
		p, listed := w.market.Publication(id)
		if h := w.shop.Products()[id]; listed && h.OnSale && !isSpoiled(p) {
			if diff := offerDiff(p, h); diff != "" {
				w.t.Errorf("%s was named by a webhook that was acknowledged (-offered +in the shop):\n%s", id, diff)
			}
		}
	}
}

// copying waits until a backup is being written, under another name.
func (w *fileWorld) copying(p *process, _ *rand.Rand) bool {
	return w.until(p, func() bool { return w.file(".copy.db.") })
}

// copyingBeside has a backup made beside the worker, and waits until it is being written.
func (w *fileWorld) copyingBeside(p *process, dice *rand.Rand) bool {
	answers := func() bool {
		conn, err := net.Dial("tcp", w.admin)
		return err == nil && conn.Close() == nil
	}
	if !w.until(p, answers) {
		return false
	}
	w.beside = w.spawn(w.env.with("ADMIN_LISTEN", w.admin), backup...)
	return w.copying(w.beside, dice)
}

// copiedBeside holds a backup whose worker was killed to its law: it succeeds with a whole copy, or
// fails and leaves none.
func (w *fileWorld) copiedBeside() {
	if w.beside == nil {
		return
	}
	code := w.beside.code(commandBound)
	if made := w.file("copy.db"); made != (code == 0) {
		w.t.Errorf("a backup ended with %d, and made a copy: %t", code, made)
	}
	w.beside = nil
	w.copied()
}

// copied holds a backup to its law: what bears its name is whole.
func (w *fileWorld) copied() {
	path := filepath.Join(w.dir, "copy.db")
	if _, err := os.Stat(path); err == nil {
		w.whole(path)
	}
	rest, err := filepath.Glob(filepath.Join(w.dir, "*copy.db*"))
	for _, file := range rest {
		err = os.Remove(file)
	}
	if err != nil {
		w.t.Error(err)
	}
}

// shrink takes a product that is on sale off the list, and puts another back.
func (w *fileWorld) shrink(dice *rand.Rand) {
	if dice.IntN(2) == 0 {
		w.restore()
	}
	if w.shop.onSale() == 0 {
		w.once()
	}
	held := w.shop.Products()
	for range 100 {
		if id := w.pick(dice); held[id].OnSale {
			w.remove(id)
			return
		}
	}
	w.t.Error("nothing is on sale that could be removed")
}

func (w *fileWorld) file(prefix string) bool {
	files, _ := filepath.Glob(filepath.Join(w.dir, prefix+"*"))
	return len(files) > 0
}

// until looks again and again whether a moment has come. It gives up with the process, or when that
// takes too long.
func (w *fileWorld) until(p *process, come func() bool) bool {
	for deadline := time.Now().Add(stepBound); !come(); {
		if !p.running() || time.Now().After(deadline) {
			return false
		}
		time.Sleep(100 * time.Microsecond) // other tests need the processor too
	}
	return true
}
