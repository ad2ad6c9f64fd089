package wire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
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
		{"bytes, one more", `{"a":1}`, Limits{Bytes: 6}, "longer"},
		{"elements, as many", `{"errors":[{},{},{}]}`, Limits{Elements: 7}, ""},
		{"elements, one more", `{"errors":[{},{},{}]}`, Limits{Elements: 6}, "elements"},
		{"elements, scalars", `[1,2,3,4]`, Limits{Elements: 3}, "elements"},
		{"elements, members", `{"a":1,"a":2,"a":3,"a":4}`, Limits{Elements: 3}, "elements"},
		{"elements, lists in lists", `[[],[],[]]`, Limits{Elements: 5}, "elements"},
		{"elements, text is none", `{"a":"[,{,[,{,\\\",[["}`, Limits{Elements: 1}, ""},
		{"elements, behind an escaped backslash", `{"a":"\\","b":1}`, Limits{Elements: 1}, "elements"},
		{"white space first", " \r\n\t[1,2,3]", Limits{Elements: 2}, "elements"},
		{"a byte order mark first", "\ufeff[1,2,3]", Limits{Elements: 2}, "elements"},
		{"a byte order mark and a web page", "\ufeff<p>1,2,3,[[[", Limits{Elements: 1}, ""},
		{"a web page", `<p>1,2,3,[[[`, Limits{Elements: 1}, ""},
		{"a string", `"1,2,3,[[["`, Limits{Elements: 1}, ""},
		{"nothing", ``, Limits{Bytes: 1, Elements: 1}, ""},
		{"elements, lists inside one another", `[[[{}]]]`, Limits{Elements: 3}, "elements"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, reader := range map[string]io.Reader{
				"whole": strings.NewReader(test.text), "byte by byte": iotest.OneByteReader(strings.NewReader(test.text)),
				"end with the last byte":   iotest.DataErrReader(strings.NewReader(test.text)),
				"whole, of a known length": strings.NewReader(test.text),
			} {
				length := int64(-1)
				if strings.Contains(name, "known") {
					length = int64(len(test.text))
				}
				data, done, err := New(Options{}).read(t.Context(), reader, length, test.limits)
				done()
				got := ""
				if e, ok := errors.AsType[*LimitError](err); ok {
					got = e.Text
				} else if err != nil || string(data) != test.text {
					t.Errorf("read %s: got %q, %v", name, data, err)
				}
				if !strings.Contains(got, test.exceeds) || test.exceeds == "" && got != "" {
					t.Errorf("read %s: got %q, want %q to be exceeded", name, got, test.exceeds)
				}
			}
		})
	}
}

// A few kilobytes of gzip that unfold into megabytes of empty objects cost no more than those megabytes.
func TestASmallAnswerDoesNotBecomeGigabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("it decodes megabytes")
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, `{"errors":[{}`+strings.Repeat(",{}", 16<<20/3-10)+`]}`)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c := answering(200, http.Header{}, "")
	c.http.Transport = trip(func(r *http.Request) (*http.Response, error) {
		unfolded, err := gzip.NewReader(bytes.NewReader(packed.Bytes()))
		return &http.Response{StatusCode: http.StatusOK, Body: unfolded, Request: r}, err
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := c.GraphQL(t.Context(), Query{Limits: Limits{Bytes: 16 << 20, Elements: 10000}}, nil)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "elements") {
		t.Errorf("got %v, want too many elements", err)
	}
	const most = 66 << 20 // of which the race detector takes some
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("%d bytes were allocated, want at most %d", took, most)
	}
}
