package woocommerce

import (
	"encoding/json"
	"strings"
	"testing"
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
		var p product
		if json.Unmarshal(trimmed(data), &p) == nil {
			marksOfImages(p.Images)
			if owned(p, "publication") &&
				!strings.Contains(string(data), "publication") {
				t.Errorf("%s counts as ours, want the merchant's", data)
			}
		}
		var all list[product]
		var batch map[string]list[batchItem]
		var one fault
		var outer struct {
			Create []json.RawMessage `json:"create"`
		}
		if err := json.Unmarshal(data, &all); err != nil && json.Valid(data) {
			t.Errorf("a list of products ends in %v, want no error", err)
		}
		if json.Unmarshal(data, &outer) == nil && json.Unmarshal(data, &batch) == nil &&
			len(batch["create"]) != len(outer.Create) {
			t.Errorf("%d items were read, want %d", len(batch["create"]), len(outer.Create))
		}
		object(data, &one)
	})
}
