package stamp_test

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

func TestOwner(t *testing.T) {
	for name, row := range map[string]struct {
		owner          stamp.Owner
		complete, owns bool
	}{
		"of the merchant's":      {stamp.Owner{}, false, false},
		"a draft":                {stamp.Owner{Head: stamp.Head{ID: "P"}}, false, true},
		"complete":               {stamp.Owner{Head: stamp.Head{ID: "P"}, Product: "7"}, true, true},
		"a copy":                 {stamp.Owner{Head: stamp.Head{ID: "P"}, Product: "6"}, true, false},
		"another publication's":  {stamp.Owner{Head: stamp.Head{ID: "p"}, Product: "7"}, true, false},
		"without a publication":  {stamp.Owner{Product: "7"}, true, false},
		"another's, not written": {stamp.Owner{Head: stamp.Head{ID: "Q"}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := row.owner.Complete(); got != row.complete {
				t.Errorf("Complete() = %t, want %t", got, row.complete)
			}
			if got := row.owner.Owns(shopadapter.PublicationID("P"), "7"); got != row.owns {
				t.Errorf("Owns() = %t, want %t", got, row.owns)
			}
		})
	}
}

func TestTextHolds(t *testing.T) {
	var text stamp.Text
	text.Wrote(shopadapter.Translation{Title: "Cup", Description: "blue"})
	for held, want := range map[shopadapter.Translation]bool{
		{Title: "Cup", Description: "blue"}: true,
		{Title: "Mug", Description: "blue"}: false,
		{Title: "Cup", Description: "red"}:  false,
	} {
		if got := text.Holds(held); got != want {
			t.Errorf("Holds(%v) = %t, want %t", held, got, want)
		}
	}
}
