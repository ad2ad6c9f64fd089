package store

// The inside, as far as tests of what is kept know it.
type Indexed = indexed

var (
	Encode     = encode
	Seal       = seal
	Keys       = propertiesOf
	SplitPlace = splitPlace
)

func Decode[T any](b Bucket, key string, data []byte) (T, error) { return decode[T](Key{b, key}, data) }

func (p indexed) Place(id string) string { return p.place(id) }

func (p Property) String() string { return p.name }

// Reopened is the KV as the next process would find it. The KV itself is closed.
func (m *Memory) Reopened() *Memory {
	_ = m.Close() //nolint:errcheck // never fails
	return &Memory{held: m.held, below: m.below, ahead: m.ahead}
}
