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
	for _, name := range shopadapter.Names() {
		for _, value := range []string{
			"s3ntinel", "s3ntinel:://{\u00e9} ;=,", "a=s3ntinel;s3ntinel", "?\x7f= s3ntinel",
		} {
			all := []string{"PUBSYNC_SHOP_ADAPTER=" + name}
			sets := [][]string{{"PUBSYNC_SHOP_ADAPTER=" + value}}
			for _, v := range config.Variables() {
				if v.Name == "PUBSYNC_SHOP_ADAPTER" {
					continue
				}
				all = append(all, v.Name+"="+value)
				if value == "s3ntinel" { // beside good ones too
					sets = append(sets, []string{all[0], v.Name + "=" + value})
				}
			}
			for _, set := range append(sets, all) {
				e := config.Read(set, nil)
				_, faults := config.Load(e, config.ToLook)
				if len(set) > 2 && len(faults) < 40 {
					t.Errorf("%q with %s: %d faults, want at least 40: it is good for little", value, name, len(faults))
				}
				for _, fault := range faults {
					if !strings.HasPrefix(fault.Error(), "PUBSYNC_") {
						t.Errorf("%s: %v", name, fault)
					}
					if strings.Contains(fault.Error(), "s3ntinel") {
						t.Errorf("a value is echoed: %v", fault)
					}
					vague := strings.Contains(fault.Error(), ": is not good: ")
					if vague && !strings.HasPrefix(fault.Error(), "PUBSYNC_LOG_LEVEL") {
						t.Errorf("%v, want what a good value is", fault)
					}
				}
			}
		}
	}
}
