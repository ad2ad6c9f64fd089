package store

// decodeRecord reads a value of the publication bucket. Whatever it holds, the outcome is a record or ErrCorrupt.
func decodeRecord(id string, value []byte) (Record, error) {
	r := Record{ID: id}
	here := false
	err := decode("record", []byte(id), value, func(d *decoder) {
		switch d.number {
		case fieldReportedHere:
			here = d.flag()
		case fieldVariant:
			r.Variants = append(r.Variants, decodeVariant(d))
		case fieldHold:
			r.Holds = append(r.Holds, decodeHold(d))
		case fieldApproved:
			r.Approved = append(r.Approved, decodeHold(d))
		case fieldEvent:
			r.History = append(r.History, decodeEvent(d))
		case fieldClaim:
			r.Claims = append(r.Claims, decodeClaim(d))
		default:
			r.decode(d)
		}
	})
	if here {
		r.ReportedURL = r.URL
	}
	return r, err
}

// decode takes in a field that a record has once.
func (r *Record) decode(d *decoder) {
	switch d.number {
	case fieldState:
		r.State = d.text()
	case fieldTitle:
		r.Title = d.text()
	case fieldListing:
		r.Listing = d.text()
	case fieldProduct:
		r.Product = d.text()
	case fieldUpdatedAt:
		r.UpdatedAt = d.text()
	case fieldReadAt:
		r.ReadAt = d.instant()
	case fieldListedAt:
		r.ListedAt = d.instant()
	case fieldShopID:
		r.ShopID = d.text()
	case fieldURL:
		r.URL = d.text()
	case fieldShopState:
		r.ShopState = d.clone()
	case fieldOnSale:
		r.OnSale = d.flag()
	case fieldHashes:
		r.Hashes = d.clone()
	case fieldHashRule:
		r.HashRule = int(d.num)
	case fieldAttempted:
		r.Attempted = uint16(d.num) //nolint:gosec // written from one
	case fieldKept:
		r.Kept = uint16(d.num) //nolint:gosec // written from one
	case fieldReset:
		r.Reset = uint16(d.num) //nolint:gosec // written from one
	case fieldWrittenAt:
		r.WrittenAt = d.instant()
	case fieldProblem:
		r.Problem = decodeProblem(d)
	case fieldRemoval:
		r.Removal = decodeRemoval(d)
	case fieldForeign:
		r.Foreign = d.flag()
	case fieldReported:
		r.Reported = d.text()
	case fieldReportedURL:
		r.ReportedURL = d.text()
	case fieldReportedAt:
		r.ReportedAt = d.instant()
	case fieldRefused:
		r.Refused = d.text()
	case fieldReportError:
		r.ReportError = d.text()
	case fieldOpen:
		r.Open = d.flag()
	}
}

func decodeVariant(d *decoder) (v Variant) {
	d.group(func(d *decoder) {
		switch d.number {
		case 1:
			v.ID = d.text()
		case 2:
			v.ShopID = d.text()
		case 3:
			v.SKU = d.text()
		case 4:
			v.Title = d.text()
		case 5:
			v.Price = d.text()
		case 6:
			v.Cost = d.text()
		case 7:
			v.MSRP = d.text()
		case 8:
			v.Quantity = int(d.num)
		case 9:
			v.Backorders = d.flag()
		case 10:
			v.Refused = d.text()
		case 11:
			v.Unpriced = d.flag()
		}
	})
	return v
}

func decodeProblem(d *decoder) (p Problem) {
	d.group(func(d *decoder) {
		switch d.number {
		case 1:
			p.Kind = d.text()
		case 2:
			p.Message = d.text()
		case 3:
			p.Wide = d.flag()
		case 4:
			p.Gone = d.flag()
		case 5:
			p.Overdue = d.flag()
		case 6:
			p.Content = d.clone()
		case 7:
			p.Attempts = int(d.num)
		case 8:
			p.Since = d.instant()
		case 9:
			p.Last = d.instant()
		}
	})
	return p
}

func decodeHold(d *decoder) (h Hold) {
	d.group(func(d *decoder) {
		switch d.number {
		case 1:
			h.Kind = d.text()
		case 2:
			h.Variant = d.text()
		case 3:
			h.Old = d.text()
		case 4:
			h.New = d.text()
		case 5:
			h.Reason = d.text()
		case 6:
			h.Since = d.instant()
		}
	})
	return h
}

func decodeEvent(d *decoder) (v Event) {
	d.group(func(d *decoder) {
		switch d.number {
		case 1:
			v.At = d.instant()
		case 2:
			v.What = d.text()
		}
	})
	return v
}

func decodeRemoval(d *decoder) (r Removal) {
	d.group(func(d *decoder) {
		switch d.number {
		case 1:
			r.Reason = d.text()
		case 2:
			r.Go = d.flag()
		case 3:
			r.At = d.instant()
		case 4:
			r.Done = d.flag()
		case 5:
			r.Begun = d.flag()
		}
	})
	return r
}

func decodeClaim(d *decoder) (c Claim) {
	d.group(func(d *decoder) {
		switch d.number {
		case 1:
			c.Variant = d.text()
		case 2:
			c.SKU = d.text()
		}
	})
	return c
}

// decodeReport reads a value of the outbox.
func decodeReport(id string, value []byte) (Report, error) {
	r := Report{ID: id}
	err := decode("report", []byte(id), value, func(d *decoder) {
		switch d.number {
		case 1:
			r.Seq = uint64(d.num) //nolint:gosec // written from one
		case 2:
			r.Status = d.text()
		case 3:
			r.URL = d.text()
		case 4:
			r.UpdatedAt = d.text()
		case 5:
			r.Since = d.instant()
		}
	})
	return r, err
}

// decodeMark reads a value of the mark bucket.
func decodeMark(id string, value []byte) (Mark, error) {
	m := Mark{ID: id}
	err := decode("mark", []byte(id), value, func(d *decoder) {
		switch d.number {
		case 1:
			m.Class = Class(d.num) //nolint:gosec // written from one
		case 2:
			m.At = d.instant()
		case 3:
			m.Cause = Cause(d.num) //nolint:gosec // written from one
		case 4:
			m.Seen = d.text()
		case 5:
			m.SeenAt = d.instant()
		case 6:
			m.Gen = uint64(d.num) //nolint:gosec // written from one
		}
	})
	return m, err
}

// decodeCursor reads a value of the cursor bucket.
func decodeCursor(name string, value []byte) (c Cursor, err error) {
	err = decode("cursor", []byte(name), value, func(d *decoder) {
		switch d.number {
		case 1:
			c.Value = d.text()
		case 2:
			c.At = d.instant()
		case 3:
			c.Started = d.instant()
		case 4:
			c.Listed = int(d.num)
		case 5:
			c.Read = d.flag()
		}
	})
	return c, err
}
