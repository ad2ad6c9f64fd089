package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// PicturesTime bounds all pictures of one write together, so that none keeps a product off sale.
const PicturesTime = 30 * time.Second

// A Library serves a shop that loads pictures before a product shows them. If an upload shows at once, call Load
// while the product is off sale, then write the order and remove other pictures.
type Library struct {
	// Try is Fetcher.TryAll: a silent server would hold up the shop, and the whole product.
	Try func(ctx context.Context, addresses []string) map[string]error
	// Have returns the shop's ids of loaded pictures by address, by a mark that was made from the address.
	Have func(ctx context.Context, addresses []string) (map[string]string, error)
	// Upload loads one picture. The product does without it on a LeftOut, or an error that refuses the picture.
	Upload func(ctx context.Context, address string) (id string, err error)
	Clean  func(string) string // makes an error presentable
}

// LeftOut is the error of a picture that the product does without, although another try may help.
type LeftOut struct{ Err error }

func (l *LeftOut) Error() string { return l.Err.Error() }
func (l *LeftOut) Unwrap() error { return l.Err }

// RefusesPicture reports whether the picture itself is refused: only another one helps.
func RefusesPicture(err error) bool {
	return errors.Is(err, ErrUnfit) || Rejected(err)
}

// Load brings pictures into a library and returns their ids in order. missing are those refused, or not there within
// PicturesTime.
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
