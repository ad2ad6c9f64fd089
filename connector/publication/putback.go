package publication

import (
	"fmt"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// mostPutBack bounds the lines that one write adds to the history about what somebody changed.
const mostPutBack = 3

// putBack adds to the history what a write puts right of what somebody changed in the shop. It goes
// before the record forgets that.
func (d *Decision) putBack(now time.Time) {
	wrong := d.by.wrong(d.rec) & d.Changed
	told := 0
	for _, v := range d.rec.Drift {
		for _, what := range d.putBackOf(v, wrong) {
			if told++; told == mostPutBack+1 {
				d.addHistory("and more of its variants", now)
			}
			if told <= mostPutBack {
				d.addHistory(what, now)
			}
		}
	}
	if wrong.Has(shopadapter.FieldImages) && d.rec.Lost {
		d.addHistory("the shop had lost pictures: they are written again", now)
	}
}

func (d *Decision) putBackOf(v store.Drift, wrong shopadapter.Fields) (lines []string) {
	for _, p := range d.Sends().Variants {
		if p.ID != v.Variant {
			continue
		}
		since := v.Since.Time().UTC().Format("2006-01-02 15:04")
		name := nameOf(p.Title, p.ID)
		if v.Gone && wrong.Has(shopadapter.FieldVariants) {
			lines = append(lines, fmt.Sprintf("%s had been deleted in the shop since %s: made again", name, since))
		}
		if v.Off && d.revives() {
			lines = append(lines, fmt.Sprintf("%s had been switched off in the shop since %s: on sale again", name, since))
		}
		if v.Price != "" && wrong.Has(shopadapter.FieldPrice) {
			lines = append(lines, fmt.Sprintf("the shop had %s for %s since %s, put back to %s", v.Price, name, since, p.Price))
		}
		if v.Quantity != "" && wrong.Has(shopadapter.FieldStock) {
			lines = append(lines, fmt.Sprintf("the shop had %s of %s since %s, put back to %d", v.Quantity, name, since,
				p.Quantity))
		}
	}
	return lines
}

// pictured records how many pictures the listing shows after a write of them.
func (d *Decision) pictured(missing int) {
	d.rec.Pictured, d.rec.Thumbnail = d.desired.pictured, thumbnail(d.Product.Images)
	d.rec.Images = max(len(d.Product.Pictures())-missing, 0)
	d.rec.Lost, d.rec.Repictured = false, d.rec.Lost
}

// corrected is the drift that is left after a write; now are the variants as they were written.
func (d *Decision) corrected(drift []store.Drift, now []store.Variant) (left []store.Drift) {
	is := make(map[string]bool, len(now))
	for _, v := range now {
		is[v.ID] = true
	}
	for _, v := range drift {
		if !is[v.Variant] {
			continue
		}
		v.Gone = v.Gone && !d.Changed.Has(shopadapter.FieldVariants)
		if d.Changed.Has(shopadapter.FieldPrice) {
			v.Price = ""
		}
		if d.Changed.Has(shopadapter.FieldStock) {
			v.Quantity = ""
		}
		v.Off = v.Off && !d.revives()
		left = append(left, v)
	}
	return d.unsold(left)
}

// unsold is the drift with what the supplier's figure does not show yet of what the shop has sold.
func (d *Decision) unsold(drift []store.Drift) (left []store.Drift) {
	written := writtenVariants(d.start)
	for _, v := range drift {
		if v.Sold = d.stillSold(v.Sold, written[v.Variant]); v.Differs() {
			left = append(left, v)
		}
	}
	return left
}

// forgetDrift drops what was observed of a listing that is not in the shop any longer.
func forgetDrift(r *store.Record) {
	r.Drift, r.Corrections, r.Images, r.Lost, r.Repictured = nil, nil, 0, false, false
}

// judgeAnew forgets which prices somebody changed in the shop, where they are held, since the hold
// goes for another reason: the next comparison judges them anew.
func judgeAnew(r *store.Record) {
	if !driftHeld(*r) {
		return
	}
	var left []store.Drift
	for _, d := range r.Drift {
		if d.Price = ""; d.Differs() {
			left = append(left, d)
		}
	}
	r.Drift = left
}
