// Package store keeps what the connector must not forget: what each publication became in the shop,
// what is due, what is owed to the marketplace, and how far the sweeps have come. [Store] says once
// what that means, above a [KV], which keeps values by key: store/bolt is one in a file,
// store/postgres one for many accounts in a database, [Memory] one for plans and tests.
//
// Record, mark, owed report and history of a publication are an [Entry], which one transaction
// changes as a whole: a crash at any moment leaves all of a change or none of it.
//
// A publication that is marked twice is marked once: marks are merged. A mark carries a generation,
// and the end of a look removes only the mark that it began with. The look that an unsigned webhook
// asks for is a mark of its own, so that a stranger never moves another's mark.
//
// A loop asks for its records by a [Property], which an index holds. Only work that concerns each
// record reads all of them: a comparison with the shop, a change of the rules, a copy.
//
// A SKU belongs to one publication, from before it is sent to the shop until a settled write no
// longer has it.
package store

import (
	"context"
	"errors"
	"fmt"
)

// A Store is what the connector must not forget, above a KV. Each of its methods is one
// transaction, and none spans a network call. Writes that say what has happened elsewhere must be
// kept though their caller is being stopped: it passes [context.WithoutCancel].
//
// The functions given to Change, Begin and PutPage are pure: they call no store, read no clock, and
// may run any number of times, of which the last counts. A panic in one ends the transaction without
// a trace and goes on in its caller.
type Store struct{ KV }

// view is what fn reads in a transaction.
func view[T any](ctx context.Context, s Store, fn func(*Tx) T) (v T, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		v = fn(tx)
		return nil
	})
	return v, err
}

// AccountError says that the store belongs to another marketplace account.
type AccountError struct{ Store, Token string }

func (e *AccountError) Error() string {
	return fmt.Sprintf("store belongs to the marketplace account %q, the token to %q: "+
		"use another PUBSYNC_STORE_PATH or the right token", e.Store, e.Token)
}

// The errors that a caller tells apart. Disk errors keep their cause: errors.Is(err,
// syscall.ENOSPC) holds for a full disk.
var (
	ErrLocked   = errors.New("store is in use by another process")
	ErrCorrupt  = errors.New("store is corrupt")
	ErrClosed   = errors.New("store is closed")
	ErrReadOnly = errors.New("store is open for reading only")
	// ErrReplaced is the error of every write: what is written to the old file would be lost.
	ErrReplaced = errors.New("store's file was removed or replaced while it was in use")
	// ErrFenced is the error of every write without the account's lease: another process has it, or
	// may have it at any moment.
	ErrFenced = errors.New("store's lease is lost: another process works on the account")
)

// Stopped reports whether a call failed since its caller's context had ended.
func Stopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Hopeless reports whether waiting cannot mend an error: a person must see to the file, or another
// process has the account, and the store must be opened again.
func Hopeless(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrReplaced) || errors.Is(err, ErrFenced)
}
