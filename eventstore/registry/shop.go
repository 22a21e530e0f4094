package registry

import (
	"shop/domain/basket"
	"shop/domain/catalog"
	"shop/domain/content"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/domain/staff"
	"shop/domain/stock"
)

// New is a registry of all events of the shop.
func New() *Registry {
	r := empty()

	register[basket.Priced](r)
	register[basket.CheckedOut](r)

	register[catalog.ProductAdded](r)
	register[catalog.ProductDescribed](r)
	register[catalog.ProductPriced](r)
	register[catalog.ProductPictured](r)
	register[catalog.ProductMarked](r)
	register[catalog.ProductMoved](r)
	register[catalog.ProductArchived](r)
	register[catalog.ProductRestored](r)
	register[catalog.CategoryAdded](r)
	register[catalog.CategoryChanged](r)
	register[catalog.CategoryArchived](r)
	register[catalog.BrandAdded](r)
	register[catalog.BrandChanged](r)
	register[catalog.BrandArchived](r)
	register[catalog.MarkAdded](r)
	register[catalog.MarkChanged](r)
	register[catalog.MarkArchived](r)

	register[content.Changed](r)

	register[order.Placed](r)
	register[order.PaymentRequested](r)
	register[order.Paid](r)
	register[order.PaymentFailed](r)
	register[order.PaymentExpired](r)
	register[order.Approved](r)
	register[order.ProcessingStarted](r)
	register[order.Completed](r)
	register[order.Cancelled](r)
	register[order.Refunded](r)

	register[promocode.Issued](r)
	register[promocode.Redeemed](r)
	register[promocode.Returned](r)
	register[promocode.Revoked](r)

	register[rules.Changed](r)

	register[staff.Added](r)
	register[staff.RoleChanged](r)
	register[staff.Disabled](r)
	register[staff.Enabled](r)
	register[staff.CredentialsReset](r)

	register[stock.Received](r)
	register[stock.Adjusted](r)
	register[stock.Reserved](r)
	register[stock.Released](r)
	register[stock.Shipped](r)
	register[stock.Replenished](r)
	register[stock.Depleted](r)

	return r
}
