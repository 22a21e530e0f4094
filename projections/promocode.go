package projections

import (
	"time"

	"shop/domain"
	"shop/domain/promocode"
	"shop/eventstore"
)

// Promocodes are the promo codes with their uses.
func Promocodes() Projection { return Projection{Name: "promocode", Tables: []AnyTable{codes}} }

// Code is a row of promocode.code. Null times and zero limits mean no limit.
type Code struct {
	Code        string         `json:"code"`
	Kind        promocode.Kind `json:"kind"`
	Value       int64          `json:"value"`
	MinSum      domain.Money   `json:"min_sum"`
	ValidFrom   *time.Time     `json:"valid_from"`
	ValidUntil  *time.Time     `json:"valid_until"`
	Uses        int64          `json:"uses"`
	UsesPerUser int64          `json:"uses_per_user"`
	Redeemed    int64          `json:"redeemed"`
	Revoked     bool           `json:"revoked"`
}

var codes = Table[Code]{
	Name: "code", Key: "code", KeyType: "text",
	DDL:    createTable[Code]("code", "code"),
	Events: []domain.Event{promocode.Issued{}, promocode.Redeemed{}, promocode.Returned{}, promocode.Revoked{}},
	Keys:   keyAfter("promocode-"), Stream: streamOf("promocode-"),
	Fold: func(key string, c *Code, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case promocode.Issued:
			c.Code, c.Kind, c.Value, c.MinSum = key, e.Terms.Kind, e.Terms.Value, e.Terms.MinSum
			c.ValidFrom, c.ValidUntil = timeOrNil(e.Terms.ValidFrom), timeOrNil(e.Terms.ValidUntil)
			c.Uses, c.UsesPerUser, c.Revoked = e.Terms.Uses, e.Terms.UsesPerUser, false
		case promocode.Redeemed:
			c.Redeemed++
		case promocode.Returned:
			c.Redeemed--
		case promocode.Revoked:
			c.Revoked = true
		}
		return c.Code != ""
	},
}
