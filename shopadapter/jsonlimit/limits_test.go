package jsonlimit

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
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
		{"a web page", `<p>1,2,3,[[[`, Limits{Elements: 1, Depth: 1}, ""},
		{"a string", `"1,2,3,[[["`, Limits{Elements: 1, Depth: 1}, ""},
		{"nothing", ``, Limits{Bytes: 1, Elements: 1, Depth: 1}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			limitOf := func(err error) string {
				if e, ok := errors.AsType[*Error](err); ok {
					return e.Limit
				}
				if err != nil {
					t.Errorf("the error is %v, want an *Error", err)
				}
				return ""
			}
			if got := limitOf(Check([]byte(test.text), test.limits)); got != test.exceeds {
				t.Errorf("Check: exceeds %q, want %q", got, test.exceeds)
			}
			for name, reader := range map[string]io.Reader{
				"whole":                  strings.NewReader(test.text),
				"byte by byte":           iotest.OneByteReader(strings.NewReader(test.text)),
				"end with the last byte": iotest.DataErrReader(strings.NewReader(test.text)),
			} {
				data, err := Read(reader, test.limits)
				if got := limitOf(err); got != test.exceeds {
					t.Errorf("Read %s: exceeds %q, want %q", name, got, test.exceeds)
				}
				if want := test.text; err == nil && string(data) != want || err != nil && data != nil {
					t.Errorf("Read %s: got %q", name, data)
				}
			}
		})
	}
}

func TestUnmarshal(t *testing.T) {
	var list []int
	if err := Unmarshal([]byte(`[1,2,3]`), Limits{Bytes: 7, Elements: 3, Depth: 1}, &list); err != nil ||
		len(list) != 3 {
		t.Errorf("got %v, %v", list, err)
	}
	list = nil
	if err := Unmarshal([]byte(`[1,2,3,4]`), Limits{Elements: 3}, &list); err == nil || list != nil {
		t.Errorf("an answer that is too large: got %v, %v, want an error and nothing built", list, err)
	}
	if err := Unmarshal([]byte(`[1,`), Limits{}, &list); err == nil {
		t.Error("half an answer: no error")
	}
}

func TestReadError(t *testing.T) {
	cut := errors.New("cut")
	if data, err := Read(io.MultiReader(strings.NewReader(`{"a":1`), iotest.ErrReader(cut)), Limits{}); !errors.Is(
		err,
		cut,
	) ||
		data != nil {
		t.Errorf("got %q, %v, want the reader's error", data, err)
	}
}

func TestErrorNamesTheLimit(t *testing.T) {
	for want, e := range map[string]*Error{
		"the answer is longer than 16 MiB":           {"bytes", 16 << 20},
		"the answer is longer than 64 KiB":           {"bytes", 64 << 10},
		"the answer is longer than 1000 bytes":       {"bytes", 1000},
		"the answer holds more than 10000 elements":  {"elements", 10000},
		"the answer is nested deeper than 40 levels": {"depth", 40},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
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
	_, err = Read(unfolded, Limits{Bytes: 16 << 20, Elements: 10000, Depth: 40})
	runtime.ReadMemStats(&after)
	if e, ok := errors.AsType[*Error](err); !ok || e.Limit != "elements" {
		t.Errorf("got %v, want too many elements", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were allocated, want less than 1 MiB", took)
	}
}

// FuzzScan holds the scanner to the standard library's: for valid JSON both count the same, however
// the text is cut into pieces.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,{"b":"c,\"]"}],"d":"\\"}`, `[]`, `[[],{},"",null]`, `{"a":"\\\\","b":"\\\""}`, `"x"`, `1`, `[1`,
		`{"\"":"\\\\\\"}`, " [ ] ",
	} {
		f.Add(text, 1)
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, piece int) {
		if !json.Valid([]byte(text)) {
			return
		}
		whole, parts := scanner{}, scanner{}
		whole.scan([]byte(text))
		for rest := []byte(text); len(rest) > 0; {
			n := min(max(piece, 1), len(rest))
			parts.scan(rest[:n])
			rest = rest[n:]
		}
		want := 0
		if first := strings.TrimLeft(text, " \t\r\n")[0]; first == '{' || first == '[' {
			want = elements(t, text)
		}
		if whole.elements != want || parts.elements != want || whole.depth != 0 || parts.depth != 0 || whole.text ||
			parts.text {
			t.Errorf("whole %+v, in pieces %+v, want %d elements", whole, parts, want)
		}
	})
}

// elements counts with the standard library's tokens: one for each object and list, and one for
// each of their members but the first.
func elements(t *testing.T, text string) int {
	d := json.NewDecoder(strings.NewReader(text))
	type container struct{ tokens, perMember int }
	var open []container
	sum := 0
	value := func() {
		if len(open) > 0 {
			open[len(open)-1].tokens++
		}
	}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return sum
		}
		if err != nil {
			t.Skip(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			value()
			per := 1
			if token == json.Delim('{') {
				per = 2
			}
			open = append(open, container{perMember: per})
			sum++
		case json.Delim('}'), json.Delim(']'):
			last := open[len(open)-1]
			open = open[:len(open)-1]
			sum += max(last.tokens/last.perMember-1, 0)
		default:
			value()
		}
	}
}

// page is an answer as it usually is: fifty products of twenty variants.
func page() []byte {
	type variant struct{ ID, Title, SKU, EAN, Price, MSRP string }
	type product struct {
		ID, Title, Description string
		Variants               []variant
	}
	var products []product
	for range 50 {
		p := product{
			ID:          "1234567890",
			Title:       "A mug of stoneware",
			Description: strings.Repeat("<p>It holds \"a quarter\" of a litre.</p>", 10),
		}
		for range 20 {
			p.Variants = append(
				p.Variants,
				variant{"9876543210", "Blue / Large", "MUG-BL-L", "8712345678901", "12.50", "24.95"},
			)
		}
		products = append(products, p)
	}
	data, _ := json.Marshal(map[string]any{"data": products})
	return data
}

// BenchmarkCheck against BenchmarkDecode is what the count costs.
func BenchmarkCheck(b *testing.B) {
	data := page()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Check(data, Limits{Bytes: 1 << 20, Elements: 1e6, Depth: 40}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	data := page()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var v struct {
			Data []struct {
				ID, Title, Description string
				Variants               []struct{ ID, Title, SKU, EAN, Price, MSRP string }
			}
		}
		if err := json.Unmarshal(data, &v); err != nil {
			b.Fatal(err)
		}
	}
}
