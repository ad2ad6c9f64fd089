package desk

import (
	"encoding/json"
	"net/http"
)

// rules answers with the settings of prices and stock that are set.
func (h *Handler) rules(w http.ResponseWriter, _ *http.Request) {
	values := h.Figures
	if values == nil {
		values = map[string]string{}
	}
	answer(w, struct {
		Values map[string]string `json:"values"`
	}{values}, nil)
}

// largestTrial bounds the body of a trial, in bytes.
const largestTrial = 64 << 10

// try tries rules of prices on the list. One trial is made at a time: the others wait.
func (h *Handler) try(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Set map[string]string `json:"set"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, largestTrial)).Decode(&asked); err != nil {
		http.Error(w, "body: "+err.Error(), http.StatusBadRequest)
		return
	}
	if h.Try == nil {
		http.NotFound(w, r)
		return
	}
	select {
	case h.trying <- struct{}{}:
		defer func() { <-h.trying }()
	case <-r.Context().Done():
		return
	}
	t, err := h.Try(r.Context(), asked.Set)
	answer(w, t, err)
}
