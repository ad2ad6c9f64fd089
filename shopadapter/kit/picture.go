package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// PicturesTime is what all pictures of one write have together, so that none keeps a product off sale.
const PicturesTime = 30 * time.Second

// A Library is what Load has to know of a shop that loads pictures before a product shows them. Where an
// upload shows at once, in the product, there is no library: Load such pictures while the product is out of
// sale, with Have telling those that it has, and then write their order and take off the others.
type Library struct {
	// Try asks for pictures, all at once, and returns the errors of those that cannot be had:
	// Fetcher.TryAll. A shop that is given a picture whose server does not answer waits for
	// it, with the whole product.
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

// RefusesPicture reports whether a picture is refused for what it is, so that only another one
// helps.
func RefusesPicture(err error) bool {
	return errors.Is(err, ErrUnfit) || Rejected(err)
}

// Load brings the pictures of these addresses into a library, and returns their ids in the order of
// the addresses. All of them have half a minute together: those that are not there by then, and
// those that cannot be had, are missing.
func (l Library) Load(
	ctx context.Context, addresses []string,
) (ids []string, missing []shopadapter.Picture, err error) {
	have, err := l.Have(ctx, addresses)
	if err != nil {
		return nil, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, PicturesTime)
	defer cancel()
	fresh := slices.DeleteFunc(slices.Clone(addresses), func(address string) bool { return have[address] != "" })
	failed := l.Try(limited, fresh)
	ids = []string{}
	for _, address := range addresses {
		id, err, late := have[address], failed[address], true
		if id == "" && err == nil {
			if err = limited.Err(); err == nil {
				id, err = l.Upload(limited, address)
			}
			if _, late = errors.AsType[*LeftOut](err); err != nil && limited.Err() != nil {
				late, err = true, fmt.Errorf("it did not arrive within the %d seconds that all pictures share",
					PicturesTime/time.Second)
			}
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err == nil && !slices.Contains(ids, id):
			ids = append(ids, id)
		case err != nil && !late && !RefusesPicture(err):
			return nil, nil, err
		case err != nil:
			missing = append(missing, shopadapter.Picture{
				URL: address, Reason: l.Clean(err.Error()), Later: !RefusesPicture(err),
			})
		}
	}
	return ids, missing, ctx.Err()
}
