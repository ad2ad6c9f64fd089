package bolt

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/pubsync/pubsync/store"
	bolterrors "go.etcd.io/bbolt/errors"
)

// A damage is the error for a panic of bbolt's on a damaged page, or for a fault of a page that
// cannot be read. From then on every method returns it: bbolt may have left a lock behind, and
// writing would spread the damage.
type damage struct{ cause any }

func (d *damage) Error() string { return fmt.Sprintf("%v: %v", store.ErrCorrupt, d.cause) }
func (d *damage) Unwrap() error { return store.ErrCorrupt }

// sound runs what reads or writes pages. A panic is a *damage: bbolt trusts what it reads, and reading
// a page of the map that the file does not reach is a fault, which would end the process.
func sound(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &damage{cause: p}
		}
	}()
	return fn()
}

// letGo gives up a file that bbolt cannot close.
func letGo(f *os.File) error { return errors.Join(unlock(f), f.Close()) }

// translate gives bbolt's errors the store's names.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return store.ErrClosed
	case errors.Is(err, bolterrors.ErrTimeout):
		return store.ErrLocked
	case errors.Is(err, bolterrors.ErrInvalid),
		errors.Is(err, bolterrors.ErrVersionMismatch),
		errors.Is(err, bolterrors.ErrChecksum):
		return fmt.Errorf("%w: no valid head: %w", store.ErrCorrupt, err)
	case strings.HasPrefix(err.Error(), "file size too small"): // bbolt has no name for it
		return fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	default:
		return err
	}
}
