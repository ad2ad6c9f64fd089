package health

// The values of ShopError.Op.
const (
	ListShop  = "list what the shop holds"
	CheckShop = "shop"
)

// A ShopError is an error of the shop that a loop met outside of its work on one publication.
type ShopError struct {
	Op  string // the call that failed
	Err error
}

func (e *ShopError) Error() string { return e.Op + ": " + e.Err.Error() }
func (e *ShopError) Unwrap() error { return e.Err }
