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

// still is for how long a file must not have changed.
const still = time.Second

// A Folder is the files of accounts, of which some are being written.
type Folder struct {
	// List returns the file of each account. With an error nothing changes but for a first list.
	List func() (files map[string]string, err error)

	mu      sync.Mutex
	seen    map[string]string // the version of each file as last seen; nil: the folder has not been read
	applied map[string]string // the version that counts
}

// Settled reports whether the folder has been read, and no file waits to be still: until then an
// account may be there that is not known.
func (f *Folder) Settled() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen != nil && maps.Equal(f.seen, f.applied)
}

// Watch calls apply with the accounts, at once and whenever one has come, changed or gone and been
// still for a second, until ctx ends. complain is called with the first error of a row.
func (f *Folder) Watch(ctx context.Context, apply func([]Account), complain func(error)) {
	said := ""
	for ctx.Err() == nil {
		changed, err := f.look(time.Now())
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
		breaker.Sleep(ctx, still)
	}
}

// look compares the folder with the look before, and reports whether what counts has changed. Of the
// first look a file counts that was not written lately.
func (f *Folder) look(now time.Time) (changed bool, err error) {
	files, err := f.List()
	if files == nil && err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	first, before := f.seen == nil, f.seen
	if first {
		before, f.applied = map[string]string{}, map[string]string{}
	}
	f.seen = map[string]string{}
	applied := maps.Clone(f.applied)
	for name, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			continue
		}
		f.seen[name] = fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
		if before[name] == f.seen[name] || first && now.Sub(info.ModTime()) >= still {
			applied[name] = f.seen[name]
		}
	}
	maps.DeleteFunc(applied, func(name, _ string) bool { // a file is gone for a moment while it is replaced
		return f.seen[name] == "" && before[name] == ""
	})
	changed = first || !maps.Equal(applied, f.applied)
	f.applied = applied
	return changed, err
}
