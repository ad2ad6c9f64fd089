package laws

import (
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// merge is p with these groups taken from q, which has the same variants.
func merge(p, q shopadapter.Product, groups shopadapter.Fields) shopadapter.Product {
	p, q = clone(p), clone(q)
	if groups == all {
		return q
	}
	if groups.Has(shopadapter.FieldTitle) {
		p.Title = q.Title
	}
	if groups.Has(shopadapter.FieldDescription) {
		p.Description = q.Description
	}
	if groups.Has(shopadapter.FieldImages) {
		p.Images = q.Images
	}
	if groups.Has(shopadapter.FieldCategory) {
		p.Category = q.Category
	}
	for i := range p.Variants {
		v, w := &p.Variants[i], q.Variants[i]
		if groups.Has(shopadapter.FieldPrice) {
			v.Price, v.Cost, v.MSRP = w.Price, w.Cost, w.MSRP
		}
		if groups.Has(shopadapter.FieldStock) {
			v.Quantity, v.Backorders = w.Quantity, w.Backorders
		}
	}
	return p
}

func checkHostileIDs(b *bench) {
	var made []*subject
	listings := map[shopadapter.ListingID]shopadapter.PublicationID{}
	for i, id := range hostileIDs(b.Prefix) {
		s := b.subjectOf(id, 1)
		s.p.Title = fmt.Sprintf(`No. %d: Tom & "Jerry's" – ü, 日本 50%% {{title}} $1 \n`, i)
		s.publish(all)
		made = append(made, s)
	}
	for _, s := range made {
		s.shown()
		if twin, taken := listings[s.l.ID]; taken {
			b.fail("%q and %q share the listing %s", twin, s.p.ID, s.l.ID)
		}
		listings[s.l.ID] = s.p.ID
	}
	for i, s := range made {
		b.in("%q, after those before it were deleted", s.p.ID)
		b.stand(s.p.ID)
		s.ref = s.bare()
		s.unpublish(shopadapter.Delete)
		if i+1 < len(made) {
			made[i+1].shown()
		}
	}
}

// hostileIDs are ids that a careless shop confuses with each other, with a path, or with a member
// of its own. In a shop that holds others' publications each has a prefix.
func hostileIDs(prefix string) (ids []shopadapter.PublicationID) {
	long := strings.Repeat("long ", 80)
	for _, name := range []string{
		"../x", "..", ".", "a/b?c#d", "a%2Fb", "a%252Fb", "a/b", "a b", "a+b", "a%20b", "?x=1", "#x", "a&b", "a;b",
		`"quoted" 'twice' \ back`, "<script>alert(1)</script>", "a&b=c;d", "line\nbreak\ttab", "a", "A", " a", "%00",
		"r\u00e9sum\u00e9", "re\u0301sume\u0301", "日本語 🎏", "-rf", "*", "[0]", "a,b", "index", "x.json", "1", "01",
		"__proto__", "constructor", long, long + "er",
	} {
		ids = append(ids, shopadapter.PublicationID(prefix+name))
	}
	if prefix == "" {
		return append(ids, "a ")
	}
	id := shopadapter.PublicationID(prefix)
	return append(ids, id, "../"+id, "__proto__-"+id, id+" ")
}
