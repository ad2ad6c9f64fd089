package bolt

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/pubsync/pubsync/store"
)

// bbolt takes its pages for sound: a damaged one is a panic, a fault, an endless loop or a wrong
// answer. So the whole file is walked before it is used, through reads and not through the map:
// each page is where it says it is, holds what lies within it in order, and is used once; every
// page that is not used is on the list of free ones. What the pages hold is handed to visit.
//
// The layout, in the machine's byte order, is that of bbolt's file version 2:
//
//	page    id u64, flags u16, count u16, overflow u32, then the elements
//	branch  position u32, key length u32, page u64
//	leaf    flags u32, position u32, key length u32, value length u32
//	bucket  root u64, sequence u64, and where the root is 0 a page within the value
//	meta    magic u32, version u32, page size u32, flags u32, root bucket, free list u64, end u64,
//	        transaction u64, checksum u64
type walker struct {
	file     io.ReaderAt
	pageSize int
	end      uint64 // the first page that does not exist
	used     []bool
	bufs     [][]byte // one for each depth
	visit    func(path []string, key, value []byte) error
	shallow  bool // pages that hold nothing but values are not read, but for those of meta
}

const (
	pageHeader   = 16
	elementSize  = 16
	bucketHeader = 16

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagFreelist = 0x10
	flagBucket   = 0x01

	maxDepth = 32 // of pages: two keys a page make it far more than a file can hold
	noPage   = 1<<64 - 1
)

// a page of the file, with its overflow
type page struct {
	id    uint64
	flags uint16
	count int
	data  []byte
}

// walk checks the tree of the given transaction. Every error is ErrCorrupt or the disk's own.
func (w *walker) walk(txid uint64, size int64) error {
	meta := make([]byte, pageHeader+80)
	if _, err := w.file.ReadAt(meta, int64(txid%2)*int64(w.pageSize)); err != nil { //nolint:gosec // 0 or 1
		return fmt.Errorf("read head: %w", err)
	}
	u64 := func(at int) uint64 { return binary.NativeEndian.Uint64(meta[pageHeader+at:]) }
	freelist := u64(32)
	if err := w.from(u64(16), u64(40), size); err != nil {
		return err
	}
	if freelist != noPage {
		if err := w.freelist(freelist); err != nil {
			return err
		}
		for id := uint64(2); id < w.end && !w.shallow; id++ {
			if !w.used[id] {
				return fmt.Errorf("%w: page %d: neither used nor free", store.ErrCorrupt, id)
			}
		}
	}
	return nil
}

// from checks a tree by its root page, in a file whose pages end before end.
func (w *walker) from(root, end uint64, size int64) error {
	if w.end = end; end > uint64(size)/uint64(w.pageSize) { //nolint:gosec // neither is negative
		return fmt.Errorf("%w: file is cut off: %d bytes of %d pages", store.ErrCorrupt, size, end)
	}
	w.used = make([]bool, end)
	return w.tree(root, 0, nil, nil, nil)
}

func (w *walker) use(id uint64) error {
	if id < 2 || id >= w.end {
		return fmt.Errorf("%w: page %d: out of bounds", store.ErrCorrupt, id)
	}
	if w.used[id] {
		return fmt.Errorf("%w: page %d: used twice", store.ErrCorrupt, id)
	}
	w.used[id] = true
	return nil
}

// read reads a page and its overflow into the buffer of the depth.
func (w *walker) read(id uint64, depth int) (page, error) {
	if err := w.use(id); err != nil {
		return page{}, err
	}
	for len(w.bufs) <= depth {
		w.bufs = append(w.bufs, make([]byte, w.pageSize))
	}
	at := int64(id) * int64(w.pageSize) //nolint:gosec // below the file's size
	if _, err := w.file.ReadAt(w.bufs[depth][:w.pageSize], at); err != nil {
		return page{}, fmt.Errorf("read page %d: %w", id, err)
	}
	head := w.bufs[depth]
	p := page{
		id: binary.NativeEndian.Uint64(
			head,
		), flags: binary.NativeEndian.Uint16(head[8:]), count: int(binary.NativeEndian.Uint16(head[10:])),
	}
	overflow := uint64(binary.NativeEndian.Uint32(head[12:]))
	if p.id != id {
		return page{}, fmt.Errorf("%w: page %d: says it is %d", store.ErrCorrupt, id, p.id)
	}
	for more := range overflow {
		if err := w.use(id + 1 + more); err != nil {
			return page{}, err
		}
	}
	size := int(overflow+1) * w.pageSize //nolint:gosec // within the file
	if overflow > 0 {
		if size > len(w.bufs[depth]) {
			w.bufs[depth] = make([]byte, size)
		}
		if _, err := w.file.ReadAt(w.bufs[depth][:size], at); err != nil {
			return page{}, fmt.Errorf("read page %d: %w", id, err)
		}
	}
	p.data = w.bufs[depth][:size]
	return p, nil
}

// tree walks a page and all below it, whose keys are to lie between from and to; nil is no bound.
func (w *walker) tree(id uint64, depth int, path []string, from, to []byte) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: page %d: too deep", store.ErrCorrupt, id)
	}
	p, err := w.read(id, depth)
	if err != nil {
		return err
	}
	switch p.flags {
	case flagLeaf:
		if err := p.needed(w.pageSize, 4, 8, 12); err != nil {
			return err
		}
		return w.leaf(p, depth, path, from, to)
	case flagBranch:
		if err := p.needed(w.pageSize, 0, 4); err != nil {
			return err
		}
		return w.branch(p, depth, path, from, to)
	default:
		return fmt.Errorf("%w: page %d: flags %#x", store.ErrCorrupt, id, p.flags)
	}
}

// element is the key and the value of an element of a page, which are size bytes from its position
// on.
func (p page) element(i int, position, keySize, valueSize int64) (key, value []byte, err error) {
	at := int64(pageHeader+i*elementSize) + position
	if position < elementSize || at+keySize+valueSize > int64(len(p.data)) {
		return nil, nil, fmt.Errorf("%w: page %d: element %d reaches over the end", store.ErrCorrupt, p.id, i)
	}
	return p.data[at : at+keySize], p.data[at+keySize : at+keySize+valueSize], nil
}

func (p page) u32(i, at int) int64 {
	return int64(binary.NativeEndian.Uint32(p.data[pageHeader+i*elementSize+at:]))
}

// needed checks that the last element reaches into the last of the page's overflow: bbolt gives a
// page no more than it needs. at are where an element says its position, and the sizes of its
// parts. An overflow over free pages would else be found by nobody before bbolt frees those once
// more.
func (p page) needed(pageSize int, at ...int) error {
	if len(p.data) == pageSize {
		return nil
	}
	end, last := int64(pageHeader), p.count-1
	if last >= 0 && pageHeader+p.count*elementSize <= len(p.data) {
		end += int64(last * elementSize)
		for _, offset := range at {
			end += p.u32(last, offset)
		}
	}
	if end <= int64(len(p.data)-pageSize) {
		return fmt.Errorf("%w: page %d: has more room than it needs", store.ErrCorrupt, p.id)
	}
	return nil
}

func (p page) elements() error {
	if pageHeader+p.count*elementSize > len(p.data) {
		return fmt.Errorf("%w: page %d: %d elements do not fit", store.ErrCorrupt, p.id, p.count)
	}
	return nil
}

// ordered checks that a key follows the one before and lies within the bounds.
func (p page) ordered(i int, before, key, from, to []byte) error {
	if len(key) == 0 || i > 0 && string(key) <= string(before) || from != nil && string(key) < string(from) ||
		to != nil && string(key) >= string(to) {
		return fmt.Errorf("%w: page %d: key of element %d is out of order", store.ErrCorrupt, p.id, i)
	}
	return nil
}

func (w *walker) branch(p page, depth int, path []string, from, to []byte) error {
	if err := p.elements(); err != nil {
		return err
	}
	if p.count == 0 {
		return fmt.Errorf("%w: page %d: a branch without elements", store.ErrCorrupt, p.id)
	}
	keys := make([][]byte, p.count)
	for i := range p.count {
		key, _, err := p.element(i, p.u32(i, 0), p.u32(i, 4), 0)
		if err != nil {
			return err
		}
		if err := p.ordered(i, keys[max(i-1, 0)], key, from, to); err != nil {
			return err
		}
		keys[i] = key
	}
	for i := range p.count {
		below := to
		if i+1 < p.count {
			below = keys[i+1]
		}
		child := binary.NativeEndian.Uint64(p.data[pageHeader+i*elementSize+8:])
		if i > 0 && w.passes(path, depth+1) {
			if err := w.use(child); err != nil {
				return err
			}
			continue
		}
		if err := w.tree(child, depth+1, path, keys[i], below); err != nil {
			return err
		}
	}
	return nil
}

// passes reports whether the pages of a depth are passed over, once the first of them has been
// read: all leaves of a tree lie at one depth.
func (w *walker) passes(path []string, depth int) bool {
	return w.shallow && len(path) == 2 && path[1] != string(bucketMeta) &&
		binary.NativeEndian.Uint16(w.bufs[depth][8:]) == flagLeaf
}

func (w *walker) leaf(p page, depth int, path []string, from, to []byte) error {
	if err := p.elements(); err != nil {
		return err
	}
	var before []byte
	for i := range p.count {
		key, value, err := p.element(i, p.u32(i, 4), p.u32(i, 8), p.u32(i, 12))
		if err != nil {
			return err
		}
		if err := p.ordered(i, before, key, from, to); err != nil {
			return err
		}
		before = key
		switch p.u32(i, 0) {
		case 0:
			err = w.visit(path, key, value)
		case flagBucket:
			err = w.bucket(p, depth, append(path[:len(path):len(path)], string(key)), value)
		default:
			err = fmt.Errorf("%w: page %d: flags of element %d", store.ErrCorrupt, p.id, i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bucket walks a bucket, whose first page is one of its own or, of a small one, lies in the value.
func (w *walker) bucket(p page, depth int, path []string, value []byte) error {
	if len(value) < bucketHeader {
		return fmt.Errorf("%w: page %d: bucket %q is cut off", store.ErrCorrupt, p.id, path)
	}
	if err := w.visit(path, nil, nil); err != nil {
		return err
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return w.tree(root, depth+1, path, nil, nil)
	}
	inline := page{id: p.id, data: value[bucketHeader:]}
	if len(inline.data) < pageHeader {
		return fmt.Errorf("%w: page %d: bucket %q is cut off", store.ErrCorrupt, p.id, path)
	}
	inline.flags, inline.count = binary.NativeEndian.Uint16(
		inline.data[8:],
	), int(
		binary.NativeEndian.Uint16(inline.data[10:]),
	)
	if inline.flags != flagLeaf {
		return fmt.Errorf("%w: page %d: bucket %q has flags %#x", store.ErrCorrupt, p.id, path, inline.flags)
	}
	return w.leaf(inline, depth, path, nil, nil)
}

func (w *walker) freelist(id uint64) error {
	p, err := w.read(id, 0)
	if err != nil {
		return err
	}
	ids := p.data[pageHeader:]
	count := uint64(p.count) //nolint:gosec // was two bytes
	if p.count == 0xffff {   // too many for two bytes: the first entry is the count
		count, ids = binary.NativeEndian.Uint64(ids), ids[8:]
	}
	if p.flags != flagFreelist || count > uint64(len(ids)/8) {
		return fmt.Errorf("%w: page %d: no list of %d free pages", store.ErrCorrupt, id, count)
	}
	for i := range count {
		if err := w.use(binary.NativeEndian.Uint64(ids[8*i:])); err != nil {
			return err
		}
	}
	return nil
}
