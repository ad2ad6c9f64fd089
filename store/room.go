package store

import (
	"errors"
	"io/fs"
	"os"

	bolt "go.etcd.io/bbolt"
)

// Writable makes one small durable write: whether webhooks can be stored now.
func (s *Store) Writable() error {
	if s.readOnly {
		return ErrReadOnly
	}
	if _, err := s.intake.takeOver(); err != nil {
		return err
	}
	return s.probe(nil)
}

// roomy is more than one busy commit takes.
const roomy = 256 << 10

// HasRoom makes a durable write of many pages and takes it back: whether a disk that was full has room again. On the verge of being full one write
// still fits and the next does not; with HasRoom the file has gained free pages of its own.
func (s *Store) HasRoom() error {
	if err := s.probe(make([]byte, roomy)); err != nil {
		return err
	}
	return s.Writable()
}

func (s *Store) probe(value []byte) error {
	return s.write(func(tx *bolt.Tx) error { return putSealed(bucket(tx, bucketMeta), "probe", value) })
}

// inPlace fails when the path no longer names the file that is open.
func (s *Store) inPlace() error {
	now, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.info) {
		return ErrReplaced
	}
	return nil
}
