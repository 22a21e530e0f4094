package mirror

import (
	"math"
	"testing"
	"time"
)

// TestSchemasThatNoEventHas: a message with a schema that the column cannot hold is refused, and not kept as another one.
func TestSchemasThatNoEventHas(t *testing.T) {
	t.Parallel()
	for schema, good := range map[int]bool{1: true, math.MaxInt16: true, 0: false, -1: false, math.MaxInt16 + 1: false, 1<<16 + 1: false} {
		c, err := columnsOf([]event{{ID: "01900000-0000-7000-8000-000000000001", Type: "stock.counted", Subject: "stock-1", Time: time.Now(),
			Position: "7", StreamVersion: "1", SchemaVersion: schema, Data: []byte(`{}`)}})
		if (err == nil) != good || good && int(c.schemas[0]) != schema {
			t.Errorf("schema %d: %v, kept as %v", schema, err, c.schemas)
		}
	}
}
