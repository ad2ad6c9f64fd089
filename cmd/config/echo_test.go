package config_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/shopadapter"
)

// A fault of any variable, an adapter's too, names it and does not echo what it was set to. It says what a good value
// is, and not what a library says of the bad one.
func TestNoFaultEchoesAValue(t *testing.T) {
	faulty := 0
	for _, name := range shopadapter.Names() {
		for _, v := range config.Variables() {
			for _, value := range []string{
				"s3ntinel", "s3ntinel:://{\u00e9} ;=,", "a=s3ntinel;s3ntinel", "?\x7f= s3ntinel",
			} {
				e, err := config.Read([]string{"PUBSYNC_SHOP_ADAPTER=" + name, v.Name + "=" + value}, nil)
				if err != nil {
					t.Fatal(err)
				}
				_, faults := config.Load(e, config.ToLook)
				faulty += len(faults)
				for _, fault := range faults {
					if !strings.HasPrefix(fault.Error(), "PUBSYNC_") {
						t.Errorf("%s with %s: %v", v.Name, name, fault)
					}
					if strings.Contains(fault.Error(), "s3ntinel") {
						t.Errorf("%s is echoed: %v", v.Name, fault)
					}
					if strings.HasPrefix(fault.Error(), v.Name+": is not good: ") && v.Name != "PUBSYNC_LOG_LEVEL" {
						t.Errorf("%s: %v, want what a good value is", v.Name, fault)
					}
				}
			}
		}
	}
	if faulty < 200 {
		t.Errorf("%d faults, want at least 200: most values are good for nothing", faulty)
	}
}
