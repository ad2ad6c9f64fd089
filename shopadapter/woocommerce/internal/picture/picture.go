// Package picture has a shop load the pictures of a product, each once, within half a minute of a
// call, and says which are missing and why.
//
// Every address that WooCommerce is given it downloads, also one that it has downloaded before. A
// picture is therefore given a name in the media library that ends in a hash of its address. By
// that name it is known again, with or without State. Pictures that are no longer used stay in the
// media library, which is the merchant's: the API has no way to remove them.
//
// WooCommerce refuses the whole write for one picture that it does not accept. That one is found,
// left out and named in Listing.Missing; the product goes on sale with the others. The same code
// stands for a server of pictures that is away and for a file that is no picture, so the text
// decides: where it holds an address, or unknown words, the picture may come later. A refused
// picture is not tried again until the supplier changes the list of pictures or a person asks
// (Ref.Asked).
//
// PHP may die on a picture. The pictures before it in the request are in the media library then,
// and no answer tells their ids. The product is put on sale with the pictures that are known, and
// the call ends: the publication is reported, and the others are left to a later look. WordPress
// shows anybody the pictures of a product on sale, so that look finds them there by their names.
// Where the library is closed to strangers they are loaded a second time. The others follow one by
// one, and after three deaths the killer is given up.
//
// All pictures of a write have half a minute together. Each that the shop is to download is asked
// for from here first, and the shop is not given one whose server does not answer: PHP would wait
// for it, up to five minutes. A request that takes longer is given up, and so is a second one that
// gets no answer. The product is put on sale without the pictures of it, which the shop may go on
// loading. So it is not given them again for five minutes, and they are looked for in its library
// by name and by file. No request for a picture follows the one that puts the product on sale.
package picture

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

// A Picture is one of the supplier's.
type Picture struct {
	address string
	mark    string // hash of the address
	name    string // in the media library: the file's, and the mark
}

// acceptedTypes are the file name extensions that WooCommerce accepts. It goes by the path, not by
// what the server says.
var acceptedTypes = []string{".jpg", ".jpeg", ".jpe", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff"}

// Of is the offer of a product: each picture once, and the addresses of those that the shop does
// not take.
func Of(p shopadapter.Product) Offer {
	o := Offer{Title: p.Title, Images: p.Images}
	for _, address := range p.Images {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
			!slices.Contains(acceptedTypes, strings.ToLower(path.Ext(u.Path))) {
			o.Unusable = append(o.Unusable, address)
			continue
		}
		m := stamp.Digest(address, markSize)
		if !slices.ContainsFunc(o.Pictures, func(other Picture) bool { return other.mark == m }) {
			o.Pictures = append(o.Pictures, Picture{address: address, mark: m, name: nameOf(u.Path, m)})
		}
	}
	return o
}

// nameOf is the name of a picture in the media library. The mark at its end is how it is known
// again.
func nameOf(file, mark string) string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	words := []rune(strings.ReplaceAll(words.Fold(stem), "_", " "))
	return strings.TrimSpace(string(words[:min(len(words), 40)]) + " " + mark)
}

var markedName = regexp.MustCompile(`(?:^| )([0-9a-f]{` + strconv.Itoa(2*markSize) + `})$`)

// Marks are the marks of the pictures that a product shows, in order. One that is not the
// adapter's is known by its id.
func Marks(held []rest.Image, known map[string]int64) []string {
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
