package stamp_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

func TestCompare(t *testing.T) {
	lamp, other := stamp.HashMarkup("<p>Lamp</p>"), stamp.HashMarkup("<p>Other</p>")
	tidied := stamp.HashMarkup("<p >Lamp</p >")
	for _, row := range []struct {
		name   string
		held   stamp.Hash
		last   stamp.Written
		unsure bool
		edited bool
	}{
		{"as it was written", lamp, stamp.Written{Hash: lamp}, false, false},
		{"another text", other, stamp.Written{Hash: lamp}, false, true},
		{"as the shop reads it back", tidied, stamp.Written{Hash: tidied, Sent: lamp.Exact}, false, false},
		{"tidied, after a lost answer", tidied, stamp.Written{Hash: lamp}, true, false},
		{"tidied, after an answer", tidied, stamp.Written{Hash: lamp}, false, true},
		{"the merchant's from before", lamp, stamp.Merchants(), false, true},
		{"never written", lamp, stamp.Written{}, false, true},
		{"never written, and none there", stamp.Hash{}, stamp.Written{}, false, false},
	} {
		c := stamp.Comparison{Unsure: row.unsure}
		c.Compare(shopadapter.FieldCategory, row.held, row.last)
		want := shopadapter.NoFields
		if row.edited {
			want = shopadapter.FieldCategory
		}
		if c.Edited != want {
			t.Errorf("%s: edited is %s, want %s", row.name, c.Edited, want)
		}
		if c.Compared != shopadapter.FieldCategory {
			t.Errorf("%s: compared is %s, want category", row.name, c.Compared)
		}
	}
}

// A name in another language than the product's own belongs to the description, and one edited text
// of a group is enough.
func TestCompareText(t *testing.T) {
	own := shopadapter.Translation{Title: "Lamp", Description: "<p>A lamp.</p>"}
	var last stamp.Text
	last.Wrote(own)
	var c stamp.Comparison
	c.CompareText(shopadapter.FieldTitle, own, last)
	if c.Edited != shopadapter.NoFields {
		t.Errorf("edited is %s, want none", c.Edited)
	}
	c.CompareText(shopadapter.FieldDescription, shopadapter.Translation{Title: "L", Description: own.Description}, last)
	if c.Edited != shopadapter.FieldDescription {
		t.Errorf("edited is %s, want description", c.Edited)
	}
	if want := shopadapter.FieldTitle | shopadapter.FieldDescription; c.Compared != want {
		t.Errorf("compared is %s, want %s", c.Compared, want)
	}
}

func TestWithout(t *testing.T) {
	for _, row := range []struct {
		written, held, gone string
		ok                  bool
	}{
		{"1 2 3", "1 2 3", "", true},
		{"1 2 3", "1 3", "2", true},
		{"1 2 3", "3", "1 2", true},
		{"1 2 3", "", "1 2 3", true},
		{"", "", "", true},
		{"1 2 3", "3 1", "1 2", false},
		{"1 2", "1 2 4", "", false},
		{"1 2", "4", "1 2", false},
	} {
		gone, ok := stamp.Without(strings.Fields(row.written), strings.Fields(row.held))
		if ok != row.ok {
			t.Errorf("%q of %q: got %t, want %t", row.held, row.written, ok, row.ok)
		}
		if diff := cmp.Diff(row.gone, strings.Join(gone, " ")); ok && diff != "" {
			t.Errorf("gone of %q where %q is held (-want +got):\n%s", row.written, row.held, diff)
		}
	}
}
