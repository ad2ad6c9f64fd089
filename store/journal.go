package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A journal is a file beside the store in which marks are durable before they are in the tree. A record of it is
//
//	length u32, checksum u32, lap u64, number u64, then each mark's id and value, either with its length before it
//
// little-endian, filled up with zeros to whole sectors; the checksum is the CRC-32C of what follows it. Numbers count up for as long as the store lives.
// The tree holds the number of the last record that it has taken over, and every record with a higher one, wherever it lies, is still to be. Once all
// are taken over a new lap begins at the front of the file. So the file never grows: its space is taken when it is made, and a record costs one write
// in place and one wait for the disk.
type journal struct {
	path string
	file *os.File // nil until the first record
	at   int64    // where the next record goes
	lap  uint64   // the number of the first record of this lap
	next uint64   // the number of the next record

	refused time.Time // when it could not be made, last
}

const (
	journalSize = 1 << 20
	sector      = 512
	recordHead  = 24
	maxRecord   = 64 << 10 // what callers are gathered up to, and the most that one of them may bring
)

var (
	// errFull says that the journal must be emptied before it can take the record.
	errFull = errors.New("journal is full")
	// errNoJournal says that it could not be made a moment ago.
	errNoJournal = errors.New("journal cannot be made")
)

func journalPath(store string) string { return CanonicalPath(store) + ".journal" }

// load reads the marks that the tree has not taken over. A file that is not there holds none.
func (j *journal) load(taken uint64) (marks []Mark, err error) {
	j.next = taken + 1
	f, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, journalSize))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	records, err := scanJournal(data, taken)
	if n := len(data); n >= recordHead && n < journalSize && !bytes.Equal(data[:recordHead], make([]byte, recordHead)) {
		err = fmt.Errorf("cut off after %d bytes", n) // its space is taken before the first record, which begins at the front
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w: %s: %w", ErrCorrupt, ErrJournal, j.path, err)
	}
	for _, r := range records {
		marks = append(marks, r.marks...)
		j.at, j.lap, j.next = r.at+r.size, r.lap, r.number+1
	}
	return marks, nil
}

// A record is one that was found in a journal.
type record struct {
	lap, number uint64
	at, size    int64
	marks       []Mark
}

// scanJournal finds the records after the one numbered taken, in order. The one that was being written when the process ended is not whole; it was
// promised to nobody, and is the last. One that is missing before others is damage.
func scanJournal(data []byte, taken uint64) (found []record, err error) {
	for at := int64(0); at+recordHead <= int64(len(data)); {
		r, ok := parseRecord(data[at:])
		if !ok {
			at += sector
			continue
		}
		if r.at = at; r.number > taken {
			found = append(found, r)
		}
		at += r.size
	}
	if len(found) == 0 {
		return nil, nil
	}
	slices.SortFunc(found, func(a, b record) int { return cmp.Or(cmp.Compare(a.lap, b.lap), cmp.Compare(a.number, b.number)) })
	// Of an earlier lap are those of another store, in whose place this one was put, and one whose write failed, which was promised to nobody either.
	lap := found[len(found)-1].lap
	found = slices.DeleteFunc(found, func(r record) bool { return r.lap != lap })
	want := max(lap, taken+1)
	for _, r := range found {
		if r.number != want {
			return nil, fmt.Errorf("record %d cannot be read", want)
		}
		want++
	}
	return found, nil
}

// parseRecord reads the record that data begins with, if it is one.
func parseRecord(data []byte) (r record, ok bool) {
	length := uint64(binary.LittleEndian.Uint32(data))
	if length < recordHead || length > uint64(len(data)) || crc32.Checksum(data[8:length], castagnoli()) != binary.LittleEndian.Uint32(data[4:]) {
		return record{}, false
	}
	r.lap, r.number, r.size = binary.LittleEndian.Uint64(data[8:]), binary.LittleEndian.Uint64(data[16:]), wholeSectors(int(length)) //nolint:gosec // above
	for rest := data[recordHead:length]; len(rest) > 0; {
		var id, value []byte
		if id, rest, ok = cutSized(rest); !ok {
			return record{}, false
		}
		if value, rest, ok = cutSized(rest); !ok {
			return record{}, false
		}
		m, err := decodeMark(string(id), value)
		if err != nil || validMark(m) != nil {
			return record{}, false
		}
		r.marks = append(r.marks, m)
	}
	return r, r.lap <= r.number
}

// cutSized cuts off a field that has its length before it.
func cutSized(data []byte) (field, rest []byte, ok bool) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size) { //nolint:gosec // not below 0
		return nil, nil, false
	}
	return data[size : size+int(n)], data[size+int(n):], true //nolint:gosec // not above the length of a slice
}

func appendSized(buf, field []byte) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(field))), field...)
}

// appendJot appends a mark as a record holds it.
func appendJot(buf []byte, m Mark) []byte {
	id := []byte(m.ID)
	return appendSized(appendSized(buf, id), seal(id, encodeMark(m)))
}

// beginRecord leaves room for the head, and padRecord writes the length into it and fills up the last sector.
func beginRecord(buf []byte) []byte { return append(buf, make([]byte, recordHead)...) }

func padRecord(buf []byte) []byte {
	length := len(buf)
	binary.LittleEndian.PutUint32(buf, uint32(length)) //nolint:gosec // two times maxRecord at most
	return append(buf, make([]byte, wholeSectors(length)-int64(length))...)
}

func wholeSectors(length int) int64 { return int64((length + sector - 1) / sector * sector) }

// write makes a record durable and returns its number.
func (j *journal) write(record []byte, taken uint64) (number uint64, err error) {
	if taken+1 == j.next { // nothing in the file is needed any more
		j.at, j.lap = 0, j.next
	}
	if j.at+int64(len(record)) > journalSize {
		return 0, errFull
	}
	if j.file == nil {
		if time.Since(j.refused) < stuckRest {
			return 0, errNoJournal
		}
		if err := j.create(); err != nil {
			j.refused = time.Now()
			return 0, err
		}
	}
	binary.LittleEndian.PutUint64(record[8:], j.lap)
	binary.LittleEndian.PutUint64(record[16:], j.next)
	length := binary.LittleEndian.Uint32(record)
	binary.LittleEndian.PutUint32(record[4:], crc32.Checksum(record[8:length], castagnoli()))
	if _, err := j.file.WriteAt(record, j.at); err != nil {
		return 0, err
	}
	if err := syncData(j.file); err != nil {
		return 0, err
	}
	number = j.next
	j.at, j.next = j.at+int64(len(record)), number+1
	return number, nil
}

// create makes the file and takes its space, or opens the one that a process which was killed has left.
func (j *journal) create() error {
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := takeSpace(f); err != nil {
		return errors.Join(err, f.Close())
	}
	syncDir(filepath.Dir(j.path))
	j.file = f
	return nil
}

// takeSpace gives the file its whole size. Where there is no room for that, what room there is stays the tree's.
func takeSpace(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size < journalSize {
		_, err = f.WriteAt(make([]byte, journalSize-size), size)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	return nil
}

// close closes the file and, unless something in it is still needed, removes it.
func (j *journal) close(needed bool) error {
	if !needed {
		defer os.Remove(j.path) //nolint:errcheck // where it must stay, the next start passes over what is in it
	}
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
