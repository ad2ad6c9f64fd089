package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// A Line is one publication in the control's list.
type Line struct {
	ID         string        `json:"id"`
	Status     string        `json:"status"`
	Title      string        `json:"title"`
	ProductURL string        `json:"productUrl"`
	UpdatedAt  string        `json:"updatedAt"`
	Variants   []VariantLine `json:"variants"`
}

// A VariantLine is one variant in the control's list.
type VariantLine struct {
	ID       string `json:"id"`
	SKU      string `json:"sku"`
	MSRP     string `json:"msrp"`
	Cost     string `json:"cost"`
	Quantity int    `json:"quantity"`
}

// serveControl answers GET /sandbox/publications, and carries out the order in the body of POST
// /sandbox/orders. A real marketplace has nothing there.
func (m *Marketplace) serveControl(w http.ResponseWriter, r *http.Request, path string) {
	refuse := func(status int, err error) { writeJSON(w, status, map[string]string{"error": err.Error()}) }
	switch path + " " + r.Method {
	case "publications GET":
		writeJSON(w, http.StatusOK, map[string]any{"publications": m.lines()})
		return
	case "orders POST":
	default:
		refuse(http.StatusNotFound, errors.New("there is GET /sandbox/publications and POST /sandbox/orders"))
		return
	}
	// A page in a browser cannot send this type to another origin, so no web page gives orders.
	if !isJSON(r) {
		refuse(http.StatusUnsupportedMediaType, errors.New("content type must be application/json"))
		return
	}
	var order Order
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&order)
	if _, more := decoder.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("something follows the order")
	}
	if err != nil {
		refuse(http.StatusBadRequest, err)
		return
	}
	done, err := m.Carry(order)
	if err != nil {
		refuse(http.StatusUnprocessableEntity, err)
		return
	}
	writeJSON(w, http.StatusOK, done)
}

func (m *Marketplace) lines() []Line {
	lines := []Line{}
	for _, p := range m.Publications() {
		l := Line{
			ID: p.ID, Status: p.Status, ProductURL: p.ProductURL, UpdatedAt: timestamp(p.UpdatedAt), Variants: []VariantLine{},
		}
		if p.Listing != nil {
			l.Title = p.Listing.anyTitle()
			for _, v := range p.Listing.Variants {
				l.Variants = append(l.Variants, VariantLine{ID: v.ID, SKU: v.SKU, MSRP: v.MSRP, Cost: v.Cost, Quantity: v.Quantity})
			}
		}
		lines = append(lines, l)
	}
	return lines
}
