package marketplace

// scanEnvelope reads the outer form of an answer and leaves its parts as they are written.
func scanEnvelope(s *scan, e *envelope) {
	s.object(func(name []byte) int {
		switch string(name) {
		case "data":
			e.Data = s.skip()
			return 0
		case "errors":
			e.Errors = s.skip()
			return 1
		case "extensions":
			e.Extensions = s.skip()
			return 2
		}
		return -1
	})
}

// A wireThrottle is extensions.throttle.
type wireThrottle struct {
	RequestedCost, ActualCost, Limit, Remaining, RestoreRate points
}

// scanThrottle reads extensions that hold a throttle and nothing else.
func scanThrottle(s *scan, t *wireThrottle) {
	s.object(func(name []byte) int {
		if string(name) != "throttle" {
			return -1
		}
		s.object(func(name []byte) int {
			switch string(name) {
			case "requestedCost":
				scanValue(s, &t.RequestedCost)
				return 0
			case "actualCost":
				scanValue(s, &t.ActualCost)
				return 1
			case "limit":
				scanValue(s, &t.Limit)
				return 2
			case "remaining":
				scanValue(s, &t.Remaining)
				return 3
			case "restoreRate":
				scanValue(s, &t.RestoreRate)
				return 4
			}
			return -1
		})
		return 0
	})
}
