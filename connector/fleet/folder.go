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
	// List returns the file of each account. With an error nothing changes but for a first list.
	List func() (files map[string]string, err error)

	mu      sync.Mutex
	last    map[string]string // the versions that the last look found, by account
	applied map[string]string // those that count
}

// Settled reports whether the folder has been read, and nothing in it has changed within a second:
// until then an account may be there that is not known.
func (f *Folder) Settled() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.applied != nil && maps.Equal(f.last, f.applied)
}

// Watch calls apply with the accounts, at once and whenever the folder has changed and been still for
// a second, until ctx ends. complain is called with the first error of a row.
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
			for name, version := range f.applied {
				all = append(all, Account{name, version})
			}
			apply(all)
		}
		breaker.Sleep(ctx, time.Second)
	}
}

// look compares the folder with the look before, a second ago: two that are alike count. It reports
// whether what counts has changed.
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
	changed = f.applied == nil || maps.Equal(now, f.last) && !maps.Equal(now, f.applied)
	if f.last = now; changed {
		f.applied = now
	}
	return changed, err
}
