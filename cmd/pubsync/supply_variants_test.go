// A change that moves no updatedAt is found in the list of variants.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// With the settings as they are by default a stock that moves no updatedAt reaches the shop with
// the next run, unless the token may not read the variants. Status and doctor say which of the two
// it is; where the setting asks for the list, the doctor calls its lack a fault.
func TestAQuietChangeIsFoundByTheListOfVariants(t *testing.T) {
	for _, tt := range []struct {
		name   string
		box    sandbox.Options
		mode   string
		shown  bool
		status string
		doctor string
		exit   int
	}{
		{name: "auto", shown: true, status: "is followed (auto): it holds your listings", doctor: "it holds your " +
			"listings"},
		{name: "refused", box: sandbox.Options{Variants: sandbox.VariantsRefused}, status: "is not followed (auto): " +
			"the token may not read it", doctor: "may not read productVariants"},
		{name: "others", box: sandbox.Options{Variants: sandbox.VariantsOfOthers}, status: "is not followed (auto): " +
			"it holds none of your listings", doctor: "it holds none of your listings"},
		{name: "off", mode: "off", status: "PUBSYNC_SWEEP_VARIANTS is off", doctor: "PUBSYNC_SWEEP_VARIANTS is off"},
		{
			name: "on, refused", mode: "on", box: sandbox.Options{Variants: sandbox.VariantsRefused}, status: "is " +
				"not followed (on): the token may not read it",
			doctor: "set PUBSYNC_SWEEP_VARIANTS to auto", exit: 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.box)
			if tt.mode != "" {
				s.set("SWEEP_VARIANTS", tt.mode)
			}
			ids := s.lamps(2)
			if r := s.call("run", "--once"); r.code != 0 {
				t.Fatalf("exit %d, want 0: %s", r.code, r.stderr)
			}
			if sum := s.once(); sum.Requests > 4 || sum.Cost > 30 {
				t.Errorf("an idle run: %+v", sum)
			}
			if err := s.market.SetStock(ids[0], "", 77, sandbox.KeepUpdatedAt, sandbox.NoWebhook); err != nil {
				t.Fatal(err)
			}
			if sum := s.once(); sum.Updated == 1 != tt.shown || sum.Exit != 0 {
				t.Errorf("%+v", sum)
			}
			if r := s.call("status"); !strings.Contains(r.stdout, tt.status) {
				t.Errorf("status says %s", r.stdout)
			}
			if r := s.call("doctor"); r.code != tt.exit || !strings.Contains(r.stdout, tt.doctor) {
				t.Errorf("doctor: exit %d, %s", r.code, r.stdout)
			}
		})
	}
}
