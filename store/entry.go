package store

// An Entry is all that the store holds of one publication.
type Entry struct {
	Record Record
	Known  bool    // false: there is no record, and Record has the id alone
	Mark   *Mark   // why and when it is due; nil: it is not
	Owed   *Report // nil: nothing is
}
