package woocommerce

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// maxReason bounds what a state remembers of a refusal, in characters.
const maxReason = 200

// mostDeaths is how often PHP may die on a picture before it is given up.
const mostDeaths = 3

// putPictures writes the pictures, a few new ones at a time. The texts in put go along with the
// first of them, so that the stamp of each speaks of what stands there, and "publish" with the last.
// A picture that the shop does not take is left out. No request for a picture follows the one that
// puts the product on sale: after a request with new pictures that did not end well, the missing
// ones are left to a later look, which finds the product on sale and adds them one by one. before is
// the stamp that the shop holds.
func (w *write) putPictures(ctx context.Context, put map[string]any, before productStamp) error {
	alone := w.state.OneByOne && w.view.Status == "publish"
	if err := w.tryPictures(ctx); err != nil {
		return err
	}
	if err := w.putMost(ctx, put, before); err != nil || !alone {
		return err
	}
	for _, p := range slices.Clone(w.album.later) {
		switch {
		case w.album.over():
			w.leave(p, overReason, true)
			continue
		case w.album.down[hostOf(p.address)] > 1:
			w.leave(p, unreachedReason, true)
			continue
		case w.album.deaths >= mostDeaths:
			w.leave(p, "PHP died in the shop when it loaded the pictures before it", true)
			continue
		}
		if err := w.putAlone(ctx, p); err != nil || w.album.inDoubt {
			return err
		}
	}
	if len(w.state.Tried) == 0 && w.album.deaths == 0 {
		w.state.OneByOne = false
	}
	return nil
}

// postpone leaves the pictures that the shop does not have for later in this call.
func (w *write) postpone() {
	for _, p := range slices.Clone(w.album.wanted) {
		if w.state.Pictures[p.mark] == 0 {
			w.album.later = append(w.album.later, p)
			w.leave(p, "the shop got into trouble when it loaded the pictures", true)
		}
	}
}

// putMost writes what the product shows before pictures are added one by one.
func (w *write) putMost(ctx context.Context, put map[string]any, before productStamp) error {
	if w.state.OneByOne {
		w.postpone()
	}
	put, size := maps.Clone(put), mostUploads
	var suspects []picture // those new in a request on which PHP died
	for {
		if w.album.over() {
			w.leaveLacking(overReason)
		}
		items, marks, loading := w.items(w.album.wanted, size)
		last := len(loading) == w.lacking(w.album.wanted)
		body := maps.Clone(put)
		if body["images"] = items; !last {
			delete(body, "status")
		}
		w.stamp.OneByOne = w.state.OneByOne
		s := w.stamp
		s.Images.Hash = stamp.HashList(marks)
		if last && len(loading)+len(suspects) == 0 && w.holds(put, marks, s, before) {
			w.stamp.Images = s.Images
			return nil
		}
		err := w.put(ctx, body, s, len(loading) > 0)
		switch {
		case err == nil:
			w.learn(marks)
			w.stamp.Images, w.album.taken = s.Images, true
			if !last {
				maps.DeleteFunc(put, func(field string, _ any) bool { return field != "status" })
				continue
			}
			w.suspect(suspects)
			return nil
		case rest.HasCode(err, rest.CodeNoImage) && w.forgetPicture(rest.Refused(err).Message):
		case rest.HasCode(err, rest.CodeUpload, rest.CodeNoImage) && len(loading) > 0:
			bad := culprit(loading, rest.Refused(err).Message)
			if bad < 0 && len(loading) > 1 {
				size = 1 // the shop does not say which it is
				continue
			}
			w.refuse(loading[max(bad, 0)], rest.Refused(err).Message)
		case rest.Died(err) && len(loading) > 0:
			w.state.OneByOne, suspects = true, loading
			w.postpone()
		case len(loading) > 0 && (ranOut(ctx, err) || w.repeated && unanswered(ctx, err)):
			// The shop may go on loading. The product does not wait for it.
			w.state.OneByOne, w.state.Loading, w.album.inDoubt = true, time.Now().UnixMilli(), true
			w.leaveLacking(loadingReason)
		default:
			return err
		}
	}
}

// unanswered tells whether a request got no answer of the shop's, and not by the caller's doing.
func unanswered(ctx context.Context, err error) bool {
	return ctx.Err() == nil && rest.InDoubt(err) && !shopadapter.Explain(err).ShopWide
}

// inOrder is the pictures that are wanted, and those put off for later for which the condition
// holds, in the supplier's order.
func (w *write) inOrder(also func(picture) bool) []picture {
	return slices.DeleteFunc(slices.Clone(w.want.pictures), func(p picture) bool {
		same := func(other picture) bool { return other.mark == p.mark }
		return !slices.ContainsFunc(w.album.wanted, same) && !(slices.ContainsFunc(w.album.later, same) && also(p))
	})
}

// holds tells whether the shop holds everything of a last request already.
func (w *write) holds(put map[string]any, marks []string, s, before productStamp) bool {
	s.Product, s.Pictures, s.OneByOne = before.Product, before.Pictures, before.OneByOne
	return len(put) == 0 && stamp.Encode(s) == stamp.Encode(before) &&
		slices.Equal(marks, pictureMarks(w.view.Images, w.state.Pictures))
}

// putAlone adds one picture to a product that is on sale. A failure of the picture is noted and is
// no error; an error concerns the whole shop.
func (w *write) putAlone(ctx context.Context, p picture) error {
	with := w.inOrder(func(other picture) bool { return other.mark == p.mark })
	items, marks, loading := w.items(with, 1)
	if len(loading) == 0 {
		return nil
	}
	s := w.stamp
	s.Images.Hash = stamp.HashList(marks)
	err := w.put(ctx, map[string]any{"images": items}, s, true)
	switch {
	case err == nil:
		w.learn(marks)
		w.stamp.Images, w.album.wanted, w.album.taken = s.Images, with, true
		delete(w.album.missing, p.address)
		delete(w.state.Tried, p.mark)
	case rest.HasCode(err, rest.CodeUpload, rest.CodeNoImage):
		w.refuse(p, rest.Refused(err).Message)
	case rest.Died(err):
		if !w.album.taken {
			if err := w.put(ctx, map[string]any{"images": itemsOf(w.view.Images)}, w.stampAsWritten(), false); err != nil {
				return err
			}
			w.album.taken = true
		}
		w.blame(p)
	case ctx.Err() != nil,
		shopadapter.Explain(err).ShopWide,
		rest.Refused(err) != nil && rest.Refused(err).Status < http.StatusInternalServerError:
		return err
	case ranOut(ctx, err):
		w.state.Loading, w.album.inDoubt = time.Now().UnixMilli(), true
		w.leave(p, loadingReason, true)
	default:
		w.leave(p, "the shop did not answer when it loaded it: "+err.Error(), true)
		w.album.inDoubt = true
	}
	return nil
}

// leave takes a picture out of what is wanted.
func (w *write) leave(p picture, why string, later bool) {
	w.album.missing[p.address] = shopadapter.Picture{URL: p.address, Reason: why, Later: later}
	w.album.wanted = slices.DeleteFunc(
		slices.Clone(w.album.wanted),
		func(other picture) bool { return other.mark == p.mark },
	)
}

// refuse leaves out a picture that the shop does not take. The shop's message decides whether it
// may come later.
func (w *write) refuse(p picture, message string) {
	if !unfetched(message, p.address) {
		w.giveUp(p, "the shop refuses it: "+message)
		return
	}
	w.leave(p, "the shop could not fetch it: "+message, true)
	delete(w.state.Tried, p.mark)
	if host := hostOf(p.address); unconnected(message) {
		if w.album.down[host]++; w.album.down[host] < 2 {
			return
		}
		// PHP would wait for each of them until its time-out. They are late too.
		for _, other := range slices.Clone(w.album.wanted) {
			if hostOf(other.address) == host && w.state.Pictures[other.mark] == 0 {
				w.leave(other, unreachedReason, true)
			}
		}
	}
}

// suspect counts a death of PHP against each of the pictures that were new in the request, which
// the shop accepted without them. One that loads alone is cleared.
func (w *write) suspect(pictures []picture) {
	if len(pictures) == 1 {
		w.blame(pictures[0])
		return
	}
	for _, p := range pictures {
		w.count(p)
	}
}

// count adds to the number of times that PHP died when it was to load a picture.
func (w *write) count(p picture) int {
	if w.state.Tried == nil {
		w.state.Tried = map[string]int{}
	}
	w.state.Tried[p.mark]++
	return w.state.Tried[p.mark]
}

// blame counts a death of PHP against the picture that was the only new one in the request.
func (w *write) blame(p picture) {
	w.album.deaths++
	if n := w.count(p); n < mostDeaths {
		w.leave(p, fmt.Sprintf("PHP dies in the shop when it loads this picture: try %d of %d", n, mostDeaths), true)
	} else {
		w.giveUp(p, fmt.Sprintf("PHP died in the shop %d times when it was to load this picture: see the shop's "+
			"error log, and its memory limit", n))
	}
}

// giveUp leaves a picture out until a person asks for another try, or the supplier changes the
// pictures.
func (w *write) giveUp(p picture, why string) {
	if w.state.Refused == nil {
		w.state.Refused = map[string]string{}
	}
	why = quote.Line(why, maxReason, strings.Clone)
	w.state.Refused[p.mark] = why
	delete(w.state.Tried, p.mark)
	w.leave(p, why, false)
}

// culprit is the picture that a refusal names, or -1.
func culprit(loading []picture, message string) int {
	found := -1
	for i, p := range loading {
		// The address may be shown escaped, or with another at its beginning.
		named := strings.Contains(message+" ", p.address+". ") || strings.Contains(message+" ", p.address+" ")
		if named && found >= 0 {
			return -1
		}
		if named {
			found = i
		}
	}
	return found
}

var imageNumber = regexp.MustCompile(`#([0-9]+)`)

// forgetPicture drops a picture that the merchant deleted from the media library, and tells whether
// there was one.
func (w *write) forgetPicture(message string) bool {
	id := int64(-1)
	if found := imageNumber.FindStringSubmatch(message); found != nil {
		if n, err := strconv.ParseInt(found[1], 10, 64); err == nil {
			id = n
		}
	}
	before := len(w.state.Pictures)
	maps.DeleteFunc(w.state.Pictures, func(_ string, known int64) bool { return id < 0 || known == id })
	return len(w.state.Pictures) < before
}
