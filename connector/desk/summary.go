package desk

// A Summary is what a single run did, and what stands at its end.
type Summary struct {
	Swept     int   `json:"swept"`
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Withdrawn int64 `json:"withdrawn"`
	Rejected  int   `json:"rejected"`
	Blocked   int   `json:"blocked"`
	Held      int   `json:"held"`
	Pending   int   `json:"pending"`
	// of the pending, those that only wait for a title in a language that is asked for
	Untranslated int `json:"untranslated,omitempty"`

	Refused   int     `json:"refused"` // reports that the marketplace refuses
	Reported  int64   `json:"reported"`
	Seconds   float64 `json:"seconds"`
	Requests  int64   `json:"requests"`
	Cost      float64 `json:"cost"`
	Throttled int64   `json:"throttled"`
	Exit      int     `json:"exit"`
	Error     string  `json:"error"`
}
