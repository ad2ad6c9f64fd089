package choice

import (
	"maps"
	"slices"
	"strings"
)

const none = -1

type follower struct {
	want    []Axis
	known   []Known
	offered []Axis
	read    func() ([]Held, error)

	held []Held
	seen bool     // held was read
	at   []int    // by place among want: the place among offered, or none
	was  []*Known // by place among want
}

func (f *follower) look() ([]Held, error) {
	if f.seen {
		return f.held, nil
	}
	var err error
	f.held, err = f.read()
	f.seen = err == nil
	return f.held, err
}

// find is the place of the first axis offered that is not taken and fits, or none.
func (f *follower) find(fits func(Axis) bool) int {
	for i, a := range f.offered {
		if !slices.Contains(f.at, i) && fits(a) {
			return i
		}
	}
	return none
}

// axes finds the place of each of the supplier's axes: by what was written last, by its name, or by
// the variations.
func (f *follower) axes() error {
	for i, a := range f.want {
		f.at[i] = none
		if n := slices.IndexFunc(f.known, func(k Known) bool { return k.Name == a.Name }); n >= 0 {
			f.was[i] = &f.known[n]
		}
	}
	for i, a := range f.want {
		if f.was[i] != nil {
			f.at[i] = f.find(f.was[i].is)
		}
		if f.at[i] == none {
			f.at[i] = f.find(func(o Axis) bool { return o.Name == a.Name })
		}
	}
	for i, a := range f.want {
		if f.at[i] == none {
			f.at[i] = f.find(func(o Axis) bool { return strings.EqualFold(o.Name, a.Name) })
		}
	}
	old := f.renamedUpstream()
	spare := map[int]bool{}
	for n, o := range f.offered {
		if !slices.Contains(f.at, n) && !slices.ContainsFunc(old, func(k Known) bool { return k.is(o) }) {
			spare[n] = true
		}
	}
	if err := f.byVariations(spare); err != nil {
		return err
	}
	for n := range spare {
		if !slices.Contains(f.at, n) {
			return unclear(
				"it offers «%s» to choose by, which is none of the supplier's choices (%s)",
				f.offered[n].Name,
				names(f.want),
			)
		}
	}
	return nil
}

// renamedUpstream finds axes that the supplier calls otherwise than before, by their values. It
// returns those that the supplier had and has no longer under that name.
func (f *follower) renamedUpstream() (old []Known) {
	for n, k := range f.known {
		if slices.ContainsFunc(f.want, func(a Axis) bool { return a.Name == k.Name }) {
			continue
		}
		old = append(old, k)
		best, most := none, 0
		for i, a := range f.want {
			shared := 0
			for _, value := range a.Values {
				if _, ok := k.Values[value]; ok {
					shared++
				}
			}
			if f.at[i] == none && f.was[i] == nil && shared > most {
				best, most = i, shared
			}
		}
		if best != none {
			f.was[best], f.at[best] = &f.known[n], f.find(k.is)
		}
	}
	return old
}

// byVariations finds the axes that are left by what the variations carry. spare are the places of
// those offered that are nobody's yet.
func (f *follower) byVariations(spare map[int]bool) error {
	found := map[int]int{}
	for i, a := range f.want {
		if f.at[i] != none || f.was[i] == nil && f.known != nil {
			continue // found, or new
		}
		if len(spare) == 0 && f.was[i] != nil {
			return unclear("it no longer offers «%s» to choose by", f.was[i].shown())
		}
		if len(spare) == 0 {
			continue
		}
		held, err := f.look()
		if err != nil {
			return err
		}
		best, most, ties := none, none, 0
		for n := range spare {
			switch same, fits := f.fit(i, n, held); {
			case !fits:
			case same > most:
				best, most, ties = n, same, 1
			case same == most:
				ties++
			}
		}
		if ties != 1 {
			return unclear(
				"which of its choices (%s) stands for the supplier's «%s» cannot be told",
				names(f.offered),
				a.Name,
			)
		}
		if other, twice := found[best]; twice {
			return unclear(
				"its choice «%s» could be the supplier's «%s» or «%s»",
				f.offered[best].Name,
				f.want[other].Name,
				a.Name,
			)
		}
		found[best] = i
	}
	for n, i := range found {
		f.at[i] = n
	}
	return nil
}

// fit tells whether the variations carry one value of an axis offered for each of the supplier's,
// and for how many it is the same word.
func (f *follower) fit(i, n int, held []Held) (same int, fits bool) {
	to, back := map[string]string{}, map[string]string{}
	for _, h := range held {
		if h.Wants == nil || h.Has[n] == "" {
			continue
		}
		want, has := h.Wants[i], h.Has[n]
		if other, ok := to[want]; ok && other != has {
			return 0, false
		}
		if other, ok := back[has]; ok && other != want {
			return 0, false
		}
		to[want], back[has] = has, want
		if want == has {
			same++
		}
	}
	if len(to) > 0 {
		return same, true
	}
	for _, value := range f.want[i].Values {
		if slices.Contains(f.offered[n].Values, value) {
			same++
		}
	}
	return same, same > 0
}

// values finds the shop's word for each value of one of the supplier's axes.
func (f *follower) values(i int) (Match, error) {
	a, k := f.want[i], f.was[i]
	m := Match{Name: a.Name, To: map[string]string{}}
	if k != nil && k.Shown != "" {
		m.ID, m.Name = k.ID, k.Shown
	}
	if f.at[i] == none {
		m.ID, m.Name = "", a.Name
		for _, value := range a.Values {
			m.To[value] = value
		}
		m.New = slices.Clone(a.Values)
		return m, nil
	}
	o := f.offered[f.at[i]]
	if k == nil || k.Name == a.Name || k.ID != "" || k.Shown != "" {
		m.ID, m.Name = o.ID, o.Name
	}
	m.Order = slices.Clone(o.Values)
	free := slices.Clone(o.Values)
	take := func(value, shop string) {
		m.To[value] = shop
		free = slices.DeleteFunc(free, func(v string) bool { return v == shop })
	}
	if k != nil {
		for _, value := range a.Values {
			if shop, ok := k.shop(value); ok && slices.Contains(free, shop) {
				take(value, shop)
			}
		}
	}
	for _, value := range a.Values {
		if _, done := m.To[value]; !done && slices.Contains(free, value) {
			take(value, value)
		}
	}
	if k != nil { // what the supplier has no longer is nobody's new word
		free = slices.DeleteFunc(free, func(shop string) bool {
			return slices.ContainsFunc(slices.Collect(maps.Keys(k.Values)), func(value string) bool {
				was, _ := k.shop(value)
				return was == shop
			})
		})
	}
	if len(free) > 0 {
		if err := f.leaveMerchants(f.at[i], &m, &free); err != nil {
			return m, err
		}
	}
	left := slices.Clone(free) // for each: two that have one word are told apart by nothing
	for _, value := range a.Values {
		if _, done := m.To[value]; done {
			continue
		}
		shop, err := f.renamed(i, value, left)
		if err != nil {
			return m, err
		}
		if !slices.Contains(o.Values, shop) {
			m.New = append(m.New, shop)
		}
		take(value, shop)
	}
	return m, distinct(a, o, m)
}

// leaveMerchants takes the values of the merchant's own variations, and of no other, out of those
// that are free.
func (f *follower) leaveMerchants(n int, m *Match, free *[]string) error {
	held, err := f.look()
	if err != nil {
		return err
	}
	carried := func(value string, own bool) bool {
		return slices.ContainsFunc(held, func(h Held) bool { return h.Has[n] == value && (h.Wants == nil) == own })
	}
	*free = slices.DeleteFunc(*free, func(value string) bool {
		theirs := carried(value, true) && !carried(value, false)
		if theirs {
			m.Extra = append(m.Extra, value)
		}
		return theirs
	})
	return nil
}

// renamed is the shop's word for a value that it does not offer under the last one: the one that
// the variations of it carry, among those that are free. A value that the shop has no variation of
// is new.
func (f *follower) renamed(i int, value string, free []string) (string, error) {
	k, last := f.was[i], value
	written := f.known == nil
	if k != nil {
		last, written = k.shop(value)
	}
	if len(free) == 0 || !written {
		return last, nil
	}
	held, err := f.look()
	if err != nil {
		return "", err
	}
	var words []string
	there, kept := false, true
	for _, h := range held {
		if h.Wants == nil || h.Wants[i] != value {
			continue
		}
		has := h.Has[f.at[i]]
		there, kept = true, kept && has == value
		if slices.Contains(free, has) && !slices.Contains(words, has) {
			words = append(words, has)
		}
	}
	switch {
	case len(words) == 1:
		return words[0], nil
	case !there, kept && k == nil:
		return last, nil
	case len(words) > 1:
		return "", unclear("the supplier's «%s» is %s there", value, strings.Join(quoted(words), " and "))
	}
	return "", unclear(
		"its «%s» no longer has the value «%s», and which of %s stands for it cannot be told",
		f.offered[f.at[i]].Name,
		last,
		strings.Join(quoted(free), ", "),
	)
}

// distinct makes sure that no two values of the supplier's have one word.
func distinct(a, o Axis, m Match) error {
	by := map[string]string{}
	for _, value := range a.Values {
		if other, twice := by[m.To[value]]; twice {
			return unclear(
				"its «%s» has one value «%s» for the supplier's «%s» and «%s»",
				o.Name,
				m.To[value],
				other,
				value,
			)
		}
		by[m.To[value]] = value
	}
	return nil
}

func names(list []Axis) string {
	all := make([]string, 0, len(list))
	for _, a := range list {
		all = append(all, a.Name)
	}
	return strings.Join(all, ", ")
}

func quoted(list []string) []string {
	all := make([]string, 0, len(list))
	for _, s := range list {
		all = append(all, "«"+s+"»")
	}
	return all
}
