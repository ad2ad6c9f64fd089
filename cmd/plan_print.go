package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// printPlan prints a plan: on a terminal in tables that fit it, of which all prints every line, and
// elsewhere in lines that can be searched.
func (a *app) printPlan(p desk.Plan, asJSON, all bool) error {
	if asJSON {
		return a.printJSON(p)
	}
	p = withLines(p)
	if !all {
		p.Held = heldTogether(p.Held)
	}
	if !say.IsTerminal(a.stdout) {
		return writePlanLines(a.stdout, p)
	}
	width, height := say.Size(a.stdout)
	if all {
		height = 0
	}
	return writePlan(a.stdout, p, width, height)
}

// withLines is a plan with a line for each id, though a worker of an earlier version tells no more of it.
func withLines(p desk.Plan) desk.Plan {
	if len(p.Creations) == 0 {
		for _, id := range p.Create {
			p.Creations = append(p.Creations, publication.Creation{ID: id})
		}
	}
	if len(p.Withdrawals) == 0 {
		for _, id := range p.Withdraw {
			p.Withdrawals = append(p.Withdrawals, desk.Planned{ID: id})
		}
	}
	return p
}

// totalOf is a plan in numbers.
func totalOf(p desk.Plan) string {
	changed := map[string]bool{}
	for _, c := range p.Change {
		changed[c.ID] = true
	}
	held := map[string]bool{}
	for _, h := range p.Held {
		held[h.ID] = true
	}
	return fmt.Sprintf("create %d, change %d, withdraw %d, cannot be made %d, held %d, waiting %d", len(p.Create),
		len(changed), len(p.Withdraw), len(p.Refused), len(held), len(p.Waits))
}

func isEmpty(p desk.Plan) bool {
	return len(p.Create)+len(p.Change)+len(p.Withdraw)+len(p.Held)+len(p.Refused)+len(p.Waits) == 0
}

// A section is one table of a plan.
type section struct {
	title string
	grid  say.Grid
}

// writePlan writes a plan for a terminal. With height 0 it writes every line, else as many as that
// many lines hold.
func writePlan(w io.Writer, p desk.Plan, width, height int) error {
	if p.Error != "" {
		fmt.Fprintln(w, "ended early:", say.Harmless(p.Error))
	}
	if isEmpty(p) {
		if p.Error == "" {
			fmt.Fprintln(w, "nothing to do")
		}
		return nil
	}
	fmt.Fprintln(w, "total:", totalOf(p))
	if height > 0 {
		p = together(p)
	}
	sections := sectionsOf(p)
	shown := shares(sections, height)
	for i, s := range sections {
		fmt.Fprintf(w, "\n%s\n", s.title)
		rows := len(s.grid.Rows)
		s.grid.Rows = s.grid.Rows[:shown[i]]
		if err := s.grid.Write(w, width); err != nil {
			return err
		}
		if left := rows - shown[i]; left > 0 {
			fmt.Fprintf(w, "… and %d more: --all\n", left)
		}
	}
	return nil
}

const (
	sectionLines = 4 // of a section beside its rows: an empty one, its name, the head, how many more there are
	otherLines   = 3 // the total, the command and the prompt
	leastRows    = 1 // of a section, however low the terminal is
)

// shares is how many rows each section shows, so that all fit into a height. What a short section
// does not need the others have.
func shares(sections []section, height int) []int {
	shown := make([]int, len(sections))
	free := height - otherLines - sectionLines*len(sections)
	for i, s := range sections {
		shown[i] = len(s.grid.Rows)
		if height > 0 {
			shown[i] = min(shown[i], leastRows)
			free -= shown[i]
		}
	}
	for more := height > 0; more && free > 0; {
		more = false
		for i, s := range sections {
			if free > 0 && shown[i] < len(s.grid.Rows) {
				shown[i]++
				free--
				more = true
			}
		}
	}
	return shown
}

// together is a plan in which variants of a publication that move alike share a line.
func together(p desk.Plan) desk.Plan {
	type move struct{ id, field, old, now string }
	var changes []publication.Change
	at, more := map[move]int{}, map[int]int{}
	for _, c := range p.Change {
		m := move{c.ID, c.Field, c.Old, c.New}
		i, known := at[m]
		if !known || c.Variant == "" {
			at[m] = len(changes)
			changes = append(changes, c)
			continue
		}
		more[i]++
		if changes[i].Margin != nil && (c.Margin == nil || *c.Margin != *changes[i].Margin) {
			changes[i].Margin = nil
		}
	}
	for i, n := range more {
		changes[i].Name = fmt.Sprintf("%s and %d more", cmp.Or(changes[i].Name, changes[i].Variant), n)
	}
	p.Change = changes
	return p
}

// heldTogether is what is held with one line for each publication and kind. Prices have the range
// that they move in, other changes the first reason.
func heldTogether(all []desk.HeldPlan) (together []desk.HeldPlan) {
	type group struct {
		id   string
		kind store.HoldKind
	}
	at, of := map[group]int{}, map[int][]desk.HeldPlan{}
	for _, h := range all {
		g := group{h.ID, h.Kind}
		i, known := at[g]
		if !known {
			i = len(together)
			at[g], together = i, append(together, h)
		}
		of[i] = append(of[i], h)
	}
	for i, held := range of {
		if len(held) == 1 {
			continue
		}
		old, now := rangeOf(held, func(h desk.HeldPlan) string { return h.Old }),
			rangeOf(held, func(h desk.HeldPlan) string { return h.New })
		if now == "" {
			together[i].Reason = fmt.Sprintf("%d changes: %s", len(held), held[0].Reason)
			continue
		}
		together[i].Reason = fmt.Sprintf(
			"%d prices would move: %s; the first: %s",
			len(held),
			moves(old, now),
			held[0].Reason,
		)
	}
	return together
}

// rangeOf is the lowest and the highest of some prices of what is held.
func rangeOf(held []desk.HeldPlan, price func(desk.HeldPlan) string) string {
	var prices []publication.FirstPrice
	for _, h := range held {
		if price(h) != "" {
			prices = append(prices, publication.FirstPrice{Price: price(h)})
		}
	}
	return pricesOf(publication.Creation{Variants: prices})
}

func sectionsOf(p desk.Plan) (sections []section) {
	add := func(title string, head []string, flexible []int, rows [][]string) {
		if len(rows) > 0 {
			sections = append(sections, section{title, say.Grid{Head: head, Flexible: flexible, Rows: rows}})
		}
	}
	var rows [][]string
	for _, c := range p.Creations {
		rows = append(rows, []string{
			cmp.Or(c.Title, c.ID), strconv.Itoa(len(c.Variants)), pricesOf(c), marginsOf(c),
		})
	}
	add("to be created", []string{"TITLE", "VARIANTS", "PRICE", "MARGIN"}, []int{0}, rows)
	rows = nil
	changes := slices.Clone(p.Change)
	sort.SliceStable(changes, func(i, j int) bool { return rankOf(changes[i]) < rankOf(changes[j]) })
	for _, c := range changes {
		rows = append(rows, []string{
			cmp.Or(c.Title, c.ID), cmp.Or(c.Name, c.Variant), c.Field, movedOf(c), marginOf(c.Margin),
		})
	}
	add("to be changed", []string{"TITLE", "VARIANT", "FIELD", "OLD -> NEW", "MARGIN"}, []int{0, 1, 3}, rows)
	add("to be taken out of sale", []string{"TITLE", "ID"}, []int{0}, reasonsOf(p.Withdrawals, true))
	add("cannot be made", []string{"TITLE", "WHY"}, []int{0, 1}, reasonsOf(p.Refused, false))
	rows = nil
	for _, h := range p.Held {
		rows = append(rows, []string{cmp.Or(h.Title, h.ID), h.Reason})
	}
	add("held until approved", []string{"TITLE", "WHY"}, []int{0, 1}, rows)
	add("waiting for the marketplace", []string{"TITLE", "FOR WHAT"}, []int{0, 1}, reasonsOf(p.Waits, false))
	return sections
}

func reasonsOf(of []desk.Planned, ids bool) (rows [][]string) {
	for _, p := range of {
		last := p.Reason
		if ids {
			last = p.ID
		}
		rows = append(rows, []string{cmp.Or(p.Title, p.ID), last})
	}
	return rows
}

// rankOf is where a change stands in a table: prices first, and the supplier's own figures last.
func rankOf(c publication.Change) int {
	i := slices.Index([]string{"price", "listing", "variants", "quantity", "title", "", "cost", "msrp"}, c.Field)
	if i < 0 {
		return slices.Index([]string{"price", "listing", "variants", "quantity", "title", ""}, "")
	}
	return i
}

func movedOf(c publication.Change) string {
	if c.Old == "" && c.New == "" {
		return ""
	}
	return orNothing(c.Old) + " -> " + orNothing(c.New)
}

// pricesOf is the lowest and the highest price of a listing.
func pricesOf(c publication.Creation) string {
	var low, high string
	for i, v := range c.Variants {
		if i == 0 || lessPrice(v.Price, low) {
			low = v.Price
		}
		if i == 0 || lessPrice(high, v.Price) {
			high = v.Price
		}
	}
	if low == high {
		return low
	}
	return low + " - " + high
}

func lessPrice(a, b string) bool {
	x, err := decimal.NewFromString(a)
	y, wrong := decimal.NewFromString(b)
	return err == nil && wrong == nil && x.LessThan(y)
}

func marginsOf(c publication.Creation) string {
	var low, high *float64
	for _, v := range c.Variants {
		if v.Margin == nil {
			continue
		}
		if low == nil || *v.Margin < *low {
			low = v.Margin
		}
		if high == nil || *v.Margin > *high {
			high = v.Margin
		}
	}
	if low == nil || *low == *high {
		return marginOf(low)
	}
	return strings.TrimSuffix(marginOf(low), " %") + " - " + marginOf(high)
}

func marginOf(percent *float64) string {
	if percent == nil {
		return ""
	}
	return strconv.FormatFloat(*percent, 'f', 1, 64) + " %"
}

// writePlanLines writes a plan in lines that begin with what is done and the publication's id.
func writePlanLines(w io.Writer, p desk.Plan) error {
	lines := []string{"total     " + totalOf(p)}
	line := func(verb, id string, rest ...string) {
		text := fmt.Sprintf("%-9s %s", verb, say.Plain(id))
		for _, s := range rest {
			if s != "" {
				text += "  " + say.Harmless(s)
			}
		}
		lines = append(lines, text)
	}
	margin := func(s string) string {
		if s == "" {
			return ""
		}
		return "margin " + s
	}
	for _, c := range p.Creations {
		line("create", c.ID, c.Title, strconv.Itoa(len(c.Variants))+" variants", pricesOf(c), margin(marginsOf(c)))
	}
	for _, c := range p.Change {
		what := c.Field
		if c.Variant != "" {
			what += " of " + say.Plain(c.Variant)
		}
		if moved := movedOf(c); moved != "" {
			what += ": " + moved
		}
		title := c.Title
		if c.Name != "" && c.Field != shopadapter.FieldVariants.String() {
			title += ", " + c.Name
		}
		line("change", c.ID, what, title, margin(marginOf(c.Margin)))
	}
	for _, d := range p.Withdrawals {
		line("withdraw", d.ID, d.Title)
	}
	for _, h := range p.Held {
		line("hold", h.ID, h.Title, h.Reason)
	}
	for _, r := range p.Refused {
		line("refuse", r.ID, r.Title, r.Reason)
	}
	for _, r := range p.Waits {
		line("wait", r.ID, r.Title, r.Reason)
	}
	if isEmpty(p) {
		lines = nil
		if p.Error == "" {
			lines = []string{"nothing to do"}
		}
	}
	if p.Error != "" {
		lines = append(lines, "ended early: "+say.Harmless(p.Error))
	}
	for _, text := range lines {
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return say.Plain(s)
}
