package fleet

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
)

// A folder has the versions of each account's file: as it was a second ago, and as it counts. "" is
// that there is none.
type folder map[string]*struct{ last, counts string }

// Watch calls apply with the accounts whenever their files change, until ctx ends. list returns the
// file of each; with an error and no files nothing changes. A file counts as it is once it has been
// still for a second, whatever becomes of the others. complain is called with the first error of a row.
func Watch(
	ctx context.Context, list func() (map[string]string, error), apply func([]Account), complain func(error),
) {
	f := folder{}
	for said := ""; ctx.Err() == nil; breaker.Sleep(ctx, time.Second) {
		paths, err := list()
		if err == nil {
			said = ""
		} else if said != err.Error() {
			said = err.Error()
			complain(err)
		}
		if (err == nil || paths != nil) && f.look(paths) {
			apply(f.accounts())
		}
	}
}

// look compares the files with the look before, a second ago, and reports whether what counts has changed.
func (f folder) look(paths map[string]string) (changed bool) {
	for name := range paths {
		if f[name] == nil {
			f[name] = &struct{ last, counts string }{}
		}
	}
	for name, file := range f {
		now := ""
		if info, err := os.Stat(paths[name]); err == nil {
			now = fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
		}
		if now == file.last && now != file.counts {
			file.counts, changed = now, true
		}
		if file.last = now; now == "" && file.counts == "" {
			delete(f, name)
		}
	}
	return changed
}

func (f folder) accounts() (all []Account) {
	for name, file := range f {
		if file.counts != "" {
			all = append(all, Account{name, file.counts})
		}
	}
	return all
}
