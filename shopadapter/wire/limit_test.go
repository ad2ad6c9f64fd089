package wire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		name, text string
		limits     Limits
		exceeds    string // the limit; "" for none
	}{
		{"no limit", `{"a":[1,2,3]}`, Limits{}, ""},
		{"bytes, as many", `{"a":1}`, Limits{Bytes: 7}, ""},
		{"bytes, one more", `{"a":1}`, Limits{Bytes: 6}, "bytes"},
		{"elements, as many", `{"errors":[{},{},{}]}`, Limits{Elements: 7}, ""},
		{"elements, one more", `{"errors":[{},{},{}]}`, Limits{Elements: 6}, "elements"},
		{"elements, scalars", `[1,2,3,4]`, Limits{Elements: 3}, "elements"},
		{"elements, members", `{"a":1,"a":2,"a":3,"a":4}`, Limits{Elements: 3}, "elements"},
		{"elements, lists in lists", `[[],[],[]]`, Limits{Elements: 5}, "elements"},
		{"elements, text is none", `{"a":"[,{,[,{,\\\",[["}`, Limits{Elements: 1}, ""},
		{"elements, behind an escaped backslash", `{"a":"\\","b":1}`, Limits{Elements: 1}, "elements"},
		{"depth, as deep", `[[[{}]]]`, Limits{Depth: 4}, ""},
		{"depth, one deeper", `[[[{}]]]`, Limits{Depth: 3}, "depth"},
		{"depth, beside one another", `[[],[],[[]]]`, Limits{Depth: 3}, ""},
		{"white space first", " \r\n\t[1,2,3]", Limits{Elements: 2}, "elements"},
		{"a byte order mark first", "\ufeff[1,2,3]", Limits{Elements: 2}, "elements"},
		{"a byte order mark and a web page", "\ufeff<p>1,2,3,[[[", Limits{Elements: 1, Depth: 1}, ""},
		{"a web page", `<p>1,2,3,[[[`, Limits{Elements: 1, Depth: 1}, ""},
		{"a string", `"1,2,3,[[["`, Limits{Elements: 1, Depth: 1}, ""},
		{"nothing", ``, Limits{Bytes: 1, Elements: 1, Depth: 1}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			limitOf := func(err error) string {
				if e, ok := errors.AsType[*LimitError](err); ok {
					for word, limit := range map[string]string{"longer": "bytes", "elements": "elements", "deeper": "depth"} {
						if strings.Contains(e.Text, word) {
							return limit
						}
					}
				}
				if err != nil {
					t.Errorf("the error is %v, want a *LimitError", err)
				}
				return ""
			}
			for name, reader := range map[string]io.Reader{
				"whole":                  strings.NewReader(test.text),
				"byte by byte":           iotest.OneByteReader(strings.NewReader(test.text)),
				"end with the last byte": iotest.DataErrReader(strings.NewReader(test.text)),
			} {
				data, err := io.ReadAll(&bounded{r: reader, most: test.limits})
				if got := limitOf(err); got != test.exceeds {
					t.Errorf("Read %s: exceeds %q, want %q", name, got, test.exceeds)
				}
				if want := test.text; err == nil && string(data) != want {
					t.Errorf("Read %s: got %q", name, data)
				}
			}
		})
	}
}

// bomb is gzip of some 16 kB that unfolds into 16 MiB of empty objects.
func bomb(tb testing.TB) []byte {
	tb.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, `{"errors":[{}`)
	piece := strings.Repeat(",{}", 1<<10)
	for range 16 << 20 / len(piece) {
		_, _ = io.WriteString(w, piece)
	}
	_, _ = io.WriteString(w, `]}`)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	if packed.Len() > 64<<10 {
		tb.Fatalf("the bomb has %d bytes", packed.Len())
	}
	return packed.Bytes()
}

func TestASmallAnswerDoesNotBecomeGigabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("it decodes megabytes")
	}
	packed := bomb(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	unfolded, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(&bounded{r: unfolded, most: Limits{Bytes: 16 << 20, Elements: 10000, Depth: 40}})
	runtime.ReadMemStats(&after)
	if e, ok := errors.AsType[*LimitError](err); !ok || !strings.Contains(e.Text, "elements") {
		t.Errorf("got %v, want too many elements", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were allocated, want less than 1 MiB", took)
	}
}
