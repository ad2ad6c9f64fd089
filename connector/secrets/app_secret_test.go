package secrets

import (
	"context"
	"slices"
	"testing"
)

// A refusal ends the trial of a new secret where it is of the one before, and changes nothing where
// it is of a typo that was replaced meanwhile, or of the new one.
func TestARefusedSecret(t *testing.T) {
	for _, tt := range []struct {
		name, refused string
		want          []string
	}{
		{"a typo that was replaced", "typo", []string{"new", "old"}},
		{"the new one", "new", []string{"new", "old"}},
		{"none", "", []string{"new", "old"}},
		{"the one before", "old", []string{"new"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &source{sets: []Set{{ClientSecret: "typo"}, {ClientSecret: "new"}}}
			k, _, _, _ := newKeeper(Set{ClientSecret: "old"}, s)
			k.o.AppRenewed = func(context.Context, string, []string) bool { return false }
			k.o.AppProved = func(context.Context, string) error { return nil }
			k.Reread(t.Context())
			k.Reread(t.Context())
			k.Refused(t.Context(), tt.refused)
			if got := k.Get().AppSecrets(); !slices.Equal(got, tt.want) {
				t.Errorf("secrets %v, want %v", got, tt.want)
			}
		})
	}
}
