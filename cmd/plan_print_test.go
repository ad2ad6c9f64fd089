package cmd

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// aPlan is a plan with every kind of line, of which it creates n.
func aPlan(n int) desk.Plan {
	p := desk.NewPlan()
	for i := range n {
		id := fmt.Sprint("p", i)
		p.Create = append(p.Create, id)
		p.Creations = append(p.Creations, publication.Creation{
			ID: id, Title: "Hand-made terracotta planter that lasts, number " + id,
			Variants: []publication.FirstPrice{
				{ID: "v1", Title: "S", Price: "9.95", Margin: new(20.0)},
				{ID: "v2", Title: "M", Price: "12.95", Margin: new(35.5)},
			},
		})
	}
	p.Change = []publication.Change{
		{ID: "c1", Field: "msrp", Variant: "v1", Old: "34.95", New: "38.45", Title: "Vase", Name: "Red / S"},
		{
			ID: "c1", Field: "price", Variant: "v1", Old: "34.95", New: "38.45", Title: "Vase", Name: "Red / S",
			Margin: new(40.0),
		},
		{ID: "c1", Field: "description", Title: "Vase"},
	}
	p.Withdraw, p.Withdrawals = []string{"w1"}, []desk.Planned{{ID: "w1", Title: "Lamp"}}
	p.Refused = []desk.Planned{{ID: "r1", Title: "Knife", Reason: "nobody may sell this"}}
	p.Held = []desk.HeldPlan{{ID: "h1", Title: "Chair", Reason: "the price of M would move from 1.00 to 9.00"}}
	p.Waits = []desk.Planned{{ID: "x1", Reason: "it has no title in en,nl yet"}}
	return p
}

func TestPlanInLines(t *testing.T) {
	var out strings.Builder
	if err := writePlanLines(&out, aPlan(1)); err != nil {
		t.Fatal(err)
	}
	want := `total     create 1, change 1, withdraw 1, cannot be made 1, held 1, waiting 1
create    p0  Hand-made terracotta planter that lasts, number p0  2 variants  9.95 - 12.95  margin 20.0 - 35.5 %
change    c1  msrp of v1: 34.95 -> 38.45  Vase, Red / S
change    c1  price of v1: 34.95 -> 38.45  Vase, Red / S  margin 40.0 %
change    c1  description  Vase
withdraw  w1  Lamp
hold      h1  Chair  the price of M would move from 1.00 to 9.00
refuse    r1  Knife  nobody may sell this
wait      x1  it has no title in en,nl yet
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestPlanInTables(t *testing.T) {
	var out strings.Builder
	if err := writePlan(&out, aPlan(2), 80, 0); err != nil {
		t.Fatal(err)
	}
	want := `total: create 2, change 1, withdraw 1, cannot be made 1, held 1, waiting 1

to be created
TITLE                                      VARIANTS  PRICE         MARGIN
Hand-made terracotta planter that lasts,…  2         9.95 - 12.95  20.0 - 35.5 %
Hand-made terracotta planter that lasts,…  2         9.95 - 12.95  20.0 - 35.5 %

to be changed
TITLE  VARIANT  FIELD        OLD -> NEW      MARGIN
Vase   Red / S  price        34.95 -> 38.45  40.0 %
Vase            description
Vase   Red / S  msrp         34.95 -> 38.45

to be taken out of sale
TITLE  ID
Lamp   w1

cannot be made
TITLE  WHY
Knife  nobody may sell this

held until approved
TITLE  WHY
Chair  the price of M would move from 1.00 to 9.00

waiting for the marketplace
TITLE  FOR WHAT
x1     it has no title in en,nl yet
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What is held of a publication has one line for each kind: of prices with the range that they move
// in, in which prices sort as numbers.
func TestHeldTogether(t *testing.T) {
	price := func(id, variant, old, now string) desk.HeldPlan {
		return desk.HeldPlan{
			ID:      id,
			Kind:    store.HoldRules,
			Variant: variant,
			Old:     old,
			New:     now,
			Reason:  "the price of " + variant,
		}
	}
	removal := desk.HeldPlan{ID: "a", Kind: store.HoldRemoval, Reason: "it is gone from the list"}
	all := []desk.HeldPlan{
		price("a", "S", "9.00", "18.00"), price("b", "S", "1.00", "2.00"), price("a", "M", "10.00", "20.00"), removal,
		price("a", "L", "11.00", "22.00"), price("c", "S", "", "5.00"), price("c", "M", "", "5.00"),
	}
	want := []desk.HeldPlan{all[0], all[1], removal, all[5]}
	want[0].Reason = "3 prices would move: 9.00 - 11.00 -> 18.00 - 22.00; the first: the price of S"
	want[3].Reason = "2 prices would move: 5.00; the first: the price of S"
	if diff := cmp.Diff(want, heldTogether(all)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	p := desk.NewPlan()
	p.Held = all
	for _, tt := range []struct {
		all   bool
		lines int
	}{{false, 4}, {true, len(all)}} {
		var out strings.Builder
		if err := (&app{stdout: &out}).printPlan(p, false, tt.all); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "\nhold "); n != tt.lines {
			t.Errorf("with all %t there are %d lines, want %d:\n%s", tt.all, n, tt.lines, out.String())
		}
	}
}

// On a page variants that move alike have one line, and all that is held of a publication has one.
func TestPlanJoinsWhatIsAlike(t *testing.T) {
	p := desk.NewPlan()
	for i, name := range []string{"S", "M", "L"} {
		p.Change = append(
			p.Change,
			publication.Change{
				ID:      "c",
				Field:   "price",
				Variant: name,
				Old:     "1.00",
				New:     "2.00",
				Title:   "Vase",
				Name:    name,
			},
			publication.Change{
				ID:      "c",
				Field:   "quantity",
				Variant: name,
				Old:     "1",
				New:     fmt.Sprint(i),
				Title:   "Vase",
				Name:    name,
			},
		)
		p.Held = append(p.Held, desk.HeldPlan{ID: "h", Title: "Chair", Reason: "the price of " + name})
	}
	var out strings.Builder
	p.Held = heldTogether(p.Held)
	if err := writePlan(&out, p, 80, 40); err != nil {
		t.Fatal(err)
	}
	want := `total: create 0, change 1, withdraw 0, cannot be made 0, held 1, waiting 0

to be changed
TITLE  VARIANT       FIELD     OLD -> NEW    MARGIN
Vase   S and 2 more  price     1.00 -> 2.00
Vase   S             quantity  1 -> 0
Vase   M             quantity  1 -> 1
Vase   L             quantity  1 -> 2

held until approved
TITLE  WHY
Chair  3 changes: the price of S
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A plan of thousands fits on a page whatever its width, and says how many lines there are more.
func TestPlanFitsOnAPage(t *testing.T) {
	for _, tt := range []struct{ width, height int }{{80, 30}, {160, 50}, {80, 60}} {
		var out strings.Builder
		if err := writePlan(&out, aPlan(1814), tt.width, tt.height); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) > tt.height-2 {
			t.Errorf("%v: got %d lines, want at most %d", tt, len(lines), tt.height-2)
		}
		if len(lines) < tt.height-8 {
			t.Errorf("%v: got %d lines, want the page used", tt, len(lines))
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > tt.width {
				t.Errorf("%v: a line has %d characters: %s", tt, n, line)
			}
		}
		if !strings.Contains(out.String(), " more: --all") {
			t.Errorf("%v: it is not said how to see the others:\n%s", tt, out.String())
		}
	}
}

func TestAnEmptyPlan(t *testing.T) {
	for name, write := range map[string]func(*strings.Builder, desk.Plan) error{
		"table": func(out *strings.Builder, p desk.Plan) error { return writePlan(out, p, 80, 24) },
		"lines": func(out *strings.Builder, p desk.Plan) error { return writePlanLines(out, p) },
	} {
		var out strings.Builder
		if err := write(&out, desk.NewPlan()); err != nil || out.String() != "nothing to do\n" {
			t.Errorf("%s: got %q, %v, want nothing to do", name, out.String(), err)
		}
		failed := desk.NewPlan()
		failed.Error = "no answer"
		out.Reset()
		if err := write(&out, failed); err != nil || out.String() != "ended early: no answer\n" {
			t.Errorf("%s: got %q, %v, want why it ended early", name, out.String(), err)
		}
	}
}
