package model

import (
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// Plan holds a plan to its word: what it prints is what a single run then does, whatever the
// publications have been through.
func (m *machine) Plan(t *rapid.T) {
	ran := m.worker != nil
	if ran {
		m.halt(t)
	}
	m.Heal(t)
	full := rapid.Bool().Draw(t, "full")
	m.setPlanning(true)
	defer m.setPlanning(false)
	if wrong := planLaw(m.ctx, m.Bench, full, m.unseen()...); wrong != "" {
		t.Errorf("full %t: %s", full, wrong)
	}
	if ran {
		m.start(t)
	}
}

// unseen are the publications whose change, or whose end, no list of changes shows: the look before a report may.
func (m *machine) unseen() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := slices.Collect(maps.Keys(m.hides))
	for _, id := range m.all {
		if _, listed := m.Market.Publication(id); !listed {
			ids = append(ids, id)
		}
	}
	return ids
}

func (m *machine) setPlanning(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planning = on
}
