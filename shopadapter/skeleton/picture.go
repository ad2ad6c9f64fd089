package skeleton

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// A Library is what Load has to know of a shop that loads pictures before a product shows them.
type Library struct {
	// Try asks for pictures, all at once, and returns the errors of those that cannot be had:
	// fetch.Client.TryAll.
	Try func(ctx context.Context, addresses []string) map[string]error
	// Have is the shop's id of each picture that the library has already, by address. It goes by a
	// mark that was made from the address, so that no picture is loaded twice.
	Have func(ctx context.Context, addresses []string) (map[string]string, error)
	// Upload loads one picture. Where it returns a LeftOut, or an error that says that the
	// picture itself is refused, the product does without it.
	Upload func(ctx context.Context, address string) (id string, err error)
	Clean  func(string) string // makes an error fit to be shown
}

// LeftOut is the error of a picture that the product does without, although another try may help.
type LeftOut struct{ Err error }

func (l *LeftOut) Error() string { return l.Err.Error() }
func (l *LeftOut) Unwrap() error { return l.Err }

// Load brings the pictures of these addresses into a library, and returns their ids in the order of
// the addresses. All of them have half a minute together: those that are not there by then, and
// those that cannot be had, are missing.
func (l Library) Load(
	ctx context.Context,
	addresses []string,
) (ids []string, missing []shopadapter.Picture, err error) {
	have, err := l.Have(ctx, addresses)
	if err != nil {
		return nil, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, fetch.TogetherTimeout)
	defer cancel()
	fresh := slices.DeleteFunc(slices.Clone(addresses), func(address string) bool { return have[address] != "" })
	failed := Reachable(limited, l.Try, fresh)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	ids = []string{}
	for _, address := range addresses {
		id, err := have[address], failed[address]
		if id == "" && err == nil {
			id, err = l.upload(limited, address)
		}
		var left *LeftOut
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil && !errors.As(err, &left) && !refused(err):
			return nil, nil, err
		case err != nil:
			missing = append(missing, shopadapter.Picture{
				URL: address, Reason: l.Clean(err.Error()), Later: !refused(err),
			})
		case !slices.Contains(ids, id):
			ids = append(ids, id)
		}
	}
	return ids, missing, nil
}

// upload is Upload within the time that all pictures share.
func (l Library) upload(limited context.Context, address string) (string, error) {
	if limited.Err() != nil {
		return "", &LeftOut{errors.New("the pictures before it took too long")}
	}
	id, err := l.Upload(limited, address)
	if err != nil && limited.Err() != nil {
		err = &LeftOut{fmt.Errorf("it did not arrive within the %d seconds that all pictures share",
			fetch.TogetherTimeout/time.Second)}
	}
	return id, err
}

// refused reports whether a picture is refused for what it is, so that only another one helps.
func refused(err error) bool { return errors.Is(err, fetch.ErrUnfit) || step.Rejected(err) }

// Reachable tries the pictures that a shop is to be given, all at once and for half a minute at
// most, and returns why some of them cannot be had: a shop that is given a picture whose server
// does not answer waits for it, with the whole product. Each error is a LeftOut, or says that the
// picture is refused.
func Reachable(
	ctx context.Context,
	try func(ctx context.Context, addresses []string) map[string]error,
	addresses []string,
) map[string]error {
	limited, cancel := context.WithTimeout(ctx, fetch.TogetherTimeout)
	defer cancel()
	failed := try(limited, addresses)
	for address, err := range failed {
		if !refused(err) {
			failed[address] = &LeftOut{err}
		}
	}
	return failed
}
