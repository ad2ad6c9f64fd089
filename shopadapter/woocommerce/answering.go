package woocommerce

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
	insideReason  = ": name its host in PUBSYNC_WOOCOMMERCE_IMAGE_HOSTS where it is yours"
)

// over tells whether the time is over that all pictures of the write have together.
func (a *album) over() bool { return time.Until(a.until) < leastUpload }

// ranOut tells whether a request was given up because the time of the pictures was over, and not
// the caller's.
func ranOut(ctx context.Context, err error) bool {
	return ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded)
}

// leaveLacking leaves out each picture that the shop does not have.
func (w *write) leaveLacking(why string) {
	for _, p := range w.lackingOf(w.album.wanted) {
		w.leave(p, why, true)
	}
}

func (w *write) lackingOf(list []picture) []picture {
	return slices.DeleteFunc(slices.Clone(list), func(p picture) bool { return w.state.Pictures[p.mark] > 0 })
}

// tryPictures asks for each picture that the shop is to download, and leaves out those whose
// servers do not answer here: PHP would wait for them as long as it is allowed to, and so would the
// product. What the shop may still be loading for a request that was given up is not asked for
// again.
func (w *write) tryPictures(ctx context.Context) error {
	if lacking := w.lackingOf(w.album.wanted); len(lacking) > 0 && (w.state.OneByOne || w.state.Loading != 0) {
		w.findLoaded(ctx, lacking)
	}
	if w.stillLoading() {
		w.leaveLacking(loadingReason)
	}
	var addresses []string
	for _, p := range w.lackingOf(w.album.wanted) {
		addresses = append(addresses, p.address)
	}
	if len(addresses) == 0 {
		return nil
	}
	limited, cancel := context.WithDeadline(ctx, w.album.until)
	defer cancel()
	failed := w.a.try(limited, addresses)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, p := range slices.Clone(w.album.wanted) {
		switch err := failed[p.address]; {
		case err == nil:
		case errors.Is(err, fetch.ErrPrivate):
			w.giveUp(p, w.a.Clean(err.Error())+insideReason)
		case errors.Is(err, fetch.ErrUnfit):
			w.giveUp(p, w.a.Clean(err.Error()))
		default:
			w.leave(p, w.a.Clean(err.Error()), true)
		}
	}
	return nil
}

// stillLoading tells whether the shop may still be loading pictures for a request that was given
// up. Those that it has loaded since were found in its library.
func (w *write) stillLoading() bool {
	if w.state.Loading == 0 {
		return false
	}
	if time.Since(time.UnixMilli(w.state.Loading)) > rest.RequestTimeout || len(w.lackingOf(w.album.wanted)) == 0 {
		w.state.Loading = 0
		return false
	}
	w.album.inDoubt = true
	return true
}
