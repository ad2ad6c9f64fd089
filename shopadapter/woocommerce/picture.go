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
	"github.com/pubsync/pubsync/shopadapter/quote"
)

const (
	// mostUploads is how many new pictures a request holds: the shop downloads each while it waits.
	mostUploads = 5
	// leastUpload is the time below which no request with new pictures is begun.
	leastUpload = 2 * time.Second
	mostKnown   = 60  // pictures that the note remembers
	maxReason   = 200 // characters
	markSize    = 6   // bytes of a picture's mark
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
		mark := kit.Digest(address, markSize)
		stem := []rune(strings.ReplaceAll(fold(strings.TrimSuffix(path.Base(u.Path), path.Ext(u.Path))), "_", " "))
		name := strings.TrimSpace(string(stem[:min(len(stem), 40)]) + " " + mark)
		all = append(all, picture{address: address, mark: mark, name: name})
	}
	return all
}

func marksOf(pictures []picture) []string {
	marks := make([]string, 0, len(pictures))
	for _, p := range pictures {
		marks = append(marks, p.mark)
	}
	return marks
}

// markedName is a name in the media library that ends in a picture's mark.
var markedName = regexp.MustCompile(`(?:^| )([0-9a-f]{` + strconv.Itoa(2*markSize) + `})$`)

// shownMarks are the marks of the pictures that the product shows, in order; "#id" for one of the
// merchant's.
func (w *write) shownMarks() []string { return marksOfImages(w.held.Images, w.note.Pictures) }

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
	w       *write
	wanted  []picture // to be shown, in order: those that the shop may still accept
	missing map[string]shopadapter.Picture
	until   time.Time
	down    map[string]int // by host: how many of its pictures the shop could not reach
}

// putPictures writes the product with its pictures. One rule for all of them: try first, at most
// five new ones a request; the refused are dropped and the request is sent again; those that the
// shop fails over without a word come later. A refused picture is not tried again until the list
// changes or a person asks.
func (w *write) putPictures(ctx context.Context, fields map[string]any) error {
	w.note.Pictures = w.remembered()
	if !w.Changed.Has(shopadapter.FieldImages) {
		return w.putChanged(ctx, fields)
	}
	offer := picturesOf(w.p)
	if list := kit.HashList(w.p.Images).Exact; w.ref.Asked || w.state.Album != list || w.state.Refused == nil {
		w.state.Album, w.state.Refused = list, map[string]string{}
	}
	a := &album{
		w: w, missing: map[string]shopadapter.Picture{}, until: time.Now().Add(w.a.patience.pictures), down: map[string]int{},
	}
	for _, p := range offer {
		if why, refused := w.state.Refused[p.mark]; refused {
			a.missing[p.address] = shopadapter.Picture{URL: p.address, Reason: why}
		} else {
			a.wanted = append(a.wanted, p)
		}
	}
	before := w.note.Images
	writes := w.Decide(shopadapter.FieldImages, kit.HashList(w.shownMarks()), kit.HashList(marksOf(a.wanted)),
		&w.note.Images)
	if w.Keeps(shopadapter.FieldImages) { // the merchant chose the pictures: none is missing
		return w.putChanged(ctx, fields)
	}
	var err error
	if !writes {
		err = w.putChanged(ctx, fields)
	} else {
		err = a.put(ctx, fields, before)
		w.wroteImages = true
	}
	w.missing = a.left(offer)
	return err
}

// putChanged writes the product where something of it, or of its note, differs.
func (w *write) putChanged(ctx context.Context, fields map[string]any) error {
	if len(fields) == 0 && !w.noteDiffers() {
		return nil
	}
	return w.put(ctx, fields)
}

// noteDiffers reports whether the note says something else than the one in the shop. The ids of
// pictures go with the next write: their names tell them until then.
func (w *write) noteDiffers() bool {
	before, now := readNote(w.noted), w.note
	now.Product, now.Pictures = before.Product, before.Pictures
	return kit.Encode(before) != kit.Encode(now)
}

// An upload is a picture of a request: one that the shop has, or one that it is to load.
type upload struct {
	ID   int64  `json:"id,omitempty"`
	Src  string `json:"src,omitempty"`
	Name string `json:"name,omitempty"`
	Alt  string `json:"alt,omitempty"`
}

// items are the pictures of a request with so many new ones at most, their marks, and those that
// the shop is to load.
func (a *album) items(size int) (items []upload, marks []string, loading []picture) {
	items = []upload{} // an empty list clears the pictures, null is no list
	for _, p := range a.wanted {
		id := a.w.note.Pictures[p.mark]
		switch {
		case id > 0:
			items = append(items, upload{ID: id})
		case len(loading) < size:
			loading = append(loading, p)
			items = append(items, upload{Src: p.address, Name: p.name, Alt: a.w.p.Title})
		default:
			continue
		}
		marks = append(marks, p.mark)
	}
	return items, marks, loading
}

// lacking are the wanted pictures that the shop has yet to load.
func (a *album) lacking() []picture {
	return slices.DeleteFunc(slices.Clone(a.wanted), func(p picture) bool { return a.w.note.Pictures[p.mark] > 0 })
}

// try asks for the new pictures from here: the shop waits for each, with the whole product.
func (a *album) try(ctx context.Context) error {
	if time.Since(time.UnixMilli(a.w.state.Loading)) < requestTimeout {
		a.leaveLacking(stillLoading)
	} else {
		a.w.state.Loading = 0
	}
	lacking := a.lacking()
	if len(lacking) == 0 {
		return nil
	}
	var addresses []string
	for _, p := range lacking {
		addresses = append(addresses, p.address)
	}
	limited, cancel := context.WithDeadline(ctx, a.until)
	defer cancel()
	failed := a.w.a.try(limited, addresses)
	for _, p := range lacking {
		if err := failed[p.address]; err != nil {
			why, private := a.w.a.clean(err.Error()), errors.Is(err, fetch.ErrPrivate)
			if private {
				why += ": name its host in PUBSYNC_SHOP_IMAGE_HOSTS where it is yours"
			}
			a.leave(p, why, !private && !errors.Is(err, fetch.ErrUnfit))
		}
	}
	return ctx.Err()
}

// put makes the requests. Only the last one puts the product on sale: no picture follows it.
func (a *album) put(ctx context.Context, fields map[string]any, before kit.Written) error {
	if err := a.try(ctx); err != nil {
		return err
	}
	fields, size := maps.Clone(fields), mostUploads
	if a.w.state.OneByOne {
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
		if slices.Equal(marks, a.w.shownMarks()) {
			delete(body, "images") // they are there
		}
		a.w.note.Images = kit.Written{Hash: kit.HashList(marks)}
		if len(body) == 0 && a.w.note.Images.Hash == before.Hash {
			return a.w.putChanged(ctx, body)
		}
		most := a.until
		if len(loading) == 0 {
			most = time.Now().Add(requestTimeout)
		}
		limited, cancel := context.WithDeadline(ctx, most)
		err := a.w.put(limited, body)
		cancel()
		switch r := refused(err); {
		case err == nil:
			a.learn(marks)
			if last {
				a.w.state.OneByOne = a.w.state.OneByOne && len(a.missing) > 0
				return nil
			}
			maps.DeleteFunc(fields, func(field string, _ any) bool { return field != "status" })
		case hasCode(err, codeNoImage) && a.forgetDeleted(r.Message):
		case hasCode(err, codeUpload, codeNoImage) && len(loading) > 0:
			named := culprit(loading, r.Message)
			if named < 0 && len(loading) > 1 {
				size = 1 // the shop does not say which it is
			} else {
				a.refusedBy(loading[max(named, 0)], r.Message)
			}
		case len(loading) == 1 && died(err) && a.w.state.OneByOne:
			a.leave(loading[0], "the shop's PHP dies when it loads this picture: see its error log, and its memory limit", false)
		case len(loading) > 0 && died(err):
			a.w.state.OneByOne = true // the next time each has a request of its own
			a.leaveLacking("the shop's PHP died when it loaded the pictures")
		case ctx.Err() != nil:
			return ctx.Err()
		case len(loading) > 0 && errors.Is(err, context.DeadlineExceeded):
			a.w.state.Loading = time.Now().UnixMilli()
			a.leaveLacking(stillLoading)
		default:
			return err
		}
	}
}

// stillLoading is why pictures come later that PHP goes on to load, though nobody waits for it.
const stillLoading = "the shop was still loading it when the time was over that all pictures have together"

// died reports whether PHP ended in the middle of a request. A 503 with a Retry-After is a pause
// that somebody asked for.
func died(err error) bool {
	r := refused(err)
	return r != nil && (r.Status == http.StatusInternalServerError || r.Status == http.StatusBadGateway ||
		r.Status == http.StatusServiceUnavailable && shopadapter.Explain(err).RetryAfter == 0)
}

func (a *album) learn(marks []string) {
	if len(marks) == len(a.w.held.Images) {
		for i, mark := range marks {
			a.w.note.Pictures[mark] = int64(a.w.held.Images[i].ID)
		}
	}
	a.w.note.Pictures = a.w.remembered()
}

// leave does without a picture: until a later call, or as long as the list is the same and nobody
// asks.
func (a *album) leave(p picture, why string, later bool) {
	why = quote.Line(why, maxReason, strings.Clone)
	if !later {
		a.w.state.Refused[p.mark] = why
	}
	a.missing[p.address] = shopadapter.Picture{URL: p.address, Reason: why, Later: later}
	a.wanted = slices.DeleteFunc(slices.Clone(a.wanted), func(other picture) bool { return other.mark == p.mark })
}

func (a *album) leaveLacking(why string) {
	for _, p := range a.lacking() {
		a.leave(p, why, true)
	}
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
	away := strings.Contains(message, p.address) || strings.Contains(message, "://") || !refusesType.MatchString(message)
	if !away {
		a.leave(p, "the shop refuses it: "+message, false)
		return
	}
	a.leave(p, "the shop could not fetch it: "+message, true)
	if !strings.Contains(message, "cURL error") {
		return
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(p.address, "https://"), "http://"), "/")
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
	before := len(a.w.note.Pictures)
	maps.DeleteFunc(a.w.note.Pictures, func(_ string, id int64) bool {
		return found == nil || found[1] == strconv.FormatInt(id, 10)
	})
	return len(a.w.note.Pictures) < before
}

// left is the product's pictures that it does not show, and why.
func (a *album) left(offer []picture) (list []shopadapter.Picture) {
	shown := a.w.shownMarks()
	for _, address := range a.w.p.Pictures() {
		i := slices.IndexFunc(offer, func(p picture) bool { return p.address == address })
		m, missing := a.missing[address]
		switch {
		case i < 0:
			m = shopadapter.Picture{URL: address, Reason: "its address has no file name of a type that WooCommerce accepts: " +
				"jpg, png, gif, webp, bmp or tiff"}
		case !missing && !slices.Contains(shown, offer[i].mark):
			m = shopadapter.Picture{URL: address, Reason: "the shop does not show it and does not say why", Later: true}
		case !missing:
			continue
		}
		list = append(list, m)
	}
	return list
}
