package projections

import (
	"time"

	"shop/domain"
	"shop/domain/settings"
	"shop/eventstore"
)

// Settings is what the shop says of itself. It is empty while no settings are published.
func Settings() Projection { return Projection{Name: "settings", Tables: []AnyTable{published}} }

// PublishedSettings is the one row of settings.current.
type PublishedSettings struct {
	Key       string            `json:"key"`
	Version   int64             `json:"version"`
	Settings  settings.Settings `json:"settings"`
	ChangedAt time.Time         `json:"changed_at"`
}

var published = Table[PublishedSettings]{
	Name: "current", Key: "key", KeyType: "text",
	DDL:    createTable[PublishedSettings]("current", "key"),
	Events: []domain.Event{settings.Changed{}, settings.Withdrawn{}},
	Keys:   func(e eventstore.Event) []string { return []string{e.Stream} },
	Stream: streamOf(""),
	Fold: func(key string, r *PublishedSettings, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case settings.Changed:
			*r = PublishedSettings{key, e.Version, e.Settings, e.At}
		case settings.Withdrawn:
			return false
		}
		return true
	},
}
