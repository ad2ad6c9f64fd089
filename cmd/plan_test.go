package cmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

func TestPlanInColumns(t *testing.T) {
	p := desk.NewPlan()
	p.Create = []string{"p0"}
	p.Creations = []desk.Planned{{ID: "p0", Title: "Planter", Variants: 2, New: "9.95 - 12.95"}}
	p.Change = []publication.Planned{
		{
			ID: "c1", Title: "Vase",
			Change: store.Change{Field: "price", Variant: "v1", Name: "Red / S", Old: "34.95", New: "38.45"},
		},
		{ID: "c1", Title: "Vase", Change: store.Change{Field: "description"}},
	}
	p.Withdraw, p.Withdrawals = []string{"w1"}, []desk.Planned{{ID: "w1", Title: "Lamp"}}
	p.Refused = []desk.Planned{{ID: "r1", Title: "Knife", Reason: "nobody may sell this"}}
	p.Held = []desk.Planned{{ID: "h1", Title: "Chair", Kind: "price", Old: "1.00", New: "9.00", Reason: "far"}}
	p.Waits = []desk.Planned{{ID: "x1", Reason: "it has no title in en,nl yet"}}
	failed := desk.NewPlan()
	failed.Error = "no answer"
	for name, tt := range map[string]struct {
		plan desk.Plan
		want string
	}{
		"of every kind": {p, `create 1, change 1, withdraw 1, cannot be made 1, held 1, waiting 1
WHAT      ID  TITLE    VARIANT     FIELD        OLD -> NEW      WHY
create    p0  Planter  2 variants               9.95 - 12.95
change    c1  Vase     Red / S     price        34.95 -> 38.45
change    c1  Vase                 description
hold      h1  Chair                price        1.00 -> 9.00    far
withdraw  w1  Lamp
refuse    r1  Knife                                             nobody may sell this
wait      x1                                                    it has no title in en,nl yet
`},
		"empty":       {desk.NewPlan(), "nothing to do\n"},
		"ended early": {failed, "ended early: no answer\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			(&app{stdout: &out}).printPlan(tt.plan)
			got := out.String()
			for strings.Contains(got, " \n") {
				got = strings.ReplaceAll(got, " \n", "\n")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
