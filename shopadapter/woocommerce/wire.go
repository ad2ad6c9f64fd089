package woocommerce

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

// What the API answers. Plugins filter these answers, and PHP makes a number of a string and an
// object of a list with a gap. So no type here fails on a value of another kind: such a value is as
// good as none.

// A number is a JSON number or a string of digits; 0 is none.
type number int64

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(data []byte) error {
	value := strings.Trim(string(data), `"`)
	i, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		f, failed := strconv.ParseFloat(value, 64)
		if failed != nil || f != f || f > 1<<53 || f < -(1<<53) {
			f = 0
		}
		i = int64(f)
	}
	*n = number(i)
	return nil
}

// A text is a JSON string, or a number or truth value as it was written; "" is none.
type text string

// UnmarshalJSON never fails.
func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	switch {
	case json.Unmarshal(data, &s) == nil:
		*t = text(s)
	case len(data) > 0 && strings.IndexByte("-0123456789tf", data[0]) >= 0:
		*t = text(data)
	default:
		*t = ""
	}
	return nil
}

// A truth is a JSON truth value, or what PHP makes of one: 1, "1", "yes", "true".
type truth bool

// UnmarshalJSON never fails.
func (t *truth) UnmarshalJSON(data []byte) error {
	switch strings.Trim(string(data), `"`) {
	case "true", "1", "yes":
		*t = true
	default:
		*t = false
	}
	return nil
}

// A list is a JSON array, or the values of an object in the order of their keys.
type list[T any] []T

// mostListed is the longest list that is read. The longest that is asked for is a hundred; a
// product has as many variations as the merchant likes.
const mostListed = 5_000

// UnmarshalJSON fails for a list that is longer than any shop has. An element that cannot be read
// is left out.
func (l *list[T]) UnmarshalJSON(data []byte) error {
	*l = nil
	all := elements(data)
	if len(all) > mostListed {
		return &jsonlimit.Error{Limit: "elements", Most: mostListed}
	}
	for _, element := range all {
		var value T
		if json.Unmarshal(element, &value) == nil {
			*l = append(*l, value)
		}
	}
	return nil
}

// elements are those of an array, or of an object in the order of its keys, of which the shorter
// come first: 9 before 10.
func elements(data []byte) []json.RawMessage {
	var raw []json.RawMessage
	if json.Unmarshal(data, &raw) == nil {
		return raw
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(data, &members) // what is neither has none
	keys := slices.SortedFunc(
		maps.Keys(members),
		func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) },
	)
	for _, key := range keys {
		raw = append(raw, members[key])
	}
	return raw
}

// A product is what the shop holds, also where it is a variation that was asked for as a product.
type product struct {
	ID         number          `json:"id"`
	Parent     number          `json:"parent_id"`
	Type       text            `json:"type"`
	Status     text            `json:"status"`
	SKU        text            `json:"sku"`
	Name       text            `json:"name"`
	Slug       text            `json:"slug"`
	Content    text            `json:"description"`
	Link       text            `json:"permalink"`
	Price      text            `json:"regular_price"`
	Managed    text            `json:"manage_stock"` // "true", "false", or "parent" of a variation
	Quantity   number          `json:"stock_quantity"`
	Backorders text            `json:"backorders"` // yes, notify, no
	Categories list[placement] `json:"categories"`
	Images     list[image]     `json:"images"`
	Attributes list[attribute] `json:"attributes"`
	Variations list[number]    `json:"variations"`
	Meta       list[meta]      `json:"meta_data"`
}

// productFields is what is asked for of a product; the answer is smaller and quicker with it.
const productFields = "id,parent_id,type,status,sku,name,slug,description,permalink,regular_price,manage_stock,stock_quantity,backorders," +
	"categories,images,attributes,variations,meta_data"

// A variation is one choice of a variable product.
type variation struct {
	ID         number          `json:"id"`
	Status     text            `json:"status"`
	SKU        text            `json:"sku"`
	Link       text            `json:"permalink"`
	Price      text            `json:"regular_price"`
	Managed    text            `json:"manage_stock"`
	Quantity   number          `json:"stock_quantity"`
	Backorders text            `json:"backorders"`
	Attributes list[attribute] `json:"attributes"`
	Order      number          `json:"menu_order"`
	Meta       list[meta]      `json:"meta_data"`
}

const variationFields = "id,status,sku,permalink,regular_price,manage_stock,stock_quantity,backorders,attributes,menu_order,meta_data"

// A placement is a category that a product is in.
type placement struct {
	ID   number `json:"id"`
	Slug text   `json:"slug"`
}

type image struct {
	ID   number `json:"id"`
	Name text   `json:"name"` // the title in the media library
}

// An attribute is a choice of a product, with its options, or of a variation, with the one option
// taken.
type attribute struct {
	ID        number     `json:"id"` // 0 for one of this product's own
	Name      text       `json:"name"`
	Visible   truth      `json:"visible"`
	Variation truth      `json:"variation"`
	Options   list[text] `json:"options"`
	Option    text       `json:"option"`
}

type meta struct {
	Key   text `json:"key"`
	Value text `json:"value"`
}

// metaKey is where the stamp is. The underscore keeps it out of the merchant's list of custom
// fields.
const metaKey = "_pubsync"

// marked is the value of our metadata, "" without any.
func marked(list list[meta]) string {
	for _, m := range list {
		if m.Key == metaKey {
			return string(m.Value)
		}
	}
	return ""
}

// A fault is the body of an answer that refuses.
type fault struct {
	Code    text `json:"code"`
	Message text `json:"message"`
	Data    struct {
		Status   number `json:"status"`
		Resource number `json:"resource_id"`
		Params   params `json:"params"`
	} `json:"data"`
}

// UnmarshalJSON reads what can be read: data may be null, a list or a string.
func (f *fault) UnmarshalJSON(data []byte) error {
	var outer struct {
		Code    text            `json:"code"`
		Message text            `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(data, &outer)
	*f = fault{Code: outer.Code, Message: outer.Message}
	_ = json.Unmarshal(outer.Data, &f.Data)
	return nil
}

// params are the reasons for which values of a request were refused, by their names.
type params map[string]text

// UnmarshalJSON never fails: where there is none PHP writes an empty list.
func (p *params) UnmarshalJSON(data []byte) error {
	var members map[string]text
	*p = nil
	if json.Unmarshal(data, &members) == nil {
		*p = members
	}
	return nil
}

// A batchAnswer is the answer to a batch: for each operation, in order, the variation or the fault.
type batchAnswer struct {
	Create list[batchItem] `json:"create"`
	Update list[batchItem] `json:"update"`
	Delete list[batchItem] `json:"delete"`
}

type batchItem struct {
	variation
	Error *fault `json:"error"`
}

// UnmarshalJSON keeps an element that cannot be read as a fault, since the order of the elements
// tells which operation they belong to. The id of a failed deletion is an object.
func (i *batchItem) UnmarshalJSON(data []byte) error {
	*i = batchItem{}
	var outcome struct {
		Error *fault `json:"error"`
	}
	readable := json.Unmarshal(data, &outcome) == nil && json.Unmarshal(data, &i.variation) == nil
	if i.Error = outcome.Error; !readable {
		i.Error = &fault{Message: "an answer that cannot be read"}
	}
	return nil
}

// jsonObject reads an object into out, and tells whether body is one.
func jsonObject(body []byte, out any) bool {
	body = trimmed(body)
	return bytes.HasPrefix(body, []byte("{")) && json.Unmarshal(body, out) == nil
}
