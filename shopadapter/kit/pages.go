package kit

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// Pages yields each product once, by id. read skips so many products and returns a page: those that count, and
// length, how many the page holds in all.
//
// Pages overlap, since a product deleted meanwhile moves those behind it. A page beyond the limits is read in
// quarters. A page that repeats what was shown is an error: the shop does not turn pages.
func Pages[T any, K comparable](
	size int, id func(T) K, read func(skip, size int) (page []T, length int, err error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		seen := map[K]bool{}
		for skip := 0; ; {
			page, length, err := read(skip, size)
			if size > 1 && Exceeded(err) {
				size = max(size/4, 1)
				continue
			}
			if err != nil {
				yield(*new(T), err)
				return
			}
			fresh := 0
			for _, one := range page {
				if id := id(one); !seen[id] {
					fresh++
					seen[id] = true
					if !yield(one, nil) {
						return
					}
				}
			}
			if length < size {
				return
			}
			if skip > 0 && len(page) == length && fresh == 0 {
				yield(*new(T), errors.New("the shop's list shows the same page again and again"))
				return
			}
			skip += max(size-size/4, 1)
		}
	}
}

// Runs reads ids in runs of a size, in halves where an answer exceeds the limits.
func Runs[K any](ids []K, size int, read func(run []K) error) error {
	for len(ids) > 0 {
		run := ids[:min(size, len(ids))]
		err := read(run)
		if len(run) > 1 && Exceeded(err) {
			size = len(run) / 2
			continue
		}
		if err != nil {
			return err
		}
		ids = ids[len(run):]
	}
	return nil
}

// Exceeded reports whether the answer exceeded the adapter's limits: a smaller request may work.
func Exceeded(err error) bool {
	var excess *wire.LimitError
	return errors.As(err, &excess)
}

// Listings is List by offset, and for Query.Refs by key; page and keys bound one request. all and keyed return
// listings, and how many products they read.
func Listings(
	q shopadapter.Query, page, keys int,
	all func(skip, size int) ([]shopadapter.Listed, int, error),
	keyed func(keys []string, most int) ([]shopadapter.Listed, int, error),
) iter.Seq2[shopadapter.Listed, error] {
	if q.Refs == nil {
		return Pages(page, func(o shopadapter.Listed) shopadapter.ListingID { return o.ID }, all)
	}
	return func(yield func(shopadapter.Listed, error) bool) {
		found := map[shopadapter.ListingID]shopadapter.Listed{}
		err := Runs(q.Refs, keys, func(refs []shopadapter.Ref) error {
			const twice = 2 // late creations leave drafts with the same key
			named := Each(refs, func(ref shopadapter.Ref) string { return Key(ref.Publication) })
			some, _, err := keyed(named, twice*len(named))
			for _, one := range some {
				found[one.ID] = one
			}
			return err
		})
		for _, one := range found {
			if !yield(one, nil) {
				return
			}
		}
		if err != nil {
			yield(shopadapter.Listed{}, err)
		}
	}
}

// Unusable returns the error of a GraphQL answer, nil if it holds data. err is the client's, words are the shop's for
// a status, and objection judges the answer's errors.
func Unusable(got *wire.Answer, err error, words wire.Words, objection func([]wire.Fault) error) error {
	lost, failed := errors.AsType[*wire.Error](err)
	if failed && !lost.Unreadable {
		return &shopadapter.Error{Message: lost.Message, Err: err}
	}
	switch got.Means() {
	case wire.Done, wire.Refused, wire.Unknown: // the body tells more
	default:
		return got.StatusError(words[got.Means()])
	}
	none := wire.IsNull(got.Data)
	switch {
	case len(got.Faults) > 0:
		return objection(got.Faults)
	case none && !bytes.HasPrefix(bytes.TrimSpace(got.Body), []byte("{")):
		return shopadapter.Retry("the shop's answer is not GraphQL (HTTP %d)", got.Status)
	case none:
		return shopadapter.Retry("the shop's answer holds no data (HTTP %d)", got.Status)
	case failed:
		return shopadapter.Retry("the shop's answer has an unknown form: %w", err)
	}
	return nil
}

// Pause waits for d, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
