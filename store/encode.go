package store

// The numbers of a record's fields on disk. They are part of the schema: none is ever used again for something else.
const (
	fieldState byte = iota + 1
	fieldTitle
	fieldListing
	fieldProduct
	fieldUpdatedAt
	fieldReadAt
	fieldListedAt
	fieldShopID
	fieldURL
	fieldShopState
	fieldOnSale
	fieldHashes
	fieldHashRule
	fieldAttempted
	fieldKept
	fieldReset
	fieldVariant // a list
	fieldWrittenAt
	fieldProblem
	fieldHold     // a list
	fieldApproved // a list
	fieldEvent    // a list
	fieldRemoval
	fieldForeign
	fieldReported
	fieldReportedURL
	fieldReportedHere // in place of fieldReportedURL where that is fieldURL
	fieldReportedAt
	fieldRefused
	fieldReportError
	fieldClaim // a list
	fieldOpen
)

// encodeRecord is the fields of r, without the id, which is the key.
func encodeRecord(r Record) []byte {
	e := newEncoder(768)
	e.text(fieldState, r.State)
	e.text(fieldTitle, r.Title)
	e.text(fieldListing, r.Listing)
	e.text(fieldProduct, r.Product)
	e.text(fieldUpdatedAt, r.UpdatedAt)
	e.instant(fieldReadAt, r.ReadAt)
	e.instant(fieldListedAt, r.ListedAt)

	e.text(fieldShopID, r.ShopID)
	e.text(fieldURL, r.URL)
	e.bytes(fieldShopState, r.ShopState)
	e.flag(fieldOnSale, r.OnSale)
	e.bytes(fieldHashes, r.Hashes)
	e.num(fieldHashRule, int64(r.HashRule))
	e.num(fieldAttempted, int64(r.Attempted))
	e.num(fieldKept, int64(r.Kept))
	e.num(fieldReset, int64(r.Reset))
	for _, v := range r.Variants {
		e.group(fieldVariant, v.encode)
	}
	e.instant(fieldWrittenAt, r.WrittenAt)

	if !r.Problem.empty() {
		e.group(fieldProblem, r.Problem.encode)
	}
	for _, h := range r.Holds {
		e.group(fieldHold, h.encode)
	}
	for _, h := range r.Approved {
		e.group(fieldApproved, h.encode)
	}
	for _, v := range r.History {
		e.group(fieldEvent, v.encode)
	}
	if r.Removal != (Removal{}) {
		e.group(fieldRemoval, r.Removal.encode)
	}
	e.flag(fieldForeign, r.Foreign)

	e.text(fieldReported, r.Reported)
	if r.ReportedURL == r.URL {
		e.flag(fieldReportedHere, r.URL != "")
	} else {
		e.text(fieldReportedURL, r.ReportedURL)
	}
	e.instant(fieldReportedAt, r.ReportedAt)
	e.text(fieldRefused, r.Refused)
	e.text(fieldReportError, r.ReportError)
	for _, c := range r.Claims {
		e.group(fieldClaim, c.encode)
	}
	e.flag(fieldOpen, r.Open)
	return e.buf
}

func (v Variant) encode(e *encoder) {
	e.text(1, v.ID)
	e.text(2, v.ShopID)
	e.text(3, v.SKU)
	e.text(4, v.Title)
	e.text(5, v.Price)
	e.text(6, v.Cost)
	e.text(7, v.MSRP)
	e.num(8, int64(v.Quantity))
	e.flag(9, v.Backorders)
	e.text(10, v.Refused)
	e.flag(11, v.Unpriced)
}

func (p Problem) empty() bool {
	return p.Kind == "" && p.Message == "" && !p.Wide && !p.Gone && !p.Overdue && len(p.Content) == 0 && p.Attempts == 0 && p.Since == 0 && p.Last == 0
}

func (p Problem) encode(e *encoder) {
	e.text(1, p.Kind)
	e.text(2, p.Message)
	e.flag(3, p.Wide)
	e.flag(4, p.Gone)
	e.flag(5, p.Overdue)
	e.bytes(6, p.Content)
	e.num(7, int64(p.Attempts))
	e.instant(8, p.Since)
	e.instant(9, p.Last)
}

func (h Hold) encode(e *encoder) {
	e.text(1, h.Kind)
	e.text(2, h.Variant)
	e.text(3, h.Old)
	e.text(4, h.New)
	e.text(5, h.Reason)
	e.instant(6, h.Since)
}

func (v Event) encode(e *encoder) {
	e.instant(1, v.At)
	e.text(2, v.What)
}

func (r Removal) encode(e *encoder) {
	e.text(1, r.Reason)
	e.flag(2, r.Go)
	e.instant(3, r.At)
	e.flag(4, r.Done)
	e.flag(5, r.Begun)
}

func (c Claim) encode(e *encoder) {
	e.text(1, c.Variant)
	e.text(2, c.SKU)
}

func encodeReport(r Report) []byte {
	e := newEncoder(64)
	e.num(1, int64(r.Seq)) //nolint:gosec // counts up from 1
	e.text(2, r.Status)
	e.text(3, r.URL)
	e.text(4, r.UpdatedAt)
	e.instant(5, r.Since)
	return e.buf
}

func encodeMark(m Mark) []byte {
	e := newEncoder(64)
	e.num(1, int64(m.Class))
	e.instant(2, m.At)
	e.num(3, int64(m.Cause))
	e.text(4, m.Seen)
	e.instant(5, m.SeenAt)
	e.num(6, int64(m.Gen)) //nolint:gosec // counts up from 1
	return e.buf
}

func encodeCursor(c Cursor) []byte {
	e := newEncoder(64)
	e.text(1, c.Value)
	e.instant(2, c.At)
	e.instant(3, c.Started)
	e.num(4, int64(c.Listed))
	e.flag(5, c.Read)
	return e.buf
}
