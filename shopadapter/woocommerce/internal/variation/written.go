package variation

import (
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Written is a variation and what was last written to it.
type Written struct {
	ID    int64
	Price string // as the shop holds it
	Stock string // see stockMark
	Form  string // see formMark
}

// MarshalText writes it short: there may be a hundred of them.
func (s Written) MarshalText() ([]byte, error) {
	return []byte(strings.Join([]string{strconv.FormatInt(s.ID, 10), s.Price, s.Stock, s.Form}, "|")), nil
}

// UnmarshalText reads what MarshalText wrote.
func (s *Written) UnmarshalText(data []byte) error {
	parts := strings.Split(string(data), "|")
	if len(parts) != 4 {
		return strconv.ErrSyntax
	}
	id, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || id <= 0 {
		return strconv.ErrSyntax
	}
	*s = Written{id, parts[1], parts[2], parts[3]}
	return nil
}

// Wrote records the figures that were written to it.
func (s *Written) Wrote(v shopadapter.Variant, groups shopadapter.Fields) {
	if groups.Has(shopadapter.FieldPrice) {
		s.Price = v.Price
	}
	if groups.Has(shopadapter.FieldStock) {
		s.Stock = StockOf(v)
	}
}
