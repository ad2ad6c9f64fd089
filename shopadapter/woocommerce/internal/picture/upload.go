package picture

import (
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// maxReason bounds what a state remembers of a refusal, in characters.
const maxReason = 200

// Write writes the pictures, a few new ones at a time. The texts in put go along with the first of
// them, so that the stamp of each speaks of what stands there, and "publish" with the last. A
// picture that the shop does not accept is left out. No request for a picture follows the one that
// puts the product on sale: after a request with new pictures that did not end well, the missing
// ones are left to a later look, which finds the product on sale and adds them one by one. before
// is the stamp that the shop holds.
func (a *Album) Write(ctx context.Context, put map[string]any) error {
	alone := a.OneByOne && a.Product.OnSale()
	if err := a.askFor(ctx); err != nil {
		return err
	}
	if err := a.putMost(ctx, put); err != nil || !alone {
		return err
	}
	for _, p := range slices.Clone(a.later) {
		switch {
		case a.over():
			a.leave(p, overReason, true)
			continue
		case a.down[hostOf(p.address)] > 1:
			a.leave(p, unreachedReason, true)
			continue
		}
		if err := a.putAlone(ctx, p); err != nil || a.mayBeLoading {
			return err
		}
	}
	a.OneByOne = false
	return nil
}

// postpone leaves the pictures that the shop does not have for later in this call.
func (a *Album) postpone() {
	for _, p := range slices.Clone(a.wanted) {
		if a.Pictures[p.mark] == 0 {
			a.later = append(a.later, p)
			a.leave(p, "the shop got into trouble when it loaded the pictures", true)
		}
	}
}

// putMost writes what the product shows before pictures are added one by one.
func (a *Album) putMost(ctx context.Context, put map[string]any) error {
	if a.OneByOne {
		a.postpone()
	}
	put, size := maps.Clone(put), mostUploads
	died := false // PHP did, over a request with new pictures
	for {
		if a.over() {
			a.leaveLacking(overReason)
		}
		items, marks, loading := a.items(a.wanted, size)
		last := len(loading) == a.lacking(a.wanted)
		body := maps.Clone(put)
		if body["images"] = items; !last {
			delete(body, "status")
		}
		if last && len(put)+len(loading) == 0 && !died && a.Product.Holds(marks) {
			return nil
		}
		err := a.put(ctx, body, marks, len(loading) > 0)
		switch {
		case err == nil:
			a.learn(marks)
			a.accepted = true
			if !last {
				maps.DeleteFunc(put, func(field string, _ any) bool { return field != "status" })
				continue
			}
			return nil
		case rest.HasCode(err, rest.CodeNoImage) && a.forgetDeleted(rest.Refused(err).Message):
		case rest.HasCode(err, rest.CodeUpload, rest.CodeNoImage) && len(loading) > 0:
			bad := culprit(loading, rest.Refused(err).Message)
			if bad < 0 && len(loading) > 1 {
				size = 1 // the shop does not say which it is
				continue
			}
			a.refuse(loading[max(bad, 0)], rest.Refused(err).Message)
		case rest.Died(err) && len(loading) > 0:
			a.OneByOne, died = true, true
			a.postpone()
		case len(loading) > 0 && (ranOut(ctx, err) || a.Repeated && unanswered(ctx, err)):
			// The shop may go on loading. The product does not wait for it.
			a.OneByOne, a.Loading, a.mayBeLoading = true, time.Now().UnixMilli(), true
			a.leaveLacking(loadingReason)
		default:
			return err
		}
	}
}

// unanswered reports whether a request got no answer of the shop's, and not by the caller's doing.
func unanswered(ctx context.Context, err error) bool {
	return ctx.Err() == nil && rest.Uncertain(err) && !shopadapter.Explain(err).ShopWide
}

// inOrder is the pictures that are wanted, and those put off for later for which the condition
// holds, in the supplier's order.
func (a *Album) inOrder(also func(Picture) bool) []Picture {
	return slices.DeleteFunc(slices.Clone(a.offer.Pictures), func(p Picture) bool {
		same := func(other Picture) bool { return other.mark == p.mark }
		return !slices.ContainsFunc(a.wanted, same) && !(slices.ContainsFunc(a.later, same) && also(p))
	})
}

// putAlone adds one picture to a product that is on sale. A failure of the picture is recorded and
// is no error; an error concerns the whole shop.
func (a *Album) putAlone(ctx context.Context, p Picture) error {
	with := a.inOrder(func(other Picture) bool { return other.mark == p.mark })
	items, marks, loading := a.items(with, 1)
	if len(loading) == 0 {
		return nil
	}
	err := a.put(ctx, map[string]any{"images": items}, marks, true)
	switch {
	case err == nil:
		a.learn(marks)
		a.wanted, a.accepted = with, true
		delete(a.missing, p.address)
	case rest.HasCode(err, rest.CodeUpload, rest.CodeNoImage):
		a.refuse(p, rest.Refused(err).Message)
	case rest.Died(err):
		if !a.accepted {
			shown := a.Product.Shown()
			if err := a.put(ctx, map[string]any{"images": itemsOf(shown)}, Marks(shown, a.Memory.Pictures), false); err != nil {
				return err
			}
			a.accepted = true
		}
		a.giveUp(p, "PHP dies in the shop when it loads this picture: see the shop's error log, and its memory limit")
	case ctx.Err() != nil,
		shopadapter.Explain(err).ShopWide,
		rest.Refused(err) != nil && rest.Refused(err).Status < http.StatusInternalServerError:
		return err
	case ranOut(ctx, err):
		a.Loading, a.mayBeLoading = time.Now().UnixMilli(), true
		a.leave(p, loadingReason, true)
	default:
		a.leave(p, "the shop did not answer when it loaded it: "+err.Error(), true)
		a.mayBeLoading = true
	}
	return nil
}

// leave takes a picture out of what is wanted.
func (a *Album) leave(p Picture, why string, later bool) {
	a.missing[p.address] = shopadapter.Picture{URL: p.address, Reason: why, Later: later}
	a.wanted = slices.DeleteFunc(slices.Clone(a.wanted), func(other Picture) bool { return other.mark == p.mark })
}

// refuse leaves out a picture that the shop does not accept. The shop's message decides whether it
// may come later.
func (a *Album) refuse(p Picture, message string) {
	if !unfetched(message, p.address) {
		a.giveUp(p, "the shop refuses it: "+message)
		return
	}
	a.leave(p, "the shop could not fetch it: "+message, true)
	if host := hostOf(p.address); unconnected(message) {
		if a.down[host]++; a.down[host] < 2 {
			return
		}
		// PHP would wait for each of them until its time-out. They are late too.
		for _, other := range slices.Clone(a.wanted) {
			if hostOf(other.address) == host && a.Pictures[other.mark] == 0 {
				a.leave(other, unreachedReason, true)
			}
		}
	}
}

// giveUp leaves a picture out until a person asks for another try, or the supplier changes the
// pictures.
func (a *Album) giveUp(p Picture, why string) {
	if a.Refused == nil {
		a.Refused = map[string]string{}
	}
	why = quote.Line(why, maxReason, strings.Clone)
	a.Refused[p.mark] = why
	a.leave(p, why, false)
}

// culprit is the picture that a refusal names, or -1.
func culprit(loading []Picture, message string) int {
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

// forgetDeleted drops a picture that the merchant deleted from the media library, and tells whether
// there was one.
func (a *Album) forgetDeleted(message string) bool {
	id := int64(-1)
	if found := imageNumber.FindStringSubmatch(message); found != nil {
		if n, err := strconv.ParseInt(found[1], 10, 64); err == nil {
			id = n
		}
	}
	before := len(a.Pictures)
	maps.DeleteFunc(a.Pictures, func(_ string, known int64) bool { return id < 0 || known == id })
	return len(a.Pictures) < before
}

// put writes fields of the product. loads: the shop is to load pictures for it.
func (a *Album) put(ctx context.Context, fields map[string]any, marks []string, loads bool) error {
	if loads {
		return a.Product.Put(ctx, fields, marks, a.Until)
	}
	return a.Product.Put(ctx, fields, marks, time.Time{})
}
