package httpshop

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
)

// Restock puts the product that was last sent, with other figures: the body of a PUT is always whole, and its updatedAt that of the texts. Where that
// product is not known any more, or has other variants, the error is ErrWhole.
func (a *adapter) Restock(
	ctx context.Context, ref shopadapter.Ref, variants []shopadapter.Figures, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	last, known := unpack(ref.State)
	p, same := last.Refigured(variants)
	if !known || !same || ref.Listing == "" || ref.Reset != shopadapter.NoFields || p.ID != ref.Publication {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	return a.put(ctx, ref, p, changed)
}

const (
	mostState  = 16 << 10 // of a packed product: a longer one is read anew when it is needed
	mostBody   = 4 << 20
	packedRule = 1 // the first byte of a state
)

// usual is text that bodies have in common. It is part of the packed form: another text takes another packedRule.
const usual = `.jpg","https://.png","https:///images/</strong></em></li><li></ul><ul></p><p><br/>","changed":["title","description","images","category","variants","price","stock","shipping"]}` +
	`,"shipping":[{"countryGroup":"NL","fixedCosts":"4.95","variableCosts":"0.50","estimatedDays":"3"}],"returns":"true","updatedAt":"2026-01-01T00:00:00.000Z` +
	`","category":{"path":"","name":""},"options":["Color","Size","Material"],"variants":[` +
	`{"id":"","listingId":"","productId":"","language":"en","title":"","description":"<p>","translations":{"de":{"title":"","description":"<p>"},"en":{"title":"","description":"<p>"},"fr":{"title":"","description":"<p>"},"nl":{"title":"","description":"<p>"}}` +
	`,"images":["https://{"id":"","title":"","sku":"","ean":"","options":[{"name":"Color","value":""},{"name":"Size","value":""}],"price":"19.95","cost":"10.00","msrp":"24.95","quantity":0,"backorders":false},`

var packers = sync.Pool{New: func() any {
	const level = 2 // half the processor of the usual one, for two bytes more in a hundred
	w, err := flate.NewWriterDict(io.Discard, level, []byte(usual))
	if err != nil {
		panic(err) // the level is a good one
	}
	return w
}}

// pack is the body of a PUT as it is left with the caller, nil where it is too large.
func pack(body []byte) []byte {
	if len(body) > mostBody {
		return nil
	}
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	b := bytes.NewBuffer(make([]byte, 0, 512))
	b.WriteByte(packedRule)
	w.Reset(b)
	if _, err := w.Write(body); err != nil || w.Close() != nil || b.Len() > mostState {
		return nil
	}
	return bytes.Clone(b.Bytes())
}

// unpack is the product of a packed body.
func unpack(state []byte) (p shopadapter.Product, ok bool) {
	if len(state) == 0 || state[0] != packedRule {
		return p, false
	}
	body, err := io.ReadAll(io.LimitReader(flate.NewReaderDict(bytes.NewReader(state[1:]), []byte(usual)), mostBody))
	return p, err == nil && json.Unmarshal(body, &p) == nil
}
