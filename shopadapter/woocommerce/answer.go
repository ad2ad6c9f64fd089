package woocommerce

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Plugins filter the API's answers, and PHP makes a number of a string and an object of a list with a gap. So no type
// here fails on a value of another kind: such a value reads as none.

// A number is a JSON number or a string of digits; 0 is none.
type number int64

func (n *number) UnmarshalJSON(data []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err != nil || f != f || f > 1<<53 || f < -(1<<53) {
		f = 0
	}
	*n = number(f)
	return nil
}

func idText(id number) string { return strconv.FormatInt(int64(id), 10) }

// A text is a JSON string, or a number or truth value as it was written; "" is none.
type text string

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

func (t text) is() bool { return t == "true" || t == "1" || t == "yes" }

// A list is a JSON array, or the values of an object in the order of their keys. It skips unreadable elements.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(data []byte) error {
	*l = nil
	var raw []json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(data, &members)
		for _, key := range slices.SortedFunc(maps.Keys(members), func(a, b string) int { // 9 before 10
			return cmp.Or(len(a)-len(b), strings.Compare(a, b))
		}) {
			raw = append(raw, members[key])
		}
	}
	for _, element := range raw {
		var value T
		if json.Unmarshal(element, &value) == nil {
			*l = append(*l, value)
		}
	}
	return nil
}

// texts are the members of an object. Where there are none, PHP writes an empty list.
type texts map[string]text

func (t *texts) UnmarshalJSON(data []byte) error {
	var members map[string]text
	if *t = nil; json.Unmarshal(data, &members) == nil {
		*t = members
	}
	return nil
}

// A product may also be a variation that was asked for as a product.
type product struct {
	figures
	Type       text         `json:"type"`
	Name       text         `json:"name"`
	Slug       text         `json:"slug"`
	Content    text         `json:"description"`
	Visibility text         `json:"catalog_visibility"` // visible, catalog, search, hidden
	Password   text         `json:"post_password"`
	Link       text         `json:"permalink"`
	Categories list[term]   `json:"categories"`
	Brands     list[term]   `json:"brands"`
	Images     list[term]   `json:"images"`
	Variations list[number] `json:"variations"`
}

type figures struct {
	ID         number          `json:"id"`
	Parent     number          `json:"parent_id"`
	Status     text            `json:"status"`
	SKU        text            `json:"sku"`
	Price      text            `json:"regular_price"`
	Managed    text            `json:"manage_stock"` // "true", "false", or "parent" of a variation
	Quantity   number          `json:"stock_quantity"`
	Backorders text            `json:"backorders"` // yes, notify, no
	Attributes list[attribute] `json:"attributes"`
	Meta       list[meta]      `json:"meta_data"`
	Weight     text            `json:"weight"`
	Dimensions texts           `json:"dimensions"`
	EAN        text            `json:"global_unique_id"`
	Order      number          `json:"menu_order"`
}

const (
	figureFields = "id,parent_id,status,sku,regular_price,manage_stock,stock_quantity,backorders"
	// variationFields and productFields keep answers small and quick.
	variationFields = figureFields + ",attributes,meta_data,weight,dimensions,global_unique_id,menu_order"
	productFields   = variationFields + ",type,name,slug,description,permalink,catalog_visibility," +
		"post_password,categories,images,variations,brands"
)

func (p product) onSale() bool { return p.Status == "publish" && len(p.hidden()) == 0 }

// hidden returns the fields that hide a published product, with the values that show it.
func (p product) hidden() map[string]any {
	shown := map[string]any{}
	if p.Visibility == "hidden" {
		shown["catalog_visibility"] = "visible"
	}
	if p.Password != "" {
		shown["post_password"] = ""
	}
	return shown
}

// A term is a category, a brand, or a picture of the media library, whose name is its title.
type term struct {
	ID     number `json:"id"`
	Parent number `json:"parent"`
	Name   text   `json:"name"`
	Slug   text   `json:"slug"`
}

// An attribute belongs to a product, with its options, or to a variation, with the option taken.
type attribute struct {
	ID        number     `json:"id"` // 0: the product's own
	Name      text       `json:"name"`
	Visible   text       `json:"visible"`
	Variation text       `json:"variation"`
	Options   list[text] `json:"options"`
	Option    text       `json:"option"`
}

type meta struct {
	Key   text `json:"key"`
	Value text `json:"value"`
}

func (f figures) meta(key text) string {
	if i := slices.IndexFunc(f.Meta, func(m meta) bool { return m.Key == key }); i >= 0 {
		return string(f.Meta[i].Value)
	}
	return ""
}

type fault struct {
	Code, Message text
	Data          struct {
		Status   number `json:"status"`
		Resource number `json:"resource_id"`
		Params   texts  `json:"params"` // why values were refused
	}
}

// UnmarshalJSON accepts data that is null, a list or a string.
func (f *fault) UnmarshalJSON(data []byte) error {
	var outer struct {
		Code, Message text
		Data          json.RawMessage
	}
	_ = json.Unmarshal(data, &outer)
	*f = fault{Code: outer.Code, Message: outer.Message}
	_ = json.Unmarshal(outer.Data, &f.Data)
	return nil
}

type batchItem struct {
	figures
	Error *fault
}

// UnmarshalJSON turns an unreadable element into a fault, since the order of the elements tells their
// operations. The id of a failed deletion is an object.
func (i *batchItem) UnmarshalJSON(data []byte) error {
	*i = batchItem{}
	var outcome struct{ Error *fault }
	readable := json.Unmarshal(data, &outcome) == nil && json.Unmarshal(data, &i.figures) == nil
	if i.Error = outcome.Error; !readable {
		i.Error = &fault{Message: "an answer that cannot be read"}
	}
	return nil
}

func object(body []byte, out any) bool {
	body = trimmed(body)
	return bytes.HasPrefix(body, []byte("{")) && json.Unmarshal(body, out) == nil
}
