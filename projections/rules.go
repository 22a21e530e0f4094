package projections

import (
	"time"

	"shop/domain"
	"shop/domain/rules"
	"shop/eventstore"
)

// Rules is the shop's rules in force.
func Rules() Projection {
	return Projection{Name: "rules", Version: 5, Tables: []AnyTable{current}, Schemas: map[string]int{rules.Changed{}.EventType(): 6}}
}

// CurrentRules is the one row of rules.current.
type CurrentRules struct {
	Key       string      `json:"key"`
	Version   int64       `json:"version"`
	Rules     rules.Rules `json:"rules"`
	ChangedAt time.Time   `json:"changed_at"`
}

var current = Table[CurrentRules]{
	Name: "current", Key: "key", KeyType: "text",
	DDL: createTable[CurrentRules]("current", "key",
		"max_per_order bigint GENERATED ALWAYS AS ((rules->>'max_per_order')::bigint) STORED",
		"new_days integer GENERATED ALWAYS AS ((rules->>'new_days')::integer) STORED"),
	Events: []domain.Event{rules.Changed{}},
	Keys:   func(e eventstore.Event) []string { return []string{e.Stream} },
	Stream: streamOf(""),
	Fold: func(key string, r *CurrentRules, event eventstore.Event) bool {
		if e, ok := event.Data.(rules.Changed); ok {
			*r = CurrentRules{key, e.Version, e.Rules, e.At}
		}
		return true
	},
}
