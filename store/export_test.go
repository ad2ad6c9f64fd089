package store

// The inside, as far as tests of what is kept know it.
var (
	Encode = encode
	Seal   = seal
)

func Decode[T any](b Bucket, key string, data []byte) (T, error) { return decode[T](Key{b, key}, data) }

// Properties is the properties that a record is found by.
func Properties(r Record) []Property { return propertiesOf(r) }
