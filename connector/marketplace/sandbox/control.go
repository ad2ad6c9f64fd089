package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
)

// Paths of the control, below the marketplace's address. A real marketplace has nothing there.
const (
	controlPath      = "/sandbox/"
	ordersPath       = "orders"
	publicationsPath = "publications"
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
// /sandbox/orders.
func (m *Marketplace) serveControl(w http.ResponseWriter, r *http.Request, path string) {
	switch {
	case path == publicationsPath && r.Method == http.MethodGet:
		writeControl(w, http.StatusOK, map[string]any{"publications": m.lines()})
	case path == ordersPath && r.Method == http.MethodPost:
		m.serveOrder(w, r)
	case path == ordersPath || path == publicationsPath:
		refuseControl(w, http.StatusMethodNotAllowed, errors.New("GET /sandbox/publications, POST /sandbox/orders"))
	default:
		http.NotFound(w, r)
	}
}

// serveOrder reads an order strictly: a misspelt member is an error.
func (m *Marketplace) serveOrder(w http.ResponseWriter, r *http.Request) {
	// A page in a browser cannot send this type to another origin, so no web page gives orders.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuseControl(w, http.StatusUnsupportedMediaType, errors.New("content type must be application/json"))
		return
	}
	var order Order
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&order)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the order")
		}
	}
	if err != nil {
		refuseControl(w, http.StatusBadRequest, err)
		return
	}
	done, err := m.Carry(order)
	if err != nil {
		refuseControl(w, http.StatusUnprocessableEntity, err)
		return
	}
	writeControl(w, http.StatusOK, done)
}

func (m *Marketplace) lines() []Line {
	lines := []Line{}
	for _, p := range m.Publications() {
		l := Line{
			ID:         p.ID,
			Status:     p.Status,
			ProductURL: p.ProductURL,
			UpdatedAt:  timestamp(p.UpdatedAt),
			Variants:   []VariantLine{},
		}
		if p.Listing != nil {
			l.Title = p.Listing.anyTitle()
			for _, v := range p.Listing.Variants {
				l.Variants = append(
					l.Variants, VariantLine{ID: v.ID, SKU: v.SKU, MSRP: v.MSRP, Cost: v.Cost, Quantity: v.Quantity},
				)
			}
		}
		lines = append(lines, l)
	}
	return lines
}

func refuseControl(w http.ResponseWriter, status int, err error) {
	writeControl(w, status, map[string]string{"error": err.Error()})
}

func writeControl(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // a client that is gone does not read it
}
