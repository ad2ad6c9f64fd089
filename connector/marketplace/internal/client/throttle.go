package client

import (
	"encoding/json"

	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// throttle is what extensions.throttle says.
type throttle struct {
	requested, actual wire.Points
	status            *pace.Status // nil when it is not all there
}

// A wireThrottle is extensions.throttle.
type wireThrottle struct {
	RequestedCost wire.Points `json:"requestedCost"`
	ActualCost    wire.Points `json:"actualCost"`
	Limit         wire.Points `json:"limit"`
	Remaining     wire.Points `json:"remaining"`
	RestoreRate   wire.Points `json:"restoreRate"`
}

func parseThrottle(extensions json.RawMessage) throttle {
	var e struct {
		Throttle wireThrottle `json:"throttle"`
	}
	// All or nothing: a value of another shape would leave the struct half filled, which looks like
	// an empty bucket.
	if json.Unmarshal(wire.OrNull(extensions), &e) != nil {
		return throttle{}
	}
	t := e.Throttle
	parsed := throttle{requested: t.RequestedCost, actual: t.ActualCost}
	if t.Limit.Value > 0 && t.RestoreRate.Value > 0 && t.Remaining.Set {
		parsed.status = &pace.Status{
			Limit:       t.Limit.Value,
			Remaining:   t.Remaining.Value,
			RestoreRate: t.RestoreRate.Value,
		}
	}
	return parsed
}
