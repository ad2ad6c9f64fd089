package wire

import (
	"encoding/json"
	"errors"
)

// A Scalar is a text as the content of a publication has it: an object or a list in its place is an
// error.
type Scalar Text

// UnmarshalJSON fails for an object or a list.
func (t *Scalar) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && (data[0] == '{' || data[0] == '[') {
		return errors.New("an object or a list in place of a value")
	}
	return (*Text)(t).UnmarshalJSON(data)
}

// A Soft is the value of a field that is not essential. One of another shape is unread, and costs
// nothing but itself.
type Soft[T any] struct {
	Value  T
	Unread bool
}

// UnmarshalJSON never fails.
func (s *Soft[T]) UnmarshalJSON(data []byte) error {
	var value T
	err := json.Unmarshal(data, &value)
	if *s = (Soft[T]{Unread: err != nil}); err == nil {
		s.Value = value
	}
	return nil //nolint:nilerr // that is what Unread says
}

// A Some is a list that is not essential, or one item in its place. Items that cannot be read are
// left out, and leave it unread.
type Some[T any] struct {
	Items  []T
	One    bool // in the place of a list
	Unread bool
}

// UnmarshalJSON never fails.
func (s *Some[T]) UnmarshalJSON(data []byte) error {
	*s = Some[T]{}
	if IsNull(data) {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list, s.One = []json.RawMessage{data}, true
	}
	s.Items = make([]T, 0, len(list))
	for _, raw := range list {
		var item *T
		if json.Unmarshal(raw, &item) != nil || item == nil {
			s.Unread = true
			continue
		}
		s.Items = append(s.Items, *item)
	}
	return nil
}
