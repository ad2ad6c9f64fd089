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
	read    bool
	moving  map[string]bool   // the accounts whose file was written or went within a second
	applied map[string]string // the version that counts, by account
}

// Settled reports whether the folder has been read, and no file waits to be still: until then an
// account may be there that is not known.
func (f *Folder) Settled() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.read && len(f.moving) == 0
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

// look compares the folder with the look before, a second ago, and reports whether what counts has
// changed.
func (f *Folder) look(now time.Time) (changed bool, err error) {
	files, err := f.List()
	if files == nil && err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	applied, moving := map[string]string{}, map[string]bool{}
	for name, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			continue
		}
		version := fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
		if age := now.Sub(info.ModTime()); age < still && age > -still { // a time far ahead is no sign of a writer
			moving[name] = true
			version = f.applied[name]
		}
		if version != "" {
			applied[name] = version
		}
	}
	for name, version := range f.applied { // a file is gone for a moment while it is replaced
		if applied[name] == "" && !moving[name] && !f.moving[name] {
			applied[name], moving[name] = version, true
		}
	}
	changed = !f.read || !maps.Equal(applied, f.applied)
	f.read, f.applied, f.moving = true, applied, moving
	return changed, err
}
