package projections

import (
	"fmt"
	"time"

	"shop/domain"
	"shop/domain/bonus"
	"shop/eventstore"
)

// BonusDay is a row of sales.bonuses: what moved on the ledgers of a range on a day.
type BonusDay struct {
	Key      string       `json:"key"`
	Day      string       `json:"day" sql:"date"`
	Earned   domain.Money `json:"earned"`
	Spent    domain.Money `json:"spent"`
	Returned domain.Money `json:"returned"`
	Revoked  domain.Money `json:"revoked"`
}

var bonusDays = Table[BonusDay]{
	Name: "bonuses", Key: "key", KeyType: "text",
	DDL:    createTable[BonusDay]("bonuses", "key") + " WITH (fillfactor = 70)",
	Events: []domain.Event{bonus.Earned{}, bonus.Spent{}, bonus.Returned{}, bonus.Revoked{}},
	Keys: func(event eventstore.Event) []string {
		var at time.Time
		switch e := event.Data.(type) {
		case bonus.Earned:
			at = e.At
		case bonus.Spent:
			at = e.At
		case bonus.Returned:
			at = e.At
		case bonus.Revoked:
			at = e.At
		}
		return []string{fmt.Sprintf("%s/%d", dayOf(at), eventstore.RangeOf(event.Slice))}
	},
	Fold: func(key string, b *BonusDay, event eventstore.Event) bool {
		b.Key, b.Day = key, key[:len(time.DateOnly)]
		switch e := event.Data.(type) {
		case bonus.Earned:
			b.Earned += e.Amount
		case bonus.Spent:
			b.Spent += e.Amount
		case bonus.Returned:
			b.Returned += e.Amount
		case bonus.Revoked:
			b.Revoked += e.Amount
		}
		return true
	},
}
