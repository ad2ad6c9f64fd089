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

// unseen are the publications whose change no list shows: the look before a report may.
func (m *machine) unseen() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.hides))
}

func (m *machine) setPlanning(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planning = on
}
