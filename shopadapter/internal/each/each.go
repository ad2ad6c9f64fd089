// Package each makes one list of another.
package each

// Of is what one gives for each element of a list, in its order. It is never nil: in JSON it is a
// list, though an empty one.
func Of[A, B any](list []A, one func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = one(a)
	}
	return out
}

// Led is a list that begins with first: as it is where it does, or where first is the zero value.
func Led[A comparable](first A, list []A) []A {
	if first == *new(A) || len(list) > 0 && list[0] == first {
		return list
	}
	return append([]A{first}, list...)
}
