package search

// mentions counts how often a text says each need. Its zero value has seen none.
type mentions struct {
	now  map[string]uint16
	last map[string]int
}

// merge adds to at what tell says from the word at i on. What a description says again, and not only in words that overlap, it is really for.
func (m *mentions) merge(at map[string]uint16, i int, tell func(now map[string]uint16)) {
	if m.now == nil {
		m.now, m.last = map[string]uint16{}, map[string]int{}
	}
	clear(m.now)
	tell(m.now)
	for key, places := range m.now {
		if isNeed(key) {
			if last, ok := m.last[key]; ok && places == inNeed && i > last+1 {
				places |= inNeedOften
			}
			m.last[key] = i
		}
		at[key] |= places
	}
}
