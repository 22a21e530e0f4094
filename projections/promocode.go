package projections

import (
	"time"

	"shop/domain"
	"shop/domain/promocode"
	"shop/eventstore"
)

// Promocodes are the promo codes with their uses.
func Promocodes() Projection {
	return Projection{Name: "promocode", Version: 1, Tables: []AnyTable{codes}}
}

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
	MaxDiscount domain.Money   `json:"max_discount"`
	// Categories, Brands and Products are what the code is for, and Groups whom; all empty: all goods, and everybody.
	Categories []domain.ID `json:"categories"`
	Brands     []domain.ID `json:"brands"`
	Products   []domain.ID `json:"products"`
	Groups     []string    `json:"groups"`
	Redeemed   int64       `json:"redeemed"`
	Revoked    bool        `json:"revoked"`
	IssuedAt   time.Time   `json:"issued_at"`
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
			c.MaxDiscount, c.IssuedAt = e.Terms.MaxDiscount, e.At
			c.Categories, c.Brands, c.Products = orNone(e.Terms.Categories), orNone(e.Terms.Brands), orNone(e.Terms.Products)
			c.Groups = orNone(e.Terms.Groups)
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

// orNone is a list that is never null.
func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
