package desk

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/store"
)

var update = flag.Bool("update", false, "write the golden answers anew: only for names that no release has")

// Scripts read the answers by the names of their fields: a name that changes breaks them.
func TestAnswersKeepTheirNames(t *testing.T) {
	at := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	side := Side{
		Name: "catalog", Paused: true, Reason: "away", Since: store.At(at), Until: store.At(at), Warning: "not seen",
	}
	sweep := LastSweep{At: at, Listed: 3, Error: "broke off", Completed: at}
	for name, answer := range map[string]any{
		"status": Status{
			Version: "v1", Publications: map[store.State]int{store.StateLive: 1}, Due: 1, Outbox: 2, Refused: 1,
			Store: StoreStatus{Path: "/p", Bytes: 5, Error: "full"},
			Budget: pace.Snapshot{
				Limit: 1000, Remaining: 5, RestoreRate: 50, Waiting: 2,
				Until: at,
			},
			Sweeps:   Sweeps{Incremental: sweep, Full: sweep, Next: store.At(at), NextFull: store.At(at)},
			Variants: publication.VariantSource{Mode: "auto", Found: "refused", At: store.At(at), Message: "denied"},
			Cursors:  map[string]time.Time{"updated": at},
			Webhook: Registration{
				URL: "https://hooks.example", Active: true, ID: "w", Checked: at, Error: "no",
			},
			Shop: side, Marketplace: side, LastError: &LastError{Message: "m", At: at}, Started: at,
		},
		"held": Held{
			At: at,
			Groups: []HeldGroup{{
				Kind: store.HoldPrice, What: "w", Publications: 1, Since: store.At(at),
				Sums: publication.Sums{Changes: 2, Up: 2, Down: 1, Old: "1.00", New: "2.00", Largest: "100"},
			}},
			Changes: []HeldChange{{
				ID: "1", Title: "Lamp", Option: "Red", Hold: store.Hold{
					Kind: store.HoldPrice, Variant: "v", Old: "1", New: "2", Reason: "r", Since: store.At(at),
				},
			}},
		},
		"publications": List{After: "cursor", Publications: []Listed{{
			ID: "1", State: store.StateLive, Title: "Lamp", ShopID: "s", URL: "https://shop.example/1",
			Reported: store.StatusSuccess, Error: "e", UpdatedAt: "u", NextAttemptAt: store.At(at),
			PriceFrom: "1.95", PriceTo: "2.95", Stock: new(3), Backorders: true, Margin: new(12.5),
			Thumbnail: "https://pictures.example/1",
		}}},
		"explanation": Explanation{
			Record: store.Record{
				ID: "1", State: store.StateHeld, Title: "Lamp", Listing: "l", Product: "p", UpdatedAt: "u",
				ReadAt: store.At(at), ListedAt: store.At(at), ShopID: "s", URL: "https://shop.example/1",
				WrittenAt: store.At(at), Kept: shopadapter.FieldTitle,
				Removal:  store.Removal{Reason: store.RemovalAbsent, At: store.At(at)},
				Pictures: store.Pictures{Missing: []store.Picture{{URL: "https://x.example/p", Reason: "gone", Later: true}}},
				Problem: store.Problem{
					Kind: store.ProblemBlocked, Message: "m", Since: store.At(at), Last: store.At(at),
				},
				Reported: store.StatusSuccess, ReportedURL: "https://shop.example/1", ReportedAt: store.At(at),
			},
			OnSale: true, Unsettled: shopadapter.FieldPrice, Attempts: 2,
			Variants: []Explained{{
				Variant: store.Variant{ID: "v", ShopID: "sv", Title: "Red", SKU: "k", Refused: "r"},
				Price:   "2.00", Cost: "1.00", MSRP: "3.00", Quantity: 4, Backorders: true,
				Steps: []string{"p"}, StockSteps: []string{"s"},
			}},
			Held: []HeldChange{{ID: "1", Title: "Lamp", Option: "Red", Hold: store.Hold{
				Kind: store.HoldPrice, Variant: "v", Old: "1", New: "2", Reason: "far", Since: store.At(at),
			}}},
			Owed: &store.Report{
				Status: store.StatusFailed, Since: store.At(at), Refused: "no", Tries: 2, TriedAt: store.At(at),
			},
			NextReport: store.At(at),
			Next:       store.At(at), History: []store.Event{{
				At: store.At(at), What: "price of Red 1.00 -> 2.00", By: "anna",
				Changes: []store.Change{{Field: "price", Variant: "v", Name: "Red", Old: "1.00", New: "2.00"}}, More: 1,
			}},
		},
		"summary": Summary{Swept: 1, Error: "e"},
		"plan":    NewPlan(),
	} {
		data, err := json.MarshalIndent(answer, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, '\n')
		file := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(file, data, 0o644); err != nil { //nolint:gosec // anybody may read it
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(data, want) {
			t.Errorf("%s: %v %s", name, err, cmp.Diff(string(want), string(data)))
		}
	}
}
