package store

// A Settlement is the end of one piece of work: it becomes durable as a whole.
type Settlement struct {
	Record Record
	Gen    uint64  // of the mark that led to the work
	Next   *Mark   // when to look again; nil for never
	Report *Report // owed from now on in place of any other; nil leaves the outbox as it is
	Cancel bool    // nothing is owed any longer
	Forget bool    // remove every trace of the publication; Next and Report are passed over
	// with Forget: but for what Record.Left says. That is the record until the publication is known
	// again
	Leave   bool
	Removed bool // count it as a removal of today
	// Merge is called in the transaction with the record and the owed report as they are now: what
	// others wrote since the work began (an acknowledged report, an approval) is carried over here.
	// It may change everything above.
	Merge func(now Record, owed *Report, s *Settlement)
}

// A Change is a change of what is held of one publication, made within a transaction.
type Change struct {
	ID      string
	Unknown bool // made too where the store does not know the publication; else that is passed over
	// the Seq of a report that the marketplace has acknowledged: where that very report is owed, it
	// is owed no longer; 0: none
	Acked uint64
	// Apply decides on what is to be written. s begins with the record as it is, and owed is the
	// report that is owed. It returns false where nothing is to be written. It may run twice, and
	// depends on nothing else.
	Apply func(known bool, owed *Report, s *Settlement) bool
}
