package bolt

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/pubsync/pubsync/store"
	bolterrors "go.etcd.io/bbolt/errors"
)

// A damage is the error for a panic of bbolt's on a damaged page, or for a fault of a page that
// cannot be read. From then on every method returns it: bbolt may have left a lock behind, and
// writing would spread the damage.
type damage struct{ cause any }

func (d *damage) Error() string {
	if isFault(d.cause) {
		return fmt.Sprintf("%v: a page cannot be read", store.ErrCorrupt)
	}
	return fmt.Sprintf("%v: %v", store.ErrCorrupt, d.cause)
}

func (d *damage) Unwrap() error { return store.ErrCorrupt }

// guarded runs fn, and turns a panic within it into a *damage or a *store.Panic. Reading a page of
// the map that the file does not reach is a fault. It would end the process, so guarded has it
// raised as a panic.
func guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		switch {
		case p == nil:
		case fileCaused(p):
			err = &damage{cause: p}
		default:
			err = &store.Panic{Value: p}
		}
	}()
	return fn()
}

// A lostBucket is the name of a bucket that was there when the file was checked.
type lostBucket string

func (b lostBucket) Error() string { return fmt.Sprintf("bucket %s is missing", string(b)) }

// isFault reports whether a panic is the fault of a page that is not there.
func isFault(p any) bool {
	_, fault := p.(interface{ Addr() uintptr })
	return fault
}

// fileCaused reports whether the panic being recovered is due to what the file holds: a fault while
// reading the map, or a panic raised in bbolt, which trusts what it reads.
func fileCaused(p any) bool {
	if _, lost := p.(lostBucket); lost || isFault(p) {
		return true
	}
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	raised := false
	for {
		frame, more := frames.Next()
		switch inRuntime := strings.HasPrefix(frame.Function, "runtime."); {
		case frame.Function == "runtime.gopanic":
			raised = true
		case raised && !inRuntime:
			return strings.HasPrefix(frame.Function, "go.etcd.io/bbolt")
		}
		if !more {
			return false
		}
	}
}

// letGo gives up a file that bbolt cannot close.
func letGo(f *os.File) error {
	if err := unlock(f); err != nil {
		return err
	}
	return f.Close()
}

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
