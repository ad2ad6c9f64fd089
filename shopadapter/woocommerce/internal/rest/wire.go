package rest

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

// A Number is a JSON number or a string of digits; 0 is none.
type Number int64

// UnmarshalJSON never fails.
func (n *Number) UnmarshalJSON(data []byte) error {
	value := strings.Trim(string(data), `"`)
	i, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		f, failed := strconv.ParseFloat(value, 64)
		if failed != nil || f != f || f > 1<<53 || f < -(1<<53) {
			f = 0
		}
		i = int64(f)
	}
	*n = Number(i)
	return nil
}

// A Text is a JSON string, or a number or truth value as it was written; "" is none.
type Text string

// UnmarshalJSON never fails.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string
	switch {
	case json.Unmarshal(data, &s) == nil:
		*t = Text(s)
	case len(data) > 0 && strings.IndexByte("-0123456789tf", data[0]) >= 0:
		*t = Text(data)
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

// A List is a JSON array, or the values of an object in the order of their keys.
type List[T any] []T

// mostListed is the longest list that is read. The longest that is asked for is a hundred; a
// product has as many variations as the merchant likes.
const mostListed = 5_000

// UnmarshalJSON fails for a list that is longer than any shop has. An element that cannot be read
// is left out.
func (l *List[T]) UnmarshalJSON(data []byte) error {
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
	_ = json.Unmarshal(data, &members) // a value of another kind has none
	keys := slices.SortedFunc(
		maps.Keys(members),
		func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) },
	)
	for _, key := range keys {
		raw = append(raw, members[key])
	}
	return raw
}

// A Product is what the shop holds, also where it is a variation that was asked for as a product.
type Product struct {
	ID         Number          `json:"id"`
	Parent     Number          `json:"parent_id"`
	Type       Text            `json:"type"`
	Status     Text            `json:"status"`
	SKU        Text            `json:"sku"`
	Name       Text            `json:"name"`
	Slug       Text            `json:"slug"`
	Content    Text            `json:"description"`
	Visibility Text            `json:"catalog_visibility"` // visible, catalog, search, hidden
	Password   Text            `json:"post_password"`
	Link       Text            `json:"permalink"`
	Price      Text            `json:"regular_price"`
	Managed    Text            `json:"manage_stock"` // "true", "false", or "parent" of a variation
	Quantity   Number          `json:"stock_quantity"`
	Backorders Text            `json:"backorders"` // yes, notify, no
	Categories List[Placement] `json:"categories"`
	Brands     List[Placement] `json:"brands"`
	Images     List[Image]     `json:"images"`
	Attributes List[Attribute] `json:"attributes"`
	Variations List[Number]    `json:"variations"`
	Meta       List[meta]      `json:"meta_data"`
	Sizes
}

// Owner is the id of the product that a variation belongs to, and that of any other product.
func (p Product) Owner() Number {
	if p.Type == "variation" {
		return p.Parent
	}
	return p.ID
}

// OnSale reports whether a visitor of the shop finds the product and can buy it.
func (p Product) OnSale() bool { return p.Status == "publish" && len(p.Hidden()) == 0 }

// Hidden is the fields that keep a visitor from a product that is published, with what they are in
// one that can be bought: it is hidden in the catalogue and in searches, or behind a password.
func (p Product) Hidden() map[string]any {
	shown := map[string]any{}
	if p.Visibility == "hidden" {
		shown["catalog_visibility"] = "visible"
	}
	if p.Password != "" {
		shown["post_password"] = ""
	}
	return shown
}

// ProductFields is what is asked for of a product; the answer is smaller and quicker with it.
const ProductFields = "id,parent_id,type,status,sku,name,slug,description,permalink,catalog_visibility," +
	"post_password,regular_price,manage_stock,stock_quantity,backorders,categories,images,attributes,variations," +
	"brands,meta_data," + SizeFields

// A Variation is one choice of a variable product.
type Variation struct {
	ID         Number          `json:"id"`
	Status     Text            `json:"status"`
	SKU        Text            `json:"sku"`
	Link       Text            `json:"permalink"`
	Price      Text            `json:"regular_price"`
	Managed    Text            `json:"manage_stock"`
	Quantity   Number          `json:"stock_quantity"`
	Backorders Text            `json:"backorders"`
	Attributes List[Attribute] `json:"attributes"`
	Order      Number          `json:"menu_order"`
	Meta       List[meta]      `json:"meta_data"`
	Parent     Number          `json:"parent_id"`
	Sizes
}

// VariationFields is what is asked for of a variation.
const VariationFields = "id,status,sku,permalink,regular_price,manage_stock,stock_quantity,backorders,attributes," +
	"menu_order,meta_data," + SizeFields

// A Placement is a category that a product is in.
type Placement struct {
	ID   Number `json:"id"`
	Slug Text   `json:"slug"`
}

// An Image is a picture that a product shows.
type Image struct {
	ID   Number `json:"id"`
	Name Text   `json:"name"` // the title in the media library
}

// An Attribute is a choice of a product, with its options, or of a variation, with the one option
// taken.
type Attribute struct {
	ID        Number     `json:"id"` // 0 for one of this product's own
	Name      Text       `json:"name"`
	Visible   truth      `json:"visible"`
	Variation truth      `json:"variation"`
	Options   List[Text] `json:"options"`
	Option    Text       `json:"option"`
}

type meta struct {
	Key   Text `json:"key"`
	Value Text `json:"value"`
}

// StampKey is where the stamp is. The underscore keeps it out of the merchant's list of custom
// fields.
const StampKey = "_pubsync"

// Stamp is the value of our metadata, "" without any.
func Stamp(list List[meta]) string { return valueOf(list, StampKey) }

// A Fault is the body of an answer that refuses.
type Fault struct {
	Code    Text `json:"code"`
	Message Text `json:"message"`
	Data    struct {
		Status   Number `json:"status"`
		Resource Number `json:"resource_id"`
		Params   params `json:"params"`
	} `json:"data"`
}

// UnmarshalJSON reads what can be read: data may be null, a list or a string.
func (f *Fault) UnmarshalJSON(data []byte) error {
	var outer struct {
		Code    Text            `json:"code"`
		Message Text            `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(data, &outer)
	*f = Fault{Code: outer.Code, Message: outer.Message}
	_ = json.Unmarshal(outer.Data, &f.Data)
	return nil
}

// params are the reasons for which values of a request were refused, by their names.
type params map[string]Text

// UnmarshalJSON never fails: where there is none PHP writes an empty list.
func (p *params) UnmarshalJSON(data []byte) error {
	var members map[string]Text
	*p = nil
	if json.Unmarshal(data, &members) == nil {
		*p = members
	}
	return nil
}

// A BatchAnswer is the answer to a batch: for each operation, in order, the variation or the fault.
type BatchAnswer struct {
	Create List[BatchItem] `json:"create"`
	Update List[BatchItem] `json:"update"`
	Delete List[BatchItem] `json:"delete"`
}

// A BatchItem is one variation of a batch's answer, or the fault in its place.
type BatchItem struct {
	Variation
	Error *Fault `json:"error"`
}

// UnmarshalJSON keeps an element that cannot be read as a fault, since the order of the elements
// tells which operation they belong to. The id of a failed deletion is an object.
func (i *BatchItem) UnmarshalJSON(data []byte) error {
	*i = BatchItem{}
	var outcome struct {
		Error *Fault `json:"error"`
	}
	readable := json.Unmarshal(data, &outcome) == nil && json.Unmarshal(data, &i.Variation) == nil
	if i.Error = outcome.Error; !readable {
		i.Error = &Fault{Message: "an answer that cannot be read"}
	}
	return nil
}

// Object reads an object into out, and tells whether body is one.
func Object(body []byte, out any) bool {
	body = Trimmed(body)
	return bytes.HasPrefix(body, []byte("{")) && json.Unmarshal(body, out) == nil
}
