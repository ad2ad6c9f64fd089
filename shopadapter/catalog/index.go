package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"
)

const (
	indexPath  = "index.html"
	behindPath = ".pubsync-index-behind"

	gather     = 100 * time.Millisecond // from a change to the pass that shows it, so that a burst is one pass
	passEvery  = time.Second            // the least time from one pass to the next
	passShare  = 4                      // and at least so many times what the last one took
	afterFault = 10 * time.Second       // from a pass that could not write to the next try
)

// An index keeps the index pages up with the products. It works in the background, one pass at a
// time, and not at all while nothing changes.
type index struct {
	folder *folder
	shelf  *shelf
	log    *slog.Logger

	passing sync.Mutex // held during a pass; the shelf is its own

	mu      sync.Mutex
	claimed bool            // the folder is there, cleaned, and ours
	writers int             // products being written now
	touched map[string]bool // names of products written since the last pass began
	marked  bool            // behindPath stands in the folder
	notYet  time.Time       // no pass before
	timer   *time.Timer     // the next pass, or the one under way; nil when there is none
	running sync.WaitGroup  // timers under way
	failed  bool            // the last pass; its error is logged once
	closed  bool
}

func newIndex(f *folder, r *renderer, log *slog.Logger) *index {
	return &index{folder: f, shelf: newShelf(f, r), log: log, touched: map[string]bool{}}
}

// begin announces that the files of a product are about to change, and makes sure that a crash from
// here on is noticed. done is called once, after the write or after finding nothing to write.
func (x *index) begin(name string) (done func(), err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for range 2 {
		if err = x.claim(); err != nil {
			return nil, err
		}
		if err = x.mark(); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		x.claimed = false // somebody removed the folder: make it again
	}
	if err != nil {
		return nil, err
	}
	x.writers++
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.writers--
		x.touched[name] = true
		x.plan(gather)
	}, nil
}

// claim takes the folder over, once. The caller holds mu.
func (x *index) claim() error {
	if x.claimed {
		return nil
	}
	if err := x.folder.make(); err != nil {
		return err
	}
	if err := x.folder.claim(); err != nil {
		return err
	}
	if err := x.folder.clean(); err != nil {
		return err
	}
	x.claimed = true
	return nil
}

// mark leaves word in the folder that the index is behind. The caller holds mu.
func (x *index) mark() error {
	if x.marked {
		return nil
	}
	err := x.folder.stage(behindPath, nil)
	switch {
	case errors.Is(err, fs.ErrExist): // left by a crash, or another process's
	case err != nil:
		return err
	default:
		if err := x.folder.sync(""); err != nil {
			return err
		}
	}
	x.marked = true
	return nil
}

// catchUp plans a pass although nothing was written.
func (x *index) catchUp() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.marked {
		return
	}
	x.marked = true
	x.plan(gather)
}

// plan sets the timer for the next pass, unless it is set. The caller holds mu.
func (x *index) plan(wait time.Duration) {
	if x.timer != nil || x.closed {
		return
	}
	wait = max(wait, time.Until(x.notYet))
	x.running.Add(1)
	x.timer = time.AfterFunc(wait, func() {
		defer x.running.Done()
		if err := x.pass(); err != nil {
			x.report(err)
		}
	})
}

func (x *index) report(err error) {
	x.mu.Lock()
	first := !x.failed
	x.failed = true
	x.mu.Unlock()
	if first {
		x.log.Error("catalogue index not written", "error", err)
	}
}

// pass brings the index up to date, and plans the next pass when there is more to do.
func (x *index) pass() error {
	x.passing.Lock()
	defer x.passing.Unlock()
	x.mu.Lock()
	touched := x.touched
	x.touched = map[string]bool{}
	err := x.claim()
	x.mu.Unlock()

	start := time.Now()
	if err == nil {
		err = x.shelf.refresh(touched)
	}
	took := time.Since(start)

	x.mu.Lock()
	defer x.mu.Unlock()
	x.timer = nil // not before: what is written meanwhile waits for the end of this pass
	x.notYet = time.Now().Add(max(passEvery, passShare*took))
	if err != nil {
		for name := range touched {
			x.touched[name] = true
		}
		x.plan(afterFault)
		return fmt.Errorf("write index: %w", err)
	}
	x.failed = false
	switch {
	case len(x.touched) > 0:
		x.plan(gather)
	case x.writers == 0: // else the writer's done plans the next pass
		if err := x.folder.remove(behindPath); err != nil {
			return fmt.Errorf("write index: %w", err)
		}
		x.marked = false
	}
	return nil
}

// close waits for a pass under way and makes the last one, if one is owed. No pass follows.
func (x *index) close() error {
	x.mu.Lock()
	if x.closed {
		x.mu.Unlock()
		return nil
	}
	x.closed = true
	if x.timer != nil && x.timer.Stop() {
		x.running.Done()
	}
	x.timer = nil
	x.mu.Unlock()

	x.running.Wait()
	x.mu.Lock()
	owed := x.marked
	x.mu.Unlock()
	if !owed {
		return nil
	}
	return x.pass()
}
