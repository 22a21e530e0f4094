package projections

import (
	"encoding/json"
	"fmt"

	"shop/eventstore"
)

// States are what a stream's events make of its row in a table of a read model, such as orders.orders: the row after each
// event, null while there is none. Personal columns are masked unless they are asked for.
func States(projection, table string, events []eventstore.Event, personal bool) ([]json.RawMessage, error) {
	p, ok := Named(projection)
	if !ok {
		return nil, fmt.Errorf("there is no projection %q", projection)
	}
	for _, t := range p.Tables {
		if t.name() == table {
			return t.states(events, personal)
		}
	}
	return nil, fmt.Errorf("projection %s has no table %q", projection, table)
}

func (t Table[R]) states(events []eventstore.Event, personal bool) ([]json.RawMessage, error) {
	var row R
	there := false
	states := make([]json.RawMessage, len(events))
	for i, e := range events {
		if t.wants(e) {
			for _, key := range t.Keys(e) {
				if there = t.Fold(key, &row, e); !there {
					row = *new(R)
				}
			}
		}
		states[i] = json.RawMessage("null")
		if !there {
			continue
		}
		var err error
		if states[i], err = t.shown(&row, personal); err != nil {
			return nil, fmt.Errorf("row of %s after event %d: %w", t.Name, e.Position, err)
		}
	}
	return states, nil
}

// shown is a row as JSON, personal columns masked where they say something.
func (t Table[R]) shown(row *R, personal bool) (json.RawMessage, error) {
	text, err := json.Marshal(row)
	if err != nil || personal || len(t.Personal) == 0 {
		return text, err
	}
	var columns map[string]json.RawMessage
	if err := json.Unmarshal(text, &columns); err != nil {
		return nil, err
	}
	for _, name := range t.Personal {
		if said := string(columns[name]); said != `""` && said != "null" && said != "" {
			columns[name] = json.RawMessage(masked)
		}
	}
	return json.Marshal(columns)
}
