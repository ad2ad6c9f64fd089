package stamp

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Written is what a stamp says of one text: what the adapter wrote last. The zero value is a text
// that the adapter never wrote; a text that the shop holds all the same is then the merchant's.
type Written struct {
	Hash            // of the text as the shop holds it after the write
	Sent   string   // Exact of what was sent, where the shop reads it back as something else; "" where it does not
	Before []string // hashes of texts that the shop may hold instead, see Instead and Then
}

// Merchants is a text that was the merchant's before the adapter took the product over. It stays
// the merchant's, even where it equals the supplier's, until it is given back to the supplier.
func Merchants() Written { return Written{Hash: Hash{Exact: merchants}} }

// merchants is no hash, so that no text has it.
const merchants = "merchant"

// IsMerchants reports whether w is Merchants.
func (w Written) IsMerchants() bool { return w.Exact == merchants }

// IsOwn reports whether held is what the adapter wrote. unsure: the outcome of the last write is
// not known. The shop may then hold the text in a form that no answer has shown yet, or one of
// Before.
func (w Written) IsOwn(held Hash, unsure bool) bool {
	if held.Exact == w.Exact {
		return true
	}
	form := held.loosest()
	return unsure && (form == w.loosest() || slices.Contains(w.Before, form))
}

// ReadBack notes that the shop holds a text just written in another form, and reports whether that
// makes a difference. The stamp in the shop is then to be written once more: the supplier's own
// words would pass for the merchant's edit.
func (w *Written) ReadBack(held Hash) bool {
	if held.Exact == w.Exact {
		return false
	}
	*w = Written{Hash: held, Sent: cmp.Or(w.Sent, w.Exact), Before: w.Before}
	return true
}

// Instead notes the texts that the shop may hold although the stamp says w: text and stamp are two
// steps in this shop, and the second may never come.
func (w *Written) Instead(texts ...Hash) {
	var forms []string
	for _, text := range texts {
		if form := text.loosest(); form != w.loosest() {
			forms = append(forms, form)
		}
	}
	slices.Sort(forms)
	w.Before = slices.Compact(forms)
}

// mostBefore bounds what Then remembers.
const mostBefore = 2

// Then is the note of a text that is about to be written in a step of its own, after the stamp.
// Until that step the shop holds w, or an earlier text.
func (w Written) Then(next Hash) Written {
	forms := slices.Clone(w.Before)
	if form := w.loosest(); form != "" {
		forms = append(forms, form)
	}
	forms = slices.DeleteFunc(forms, func(form string) bool { return form == next.loosest() })
	return Written{Hash: next, Before: forms[max(len(forms)-mostBefore, 0):]}
}

// writtenJSON is the long form of a Written. A stamp may hold hundreds, so names are short.
type writtenJSON struct {
	Exact  string   `json:"h,omitempty"`
	Words  string   `json:"w,omitempty"`
	Sent   string   `json:"s,omitempty"`
	Before []string `json:"b,omitempty"`
}

// MarshalJSON writes a string where the exact hash is all there is, and an object otherwise.
func (w Written) MarshalJSON() ([]byte, error) {
	if w.Words == "" && w.Sent == "" && len(w.Before) == 0 {
		return json.Marshal(w.Exact)
	}
	return json.Marshal(writtenJSON{w.Exact, w.Words, w.Sent, w.Before})
}

// UnmarshalJSON reads both forms. It never fails: of a text in any other form nothing is known, and
// the rest of the stamp still counts.
func (w *Written) UnmarshalJSON(data []byte) error {
	var long writtenJSON
	if json.Unmarshal(data, &long.Exact) != nil && json.Unmarshal(data, &long) != nil {
		long = writtenJSON{}
	}
	*w = Written{Hash{long.Exact, long.Words}, long.Sent, long.Before}
	return nil
}
