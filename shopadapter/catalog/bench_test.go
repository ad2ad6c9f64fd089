package catalog

import (
	"fmt"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// BenchmarkPublish is what a product of three variants costs until its record and page are durable,
// on the disk that holds the temporary folder.
func BenchmarkPublish(b *testing.B) {
	b.Run("new", func(b *testing.B) {
		c := newShop(b, b.TempDir())
		i := 0
		for b.Loop() {
			i++
			put(b, c, bench(fmt.Sprint("publication-", i)))
		}
	})
	b.Run("price", func(b *testing.B) {
		c := newShop(b, b.TempDir())
		p := bench("a")
		put(b, c, p)
		i := 0
		for b.Loop() {
			i++
			p.Variants[0].Price = fmt.Sprintf("%d.95", i)
			putRef(b, c, shopadapter.Ref{Publication: "a"}, p, shopadapter.FieldPrice)
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		c := newShop(b, b.TempDir())
		p := bench("a")
		put(b, c, p)
		for b.Loop() {
			put(b, c, p)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		c := newShop(b, b.TempDir())
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				put(b, c, bench(fmt.Sprintf("publication-%p-%d", pb, i)))
			}
		})
	})
}

// BenchmarkPage is the making of a page without the disk.
func BenchmarkPage(b *testing.B) {
	l := testRenderer(b)
	r, _ := merge(nil, bench("a"), shopadapter.AllFields, 0, testTime)
	for b.Loop() {
		if _, err := l.product("name", r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIndex is a pass over twenty thousand products: the first of a process, and one after a
// single change.
func BenchmarkIndex(b *testing.B) {
	const products = 20_000
	dir := b.TempDir()
	c := newShop(b, dir)
	for i := range products {
		p := bench(fmt.Sprint("publication-", i))
		p.Category.Path = fmt.Sprint("C", i%12)
		r, _ := merge(nil, p, shopadapter.AllFields, 0, testTime)
		r.Stamp.Publication = key(p.ID)
		data, err := r.encode()
		if err != nil {
			b.Fatal(err)
		}
		writeFile(b, c, recordPath(fileName(p.ID)), string(data))
		writeFile(b, c, pagePath(fileName(p.ID)), ourMark)
	}
	if err := c.folder.make(); err != nil {
		b.Fatal(err)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if err := newShelf(c.folder, c.renderer).refresh(nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one-changed", func(b *testing.B) {
		s := newShelf(c.folder, c.renderer)
		if err := s.refresh(nil); err != nil {
			b.Fatal(err)
		}
		i := 0
		for b.Loop() {
			i++
			p := bench("publication-7")
			p.Title, p.Category.Path = fmt.Sprint("Edition ", i), "C7"
			r, _ := merge(nil, p, shopadapter.AllFields, 0, testTime)
			r.Stamp.Publication = key(p.ID)
			data, err := r.encode()
			if err != nil {
				b.Fatal(err)
			}
			writeFile(b, c, recordPath(fileName(p.ID)), string(data))
			if err := s.refresh(map[string]bool{fileName(p.ID): true}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
