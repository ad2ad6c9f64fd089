package catalog

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

var safeName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func hostileIDs() []string {
	return []string{
		"", ".", "..", "../..", "../../etc/passwd", "/etc/passwd", "a/b", "a\\b", "C:\\x", "con", "NUL", "aux.txt", "a",
		"A", "ä", "a\u0308", "ａ",
		"a\x00b", "a\x00", "a\nb", "a b", "a%2Fb", "a?b#c", "<script>alert(1)</script>", `"'`, "$(rm " +
			"-rf ~)", "-rf", ".htaccess",
		"index", "gid://shop/Publication/123", "gid://shop/Publication/124", strings.Repeat("x", 10_000),
		strings.Repeat("x", 10_001), "日本語", "🪑",
		"a-b", "a--b", "a_b", "page-1", ".pubsync-x.tmp",
	}
}

func TestFileName(t *testing.T) {
	seen := map[string]string{}
	for _, id := range hostileIDs() {
		name := fileName(shopadapter.PublicationID(id))
		if !safeName.MatchString(name) || len(name) > 70 {
			t.Errorf("file name of %.40q: got %q, want one that every file system takes", id, name)
		}
		if other, taken := seen[name]; taken {
			t.Errorf("the names of %.40q and %.40q: got %q twice, want two", id, other, name)
		}
		seen[name] = id
	}
	// Names are for ever: a folder that an older release wrote must be found again.
	for id, want := range map[string]string{
		"gid://shop/Publication/123": "gid-shop-publication-123-",
		"A":                          "a-",
		"..":                         "product-",
	} {
		if name := fileName(shopadapter.PublicationID(id)); !strings.HasPrefix(name, want) ||
			len(name) != len(want)+27 {
			t.Errorf("file name of %q: got %q, want %s and a digest", id, name, want)
		}
	}
	if got := fileName("42"); got != "42-ondvznakk2hi3kfaixhnceatpyk" {
		t.Errorf("file name of 42: %q", got)
	}
}
