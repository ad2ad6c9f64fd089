package publication

import (
	"fmt"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// mostCorrections is how often the same figure is put right in the shop while the shop does not show
// ours in between. From then on it is left: a plugin that reprices on save, or a shop that rounds,
// would be written at each comparison for ever.
//
// It is put right again once the shop shows our figure, ours moves, the rules of figures change, or a
// person asks.
const mostCorrections = 3

// differences is how a variant differs from what was written, without the counts.
func differences(d store.Drift) (out []store.Correction) {
	if d.Gone {
		return []store.Correction{{Variant: d.Variant, Field: shopadapter.FieldVariants}}
	}
	if d.Price != "" {
		out = append(out, store.Correction{Variant: d.Variant, Field: shopadapter.FieldPrice, Had: d.Price})
	}
	if d.Quantity != "" {
		out = append(out, store.Correction{Variant: d.Variant, Field: shopadapter.FieldStock, Had: d.Quantity})
	}
	return out
}

// triesOf is how often a difference was put right in a row.
func triesOf(r store.Record, d store.Correction) int {
	for _, c := range r.Corrections {
		if c.Variant == d.Variant && c.Field == d.Field && c.Had == d.Had {
			return c.Tries
		}
	}
	return 0
}

// tried reports whether the price that a variant has in the shop was put right just before.
func tried(r store.Record, d store.Drift) bool {
	return triesOf(r, store.Correction{Variant: d.Variant, Field: shopadapter.FieldPrice, Had: d.Price}) > 0
}

// leaves reports whether a difference was put right so often that it is left.
func leaves(r store.Record, d store.Correction) bool { return triesOf(r, d) >= mostCorrections }

// Recurs reports whether a listing has differences that are left, since the shop made them anew each
// time that they were put right.
func Recurs(r store.Record) bool {
	return slices.ContainsFunc(r.Drift, func(d store.Drift) bool {
		return slices.ContainsFunc(differences(d), func(c store.Correction) bool { return leaves(r, c) })
	})
}

// unlearned is the corrections without those that a comparison shows to have lasted.
func unlearned(r store.Record) (left []store.Correction) {
	if len(r.Corrections) == 0 {
		return nil
	}
	var seen []store.Correction
	for _, d := range r.Drift {
		seen = append(seen, differences(d)...)
	}
	for _, c := range r.Corrections {
		tries := c.Tries
		if c.Tries = 0; slices.Contains(seen, c) {
			c.Tries = tries
			left = append(left, c)
		}
	}
	return left
}

// correct counts what this write puts right. A correction of a figure that is another one since is
// forgotten: the shop may accept the new one. now is the variants as they were written.
func (d *Decision) correct(now []store.Variant) {
	was, is := writtenVariants(d.start), make(map[string]store.Variant, len(now))
	for _, v := range now {
		is[v.ID] = v
	}
	moved := func(c store.Correction) bool {
		v, w := is[c.Variant], was[c.Variant]
		switch c.Field {
		case shopadapter.FieldPrice:
			return v.Price != w.Price
		case shopadapter.FieldStock:
			return v.Quantity != w.Quantity || v.Backorders != w.Backorders
		default:
			return v.ID == ""
		}
	}
	var made []store.Correction
	for _, row := range d.rec.Drift {
		for _, c := range differences(row) {
			if d.Changed.Has(c.Field) && !moved(c) {
				c.Tries = min(triesOf(d.rec, c)+1, mostCorrections)
				made = append(made, c)
			}
		}
	}
	for _, c := range d.rec.Corrections {
		again := slices.ContainsFunc(made, func(m store.Correction) bool {
			return m.Variant == c.Variant && m.Field == c.Field
		})
		if !again && !moved(c) {
			made = append(made, c)
		}
	}
	d.rec.Corrections = made
}

// left adds to the history what a comparison leaves from now on.
func (r Rules) left(rec *store.Record, before []store.Drift, now time.Time) {
	for _, d := range rec.Drift {
		for _, c := range differences(d) {
			if leaves(*rec, c) && !slices.Contains(before, d) {
				rec.History = appendHistory(rec.History, leftWhat(*rec, c), now)
				return // one line is enough: explain tells each
			}
		}
	}
}

// leftWhat says what is left of a variant, and why.
func leftWhat(r store.Record, c store.Correction) string {
	v := writtenVariants(r)[c.Variant]
	name, tries := nameOf(v.Title, c.Variant), triesOf(r, c)
	switch c.Field {
	case shopadapter.FieldPrice:
		return fmt.Sprintf("the shop has %s for %s again, though %s was written %d times: left",
			c.Had, name, v.Price, tries)
	case shopadapter.FieldStock:
		return fmt.Sprintf("the shop has %s of %s again, though %d was written %d times: left",
			c.Had, name, v.Quantity, tries)
	default:
		return fmt.Sprintf("%s is deleted in the shop again, though it was made %d times: left", name, tries)
	}
}
