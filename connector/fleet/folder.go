package fleet

import (
	"context"
	"fmt"
	"maps"
	"os"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
)

// A Folder is the files of accounts, of which some are being written.
type Folder struct {
	// List returns the file of each account. With an error and no files nothing changes.
	List func() (files map[string]string, err error)

	mu      sync.Mutex
	last    map[string]string // the versions that the last look found, by account
	counts  map[string]string // those that were the same in two looks; nil: there were none
	settled bool
}

// Settled reports whether each account that has a file counts: until then one may be there that is
// not known.
func (f *Folder) Settled() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.settled
}

// Watch calls apply with the accounts, at first and whenever they change, until ctx ends. A file
// counts as it is once it has been still for a second, whatever becomes of the others. complain is
// called with the first error of a row.
func (f *Folder) Watch(ctx context.Context, apply func([]Account), complain func(error)) {
	said := ""
	for ctx.Err() == nil {
		changed, err := f.look()
		if err == nil {
			said = ""
		} else if said != err.Error() {
			said = err.Error()
			complain(err)
		}
		if changed {
			var all []Account
			for name, version := range f.counts {
				all = append(all, Account{name, version})
			}
			apply(all)
		}
		breaker.Sleep(ctx, time.Second)
	}
}

// look compares the folder with the look before, a second ago, and reports whether what counts has
// changed.
func (f *Folder) look() (changed bool, err error) {
	files, err := f.List()
	if files == nil && err != nil {
		return false, err
	}
	now := map[string]string{}
	for name, file := range files {
		if info, err := os.Stat(file); err == nil {
			now[name] = fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := map[string]string{}
	f.settled = true
	for name, version := range now {
		if before, counted := f.counts[name]; version == f.last[name] {
			counts[name] = version
		} else if counted {
			counts[name] = before
		} else {
			f.settled = false
		}
	}
	for name, version := range f.counts {
		if _, before := f.last[name]; before && now[name] == "" { // for a moment, it may be
			counts[name] = version
		}
	}
	changed = f.counts == nil || !maps.Equal(counts, f.counts)
	f.last, f.counts = now, counts
	return changed, err
}
