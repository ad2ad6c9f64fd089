package slug_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/internal/slug"
)

func TestSlug(t *testing.T) {
	for _, tt := range []struct {
		text      string
		most      int
		of, ascii string
	}{
		{"Grüne Lampe, 40 cm!", 60, "grüne-lampe-40-cm", "gruene-lampe-40-cm"},
		{"  Œuvre -- d'été  ", 60, "œuvre-d-été", "oeuvre-d-ete"},
		{"灯 lamp", 60, "灯-lamp", "lamp"},
		{"!?", 60, "", ""},
		{"", 60, "", ""},
		{strings.Repeat("lamp ", 4), 14, "lamp-lamp-lamp", "lamp-lamp-lamp"},
		{strings.Repeat("lamp ", 4), 13, "lamp-lamp", "lamp-lamp"},
		{"lampshade", 8, "", ""},
	} {
		if of, ascii := slug.Of(tt.text, tt.most), slug.ASCII(tt.text, tt.most); of != tt.of || ascii != tt.ascii {
			t.Errorf("%q, %d: %q and %q, want %q and %q", tt.text, tt.most, of, ascii, tt.of, tt.ascii)
		}
	}
}
