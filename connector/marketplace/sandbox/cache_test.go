package sandbox

import (
	"fmt"
	"testing"
)

func TestCacheForgetsTheLeastUsed(t *testing.T) {
	c := newCache[int](3)
	for i, key := range []string{"a", "b", "c"} {
		c.put(key, i)
	}
	c.get("a")
	c.put("b", 10)
	c.put("d", 3)
	for _, tt := range []struct {
		key   string
		value int
		ok    bool
	}{{"a", 0, true}, {"b", 10, true}, {"c", 0, false}, {"d", 3, true}} {
		switch v, ok := c.get(tt.key); {
		case v != tt.value:
			t.Errorf("%s is %d %v, want %d %v; v: got %v, want %v", tt.key, v, ok, tt.value, tt.ok, v, tt.value)
		case ok != tt.ok:
			t.Errorf("%s is %d %v, want %d %v; ok: got %v, want %v", tt.key, v, ok, tt.value, tt.ok, ok, tt.ok)
		}
	}
}

// Whatever number of texts comes, no more than a bounded number of them is kept.
func TestDocumentsAreBounded(t *testing.T) {
	m := newTest(t, Options{})
	for i := range 2 * cachedDocuments {
		m.load(fmt.Sprintf(`{ account { a%d: slug } }`, i))
	}
	m.load(fmt.Sprintf(`{ account { slug } } # %*d`, cachedDocumentKB<<10, 0))
	switch n := m.documents.order.Len(); {
	case n != cachedDocuments:
		t.Errorf("%d documents are kept, want %d; n: got %v, want %v", n, cachedDocuments, n, cachedDocuments)
	case len(m.documents.byKey) != n:
		t.Errorf(
			"%d documents are kept, want %d; len(m.documents.byKey): got %v, want %v", n, cachedDocuments,
			len(m.documents.byKey), n,
		)
	}
	if one, two := m.load(`{ account { slug } }`), m.load(`{ account { slug } }`); one != two {
		t.Errorf("the same text was parsed twice; one: got %v, want %v", one, two)
	}
}
