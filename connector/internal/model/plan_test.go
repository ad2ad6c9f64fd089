package model

import (
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
	if wrong := planLaw(m.ctx, m.Bench, full, m.unmoved()...); wrong != "" {
		t.Errorf("full %t: %s", full, wrong)
	}
	if ran {
		m.start(t)
	}
}

// unmoved are the publications that changed while their updatedAt stayed.
func (m *machine) unmoved() (ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, h := range m.hides {
		if h.unmoved {
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
