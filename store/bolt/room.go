package bolt

import (
	"errors"
	"io/fs"
	"os"

	"github.com/pubsync/pubsync/store"
)

// inPlace fails when the path no longer names the file that is open.
func (s *Store) inPlace() error {
	now, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.info) {
		return store.ErrReplaced
	}
	return nil
}
