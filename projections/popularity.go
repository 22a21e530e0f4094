package projections

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// Popularity is how many pieces of a product were ordered on a day.
func Popularity() Projection {
	return Projection{Name: "popularity", Version: 1, Rest: analyticRest, Tables: []AnyTable{units}}
}

// Units is a row of popularity.units. Orders of one day live in many streams, so each range counts its own.
type Units struct {
	Key       string    `json:"key"`
	ProductID domain.ID `json:"product_id"`
	// Day is the day in Almaty, YYYY-MM-DD.
	Day   string `json:"day" sql:"date"`
	Units int64  `json:"units"`
}

var units = Table[Units]{
	Name: "units", Key: "key", KeyType: "text",
	DDL: createTable[Units]("units", "key") + " WITH (fillfactor = 70)",
	// No index holds the units: they change with every order, and a change that no index sees is a third of the work.
	Indexes: `
		CREATE INDEX units_by_day ON units (day);
		CREATE INDEX units_by_product ON units (product_id, day)`,
	Events: []domain.Event{order.Placed{}, order.LinesChanged{}},
	Keys: func(event eventstore.Event) []string {
		adds, takes, at := ordered(event)
		day := at.In(domain.Almaty).Format(time.DateOnly)
		seen := map[string]bool{}
		var keys []string
		for _, line := range slices.Concat(adds, takes) {
			key := fmt.Sprintf("%s/%s/%d", line.ProductID, day, eventstore.RangeOf(event.Slice))
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
		return keys
	},
	Fold: func(key string, u *Units, event eventstore.Event) bool {
		part := strings.Split(key, "/")
		u.Key, u.ProductID, u.Day = key, uuid.MustParse(part[0]), part[1]
		adds, takes, _ := ordered(event)
		for _, line := range adds {
			if line.ProductID == u.ProductID {
				u.Units += line.Amount
			}
		}
		for _, line := range takes {
			if line.ProductID == u.ProductID {
				u.Units -= line.Amount
			}
		}
		return true
	},
}
