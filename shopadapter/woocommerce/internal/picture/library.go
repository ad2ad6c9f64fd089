package picture

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// An attached is a picture in the media library, as WordPress shows it to anybody.
type attached struct {
	ID    rest.Number `json:"id"`
	Title struct {
		Rendered rest.Text `json:"rendered"`
	} `json:"title"`
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
		"_fields": {"id,title"},
	}}, a.Client.Base+MediaPath, false)
	if err != nil || got.Status != http.StatusOK {
		return
	}
	var all rest.List[attached]
	if json.Unmarshal(rest.Trimmed(got.Body), &all) != nil {
		return
	}
	byMark := map[string]int64{}
	for _, one := range all {
		if m := markedName.FindStringSubmatch(words.Plain(string(one.Title.Rendered))); m != nil && one.ID > 0 {
			byMark[m[1]] = int64(one.ID)
		}
	}
	for _, p := range lacking {
		if id := byMark[p.mark]; id > 0 {
			a.Pictures[p.mark] = id
		}
	}
}

// MediaPath is where WordPress lists its media.
const MediaPath = "/wp-json/wp/v2/media"
