package staff

import (
	"context"
	"time"

	"shop/eventstore"
	"shop/projections/rebuild"
)

// Schema is a schema of the database that holds a read model.
type Schema struct {
	Schema     string `json:"schema"`
	Projection string `json:"projection"`
	// Role is live, previous or as-of.
	Role    string `json:"role"`
	Version int    `json:"version"`
	// Position is 0 for a live one.
	Position   eventstore.Position `json:"position"`
	AsOf       *time.Time          `json:"as_of"`
	MadeAt     time.Time           `json:"made_at"`
	ReplacedAt *time.Time          `json:"replaced_at"`
}

// SchemaOf shows a read model's schema.
func SchemaOf(m rebuild.Model) Schema {
	return Schema{m.Schema, m.Projection, m.Role, m.Version, m.Position, timeOrNull(m.AsOf), m.MadeAt, timeOrNull(m.ReplacedAt)}
}

// Schemas lists the schemas of a projection; an empty name: of all.
func (r *Reader) Schemas(ctx context.Context, projection string) ([]Schema, error) {
	models, err := r.builds.Models(ctx)
	if err != nil {
		return nil, err
	}
	var found []Schema
	for _, m := range models {
		if projection == "" || projection == m.Projection {
			found = append(found, SchemaOf(m))
		}
	}
	return found, nil
}
