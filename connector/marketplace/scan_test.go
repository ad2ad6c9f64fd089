package marketplace

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// usual is an answer as the marketplace sends it.
func usual() string {
	return `{"data":` + contentAnswer() + `,"extensions":{"throttle":{"requestedCost":293,"actualCost":"12.5","limit":1000,"remaining":900,"restoreRate":50}}}`
}

// strange are answers that a scan must leave alone, or read as encoding/json does.
func strange() []string {
	return []string{
		``, ` `, `null`, `{}`, `[]`, `{"data":null}`, `{"data":{}}x`, `{"data":{}} {"errors":1}`, `{"data":{},"data":{"publication":null}}`, `{"Data":{}}`,
		`{"data":{"publication":{"id":"p"}},"more":[1,{"a":[]}]}`, `{"data":{"publication":{"ID":"p","id":"q"}}}`, `{"data":{"publication":{"id":"p","id":"q"}}}`,
		`{"data":{"publication":{"id":01}}}`, `{"data":{"publication":{"id":1e5,"status":-0.5E+2}}}`, `{"data":{"publication":{"id":1.}}}`, `{"data":{"publication":{"id":tru}}}`,
		`{"data":{"publication":{"id":{"a":1},"status":[1]}}}`, `{"data":{"publication":{"id":"a\u00e9\n\ud83d","status":"\x"}}}`, "{\"data\":{\"publication\":{\"id\":\"a\nb\"}}}",
		"{\"data\":{\"publication\":{\"id\":\"\xff\"}}}", "{\"data\":{\"publication\":{\"listing\":{\"translations\":{\"\xff\":{},\"\xfe\":null}}}}}",
		`{"data":{"publication":{"listing":{"translations":{"en":null,"\u0065n":{"title":"x"}}}}}}`,
		`{"data":{"publication":{"listing":{"translations":{"en":{"title":"x"},"en":{"description":"y"}}}}}}`,
		`{"data":{"publication":{"listing":{"variants":{"nodes":[null,{"id":1,"inventoryQuantity":"-3","options":[null,{"name":"a"}]}],"pageInfo":null}}}}}`,
		`{"data":{"publication":{"listing":{"variants":{"edges":[{"node":{"id":"v"}}],"pageInfo":{"hasNextPage":"yes"}}}}}}`,
		`{"data":{"publication":{"listing":{"variants":{"nodes":null,"pageInfo":{"hasNextPage":null,"endCursor":7}},"images":{"nodes":[]}}}}}`,
		`{"data":{"publication":{"listing":{"category":null,"product":{"id":null},"dropshippingShippingDetails":[{"fixedCosts":4.50}],"dropshippingReturns":true}}}}`,
		`{"data":{"publication":{"listing":` + strings.Repeat(`[`, 80) + strings.Repeat(`]`, 80) + `}}}`,
		`{"data":{"publication":{"id":"p",}}}`, `{"data":{"publication":{"id":"p"}`, `{"data" {}}`, `{"data":{},}`, `{"data":[1,]}`, `{"data":[,1]}`,
		`{"extensions":{"throttle":{"limit":1,"limit":2}}}`, `{"extensions":{"throttle":{"limit":[]}}}`, `{"extensions":{"throttle":null,"x":1}}`, `{"extensions":[]}`,
		`{"errors":[{"message":"Throttled"}],"extensions":{"throttle":{"limit":1e9,"remaining":-1,"restoreRate":"x"}}}`,
	}
}

// scansAlike holds what a scan reads to what encoding/json reads. It reports whether the scan read all of the body.
func scansAlike(t *testing.T, body []byte) bool {
	t.Helper()
	var fast envelope
	if s := (scan{data: body}); func() bool { scanEnvelope(&s, &fast); return s.odd }() {
		return false
	}
	var slow envelope
	if err := slow.unmarshal(body); err != nil {
		t.Fatalf("a scan reads %q, encoding/json does not: %v", body, err)
	}
	if diff := cmp.Diff(slow, fast); diff != "" {
		t.Errorf("envelope of %q (-encoding/json +scan):\n%s", body, diff)
	}
	whole := true
	if s := (scan{data: fast.Data}); len(fast.Data) > 0 {
		var d, want contentData
		scanContent(&s, &d)
		if whole = !s.odd; whole {
			if err := json.Unmarshal(slow.Data, &want); err != nil {
				t.Fatalf("a scan reads %q, encoding/json does not: %v", slow.Data, err)
			}
			if diff := cmp.Diff(want, d, cmp.AllowUnexported(wirePublication{}, quantity{})); diff != "" {
				t.Errorf("data %q (-encoding/json +scan):\n%s", slow.Data, diff)
			}
		}
	}
	if s := (scan{data: fast.Extensions}); len(fast.Extensions) > 0 {
		var d wireThrottle
		var want struct{ Throttle wireThrottle }
		if scanThrottle(&s, &d); !s.odd {
			if err := json.Unmarshal(slow.Extensions, &want); err != nil {
				t.Fatalf("a scan reads %q, encoding/json does not: %v", slow.Extensions, err)
			}
			if diff := cmp.Diff(want.Throttle, d, cmp.AllowUnexported(points{})); diff != "" {
				t.Errorf("extensions %q (-encoding/json +scan):\n%s", slow.Extensions, diff)
			}
		}
	}
	return whole
}

func TestAScanReadsWhatIsUsual(t *testing.T) {
	if !scansAlike(t, []byte(usual())) {
		t.Error("a usual answer is odd: each is decoded twice")
	}
	if s := (scan{data: []byte(`{"throttle":{"requestedCost":1,"actualCost":1,"limit":9,"remaining":9,"restoreRate":5}}`)}); func() bool {
		scanThrottle(&s, new(wireThrottle))
		return s.odd
	}() {
		t.Error("a usual throttle block is odd")
	}
}

func TestAScanHasNoOpinionOfItsOwn(t *testing.T) {
	for _, body := range strange() {
		scansAlike(t, []byte(body))
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(usual()))
	for _, body := range strange() {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) { scansAlike(t, body) })
}

// FuzzPlain holds that the bytes looked at together are judged as one by one.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{"", "a", "plain text, no end", `eight by eight"`, "\x1fabcdefgh", "abcdefg\x00", "abcdefgh\\", "ë光\x7f\x80\xff!\"", "!!!!!!!!#\"\"\"\"\"\"\"", "[]]]]]]]\\[[[[[[["} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want := bytes.IndexFunc(data, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' })
		if want < 0 {
			want = len(data)
		}
		if got := plain(data); got != want {
			t.Errorf("%d of %q, want %d", got, data, want)
		}
	})
}
