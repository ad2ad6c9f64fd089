package woocommerce

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

const (
	// mostUploads bounds the new pictures of a request, which the shop downloads before it answers.
	mostUploads = 5
	leastUpload = 2 * time.Second
	markSize    = 6 // bytes
)

type picture struct {
	address string
	mark    string // hash of the address
	name    string // in the media library: file name and mark
}

// acceptedTypes are the endings that stock WordPress takes. It refuses others unseen.
var acceptedTypes = []string{".jpg", ".jpeg", ".jpe", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff"}

func readPicture(address string) (p picture, why string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		!slices.Contains(acceptedTypes, strings.ToLower(path.Ext(u.Path))) {
		return p, "its address has no file name of a type that WooCommerce accepts: jpg, png, gif, webp, bmp or tiff"
	}
	mark := markOf(address)
	stem := []rune(strings.ReplaceAll(fold(strings.TrimSuffix(path.Base(u.Path), path.Ext(u.Path))), "_", " "))
	return picture{address, mark, strings.TrimSpace(string(stem[:min(len(stem), 40)]) + " " + mark)}, ""
}

func markOf(address string) string { return kit.Digest(address, markSize) }

var markedName = regexp.MustCompile(`(?:^| )([0-9a-f]{` + strconv.Itoa(2*markSize) + `})$`)

// marksOfImages returns marks in order, "#id" for the merchant's pictures.
func (n *note) marksOfImages(images []term) []string {
	return kit.Each(images, func(i term) string {
		if mark := n.Pictures[idText(i.ID)]; mark != "" {
			return mark
		}
		if found := markedName.FindStringSubmatch(plain(string(i.Name))); found != nil {
			return found[1]
		}
		return "#" + idText(i.ID)
	})
}

func (w *write) shownMarks() []string { return w.note.marksOfImages(w.held.Images) }

type album struct {
	*write
	wanted []picture                      // in order, without refused ones
	absent map[string]shopadapter.Picture // by address
	until  time.Time
}

// putPictures writes the product with its pictures, at most five new ones a request. Refused ones are dropped and
// the request is sent again; where the shop fails and names none, each new one has a request of its own. A refused
// picture is tried again when the list changes or a person asks; any other comes later.
func (w *write) putPictures(ctx context.Context, fields map[string]any) error {
	if !w.Changed.Has(shopadapter.FieldImages) {
		return w.put(ctx, fields)
	}
	if list := kit.HashList(w.p.Images).Exact; w.ref.Asked || w.state.Album != list || w.state.Refused == nil {
		w.state.Album, w.state.Refused = list, map[string]string{}
	}
	a := &album{write: w, absent: map[string]shopadapter.Picture{}, until: time.Now().Add(kit.PicturesTime)}
	for _, address := range w.p.Pictures() {
		p, why := readPicture(address)
		if why = cmp.Or(why, w.state.Refused[p.mark]); why != "" {
			a.absent[address] = shopadapter.Picture{URL: address, Reason: why}
		} else {
			a.wanted = append(a.wanted, p)
		}
	}
	marks := kit.Each(a.wanted, func(p picture) string { return p.mark })
	writes := w.Decide(shopadapter.FieldImages, kit.HashList(w.shownMarks()), kit.HashList(marks), &w.note.Images)
	if w.Keeps(shopadapter.FieldImages) { // the merchant chose the pictures: none is missing
		return w.put(ctx, fields)
	}
	put := w.put
	if writes {
		put = a.put
	}
	err := put(ctx, fields)
	w.missing = a.missing()
	return err
}

const unseen = "the shop does not show it and does not say why"

func (a *album) missing() (list []shopadapter.Picture) {
	shown := a.shownMarks()
	for _, address := range a.p.Pictures() {
		if m, told := a.absent[address]; told {
			list = append(list, m)
		} else if !slices.Contains(shown, markOf(address)) {
			list = append(list, shopadapter.Picture{URL: address, Reason: unseen, Later: true})
		}
	}
	return list
}

func (a *album) lacking() []picture {
	shown := a.shownMarks()
	return slices.DeleteFunc(slices.Clone(a.wanted), func(p picture) bool { return slices.Contains(shown, p.mark) })
}

// items returns pictures with at most size new ones, their marks, and the new ones. Shown ones go by id, since each
// address is downloaded again.
func (a *album) items(size int) (items []map[string]any, marks []string, loading []picture) {
	items = []map[string]any{} // an empty list clears the pictures, null is no list
	shown := a.shownMarks()
	for _, p := range a.wanted {
		switch i := slices.Index(shown, p.mark); {
		case i >= 0:
			items = append(items, map[string]any{"id": a.held.Images[i].ID})
		case len(loading) < size:
			loading = append(loading, p)
			items = append(items, map[string]any{"src": p.address, "name": p.name, "alt": a.p.Title})
		default:
			continue
		}
		marks = append(marks, p.mark)
	}
	return items, marks, loading
}

// leave drops a picture for this call if later, else until the list changes or a person asks.
func (a *album) leave(p picture, why string, later bool) {
	if !later {
		a.state.Refused[p.mark] = why
	}
	a.absent[p.address] = shopadapter.Picture{URL: p.address, Reason: why, Later: later}
	a.wanted = slices.DeleteFunc(slices.Clone(a.wanted), func(other picture) bool { return other.mark == p.mark })
}

func (a *album) leaveLacking(why string) {
	for _, p := range a.lacking() {
		a.leave(p, why, true)
	}
}

const stillLoading = "the shop was still loading it when the time was over that all pictures have together"

// try asks for new pictures from here first, since the shop holds up the whole product for each.
func (a *album) try(ctx context.Context) error {
	if stillWorking(a.state.Loading) {
		a.leaveLacking(stillLoading)
	}
	addresses := kit.Each(a.lacking(), func(p picture) string { return p.address })
	if len(addresses) == 0 {
		return nil
	}
	limited, cancel := context.WithDeadline(ctx, a.until)
	defer cancel()
	failed := a.a.try(limited, addresses)
	for _, p := range a.lacking() {
		if err := failed[p.address]; err != nil {
			why, private := a.a.clean(err.Error()), errors.Is(err, wire.ErrPrivate)
			if private {
				why += ": name its host in PUBSYNC_SHOP_IMAGE_HOSTS where it is yours"
			}
			a.leave(p, why, !private && !errors.Is(err, kit.ErrUnfit))
		}
	}
	return ctx.Err()
}

// put makes the requests. Only the last one puts the product on sale.
func (a *album) put(ctx context.Context, fields map[string]any) error {
	if err := a.try(ctx); err != nil {
		return err
	}
	limited, cancel := context.WithDeadline(ctx, a.until)
	defer cancel()
	fields = maps.Clone(fields)
	for size := mostUploads; ; {
		if time.Until(a.until) < leastUpload {
			a.leaveLacking("the pictures before it took the time that all have together")
		}
		items, marks, loading := a.items(size)
		last, body, within := len(loading) == len(a.lacking()), maps.Clone(fields), ctx
		if body["images"] = items; !last {
			delete(body, "status")
		}
		if slices.Equal(marks, a.shownMarks()) {
			delete(body, "images")
		}
		if len(loading) > 0 {
			within = limited
		}
		a.note.Images = kit.Written{Hash: kit.HashList(marks)}
		err := a.write.put(within, body)
		if err == nil {
			shown := a.shownMarks()
			if len(shown) == len(marks) { // in their places, even if renamed
				shown = marks
			}
			a.note.Images = kit.Written{Hash: kit.HashList(shown)} // a plugin may have left some out
			a.note.Pictures = map[string]string{}
			for i, mark := range shown {
				a.note.Pictures[idText(a.held.Images[i].ID)] = mark
			}
			if last {
				return nil
			}
			for _, p := range a.lacking() {
				if slices.Contains(loading, p) {
					a.leave(p, unseen, true)
				}
			}
			maps.DeleteFunc(fields, func(field string, _ any) bool { return field != "status" })
		} else if size, err = a.failed(ctx, err, loading, size); err != nil {
			return err
		}
	}
}

// failed drops the pictures at fault and returns the next size, or an error that is not about pictures.
func (a *album) failed(ctx context.Context, err error, loading []picture, size int) (int, error) {
	r, died := refused(err), phpDied(err)
	switch named := culprit(loading, err); {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case len(loading) == 0 || !died && !hasCode(err, codeUpload) && !errors.Is(err, context.DeadlineExceeded):
		return 0, err
	case r == nil:
		a.state.Loading = time.Now().UnixMilli()
		a.leaveLacking(stillLoading)
	case named < 0 && len(loading) > 1:
		return 1, nil
	case died:
		const why = "the shop's PHP dies when it loads this picture: see its error log, and its memory limit"
		_, again := a.state.Refused[loading[0].mark]
		a.state.Refused[loading[0].mark] = ""
		if again { // the shop may fail without pictures too
			same := map[string]any{"menu_order": a.held.Order}
			if _, err := a.a.writeProduct(ctx, http.MethodPut, productPath(a.held.ID), same); err != nil {
				return 0, err
			}
		}
		a.leave(loading[0], why, !again)
	case !strings.Contains(r.Message, "://") && refusesType.MatchString(r.Message):
		a.leave(loading[max(named, 0)], "the shop refuses it: "+r.Message, false)
	default:
		a.leave(loading[max(named, 0)], "the shop could not fetch it: "+r.Message, true)
	}
	return size, nil
}

// refusesType matches what WordPress says of a file that is no picture, in the languages of its shops. The code is
// the same where a server is away.
var refusesType = regexp.MustCompile(
	`(?i)file type|dateityp|bestandstype|type de fichier|tipo de (?:archivo|arquivo|ficheiro)|tipo di ` +
		`file|filtyp|filtype|typu plik` +
		`|upload_max_filesize|exceeds|too large|too big|corrupt|not an image|invalid image id`,
)

// culprit returns -1 where a refusal names no single picture.
func culprit(loading []picture, err error) int {
	r, found := refused(err), -1
	for i, p := range loading {
		switch named := r != nil && strings.Contains(strings.ReplaceAll(r.Message, ". ", " ")+" ", p.address+" "); {
		case named && found >= 0:
			return -1
		case named:
			found = i
		}
	}
	return found
}
