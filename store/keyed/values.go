package keyed

import (
	"fmt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// putValue writes v, sealed, under a key.
func putValue(tx Tx, b Bucket, key string, v any) error {
	if err := checkID(key); err != nil {
		return err
	}
	data, err := value.Encode(key, v)
	if err != nil {
		return err
	}
	return tx.Put(b, key, data)
}

// putFact writes a text, sealed, under a key.
func putFact(tx Tx, b Bucket, key, text string) error {
	if err := checkID(key); err != nil {
		return err
	}
	return tx.Put(b, key, value.Seal(key, []byte(text)))
}

// checkID fails for an id that no publication can have.
func checkID(id string) error {
	if !validID(id) {
		return fmt.Errorf("write store: id of %d bytes", len(id))
	}
	return nil
}

func validID(id string) bool { return id != "" && len(id) <= store.MaxID }

func decodeRecord(id string, data []byte) (store.Record, error) {
	r := store.Record{ID: id}
	err := value.Decode("record", id, data, &r)
	return r, err
}

func decodeReport(id string, data []byte) (store.Report, error) {
	r := store.Report{ID: id}
	err := value.Decode("report", id, data, &r)
	return r, err
}

func decodeMark(id string, data []byte) (store.Mark, error) {
	m := store.Mark{ID: id}
	err := value.Decode("mark", id, data, &m)
	return m, err
}

func decodeCursor(name string, data []byte) (c store.Cursor, err error) {
	err = value.Decode("cursor", name, data, &c)
	return c, err
}
