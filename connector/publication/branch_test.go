package publication

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A branch that is learned or changes is a change of the category. One that is not known any more
// is none, and to a record of an older version neither is one that is: an upgrade writes nothing.
func TestDifferingOfBranches(t *testing.T) {
	known := chair()
	unknown := chair()
	unknown.Category.Branch = nil
	renamed := chair()
	renamed.Category.Branch = []shopadapter.Level{{Path: "HOME", Name: "Huis"}, {Path: "HOME_CHAIRS", Name: "Stoelen"}}
	elsewhere := unknown
	elsewhere.Category.Path = "GARDEN_CHAIRS"
	const laterGroups = shopadapter.FieldBrand | shopadapter.FieldDetails // of which rule one knew nothing
	ruleOne := func(p shopadapter.Product) store.Record {
		p.Category.Branch = nil
		r := recordAs(p)
		r.Hashes, r.HashRule = r.Hashes[:groupsEnd], 1
		return r
	}
	for _, tt := range []struct {
		name   string
		before store.Record
		now    shopadapter.Product
		want   shopadapter.Fields
	}{
		{"the same branch", recordAs(known), known, shopadapter.NoFields},
		{"learned", recordAs(unknown), known, shopadapter.FieldCategory},
		{"renamed", recordAs(known), renamed, shopadapter.FieldCategory},
		{"not known any more", recordAs(known), unknown, shopadapter.NoFields},
		{"another category", recordAs(known), elsewhere, shopadapter.FieldCategory},
		{"after an upgrade", ruleOne(chair()), known, laterGroups},
		{"another category after an upgrade", ruleOne(chair()), elsewhere, shopadapter.FieldCategory | laterGroups},
	} {
		if got := fingerprintOf(tt.now).differing(tt.now, tt.before); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got.Names(), tt.want.Names())
		}
	}

	r := recordAs(known)
	r.Hashes = fingerprintOf(unknown).keeping(r, shopadapter.NoFields)
	if got := fingerprintOf(known).differing(known, r); got != shopadapter.NoFields {
		t.Errorf("a branch that was unknown for a while: got %v, want no change", got.Names())
	}
	if got := fingerprintOf(renamed).differing(renamed, r); got != shopadapter.FieldCategory {
		t.Errorf("a branch with another name by then: got %v, want the category", got.Names())
	}
}
