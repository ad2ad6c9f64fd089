package bolt

import (
	"errors"
	"io/fs"
	"os"

	"github.com/pubsync/pubsync/store"
)

// inPlace fails where the path does not name the file that is open any more.
func (s *Store) inPlace() error {
	now, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.info) {
		return store.ErrReplaced
	}
	return nil
}
