package listener

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/publication"
)

func TestPointsAt(t *testing.T) {
	for _, tt := range []struct {
		name string
		body string
		want string // p: publications, d: products, l: listings; ? for a body that cannot be read
	}{
		{"publication", `{"data":{"publication":{"id":"p1"}}}`, "p[p1] d[] l[]"},
		{"product", `{"data":{"product":{"id":"d1"}}}`, "p[] d[d1] l[]"},
		{
			"the product of the publication's listing", `{"data":{"publication":{"listing":{"product":{"id":"d1"}}}}}`,
			"p[] d[d1] l[]",
		},
		{"listing", `{"data":{"listing":{"id":"l1"}}}`, "p[] d[] l[l1]"},
		{"the product of a variant", `{"data":{"productVariant":{"product":{"id":"d1"}}}}`, "p[] d[d1] l[]"},
		{"all of them", `{"data":{"publication":{"id":"p1","listing":{"product":{"id":"d2"}}},"product":{"id":"d1"},
			"listing":{"id":"l1"},"productVariant":{"product":{"id":"d3"}}}}`, "p[p1] d[d1 d2 d3] l[l1]"},
		{"one product by three ways", `{"data":{"publication":{"listing":{"product":{"id":"d1"}}},"product":{"id":"d1"},
			"productVariant":{"product":{"id":"d1"}}}}`, "p[] d[d1] l[]"},
		{
			"other things beside",
			`{"event":"X","at":1,"data":{"publication":{"id":"p1","status":"success","listing":{"title":"x","of":[1,{}]}}}}`,
			"p[p1] d[] l[]",
		},

		{"ids elsewhere are none", `{"id":"x","publication":{"id":"x"},"data":{"id":"x","order":{"id":"x"},
			"productVariant":{"id":"x"},"publication":{"product":{"id":"x"},"listing":{"id":"x"}},
			"listing":{"product":{"id":"x"}},"product":{"publication":{"id":"x"}}}}`, "p[] d[] l[]"},
		{"nothing", `{}`, "p[] d[] l[]"},
		{"no data", `{"data":{}}`, "p[] d[] l[]"},
		{"null data", `{"data":null}`, "p[] d[] l[]"},
		{
			"null all the way", `{"data":{"publication":null,"product":{"id":null},"productVariant":{"product":null}}}`,
			"p[] d[] l[]",
		},
		{"an empty id", `{"data":{"publication":{"id":""},"product":{"id":"d1"}}}`, "p[] d[d1] l[]"},

		{"a number", `{"data":{"publication":{"id":42}}}`, "p[42] d[] l[]"},
		{"a number too large for any integer", `{"data":{"product":{"id":123456789012345678901234567890}}}`, "p[] " +
			"d[123456789012345678901234567890] l[]"},
		{"a fraction, as it is written", `{"data":{"product":{"id":1.50}}}`, "p[] d[1.50] l[]"},
		{
			"an id of another kind", `{"data":{"publication":{"id":true},"product":{"id":["d1"]},"listing":{"id":{"id":"l1"}}}}`,
			"p[] d[] l[]",
		},
		{
			"one that is wrong leaves the others", `{"data":{"publication":{"id":{}},"product":{"id":"d1"},"listing":7}}`,
			"p[] d[d1] l[]",
		},
		{"a publication that is a string", `{"data":{"publication":"p1","product":{"id":"d1"}}}`, "p[] d[d1] l[]"},
		{"a publication that is a list", `{"data":{"publication":[{"id":"p1"}],"listing":{"id":"l1"}}}`, "p[] d[] " +
			"l[l1]"},
		{
			"any character", `{"data":{"publication":{"id":"gid://x/1?é\n\u0000\"<script>"}}}`,
			"p[gid://x/1?é\n\x00\"<script>] d[] l[]",
		},
		{
			"a long id", `{"data":{"publication":{"id":"` + strings.Repeat("x", publication.MaxIdent) + `"}}}`,
			"p[" + strings.Repeat("x", publication.MaxIdent) + "] d[] l[]",
		},
		{
			"one that is too long to be an id",
			`{"data":{"publication":{"id":"` + strings.Repeat("x", publication.MaxIdent+1) + `"},"product":{"id":"d1"}}}`,
			"p[] d[d1] l[]",
		},
		{"a key twice: the last counts", `{"data":{"publication":{"id":"p1"},"publication":{"id":"p2"}}}`, "p[p2] " +
			"d[] l[]"},

		{"empty", ``, "?"},
		{"no JSON", `id=p1`, "?"},
		{"cut off", `{"data":{"publication":{"id":"p1"}`, "?"},
		{"two documents", `{"data":{}}{"data":{"publication":{"id":"p1"}}}`, "?"},
		{"a byte order mark", "\ufeff" + `{"data":{"publication":{"id":"p1"}}}`, "?"},
		{"a list", `[{"data":{"publication":{"id":"p1"}}}]`, "?"},
		{"a string", `"p1"`, "?"},
		{"data that is a list", `{"data":[{"publication":{"id":"p1"}}]}`, "?"},
		{"a bomb of lists", strings.Repeat("[", 500_000), "?"},
		{"a bomb of objects", strings.Repeat(`{"data":`, 100_000) + "1" + strings.Repeat("}", 100_000), "?"},
		{
			"a bomb within an object",
			`{"data":{"publication":{"id":"p1","listing":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}}`,
			"?",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := pointsAt([]byte(tt.body))
			got := fmt.Sprintf("p%v d%v l%v", p.publications, p.products, p.listings)
			if !p.readable {
				got = "?"
				if !p.none() {
					t.Errorf("unreadable: got %+v, want no pointers", p)
				}
			}
			if got != tt.want {
				t.Errorf("%.300s, want %.300s", got, tt.want)
			}
			if p.none() != (tt.want == "?" || tt.want == "p[] d[] l[]") {
				t.Errorf("got none %t for %s, want the opposite", p.none(), got)
			}
		})
	}
}
