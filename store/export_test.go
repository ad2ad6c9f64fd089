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
