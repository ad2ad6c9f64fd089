package bolt

import "github.com/pubsync/pubsync/store"

// recordFields are those of a record but for its id, which is the key.
func recordFields(c *codec, r *store.Record) {
	word(c, 1, &r.State)
	text(c, 2, &r.Title)
	text(c, 3, &r.Listing)
	text(c, 4, &r.Product)
	text(c, 5, &r.UpdatedAt)
	c.instant(6, &r.ReadAt)
	c.instant(7, &r.ListedAt)

	text(c, 8, &r.ShopID)
	text(c, 9, &r.URL)
	c.bytes(10, &r.ShopState)
	c.flag(11, &r.OnSale)
	if !c.writing || !inBlocks(r.Hashes) {
		c.bytes(12, &r.Hashes)
	}
	num(c, 13, &r.HashRule)
	num(c, 14, &r.Attempted)
	c.flag(15, &r.Open)
	num(c, 16, &r.Kept)
	num(c, 17, &r.Reset)
	if !c.writing {
		list(c, 18, &r.Variants, variantFields)
	}
	c.instant(19, &r.WrittenAt)
	list(c, 20, &r.Missing, pictureFields)
	c.instant(21, &r.LateSince)
	c.instant(22, &r.LateAt)
	word(c, 23, &r.Language)
	c.instant(24, &r.UntitledSince)

	optional(c, 25, &r.Problem, emptyProblem(r.Problem), problemFields)
	list(c, 26, &r.Holds, holdFields)
	list(c, 27, &r.Approved, holdFields)
	list(c, 28, &r.History, eventFields)
	optional(c, 29, &r.Removal, r.Removal == store.Removal{}, removalFields)

	word(c, 30, &r.Reported)
	reportedURL(c, r)
	c.instant(33, &r.ReportedAt)
	text(c, 34, &r.ReportError)
	list(c, 35, &r.Claims, claimFields)
	text(c, 36, &r.ContentAt)
	series(c, 37, &r.Variants, siblingFields)
	c.instant(38, &r.RestSince)
	c.instant(39, &r.FiguresAt)
	hashes(c, 40, &r.Hashes)
}

// reportedURL is the address that was reported, or that it is the listing's own.
func reportedURL(c *codec, r *store.Record) {
	here := c.writing && r.URL != "" && r.ReportedURL == r.URL
	c.flag(31, &here)
	switch {
	case !here:
		text(c, 32, &r.ReportedURL)
	case !c.writing:
		r.ReportedURL = r.URL
	}
}

// siblingFields are those of a variant beside the one before.
func siblingFields(c *codec, before, v *store.Variant) {
	like(c, 1, &before.ID, &v.ID)
	like(c, 2, &before.ShopID, &v.ShopID)
	like(c, 3, &before.SKU, &v.SKU)
	like(c, 4, &before.Title, &v.Title)
	like(c, 5, &before.Price, &v.Price)
	like(c, 6, &before.Cost, &v.Cost)
	like(c, 7, &before.MSRP, &v.MSRP)
	num(c, 8, &v.Quantity)
	c.flag(9, &v.Backorders)
	like(c, 10, &before.Refused, &v.Refused)
	c.flag(11, &v.Unpriced)
	supplyFields(c, v)
}

// supplyFields are the supplier's own figures as they differ from those written.
func supplyFields(c *codec, v *store.Variant) {
	s := &v.Supplied
	c.flag(12, &s.Known)
	if !s.Known {
		return
	}
	like(c, 13, &v.Cost, &s.Cost)
	like(c, 14, &v.MSRP, &s.MSRP)
	more, other := 0, false
	if c.writing {
		more, other = s.Quantity-v.Quantity, s.Backorders != v.Backorders
	}
	num(c, 15, &more)
	c.flag(16, &other)
	s.Quantity, s.Backorders = v.Quantity+more, v.Backorders != other
}

// variantFields are those of a variant by itself, as records were written before variants were a series.
func variantFields(c *codec, v *store.Variant) {
	text(c, 1, &v.ID)
	text(c, 2, &v.ShopID)
	text(c, 3, &v.SKU)
	text(c, 4, &v.Title)
	text(c, 5, &v.Price)
	text(c, 6, &v.Cost)
	text(c, 7, &v.MSRP)
	num(c, 8, &v.Quantity)
	c.flag(9, &v.Backorders)
	text(c, 10, &v.Refused)
	c.flag(11, &v.Unpriced)
}

func emptyProblem(p store.Problem) bool {
	return p.Kind == "" && p.Message == "" && !p.Wide && !p.Gone && !p.Hidden && !p.Overdue && len(p.Content) == 0 && p.Attempts == 0 && p.Since == 0 && p.Last == 0
}

func problemFields(c *codec, p *store.Problem) {
	word(c, 1, &p.Kind)
	text(c, 2, &p.Message)
	c.flag(3, &p.Wide)
	c.flag(4, &p.Gone)
	c.flag(5, &p.Hidden)
	c.flag(6, &p.Overdue)
	c.bytes(7, &p.Content)
	num(c, 8, &p.Attempts)
	c.instant(9, &p.Since)
	c.instant(10, &p.Last)
}

func holdFields(c *codec, h *store.Hold) {
	word(c, 1, &h.Kind)
	text(c, 2, &h.Variant)
	text(c, 3, &h.Old)
	text(c, 4, &h.New)
	text(c, 5, &h.Reason)
	c.instant(6, &h.Since)
}

func eventFields(c *codec, v *store.Event) {
	c.instant(1, &v.At)
	word(c, 2, &v.What)
}

func removalFields(c *codec, r *store.Removal) {
	word(c, 1, &r.Reason)
	c.flag(2, &r.Go)
	c.instant(3, &r.At)
	c.flag(4, &r.Done)
	c.flag(5, &r.Begun)
}

func pictureFields(c *codec, p *store.Picture) {
	text(c, 1, &p.URL)
	text(c, 2, &p.Reason)
	c.flag(3, &p.Later)
}

func claimFields(c *codec, v *store.Claim) {
	text(c, 1, &v.Variant)
	text(c, 2, &v.SKU)
}

func reportFields(c *codec, r *store.Report) {
	num(c, 1, &r.Seq)
	word(c, 2, &r.Status)
	text(c, 3, &r.URL)
	text(c, 4, &r.UpdatedAt)
	c.instant(5, &r.Since)
	num(c, 6, &r.Refusals)
	c.instant(7, &r.RefusedAt)
}

func markFields(c *codec, m *store.Mark) {
	num(c, 1, &m.Class)
	c.instant(2, &m.At)
	num(c, 3, &m.Cause)
	text(c, 4, &m.Seen)
	c.instant(5, &m.SeenAt)
	num(c, 6, &m.Gen)
	c.instant(7, &m.Hint)
	c.instant(8, &m.VariantAt)
}

func cursorFields(c *codec, v *store.Cursor) {
	text(c, 1, &v.Value)
	c.instant(2, &v.At)
	c.instant(3, &v.Started)
	num(c, 4, &v.Listed)
	c.flag(5, &v.Read)
	num(c, 6, &v.Nameless)
}

// roomOfNew is the room, in bytes, that a publication has from the first: what the record of one with three variants takes once it is on sale. Without it
// a record grows threefold where it stands, in three steps, and leaves pages behind that are little more than half full.
const roomOfNew = 384

// encodeRecord is the fields of a record, and behind those of one that nothing was written of yet, zeros up to the room that it will need.
func encodeRecord(r store.Record) []byte {
	fields := encode(r, 768+len(r.ShopState), recordFields)
	if r.State == store.StatePending && r.WrittenAt == 0 && len(fields) < roomOfNew {
		fields = append(fields, make([]byte, roomOfNew-len(fields))...)
	}
	return fields
}

func encodeReport(r store.Report) []byte { return encode(r, 64, reportFields) }
func encodeMark(m store.Mark) []byte     { return encode(m, 64, markFields) }
func encodeCursor(c store.Cursor) []byte { return encode(c, 64, cursorFields) }

func decodeRecord(id string, value []byte) (store.Record, error) {
	r := store.Record{ID: id}
	err := decode("record", []byte(id), value, &r, recordFields)
	return r, err
}

// decodeState reads the state of a record and leaves the rest, which takes a tenth of the time.
func decodeState(id string, value []byte) (store.State, error) {
	var r store.Record
	err := decode("record", []byte(id), value, &r, func(c *codec, r *store.Record) { word(c, 1, &r.State) })
	return r.State, err
}

func decodeReport(id string, value []byte) (store.Report, error) {
	r := store.Report{ID: id}
	err := decode("report", []byte(id), value, &r, reportFields)
	return r, err
}

func decodeMark(id string, value []byte) (store.Mark, error) {
	m := store.Mark{ID: id}
	err := decode("mark", []byte(id), value, &m, markFields)
	return m, err
}

func decodeCursor(name string, value []byte) (c store.Cursor, err error) {
	err = decode("cursor", []byte(name), value, &c, cursorFields)
	return c, err
}
