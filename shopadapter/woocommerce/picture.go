package woocommerce

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

const (
	// mostUploads is how many pictures one request asks the shop to download: each takes from a
	// quarter of a second to several, and what a web server waits for is often thirty in all.
	mostUploads = 5
	// mostKnown bounds the pictures that a stamp remembers.
	mostKnown = 60
	markSize  = 6 // bytes of a picture's mark
)

// A picture is one of the supplier's.
type picture struct {
	address string
	mark    string // hash of the address
	name    string // in the media library: the file's, and the mark
}

// takenTypes are the file name extensions that WooCommerce takes. It goes by the path, not by what
// the server says.
var takenTypes = []string{".jpg", ".jpeg", ".jpe", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff"}

// pictures are those of p that the shop may take, each once, and the addresses of the others.
func pictures(p shopadapter.Product) (list []picture, unusable []string) {
	for _, address := range p.Images {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
			!slices.Contains(takenTypes, strings.ToLower(path.Ext(u.Path))) {
			unusable = append(unusable, address)
			continue
		}
		m := stamp.Digest(address, markSize)
		if !slices.ContainsFunc(list, func(other picture) bool { return other.mark == m }) {
			list = append(list, picture{address: address, mark: m, name: pictureName(u.Path, m)})
		}
	}
	return list, unusable
}

// pictureName is the name of a picture in the media library. The mark at its end is how it is known
// again.
func pictureName(file, mark string) string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	words := []rune(strings.ReplaceAll(words.Fold(stem), "_", " "))
	return strings.TrimSpace(string(words[:min(len(words), 40)]) + " " + mark)
}

var markedName = regexp.MustCompile(`(?:^| )([0-9a-f]{` + strconv.Itoa(2*markSize) + `})$`)

// pictureMarks are the marks of the pictures that a product shows, in order. One that is not the
// adapter's is known by its id.
func pictureMarks(held []rest.Image, known map[string]int64) []string {
	byID := make(map[int64]string, len(known))
	for mark, id := range known {
		byID[id] = mark
	}
	marks := make([]string, 0, len(held))
	for _, i := range held {
		mark, ok := byID[int64(i.ID)]
		if found := markedName.FindStringSubmatch(string(i.Name)); !ok && found != nil {
			mark, ok = found[1], true
		}
		if !ok {
			mark = "#" + strconv.FormatInt(int64(i.ID), 10)
		}
		marks = append(marks, mark)
	}
	return marks
}

// An upload is an element of a product's images in a request: an id of the media library, or an
// address to download.
type upload struct {
	ID   int64  `json:"id,omitempty"`
	Src  string `json:"src,omitempty"`
	Name string `json:"name,omitempty"`
	Alt  string `json:"alt,omitempty"`
}
