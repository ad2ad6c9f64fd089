package store

import (
	"context"
	"errors"
	"fmt"
)

// A Portable store can be copied to a store of any engine, with nothing changed.
type Portable interface {
	// CopyTo copies all that the store holds, as it is at one moment, while others go on writing to
	// it, and returns how many publications it knows. The other store must be empty, else the error is
	// ErrNotEmpty. After another error it is refused wherever it is opened.
	CopyTo(ctx context.Context, to Reader) (publications int, err error)
	// Whole is ErrHalf of a store into which a copy was not finished.
	Whole(ctx context.Context) error
}

// ErrHalf is the error of a store into which a copy was not finished.
var ErrHalf = errors.New("store is half a copy: run pubsync store copy once more, which begins anew")

// ErrNotEmpty is the error of a copy into a store that holds something.
var ErrNotEmpty = errors.New("store holds something already")

// Copy carries all that a store holds to an empty one, and returns how many publications it knows.
func Copy(ctx context.Context, from, to Reader) (publications int, err error) {
	source, ok := from.(Portable)
	if !ok {
		return 0, fmt.Errorf("copy store: a %T cannot be copied", from)
	}
	return source.CopyTo(ctx, to)
}
