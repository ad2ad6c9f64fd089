package woocommerce

import (
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
	"github.com/pubsync/pubsync/shopadapter/fetch"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

const (
	// mostUploads is how many new pictures a request holds: the shop downloads each while it waits.
	mostUploads = 5
	// leastUpload is the time below which no request with new pictures is begun.
	leastUpload = 2 * time.Second
	mostKnown   = 60 // pictures that the note remembers
	markSize    = 6  // bytes of a picture's mark
)

// A picture is one of the supplier's that the shop may accept.
type picture struct {
	address string
	mark    string // hash of the address
	name    string // in the media library: the file's, and the mark
}

// acceptedTypes are the endings that stock WordPress takes. Without one it refuses a picture unseen.
var acceptedTypes = []string{".jpg", ".jpeg", ".jpe", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff"}

// picturesOf is the product's pictures that the shop may accept, each once.
func picturesOf(p shopadapter.Product) (all []picture) {
	for _, address := range p.Pictures() {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
			!slices.Contains(acceptedTypes, strings.ToLower(path.Ext(u.Path))) {
			continue
		}
		mark := markOf(address)
		stem := []rune(strings.ReplaceAll(fold(strings.TrimSuffix(path.Base(u.Path), path.Ext(u.Path))), "_", " "))
		name := strings.TrimSpace(string(stem[:min(len(stem), 40)]) + " " + mark)
		all = append(all, picture{address: address, mark: mark, name: name})
	}
	return all
}

func markOf(address string) string { return kit.Digest(address, markSize) }

func marksOf(pictures []picture) []string {
	return kit.Each(pictures, func(p picture) string { return p.mark })
}

// markedName is a name in the media library that ends in a picture's mark.
var markedName = regexp.MustCompile(`(?:^| )([0-9a-f]{` + strconv.Itoa(2*markSize) + `})$`)

// marksOfImages are the marks of the pictures that a product shows, in order; "#id" for one of the
// merchant's.
func marksOfImages(images []term, known map[string]int64) []string {
	byID := map[int64]string{}
	for mark, id := range known {
		byID[id] = mark
	}
	marks := make([]string, 0, len(images))
	for _, i := range images {
		mark, ok := byID[int64(i.ID)]
		if found := markedName.FindStringSubmatch(plain(string(i.Name))); !ok && found != nil {
			mark, ok = found[1], true
		}
		if !ok {
			mark = "#" + idText(i.ID)
		}
		marks = append(marks, mark)
	}
	return marks
}

func (w *write) shownMarks() []string { return marksOfImages(w.held.Images, w.note.Pictures) }

// remembered is the ids of our pictures that the product shows, and of others that were loaded, as
// many as the note holds.
func (w *write) remembered() map[string]int64 {
	kept := map[string]int64{}
	for i, mark := range w.shownMarks() {
		if !strings.HasPrefix(mark, "#") {
			kept[mark] = int64(w.held.Images[i].ID)
		}
	}
	for _, mark := range slices.Sorted(maps.Keys(w.note.Pictures)) {
		if _, there := kept[mark]; !there && len(kept) < mostKnown {
			kept[mark] = w.note.Pictures[mark]
		}
	}
	return kept
}

// An album is the pictures of one write.
type album struct {
	*write
	wanted []picture                      // to be shown, in order: those that the shop may still accept
	absent map[string]shopadapter.Picture // by address: those that the product does without
	until  time.Time
	down   map[string]int // by host: how many of its pictures the shop could not reach
}

// putPictures writes the product with its pictures. One rule for all of them: try first, at most
// five new ones a request; the refused are dropped and the request is sent again; those that the
// shop fails over without a word come later. A refused picture is not tried again until the list
// changes or a person asks.
func (w *write) putPictures(ctx context.Context, fields map[string]any) error {
	w.note.Pictures = w.remembered()
	if !w.Changed.Has(shopadapter.FieldImages) {
		return w.put(ctx, fields)
	}
	if list := kit.HashList(w.p.Images).Exact; w.ref.Asked || w.state.Album != list || w.state.Refused == nil {
		w.state.Album, w.state.Refused = list, map[string]string{}
	}
	a := &album{
		write: w, absent: map[string]shopadapter.Picture{}, until: time.Now().Add(kit.PicturesTime),
		down: map[string]int{},
	}
	for _, address := range w.p.Pictures() {
		a.absent[address] = shopadapter.Picture{URL: address, Reason: "its address has no file name of a type that " +
			"WooCommerce accepts: jpg, png, gif, webp, bmp or tiff"}
	}
	for _, p := range picturesOf(w.p) {
		if why, refused := w.state.Refused[p.mark]; refused {
			a.absent[p.address] = shopadapter.Picture{URL: p.address, Reason: why}
		} else {
			delete(a.absent, p.address)
			a.wanted = append(a.wanted, p)
		}
	}
	writes := w.Decide(shopadapter.FieldImages, kit.HashList(w.shownMarks()), kit.HashList(marksOf(a.wanted)),
		&w.note.Images)
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

func (a *album) missing() (list []shopadapter.Picture) {
	shown := a.shownMarks()
	for _, address := range a.p.Pictures() {
		m, told := a.absent[address]
		switch {
		case told:
		case slices.Contains(shown, markOf(address)):
			continue
		default:
			m = shopadapter.Picture{URL: address, Reason: "the shop does not show it and does not say why", Later: true}
		}
		list = append(list, m)
	}
	return list
}

// items are the pictures of a request with so many new ones at most, their marks, and those that
// the shop is to load.
func (a *album) items(size int) (items []map[string]any, marks []string, loading []picture) {
	items = []map[string]any{} // an empty list clears the pictures, null is no list
	for _, p := range a.wanted {
		id := a.note.Pictures[p.mark]
		switch {
		case id > 0:
			items = append(items, map[string]any{"id": id})
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

func (a *album) lacking() []picture {
	return slices.DeleteFunc(slices.Clone(a.wanted), func(p picture) bool { return a.note.Pictures[p.mark] > 0 })
}

// leave does without a picture: until a later call, or as long as the list is the same and nobody
// asks.
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

// try asks for the new pictures from here: the shop waits for each, with the whole product.
func (a *album) try(ctx context.Context) error {
	if stillWorking(a.state.Loading) {
		a.leaveLacking(stillLoading)
	} else {
		a.state.Loading = 0
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
			why, private := a.a.clean(err.Error()), errors.Is(err, fetch.ErrPrivate)
			if private {
				why += ": name its host in PUBSYNC_SHOP_IMAGE_HOSTS where it is yours"
			}
			a.leave(p, why, !private && !errors.Is(err, fetch.ErrUnfit))
		}
	}
	return ctx.Err()
}

// put makes the requests. Only the last one puts the product on sale: no picture follows it.
func (a *album) put(ctx context.Context, fields map[string]any) error {
	if err := a.try(ctx); err != nil {
		return err
	}
	fields, size := maps.Clone(fields), mostUploads
	if a.state.OneByOne {
		size = 1
	}
	for {
		if time.Until(a.until) < leastUpload {
			a.leaveLacking("the pictures before it took the time that all have together")
		}
		items, marks, loading := a.items(size)
		last := len(loading) == len(a.lacking())
		body := maps.Clone(fields)
		if body["images"] = items; !last {
			delete(body, "status")
		}
		if slices.Equal(marks, a.shownMarks()) {
			delete(body, "images") // they are there
		}
		if a.note.Images = (kit.Written{Hash: kit.HashList(marks)}); len(body) == 0 {
			return a.write.put(ctx, body)
		}
		err := a.within(ctx, loading, body)
		if err == nil {
			a.learn(marks)
			if last {
				a.state.OneByOne = a.state.OneByOne && slices.ContainsFunc(slices.Collect(maps.Values(a.absent)),
					func(p shopadapter.Picture) bool { return p.Later })
				return nil
			}
			maps.DeleteFunc(fields, func(field string, _ any) bool { return field != "status" })
		} else if size, err = a.failed(ctx, err, loading, size); err != nil {
			return err
		}
	}
}

func (a *album) within(ctx context.Context, loading []picture, body map[string]any) error {
	if len(loading) > 0 {
		limited, cancel := context.WithDeadline(ctx, a.until)
		defer cancel()
		ctx = limited
	}
	return a.write.put(ctx, body)
}

func (a *album) learn(marks []string) {
	if len(marks) == len(a.held.Images) {
		for i, mark := range marks {
			a.note.Pictures[mark] = int64(a.held.Images[i].ID)
		}
	}
	a.note.Pictures = a.remembered()
	a.note.Images = kit.Written{Hash: kit.HashList(a.shownMarks())} // a plugin may have left some out
}

// stillLoading is why pictures come later that PHP goes on to load, though nobody waits for it.
const stillLoading = "the shop was still loading it when the time was over that all pictures have together"

// failed leaves out what made a request fail, and returns how many new pictures the next one holds.
// An error that is not about pictures is returned.
func (a *album) failed(ctx context.Context, err error, loading []picture, size int) (int, error) {
	r := refused(err)
	// PHP ended in the middle of the request. A 503 with a Retry-After is a pause that somebody asked for.
	died := r != nil && (r.Status == http.StatusInternalServerError || r.Status == http.StatusBadGateway ||
		r.Status == http.StatusServiceUnavailable && shopadapter.Explain(err).RetryAfter == 0)
	switch {
	case hasCode(err, codeNoImage) && a.forgetDeleted(r.Message):
	case len(loading) == 0:
		return 0, err
	case hasCode(err, codeUpload, codeNoImage):
		named := culprit(loading, r.Message)
		if named < 0 && len(loading) > 1 {
			return 1, nil // the shop does not say which it is
		}
		a.refusedBy(loading[max(named, 0)], r.Message)
	case died && len(loading) == 1 && a.state.OneByOne:
		a.leave(loading[0], "the shop's PHP dies when it loads this picture: see its error log, and its memory limit", false)
	case died:
		a.state.OneByOne = true // the next time each has a request of its own
		a.leaveLacking("the shop's PHP died when it loaded the pictures")
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		a.state.Loading = time.Now().UnixMilli()
		a.leaveLacking(stillLoading)
	default:
		return 0, err
	}
	return size, nil
}

// refusesType is what WordPress says of a file that is no picture, in the languages that its shops
// speak.
var refusesType = regexp.MustCompile(
	`(?i)file type|dateityp|bestandstype|type de fichier|tipo de (?:archivo|arquivo|ficheiro)|tipo di ` +
		`file|filtyp|filtype|typu plik` +
		`|upload_max_filesize|exceeds|too large|too big|corrupt|not an image|invalid image id`,
)

// refusedBy does without a picture that the shop refused. One code stands for a bad picture and for
// a server that is away: the text tells. Where two pictures of one server could not be reached, the
// others of it are left for later too.
func (a *album) refusedBy(p picture, message string) {
	if !strings.Contains(message, "://") && refusesType.MatchString(message) {
		a.leave(p, "the shop refuses it: "+message, false)
		return
	}
	a.leave(p, "the shop could not fetch it: "+message, true)
	if !strings.Contains(message, "cURL error") {
		return
	}
	host, _, _ := strings.Cut(bare(p.address), "/")
	if a.down[host]++; a.down[host] > 1 {
		for _, other := range a.lacking() {
			if strings.Contains(other.address, "://"+host+"/") {
				a.leave(other, "the shop could not reach the server of this picture", true)
			}
		}
	}
}

// culprit is the place of the one picture that a message names, -1 where it names none.
func culprit(loading []picture, message string) int {
	found := -1
	for i, p := range loading {
		if !strings.Contains(message+" ", p.address+". ") && !strings.Contains(message+" ", p.address+" ") {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

var imageNumber = regexp.MustCompile(`#([0-9]+)`)

// forgetDeleted forgets the picture that a message says is no more in the library, or all of them
// where it names none. It reports whether that makes a difference.
func (a *album) forgetDeleted(message string) bool {
	found := imageNumber.FindStringSubmatch(message)
	before := len(a.note.Pictures)
	maps.DeleteFunc(a.note.Pictures, func(_ string, id int64) bool {
		return found == nil || found[1] == strconv.FormatInt(id, 10)
	})
	return len(a.note.Pictures) < before
}
