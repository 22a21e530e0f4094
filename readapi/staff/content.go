package staff

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// BlockLine is a content block as staff wrote it: it has placeholders for the values of the rules.
type BlockLine struct {
	Name      string          `json:"name"`
	Text      string          `json:"text"`
	Slides    json.RawMessage `json:"slides"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// Blocks lists the content blocks; one by its name, all by an empty one.
func (s Shop) Blocks(ctx context.Context, name string) ([]BlockLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT name, text, slides, updated_at FROM content.block WHERE $1 IN ('', name) ORDER BY name`, name)
	if err != nil {
		return nil, fmt.Errorf("list content blocks: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[BlockLine])
}
