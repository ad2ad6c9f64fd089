package picture

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter/fetch"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

const (
	// leastUpload is the least time that is worth a request for new pictures.
	leastUpload = 2 * time.Second

	overReason    = "the pictures before it took the time that all have together"
	loadingReason = "the shop was still loading it when the time was over that all pictures have together"
	insideReason  = ": name its host in PUBSYNC_SHOP_IMAGE_HOSTS where it is yours"
)

// over reports whether the time is over that all pictures of the write have together.
func (a *Album) over() bool { return time.Until(a.Until) < leastUpload }

// ranOut reports whether a request was given up because the time of the pictures was over, and not
// the caller's.
func ranOut(ctx context.Context, err error) bool {
	return ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded)
}

// leaveLacking leaves out each picture that the shop does not have.
func (a *Album) leaveLacking(why string) {
	for _, p := range a.lackingOf(a.wanted) {
		a.leave(p, why, true)
	}
}

func (a *Album) lackingOf(list []Picture) []Picture {
	return slices.DeleteFunc(slices.Clone(list), func(p Picture) bool { return a.Pictures[p.mark] > 0 })
}

// askFor asks for each picture that the shop is to download, and leaves out those whose
// servers do not answer here: PHP would wait for them as long as it is allowed to, and so would the
// product. What the shop may still be loading for a request that was given up is not asked for
// again.
func (a *Album) askFor(ctx context.Context) error {
	if lacking := a.lackingOf(a.wanted); len(lacking) > 0 && (a.OneByOne || a.Loading != 0) {
		a.findLoaded(ctx, lacking)
	}
	if a.stillLoading() {
		a.leaveLacking(loadingReason)
	}
	var addresses []string
	for _, p := range a.lackingOf(a.wanted) {
		addresses = append(addresses, p.address)
	}
	if len(addresses) == 0 {
		return nil
	}
	limited, cancel := context.WithDeadline(ctx, a.Until)
	defer cancel()
	failed := a.Try(limited, addresses)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, p := range slices.Clone(a.wanted) {
		switch err := failed[p.address]; {
		case err == nil:
		case errors.Is(err, fetch.ErrPrivate):
			a.giveUp(p, a.Client.Clean(err.Error())+insideReason)
		case errors.Is(err, fetch.ErrUnfit):
			a.giveUp(p, a.Client.Clean(err.Error()))
		default:
			a.leave(p, a.Client.Clean(err.Error()), true)
		}
	}
	return nil
}

// stillLoading reports whether the shop may still be loading pictures for a request that was given
// up. Those that it has loaded since were found in its library.
func (a *Album) stillLoading() bool {
	if a.Loading == 0 {
		return false
	}
	if time.Since(time.UnixMilli(a.Loading)) > rest.RequestTimeout || len(a.lackingOf(a.wanted)) == 0 {
		a.Loading = 0
		return false
	}
	a.mayBeLoading = true
	return true
}
