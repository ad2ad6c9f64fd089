package fleet

import (
	"context"
	"fmt"
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
	files   map[string]*file // by account; nil: nobody has looked
	settled bool
}

// A file has the versions of an account's file; "": there is none.
type file struct{ last, counts string }

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
			for name, file := range f.files {
				if file.counts != "" {
					all = append(all, Account{name, file.counts})
				}
			}
			apply(all)
		}
		breaker.Sleep(ctx, time.Second)
	}
}

// look compares the folder with the look before, a second ago, and reports whether what counts has
// changed.
func (f *Folder) look() (changed bool, err error) {
	paths, err := f.List()
	if paths == nil && err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if changed = f.files == nil; changed {
		f.files = map[string]*file{}
	}
	for name := range paths {
		if f.files[name] == nil {
			f.files[name] = &file{}
		}
	}
	f.settled = true
	for name, file := range f.files {
		now := ""
		if info, err := os.Stat(paths[name]); err == nil {
			now = fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
		}
		if now == file.last && now != file.counts {
			file.counts, changed = now, true
		}
		if file.last = now; now == "" && file.counts == "" {
			delete(f.files, name)
		} else if file.counts == "" {
			f.settled = false
		}
	}
	return changed, err
}
