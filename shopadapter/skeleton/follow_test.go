package skeleton

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// A shop that keeps its options by an id is told under which one each is written. Where that is
// unclear the options are the supplier's, and the merchant reads which values to offer.
func TestMatches(t *testing.T) {
	known := []Known{{Name: "Color", ID: "7", Shown: "Hue", Values: map[string]string{"color a": "", "color b": ""}}}
	for _, row := range []struct {
		name    string
		axes    []Axis
		want    Match // its ID and Name
		unclear string
	}{
		{name: "nothing is offered yet", want: Match{Name: "Color"}},
		{
			name: "renamed and shared", axes: []Axis{{ID: "7", Name: "Hue", Values: []string{"color a", "color b"}}},
			want: Match{ID: "7", Name: "Hue"},
		},
		{
			name: "changed beyond recognition", axes: []Axis{{Name: "Tint", Values: []string{"?"}}},
			want: Match{Name: "Color"}, unclear: "(Color: color a, color b)",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := there()
			s.axes, s.known = row.axes, known
			_, err := Publish(t.Context(), shopadapter.Ref{}, chair("a", "b"), texts, s.open)
			if err != nil {
				t.Fatalf("got %v, want no error: no option is to be written", err)
			}
			var got []Match
			for _, m := range s.Matches {
				got = append(got, Match{ID: m.ID, Name: m.Name})
			}
			if diff := cmp.Diff([]Match{row.want}, got); diff != "" {
				t.Errorf("matches (-want +got):\n%s", diff)
			}
			if why := s.Unclear; (why != nil) != (row.unclear != "") ||
				why != nil && !strings.Contains(why.Error(), row.unclear) {
				t.Errorf("unclear for %v, want %q in it", why, row.unclear)
			}
		})
	}
}
