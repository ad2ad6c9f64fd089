package store

// A Query asks for records.
type Query struct {
	After  string  // an id: begin behind it
	Limit  int     // at most so many; 0 for some hundreds
	States []State // in one of these; none for all
	Unseen bool    // those that the enumeration under way has not met
}

// A DueQuery asks for marks in the order of work.
type DueQuery struct {
	Classes ClassSet
	From    Instant  // due no sooner
	To      Instant  // and no later
	Skip    []string // publications that are left out
	Limit   int      // at most so many; 0 for as many as there are
	Behind  *Mark    // nil, or begin behind this one
}
