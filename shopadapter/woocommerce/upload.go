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
)

// maxReason bounds what a state remembers of a refusal, in characters.
const maxReason = 200

// mostDeaths is how often PHP may die on a picture before it is given up.
const mostDeaths = 3

// putPictures writes the pictures, a few new ones at a time, and put along with the last of them. A
// picture that the shop does not take is left out. After a request with new pictures that did not
// end well, the missing pictures are added one by one, once the product is on sale with the others.
// before is the stamp that the shop holds.
func (w *write) putPictures(ctx context.Context, put map[string]any, before productStamp) error {
	if err := w.tryPictures(ctx); err != nil {
		return err
	}
	if err := w.putMost(ctx, put, before); err != nil {
		return err
	}
	if err := w.putLoaded(ctx); err != nil {
		return err
	}
	for _, p := range slices.Clone(w.album.later) {
		if w.state.Pictures[p.mark] > 0 {
			continue
		}
		if w.album.over() {
			w.leave(p, overReason, true)
			continue
		}
		if w.album.down[hostOf(p.address)] > 1 {
			w.leave(p, unreachedReason, true)
			continue
		}
		if w.album.deaths >= mostDeaths {
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
	size := mostUploads
	var suspects []picture // those new in a request on which PHP died
	for {
		if w.album.over() {
			w.leaveLacking(overReason)
		}
		items, marks, loading := w.items(w.album.wanted, size)
		last := len(loading) == w.lacking(w.album.wanted)
		body := map[string]any{"images": items}
		s := w.stampAsWritten()
		if last {
			maps.Copy(body, put)
			s = w.stamp
		}
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
				continue
			}
			// The shop accepts the product without the new pictures, so one of them caused the
			// death.
			switch len(suspects) {
			case 0:
			case 1:
				w.blame(suspects[0])
				w.album.later = slices.DeleteFunc(
					w.album.later,
					func(p picture) bool { return p.mark == suspects[0].mark },
				)
			default:
				w.album.group = suspects
			}
			return nil
		case hasCode(err, codeNoImage) && w.forgetPicture(refused(err).message):
		case hasCode(err, codeUpload, codeNoImage) && len(loading) > 0:
			bad := culprit(loading, refused(err).message)
			if bad < 0 && len(loading) > 1 {
				size = 1 // the shop does not say which it is
				continue
			}
			w.refuse(loading[max(bad, 0)], refused(err).message)
		case died(err) && len(loading) > 0:
			w.state.OneByOne, suspects = true, loading
			w.postpone()
		case ranOut(ctx, err) && len(loading) > 0:
			// The shop goes on loading. The product does not wait for it.
			w.state.OneByOne, w.state.Loading, w.album.inDoubt = true, time.Now().UnixMilli(), true
			w.leaveLacking(loadingReason)
		default:
			if inDoubt(err) && len(loading) > 0 && !shopadapter.Explain(err).ShopWide {
				w.state.OneByOne = true
			}
			return err
		}
	}
}

// putLoaded shows the pictures that are in the shop's media library already, where a request that
// died has left them.
func (w *write) putLoaded(ctx context.Context) error {
	lost := slices.ContainsFunc(
		w.album.later,
		func(p picture) bool { return w.state.Tried[p.mark] == 0 && w.state.Pictures[p.mark] == 0 },
	)
	if !lost || !w.findLoaded(ctx, w.album.later) {
		return nil
	}
	for {
		shown := w.inOrder(func(p picture) bool { return w.state.Pictures[p.mark] > 0 })
		items, marks, _ := w.items(shown, 0)
		s := w.stamp
		s.Images.Hash = stamp.HashList(marks)
		err := w.put(ctx, map[string]any{"images": items}, s, false)
		switch {
		case err == nil:
			w.stamp.Images, w.album.wanted, w.album.taken = s.Images, shown, true
			for _, p := range shown {
				delete(w.album.missing, p.address)
				delete(w.state.Tried, p.mark)
			}
			return nil
		case hasCode(err, codeNoImage) && w.forgetPicture(refused(err).message):
		default:
			return err
		}
	}
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
	s.Product, s.Pictures = before.Product, before.Pictures
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
	case hasCode(err, codeUpload, codeNoImage):
		w.refuse(p, refused(err).message)
	case died(err):
		if !w.album.taken {
			if err := w.put(ctx, map[string]any{"images": itemsOf(w.view.Images)}, w.stampAsWritten(), false); err != nil {
				return err
			}
			w.album.taken = true
		}
		w.blame(p)
	case ctx.Err() != nil,
		shopadapter.Explain(err).ShopWide,
		refused(err) != nil && refused(err).status < http.StatusInternalServerError:
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

// blame counts a death of PHP against the picture that was the only new one in the request.
func (w *write) blame(p picture) {
	if w.state.Tried == nil {
		w.state.Tried = map[string]int{}
	}
	w.state.Tried[p.mark]++
	if slices.ContainsFunc(w.album.group, func(other picture) bool { return other.mark == p.mark }) {
		w.state.Tried[p.mark]++ // it caused the death of the group as well: the pictures before it loaded
		w.album.group = nil
	}
	w.album.deaths++
	n := w.state.Tried[p.mark]
	if n < mostDeaths {
		w.leave(p, fmt.Sprintf("PHP dies in the shop when it loads this picture: try %d of %d", n, mostDeaths), true)
	} else {
		w.giveUp(p, fmt.Sprintf("PHP died in the shop each of the %d times that it loaded this picture: see the "+
			"shop's error log, and its memory limit", n))
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
