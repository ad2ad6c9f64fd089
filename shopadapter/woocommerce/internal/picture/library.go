package picture

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// An attached is a picture in the media library, as WordPress shows it to anybody.
type attached struct {
	ID      rest.Number `json:"id"`
	Product rest.Number `json:"post"`
	Title   struct {
		Rendered rest.Text `json:"rendered"`
	} `json:"title"`
	Source  rest.Text `json:"source_url"`
	Details struct {
		Width rest.Number `json:"width"`
	} `json:"media_details"`
}

// findLoaded looks in the shop's media library for those of some pictures that an earlier request
// has loaded and the product does not show, and learns their ids. WooCommerce's keys do not open
// the library. WordPress shows anybody the pictures of a product on sale, so findLoaded sends no
// credentials. A library that is closed to strangers counts as empty.
func (a *Album) findLoaded(ctx context.Context, lacking []Picture) {
	if !a.Product.OnSale() {
		return
	}
	got, err := a.Client.Send(ctx, rest.Request{Method: http.MethodGet, Kind: rest.KindList, Query: url.Values{
		"parent": {strconv.FormatInt(a.Product.ID(), 10)}, "per_page": {"100"}, "orderby": {"id"},
		"_fields": {"id,title,source_url,media_details"},
	}}, a.Client.Base+MediaPath, false)
	if err != nil || got.Status != http.StatusOK {
		return
	}
	var all rest.List[attached]
	if json.Unmarshal(rest.Trimmed(got.Body), &all) != nil {
		return
	}
	byMark, bySource := map[string]int64{}, map[string]int64{}
	for _, a := range all {
		switch m := markedName.FindStringSubmatch(words.Plain(string(a.Title.Rendered))); {
		case a.ID <= 0:
		case m != nil:
			byMark[m[1]] = int64(a.ID)
		case a.Details.Width > 0: // the request ended before it named the picture; one on which PHP died has no details
			bySource[fileStem(string(a.Source))] = int64(a.ID)
		}
	}
	for _, p := range lacking {
		id := byMark[p.mark]
		if stem := fileStem(p.address); id == 0 && a.onlyOne(stem) {
			id = bySource[stem]
		}
		if id > 0 {
			a.Pictures[p.mark] = id
			delete(a.Tried, p.mark)
		}
	}
}

// A Filed is a picture in the media library.
type Filed struct {
	ID, Product int64
	Mark        string // "" where the name has none
}

// MostOwners is of how many products Library tells at a time.
const MostOwners = 10

// Library is the pictures that the media library shows to anybody of some products. told is false
// where it is closed to strangers, or holds more than it shows at a time.
func Library(ctx context.Context, c *rest.Client, products string) (list []Filed, told bool, err error) {
	got, err := c.Send(ctx, rest.Request{Method: http.MethodGet, Kind: rest.KindList, Query: url.Values{
		"parent": {products}, "per_page": {strconv.Itoa(rest.PerPage)}, "_fields": {"id,post,title"},
	}}, c.Base+MediaPath, false)
	if err != nil {
		return nil, false, err
	}
	var all []attached
	told = got.Status == http.StatusOK && json.Unmarshal(rest.Trimmed(got.Body), &all) == nil && len(all) < rest.PerPage
	for _, one := range all {
		f := Filed{ID: int64(one.ID), Product: int64(one.Product)}
		if m := markedName.FindStringSubmatch(words.Plain(string(one.Title.Rendered))); m != nil {
			f.Mark = m[1]
		}
		list = append(list, f)
	}
	return list, told, nil
}

// onlyOne reports whether a single picture of the product comes from a file of this name.
func (a *Album) onlyOne(stem string) bool {
	n := 0
	for _, p := range a.offer.Pictures {
		if fileStem(p.address) == stem {
			n++
		}
	}
	return n == 1
}

// numbered is what WordPress puts behind the name of a file: a number where it has another of the
// name, and a word where it made it smaller.
var numbered = regexp.MustCompile(`(-scaled)?(-[0-9]+)?$`)

// fileStem is the name of a file, as the shop knows it again: without number and extension.
func fileStem(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	name := path.Base(u.Path)
	return words.Fold(numbered.ReplaceAllString(strings.TrimSuffix(name, path.Ext(name)), ""))
}

// MediaPath is where WordPress lists its media.
const MediaPath = "/wp-json/wp/v2/media"
