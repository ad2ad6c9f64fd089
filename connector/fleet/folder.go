package fleet

import (
	"context"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/pubsync/pubsync/connector/engine"
)

// A folder has the versions of the accounts' files by name: as they were a second ago, and as they count.
type folder struct{ last, counts map[string]string }

// Watch calls apply with the accounts whenever their files change, until ctx ends. list returns the
// file of each; with an error and no files nothing changes. A file counts as it is once it has been
// still for a second, whatever becomes of the others. complain is called with the first error of a row.
func Watch(
	ctx context.Context, list func() (map[string]string, error), apply func([]Account), complain func(error),
) {
	var f folder
	said := ""
	for ; ctx.Err() == nil; engine.Sleep(ctx, time.Second) {
		paths, err := list()
		switch {
		case err == nil:
			said = ""
		case said != err.Error():
			said = err.Error()
			complain(err)
		}
		if (err == nil || paths != nil) && f.look(paths) {
			var all []Account
			for name, version := range f.counts {
				all = append(all, Account{name, version})
			}
			apply(all)
		}
	}
}

// look compares the files with the look before, a second ago, and reports whether what counts has changed.
func (f *folder) look(paths map[string]string) (changed bool) {
	now, counts := map[string]string{}, map[string]string{}
	for name, path := range paths {
		if info, err := os.Stat(path); err == nil {
			now[name] = fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
		}
		if now[name] != "" && now[name] == f.last[name] {
			counts[name] = now[name]
		}
	}
	for name, version := range f.counts {
		if now[name] != f.last[name] { // not still: as it was
			counts[name] = version
		}
	}
	changed = !maps.Equal(counts, f.counts)
	f.last, f.counts = now, counts
	return changed
}
