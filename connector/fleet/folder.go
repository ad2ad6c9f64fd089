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

const (
	lookEvery = time.Second // between two looks at the folder
	still     = time.Second // for so long a file must not have changed
)

// A Folder is the files of accounts, of which some are being written.
type Folder struct {
	// List returns the file of each account. With an error nothing changes but for a first list.
	List func() (files map[string]string, err error)

	mu      sync.Mutex
	seen    map[string]sight // as last seen
	applied map[string]string
	begun   bool
}

// Waits reports whether an account of a name may be there soon: the folder has not been read yet, or
// its file has not been still for long enough.
func (f *Folder) Waits(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, applied := f.applied[name]
	return !f.begun || f.seen[name].version != "" && !applied
}

// A sight is what a file looked like, and since when.
type sight struct {
	version string // "": it is gone
	since   time.Time
}

// Settled reports whether the folder has been read, and no file waits to be still.
func (f *Folder) Settled() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, s := range f.seen {
		if _, applied := f.applied[name]; s.version != "" && !applied {
			return false
		}
	}
	return f.begun
}

// Watch calls apply with the accounts, at once and whenever one has come, changed or gone and been
// still for a second, until ctx ends. complain is called with the first error of a row, and with nil
// at its end.
func (f *Folder) Watch(ctx context.Context, apply func([]Account), complain func(error)) {
	said := ""
	for ctx.Err() == nil {
		changed, err := f.look(time.Now())
		if text := errorText(err); text != said {
			said = text
			complain(err)
		}
		if changed {
			apply(f.accounts())
		}
		breaker.Sleep(ctx, lookEvery)
	}
}

func (f *Folder) accounts() (all []Account) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, version := range f.applied {
		all = append(all, Account{name, version})
	}
	return all
}

// look compares the folder with what was applied, and reports whether that has changed.
func (f *Folder) look(now time.Time) (changed bool, err error) {
	files, err := f.List()
	if files == nil && err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	first := !f.begun
	if first {
		f.begun, f.seen, f.applied = true, map[string]sight{}, map[string]string{}
	}
	versions := map[string]string{}
	for name := range f.applied {
		versions[name] = "" // unless it is still there
	}
	for name, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			continue
		}
		versions[name] = fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
		if since := info.ModTime(); first && now.Sub(since) >= still {
			f.seen[name] = sight{versions[name], since}
		}
	}
	for name, version := range versions {
		if f.seen[name].version != version || f.seen[name].since.IsZero() {
			f.seen[name] = sight{version, now}
		}
		if now.Sub(f.seen[name].since) < still || f.applied[name] == version {
			continue
		}
		changed = true
		if f.applied[name] = version; version == "" {
			delete(f.applied, name)
		}
	}
	maps.DeleteFunc(f.seen, func(name string, s sight) bool { _, there := versions[name]; return !there })
	return changed || first, err
}
