package store

// ReadOnly is a store without its writing methods.
func ReadOnly(s Reader) Reader { return readOnly{s} }

// readOnly hides the writing methods of a store from type assertions too.
type readOnly struct{ Reader }
