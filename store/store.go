// Package store keeps the state of the connector: what each publication became in the shop, what is due, what is
// owed to the marketplace, and how far the sweeps have come. [Store] gives meaning to a [KV]: store/bolt in a file,
// store/postgres in a database for many accounts, [Memory] for plans and tests.
//
// One transaction changes an [Entry] as a whole, so that a crash leaves all of a change or none.
//
// Marks of a publication are merged. A mark carries a generation, and the end of a look removes only the mark that
// it began with. An unsigned webhook has a mark of its own, so that a stranger moves no other mark.
//
// A loop finds its records by a [Property]. Only work on each record reads all, as a comparison with the shop.
//
// A SKU belongs to one publication, from before it is sent to the shop until a settled write no longer has it.
package store

import (
	"context"
	"errors"
	"slices"
)

// A Store is the state of the connector above a KV. Each method is one transaction, and none spans a network call.
// Writes of what has happened elsewhere get [context.WithoutCancel], to be kept even while their caller is stopped.
//
// The functions given to Change, Begin and PutPage call no store and read no clock. Their panics reach the caller.
type Store struct{ KV }

func view[T any](ctx context.Context, s Store, fn func(*Tx) T) (v T, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		v = fn(tx)
		return nil
	})
	return v, err
}

// The errors that callers tell apart. Disk errors keep their cause, such as syscall.ENOSPC.
var (
	ErrLocked   = errors.New("store is in use by another process")
	ErrCorrupt  = errors.New("store is corrupt")
	ErrClosed   = errors.New("store is closed")
	ErrReadOnly = errors.New("store is open for reading only")
	// ErrReplaced fails every write, which would go to the old file and be lost.
	ErrReplaced = errors.New("store's file was removed or replaced while it was in use")
	// ErrFenced fails every write without the account's lease, which another process may have.
	ErrFenced = errors.New("store's lease is lost: another process works on the account")
	// ErrAccount refuses the token of another marketplace account.
	ErrAccount = errors.New("store belongs to another marketplace account: use another PUBSYNC_STORE_PATH or the " +
		"right token")
)

// Stopped reports whether a call failed because its context has ended.
func Stopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Hopeless reports whether waiting cannot mend an error: a person must act, or another process has the account.
func Hopeless(err error) bool {
	return slices.ContainsFunc([]error{ErrCorrupt, ErrReplaced, ErrFenced, ErrAccount}, func(of error) bool {
		return errors.Is(err, of)
	})
}
