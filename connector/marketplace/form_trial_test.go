package marketplace

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

const (
	aPublication = `{"publication":{"updatedAt":"u","status":"syncing","listing":{"id":"l",` + noPages + `}}}`
	noEnum       = `Value FILL does not fit the type ImageMethod.`
	noEnglish    = `Cannot query field "en" on type "Translations".`
)

// scripted answers readings of content in turn, and fails the test where another is asked for. Each
// step of a script is a form, A for the enum of an image's method and B for a string, and what is
// answered: + the publication, - an objection that names the form, n one that names none, i an
// internal error.
func scripted(t *testing.T, script string) *fakeWire {
	t.Helper()
	steps := strings.Fields(script)
	return &fakeWire{answer: func(n int, s sent) (int, string) {
		asked := "A"
		if strings.Contains(s.Query, `method:"FILL"`) {
			asked = "B"
		}
		if n > len(steps) || steps[n-1][:1] != asked {
			t.Errorf("request %d is made of %s, want %s", n, asked, script)
			return 200, data(aPublication)
		}
		switch steps[n-1][1:] {
		case "-":
			return 200, objected1("Validation failed: "+noEnum, "")
		case "n":
			return 200, objected1("Validation failed: the status is odd", "")
		case "i":
			return 200, objected1("Internal server error", "")
		default:
			return 200, data(aPublication)
		}
	}}
}

// TestTrialTable is the table of trial.
func TestTrialTable(t *testing.T) {
	for _, row := range []struct {
		script string
		kind   Kind // of the error
		fails  bool
		proven bool
	}{
		{script: "A+"},
		{script: "An", fails: true, kind: Invalid},
		{script: "Ai", fails: true},
		{script: "A- B-", fails: true, kind: Invalid},
		{script: "A- Bn", fails: true, kind: Invalid},
		{script: "A- Bi", fails: true},
		{script: "A- B+ A+"},
		{script: "A- B+ Ai", fails: true},
		{script: "A- B+ A-", proven: true},
		{script: "A- B+ An", proven: true},
		{script: "A- B+ A- B+", proven: true},
		{script: "A- B+ A- Bn", proven: true, fails: true, kind: Invalid},
		{script: "A- B+ A- B- A+ B+", proven: true},
		{script: "A- B+ A- B- A+ B-"}, // and back
	} {
		t.Run(row.script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := scripted(t, row.script)
				c := known(t, w)
				steps := len(strings.Fields(row.script))
				var err error
				for len(w.operations()) < steps {
					if _, err = read1(t, c, 0); err != nil && !row.fails {
						t.Fatal(err)
					}
				}
				switch {
				case row.fails != (err != nil):
					t.Errorf(
						"%v, want an error: %t, of kind %v; row.fails: got %v, want %v", err, row.fails, row.kind, row.fails,
						(err != nil),
					)
				case err != nil && KindOf(err) != row.kind:
					t.Errorf("%v, want an error: %t, of kind %v", err, row.fails, row.kind)
				}
				if got := formsOf(c).MethodType == "String"; got != row.proven {
					t.Errorf("the next form is proven: %t, want %t", got, row.proven)
				}
				own := strings.HasSuffix(row.script, "Bn") && !row.proven
				if own && !strings.Contains(err.Error(), noEnum) {
					t.Errorf("%v, want the objection to the form in use", err)
				}
				if n := len(w.operations()); n != steps {
					t.Errorf("%d requests, want %d", n, steps)
				}
			})
		})
	}
}

// TestALanguageIsLeftOut has the server say that its schema has no English. Without it a
// publication is read only once that has lasted, without a success in between, and holds for an id
// that does not exist.
func TestALanguageIsLeftOut(t *testing.T) {
	for _, row := range []struct {
		name   string
		left   bool
		answer func(at time.Duration, id string) string // to a reading with English; "": the publication
	}{
		{name: "the schema lacks it", left: true, answer: func(time.Duration, string) string {
			return objected1(noEnglish, "")
		}},
		{name: "in other words", left: true, answer: func(time.Duration, string) string {
			return objected1("Field 'en' doesn't exist on type 'Translations'", `,"path":["query Content","en"]`)
		}},
		{name: "one publication", answer: func(_ time.Duration, id string) string {
			if id == client.NoPublication {
				return ""
			}
			return objected1(noEnglish, "")
		}},
		{name: "a success in between", answer: func(at time.Duration, _ string) string {
			if at%(8*time.Second) == 0 && at > 0 {
				return ""
			}
			return objected1(noEnglish, "")
		}},
		{name: "an error of a value", answer: func(time.Duration, string) string {
			return objected1(noEnglish, `,"path":["publication","listing","translations","en"]`)
		}},
		{name: "no validation", answer: func(time.Duration, string) string {
			return objected1(`Validation failed: field translation "en" failed to load`, "")
		}},
		{name: "an internal error", answer: func(time.Duration, string) string {
			return objected1("Internal server error: "+noEnglish, "")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				w := &fakeWire{answer: func(_ int, s sent) (int, string) {
					id, _ := s.Variables["id"].(string)
					if said := row.answer(time.Since(begun), id); strings.Contains(s.Query, "en{") && said != "" {
						return 200, said
					}
					return 200, data(aPublication)
				}}
				c := known(t, w)
				left := time.Duration(0)
				for range 60 {
					p, err := read1(t, c, 0)
					if err == nil && len(p.Languages) == 1 && left == 0 {
						left = time.Since(begun)
					}
					time.Sleep(time.Second)
				}
				switch got := left > 0; {
				case got != row.left:
					t.Errorf("left out: %t, after %v, want %t; got: got %v, want %v", got, left, row.left, got, row.left)
				case row.left && left < form.ContentSuspicion:
					t.Errorf("left out: %t, after %v, want %t", got, left, row.left)
				}
				if got := len(formsOf(c).Languages); got != map[bool]int{true: 1, false: 2}[row.left] {
					t.Errorf("%d languages are asked for, want %v", got, map[bool]int{true: 1, false: 2}[row.left])
				}
			})
		})
	}
}

// objected1 is an answer that is one error.
func objected1(message, more string) string {
	return fmt.Sprintf(`{"errors":[{"message":%q%s}],%s}`, message, more, throttled(0, 0, 1000))
}

// TestOtherStatus is what names the spelling of a status.
func TestOtherStatus(t *testing.T) {
	lower, upper := form.Assumed(nil), form.Assumed(nil)
	upper.Success, upper.Failed = "SUCCESS", "FAILED"
	for said, want := range map[string]bool{
		`Variable "$in0" got invalid value "success" at "in0.status"`: true,
		`Value "success" does not exist in "S" enum.`:                 true,
		`success is not a valid status`:                               true,
		`"status" Status must be one of SUCCESS, FAILED`:              true,
		`"status" is not included in the list`:                        true,
		`Status should be SUCCESS or FAILED`:                          true,
		`{"input.status":["The selected input.status is invalid."]}`:  true,
		`Validation failed: productUrl is invalid, the status stays`:  false,
		`"status" Status cannot be changed now`:                       false,
		`"productUrl" must be an absolute address`:                    false,
		`Cannot set "success" without productUrl`:                     false,
		`publicationStatusUpdated failed for an unknown reason`:       false,
		`No success today: the value of productUrl is not reachable.`: false,
	} {
		if _, got := lower.OtherStatus(fault.Objection{Text: said}); got != want {
			t.Errorf("%s: %t, want %t", said, got, want)
		}
	}
	for said, want := range map[string]bool{
		`"status" Status must be success or failed`:                  true,
		`"SUCCESS" is not a valid status`:                            true,
		`Validation failed: no success, productUrl is not reachable`: false,
	} {
		if _, got := upper.OtherStatus(fault.Objection{Text: said}); got != want {
			t.Errorf("in upper case, %s: %t, want %t", said, got, want)
		}
	}
}

// TestARefusalThatNamesTheSpelling has a server that takes a status in upper case alone, and says
// so in userErrors. A refusal that names no spelling is the publication's own.
func TestARefusalThatNamesTheSpelling(t *testing.T) {
	for _, row := range []struct {
		name, refusal string
		taken         bool
		asked         string // statuses, in order
		proven        bool
	}{
		{
			name: "spelling", refusal: "Status must be one of SUCCESS, FAILED", taken: true,
			asked: "success SUCCESS success SUCCESS SUCCESS", proven: true,
		},
		{name: "of both", refusal: "Status is invalid", asked: "success SUCCESS success SUCCESS success SUCCESS"},
		{name: "of none", refusal: "Status cannot be changed now", taken: true, asked: "success success success"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked []string
				c := known(t, &fakeWire{answer: func(_ int, s sent) (int, string) {
					input, _ := s.Variables["in0"].(map[string]any)
					status, _ := input["status"].(string)
					asked = append(asked, status)
					refusal := fmt.Sprintf(`{"field":["input","status"],"message":%q}`, row.refusal)
					if status == "SUCCESS" && row.taken {
						refusal = ""
					}
					return 200, data(`{"publicationStatusUpdated":{"userErrors":[` + refusal + `],` +
						`"publication":{"status":"success","updatedAt":"u"}}}`)
				}})
				for range 3 {
					results, err := c.Report(t.Context(), Urgent, []Report{{ID: "1", Status: "success"}})
					switch {
					case err != nil:
						t.Errorf("%+v, %v, want it taken: %t; err: got %v, want nil", results, err, row.proven, err)
					case (results[0].Err == nil) != row.proven:
						t.Errorf(
							"%+v, %v, want it taken: %t; (results[0].Err == nil): got %v, want %v", results, err, row.proven,
							(results[0].Err == nil), row.proven,
						)
					}
				}
				if got := strings.Join(asked, " "); got != row.asked {
					t.Errorf("asked for %s, want %s", got, row.asked)
				}
				if got := formsOf(c).Success == "SUCCESS"; got != row.proven {
					t.Errorf("the next form is proven: %t, want %t", got, row.proven)
				}
			})
		})
	}
}
