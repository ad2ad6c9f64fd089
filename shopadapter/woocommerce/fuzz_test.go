package woocommerce

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/picture"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// Reading any answer of a shop neither fails nor makes something up.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"id":15,"type":"variable","status":"publish","manage_stock":"parent","stock_quantity":null,"variations":[16,17],` +
			`"meta_data":[{"id":62,"key":"_pubsync","value":"{}"}]}`,
		`{"create":[{"id":0,"error":{"code":"product_invalid_sku","data":{"status":400,"resource_id":66}}}],` +
			`"delete":[{"id":{"id":9},"error":{"data":[]}}]}`,
		`{"code":"rest_invalid_param","message":"x","data":{"params":{"a":"b"},"status":400}}`,
		`[{"id":"12","meta_data":{"1":{"key":"_pubsync","value":{"a":1}}}}]`,
		`{"id":1e400,"images":{"10":{"id":2},"9":{"id":1}},"attributes":[null]}`, `{"create":[null,5,"x"]}`, `<html>`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var p rest.Product
		if json.Unmarshal(rest.Trimmed(data), &p) == nil {
			picture.Marks(p.Images, nil)
			if s := readStamp(rest.Stamp(p.Meta)); s.owns(int64(p.ID), "publication") &&
				!strings.Contains(string(data), "publication") {
				t.Errorf("%s counts as ours, want the merchant's", data)
			}
		}
		var all rest.List[rest.Product]
		var batch rest.BatchAnswer
		var one rest.Fault
		var outer struct {
			Create []json.RawMessage `json:"create"`
		}
		if err := json.Unmarshal(data, &all); err != nil && json.Valid(data) {
			t.Errorf("a list of products ends in %v, want no error", err)
		}
		if json.Unmarshal(data, &outer) == nil && json.Unmarshal(data, &batch) == nil &&
			len(batch.Create) != len(outer.Create) {
			t.Errorf("%d items were read, want %d", len(batch.Create), len(outer.Create))
		}
		rest.Object(data, &one)
	})
}

// No stamp or state that is read back is taken for another publication's.
func FuzzStamp(f *testing.F) {
	f.Add("a", "b", "v/1")
	f.Add("a/b", "a", "b/v")
	f.Add("", "%2F", "\x00")
	f.Fuzz(func(t *testing.T, id, other, variant string) {
		s := readStamp(stamp.Encode(newStamp(shopadapter.PublicationID(id))))
		if id != "" && !s.owns(5, shopadapter.PublicationID(id)) ||
			id != other && s.owns(5, shopadapter.PublicationID(other)) {
			t.Errorf("the stamp of %q owns %q: %t, and its own: %t, want false and true",
				id, other, s.owns(5, shopadapter.PublicationID(other)), s.owns(5, shopadapter.PublicationID(id)))
		}
		if strings.Contains(stamp.Encode(s), `\`) {
			t.Errorf("the stamp is %s, want no backslash", stamp.Encode(s))
		}
		added := len(id)%2 == 0
		note := variation.Stamp(shopadapter.PublicationID(id), variant, added)
		if got, mark, ours := variation.ReadStamp(note, shopadapter.PublicationID(id)); !ours || got != variant ||
			mark != added {
			t.Errorf("%q is variant %q, added %t, ours %t, want %q, %t and true", note, got, mark, ours, variant, added)
		}
		if _, _, ours := variation.ReadStamp(note, shopadapter.PublicationID(other)); ours && id != other {
			t.Errorf("%q counts as %q's, want only %q's", note, other, id)
		}
		sku := words.KeySKU(shopadapter.PublicationID(id))
		if id != other && strings.EqualFold(sku, words.KeySKU(shopadapter.PublicationID(other))) || len(sku) > words.MaxSKU ||
			strings.ContainsAny(sku, ", ") {
			t.Errorf("%q is the SKU of %q, want one of its own, short, without comma and space", sku, id)
		}
		if m := groups([]string{id, other, variant}); len(slices.Concat(m...)) != 3 {
			t.Errorf("the SKUs are asked for in groups %q, want 3 of them in all", m)
		}
	})
}
