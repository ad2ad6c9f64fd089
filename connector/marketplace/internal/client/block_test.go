package client

import "testing"

func TestThrottleThatIsNotThere(t *testing.T) {
	for _, extensions := range []string{
		`{"throttle":"?"}`, `{"throttle":{"remaining":0}}`, `[]`, `null`,
		`{"throttle":{"limit":"many","remaining":1,"restoreRate":1}}`,
	} {
		if got := parseThrottle([]byte(extensions)); got.status != nil {
			t.Errorf("%s reads as %+v", extensions, got.status)
		}
	}
	got := parseThrottle(
		[]byte(`{"throttle":{"requestedCost":"12","actualCost":3,"limit":"2000","remaining":0,"restoreRate":100.5}}`),
	)
	switch {
	case got.status == nil:
		t.Errorf("numbers as text read as %+v; got.status: got nil, want a value", got)
	case got.status.Limit != 2000:
		t.Errorf("numbers as text read as %+v; got.status.Limit: got %v, want %v", got, got.status.Limit, 2000)
	case got.status.RestoreRate != 100.5:
		t.Errorf("numbers as text read as %+v; got.status.RestoreRate: got %v, want %v", got, got.status.RestoreRate, 100.5)
	case got.requested.Value != 12:
		t.Errorf("numbers as text read as %+v; got.requested.Value: got %v, want %v", got, got.requested.Value, 12)
	case got.actual.Value != 3:
		t.Errorf("numbers as text read as %+v; got.actual.Value: got %v, want %v", got, got.actual.Value, 3)
	}
}

// Half a throttle is none: a limit without what remains would be an empty bucket.
func TestAThrottleIsReadWholeOrNotAtAll(t *testing.T) {
	for extensions, want := range map[string]bool{
		`{"throttle":{"limit":"9","remaining":0,"restoreRate":5,"requestedCost":{}},"x":1}`: true,
		`{"throttle":{"limit":9,"remaining":[],"restoreRate":5}}`:                           false,
		`{"throttle":{"limit":9,"restoreRate":5}}`:                                          false,
		`{"throttle":[9,9,5]}`: false, `{"throttle":null}`: false, `[]`: false, `"x"`: false, `null`: false, ``: false,
	} {
		if got := parseThrottle([]byte(extensions)); (got.status != nil) != want {
			t.Errorf("got %+v for %s, want a status: %v", got.status, extensions, want)
		}
	}
}
