package bolt

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A journal is a file beside the store in which marks are durable before they are in the tree. Its first sector is its head
//
//	magic eight bytes, identity 16 bytes, checksum u32
//
// and the tree notes that identity while the journal is in use, so that one that was exchanged, emptied or lost is told from none. A record of it is
//
//	length u32, checksum u32, lap u64, number u64, then each mark's id and value, either with its length before it
//
// little-endian, filled up with zeros to whole sectors; the checksum is the CRC-32C of what follows it. Numbers count up for as long as the store lives.
// The tree holds the number of the last record that it has taken over, and every record with a higher one, wherever it lies, is still to be. Once all
// are taken over a new lap begins at the front of the file. So the file never grows: its space is taken when it is made, and a record costs one write
// in place and one wait for the disk.
type journal struct {
	path  string
	store string     // the store's own path
	used  journalUse // what the tree says
	stale bool       // the file that is there cannot be gone on with: all of it is taken over, and then it makes way
	file  *os.File   // nil until the first record
	note  func(journalUse) error
	at    int64  // where the next record goes
	lap   uint64 // the number of the first record of this lap
	next  uint64 // the number of the next record

	refused time.Time // when it could not be made, last
}

const (
	journalMagic = "psjrnl\x00\x01" // as a record its length would be beyond the file
	identitySize = 16
	headSize     = len(journalMagic) + identitySize + 4

	journalSize = 1 << 20
	sector      = 512
	recordHead  = 24
	maxRecord   = 64 << 10 // what callers are gathered up to, and the most that one of them may bring
)

// ErrJournal is a store.ErrCorrupt of which the tree is sound.
var ErrJournal = errors.New("journal is damaged")

var (
	// errFull says that the journal must be emptied before it can take the record.
	errFull = errors.New("journal is full")
	// errNoJournal says that it could not be made a moment ago.
	errNoJournal = errors.New("journal cannot be made")
)

func journalPath(path string) string { return store.CanonicalPath(path) + ".journal" }

// A journalUse is what the tree knows of the journal: the identity of the last one, and whether it was in use when the tree was last written.
type journalUse struct {
	id   string
	open bool
}

func (u journalUse) String() string {
	if u.open {
		return u.id + " open"
	}
	return u.id + " closed"
}

func parseUse(fact string) journalUse {
	id, state, _ := strings.Cut(fact, " ")
	return journalUse{id: id, open: state == "open"}
}

// A leftJournal is what was found in a journal.
type leftJournal struct {
	marks []store.Mark
	alien bool // it is of a later time than the tree, or another tree's
	lost  bool // it is not there, and one was in use
}

// load reads the marks that the tree has not taken over. A file that is not there holds none.
func (j *journal) load(taken uint64) (l leftJournal, err error) {
	j.next = taken + 1
	f, err := OpenBeside(j.path, j.store, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		l.lost, j.stale = j.used.open, j.used.open
		return l, nil
	}
	if err != nil {
		return l, err
	}
	data, err := io.ReadAll(io.LimitReader(f, journalSize))
	if err := errors.Join(err, f.Close()); err != nil {
		return l, err
	}
	id, headed := parseHead(data)
	another := headed && id != j.used.id
	j.stale = !headed || another || !j.used.open
	var records []record
	switch {
	case j.used.open && another:
		err = errors.New("is not the one that was in use: it was exchanged")
	case j.used.open && !headed:
		err = errors.New("is emptied: it was in use, and its head is gone")
	case another: // nothing of ours is missing; what can be read of it is looked at
		l.alien = true
		records, _ = scanJournal(data, 0) //nolint:errcheck // as above
	default:
		records, err = scanJournal(data, taken)
		l.alien = headed && len(records) > 0 && (!j.used.open || records[0].number > taken+1)
		if n := len(data); n >= recordHead && n < journalSize && !bytes.Equal(data[:recordHead], make([]byte, recordHead)) {
			err = fmt.Errorf("cut off after %d bytes", n) // its space is taken before the first record
		}
	}
	if err != nil {
		return l, fmt.Errorf("%w: %w: %s: %w", store.ErrCorrupt, ErrJournal, j.path, err)
	}
	for _, r := range records {
		l.marks = append(l.marks, r.marks...)
		j.at, j.lap, j.next = r.at+r.size, r.lap, max(r.number, taken)+1
	}
	l.alien = l.alien && len(l.marks) > 0
	return l, nil
}

// parseHead is the identity of a journal, where it has one.
func parseHead(data []byte) (id string, ok bool) {
	const sum = headSize - 4
	if len(data) < headSize || string(data[:len(journalMagic)]) != journalMagic ||
		crc32.Checksum(data[:sum], castagnoli()) != binary.LittleEndian.Uint32(data[sum:]) {
		return "", false
	}
	return hex.EncodeToString(data[len(journalMagic):sum]), true
}

// newHead is the first sector of a journal, with an identity of its own.
func newHead() (id string, head []byte) {
	head = append(make([]byte, 0, sector), journalMagic...)
	head = append(head, make([]byte, identitySize)...)
	_, _ = rand.Read(head[len(journalMagic):]) //nolint:errcheck // never fails
	id = hex.EncodeToString(head[len(journalMagic):])
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli()))
	return id, head[:sector]
}

// A record is one that was found in a journal.
type record struct {
	lap, number uint64
	at, size    int64
	marks       []store.Mark
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
func appendJot(buf []byte, m store.Mark) []byte {
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
		j.at, j.lap = sector, j.next
	} else if j.stale {
		return 0, errFull
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
	j.number(record)
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

// number gives a record its lap, its number and its checksum.
func (j *journal) number(record []byte) {
	binary.LittleEndian.PutUint64(record[8:], j.lap)
	binary.LittleEndian.PutUint64(record[16:], j.next)
	length := binary.LittleEndian.Uint32(record)
	binary.LittleEndian.PutUint32(record[4:], crc32.Checksum(record[8:length], castagnoli()))
}

// create makes the file and takes its space, or opens the one that a process which was killed has left.
func (j *journal) create() error {
	if !j.stale && j.used.open {
		f, err := OpenBeside(j.path, j.store, os.O_RDWR)
		if err == nil {
			j.file = f
		}
		return err
	}
	if info, err := os.Lstat(j.path); err == nil && info.Mode().IsRegular() {
		if err := os.Remove(j.path); err != nil {
			return err
		}
	}
	f, err := openNoFollow(j.path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	id, head := newHead()
	if err := takeSpace(f, head); err != nil {
		return errors.Join(err, f.Close(), os.Remove(j.path))
	}
	syncDir(filepath.Dir(j.path))
	used := journalUse{id: id, open: true}
	if j.note != nil {
		if err := j.note(used); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	j.file, j.used, j.stale = f, used, false
	return nil
}

// takeSpace gives a new file its whole size, and its head. Where there is no room for that, what room there is stays the tree's.
func takeSpace(f *os.File, head []byte) error {
	_, err := f.WriteAt(make([]byte, journalSize), 0)
	if err == nil {
		_, err = f.WriteAt(head, 0)
	}
	if err == nil {
		err = f.Sync()
	}
	return err
}

// close closes the file and, unless something in it is still needed, removes it.
func (j *journal) close(needed bool) error {
	if !needed && j.used.open && j.note != nil {
		needed = j.note(journalUse{id: j.used.id}) != nil
	}
	if !needed {
		defer os.Remove(j.path) //nolint:errcheck // where it must stay, the next start passes over what is in it
	}
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
