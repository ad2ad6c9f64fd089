package health

import (
	"slices"
	"strings"
	"time"
)

// An Error is something that went wrong. It is the last one until another one comes, or it is
// mended.
type Error struct {
	Message     string
	At          time.Time
	Part        string // that failed; "": nothing mends it, as a panic
	Publication string // that the call was about; "": every call
}

// The parts that fail and are mended.
const (
	Shop        = "shop"
	Marketplace = "marketplace"
	Store       = "store"
	Sweep       = "sweep"
	Webhook     = "webhook"
)

// Failed records an error that nothing mends as the last one; nil changes nothing.
func (h *Health) Failed(err error) {
	if err != nil {
		h.Record(Error{Message: err.Error(), At: time.Now()})
	}
}

// FailedAt records an error of a part as the last one. id is the publication that it was about, ""
// where it concerns every call.
func (h *Health) FailedAt(part, id, message string) {
	h.Record(Error{Message: message, At: time.Now(), Part: part, Publication: id})
}

// Record makes an error the last one. A panic in a call fails the call too, and stays a panic.
func (h *Health) Record(e Error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.Message == "" || h.last.Part != "" || !strings.HasSuffix(e.Message, h.last.Message) {
		h.last = e
	}
}

// Mended forgets the last error where it is of that part, and of every call or of one of these
// publications.
func (h *Health) Mended(part string, ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.Part == part && (h.last.Publication == "" || slices.Contains(ids, h.last.Publication)) {
		h.last = Error{}
	}
}

func (h *Health) Last() Error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}
