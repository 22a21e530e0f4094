package registry

import (
	"encoding/json"
	"fmt"

	"shop/domain/anchor"
	"shop/domain/basket"
	"shop/domain/bonus"
	"shop/domain/catalog"
	"shop/domain/change"
	"shop/domain/content"
	"shop/domain/customer"
	"shop/domain/document"
	"shop/domain/order"
	"shop/domain/post"
	"shop/domain/promocode"
	"shop/domain/reply"
	"shop/domain/restock"
	"shop/domain/review"
	"shop/domain/round"
	"shop/domain/rules"
	"shop/domain/settings"
	"shop/domain/staff"
	"shop/domain/stock"
)

// New is a registry of all events of the shop.
func New() *Registry {
	r := empty()

	register[anchor.Anchored](r)

	register[basket.Priced](r)
	register[basket.CheckoutRefused](r)
	// Schema 2 names only cities that the shop knows.
	r.Upcast("basket.priced", 1, same)
	r.Upcast("basket.priced", 2, same) // schema 3 adds the calculation's manual, zero before
	r.Upcast("basket.priced", 3, same) // schema 4 adds what the scope of a promo code covers, nothing before
	r.Upcast("basket.checkout-refused", 1, same)
	register[basket.CheckedOut](r)

	register[bonus.Earned](r)
	register[bonus.Spent](r)
	register[bonus.Returned](r)
	register[bonus.Revoked](r)
	register[bonus.Adjusted](r)

	register[catalog.ProductAdded](r)
	register[catalog.ProductDescribed](r)
	register[catalog.ProductPriced](r)
	register[catalog.ProductPriceTimed](r)
	register[catalog.ProductPictured](r)
	register[catalog.ProductMarked](r)
	register[catalog.ProductMoved](r)
	register[catalog.ProductArchived](r)
	register[catalog.ProductRestored](r)
	register[catalog.ProductShelved](r)
	register[catalog.ProductLowLineSet](r)
	register[catalog.ProductCoded](r)
	register[catalog.ProductMeasured](r)
	register[catalog.ProductCosted](r)
	register[catalog.ProductTranslated](r)
	register[catalog.ClaimTaken](r)
	register[catalog.ClaimFreed](r)
	register[catalog.CategoryAdded](r)
	register[catalog.CategoryChanged](r)
	register[catalog.CategoryArchived](r)
	register[catalog.BrandAdded](r)
	register[catalog.BrandChanged](r)
	register[catalog.BrandArchived](r)
	register[catalog.MarkAdded](r)
	register[catalog.MarkChanged](r)
	register[catalog.MarkArchived](r)
	// Schema 2 adds the alternative texts of pictures, empty before.
	for _, name := range []string{
		"product.pictured", "category.added", "category.changed", "brand.added", "brand.changed", "mark.added", "mark.changed",
	} {
		r.Upcast(name, 1, same)
	}
	for _, name := range []string{"category.added", "category.changed", "mark.added", "mark.changed"} {
		r.Upcast(name, 2, same) // schema 3 adds kazakh, empty before
	}
	for _, name := range []string{"brand.added", "brand.changed"} {
		r.Upcast(name, 2, same) // schema 3 adds description_kk, empty before
	}

	register[change.Proposed](r)
	r.Upcast("change.proposed", 1, same) // schema 2 adds because, empty before
	register[change.ItemsListed](r)
	register[change.Approved](r)
	register[change.Rejected](r)
	register[change.Cancelled](r)
	register[change.ItemsApplied](r)
	register[change.Applied](r)
	register[change.ItemsEnded](r)
	register[change.Ended](r)
	register[change.Undone](r)
	register[change.EffectMeasured](r)

	register[content.Changed](r)
	r.Upcast("content.changed", 1, same) // schema 2 adds source, empty before

	register[document.Published](r)
	register[document.Withdrawn](r)

	register[customer.Registered](r)
	r.Upcast("customer.registered", 1, same) // schema 2 adds language, empty before: Russian
	register[customer.EmailChangeRequested](r)
	r.Upcast("customer.email-change-requested", 1, same) // schema 2 adds until; without it the wish is over
	register[customer.EmailChangeCancelled](r)
	register[customer.EmailVerified](r)
	register[customer.EmailTakenBack](r)
	register[customer.ProfileChanged](r)
	register[customer.PhotoChanged](r)
	register[customer.PhotoRemoved](r)
	register[customer.ConsentGiven](r)
	register[customer.ConsentWithdrawn](r)
	register[customer.PasswordChanged](r)
	register[customer.ErasureRequested](r)
	register[customer.Erased](r)
	register[customer.Noted](r)
	register[customer.ErasureProposed](r)
	register[customer.ErasureWithdrawn](r)
	register[customer.ErasureConfirmed](r)
	register[customer.GroupJoined](r)
	register[customer.GroupLeft](r)

	register[order.Placed](r)
	r.Upcast("order.placed", 1, same) // schema 2 adds basket_since, zero before
	r.Upcast("order.placed", 2, same) // schema 3 adds confirm_before, zero before
	r.Upcast("order.placed", 3, same) // schema 4 names only cities that the shop knows
	r.Upcast("order.placed", 4, same) // schema 5 adds taken and the calculation's manual, zero before
	r.Upcast("order.placed", 5, same) // schema 6 adds offer_version, empty before
	r.Upcast("order.placed", 6, same) // schema 7 adds language and what the scope of a promo code covers, both empty before
	register[order.PaymentRequested](r)
	register[order.Paid](r)
	r.Upcast("order.paid", 1, same) // schema 2 adds receipt, empty before
	r.Upcast("order.paid", 2, same) // schema 3 adds by_hand, zero before
	register[order.HandPaymentClaimed](r)
	register[order.HandPaymentWithdrawn](r)
	register[order.HandRefundClaimed](r)
	register[order.HandRefundWithdrawn](r)
	register[order.LinesChanged](r)
	r.Upcast("order.lines-changed", 1, same) // schema 2 adds the scope of the promo code and what it covers, nothing before
	register[order.ReturnRequested](r)
	register[order.ReturnDeclined](r)
	register[order.GoodsReturned](r)
	register[order.AddressChanged](r)
	register[order.PaymentFailed](r)
	register[order.PaymentExpired](r)
	register[order.Approved](r)
	register[order.ProcessingStarted](r)
	register[order.Completed](r)
	register[order.Cancelled](r)
	register[order.Refunded](r)
	r.Upcast("order.refunded", 1, same) // schema 2 adds refund_id, empty before
	r.Upcast("order.refunded", 2, same) // schema 3 adds receipt, empty before
	r.Upcast("order.refunded", 3, same) // schema 4 adds by_hand, zero before
	register[order.Joined](r)
	register[order.Imported](r)
	register[order.Forgotten](r)
	register[order.Noted](r)
	register[order.Tagged](r)
	register[order.Assigned](r)
	register[order.PaymentMarked](r)
	register[order.Packed](r)
	register[order.CourierAssigned](r)
	register[order.HandedOver](r)
	register[order.Delivered](r)
	register[order.NotDelivered](r)
	register[order.DeliveryPhotographed](r)
	register[order.DeliveryPhotosRemoved](r)

	register[post.Published](r)
	register[post.Changed](r)
	// Schema 2 adds the picture's size and encodings, unknown before.
	r.Upcast("post.published", 1, same)
	r.Upcast("post.changed", 1, same)
	r.Upcast("post.published", 2, same) // schema 3 adds source, empty before
	r.Upcast("post.changed", 2, same)   // as above
	register[post.Unpublished](r)

	register[promocode.Issued](r)
	r.Upcast("promocode.issued", 1, same) // schema 2 adds scope, groups and max_discount: all goods, everybody and no bound before
	register[promocode.Redeemed](r)
	r.Upcast("promocode.redeemed", 1, same) // schema 2 seals buyer, in place of customer
	register[promocode.Returned](r)
	register[promocode.Revoked](r)

	register[reply.Kept](r)

	register[restock.Subscribed](r)
	register[restock.Notified](r)
	register[restock.Unsubscribed](r)

	register[review.Posted](r)
	r.Upcast("review.posted", 1, same) // schema 2 seals content
	register[review.Answered](r)
	register[review.Hidden](r)
	register[review.Shown](r)
	register[review.PhotosRemoved](r)
	register[review.Forgotten](r)

	register[round.Sorted](r)
	register[round.Settled](r)
	register[round.ShortClosed](r)

	register[settings.Changed](r)
	register[settings.Withdrawn](r)
	r.Upcast("settings.changed", 1, same) // schema 2 adds menu and footer_menu, empty before: the default ones

	register[rules.Changed](r)
	r.Upcast("rules.changed", 1, addRulesOfOpenOrders)
	// Schema 3 adds guest_months and promocode_proof. Before, guests were kept for ever (0) and no proof was asked for (false): an
	// upgrade alone must not erase anybody.
	r.Upcast("rules.changed", 2, same)
	r.Upcast("rules.changed", 3, addRulesAfterThePurchase)
	r.Upcast("rules.changed", 4, addRuleOfLowStock)
	r.Upcast("rules.changed", 5, addRulesOfApproval)

	register[staff.Added](r)
	register[staff.RoleChanged](r)
	register[staff.Disabled](r)
	register[staff.Enabled](r)
	register[staff.CredentialsReset](r)
	register[staff.Invited](r)
	register[staff.Unlocked](r)
	register[staff.SessionsEnded](r)

	register[stock.Received](r)
	register[stock.Adjusted](r)
	register[stock.Reserved](r)
	register[stock.Released](r)
	register[stock.Shipped](r)
	register[stock.Replenished](r)
	register[stock.Depleted](r)

	return r
}

// same lifts a payload to a schema that only adds fields whose zero value means what their absence meant.
func same(payload json.RawMessage) (json.RawMessage, error) { return payload, nil }

// addRulesOfOpenOrders lifts rules to schema 2, which bounds open orders: earlier versions get the bounds that the shop
// came with when it first had them. They are written out here because what history says must not follow rules.Default.
func addRulesOfOpenOrders(payload json.RawMessage) (json.RawMessage, error) {
	return addToObject(payload, "rules", map[string]any{
		"guest_open_orders": 5, "guest_open_pieces": 60, "customer_open_orders": 20, "customer_open_pieces": 300,
		"network_open_orders": 20, "network_open_pieces": 300, "cash_hours": 24, "opens_at": 10, "closes_at": 19,
	})
}

// addRulesAfterThePurchase lifts rules to schema 4, which says who confirms payments taken by hand and how long goods may come
// back: earlier versions get what the shop came with when it first had these rules.
func addRulesAfterThePurchase(payload json.RawMessage) (json.RawMessage, error) {
	return addToObject(payload, "rules", map[string]any{"hand_confirm_above": 100_000, "return_days": 14})
}

// addRuleOfLowStock lifts rules to schema 5, which says how many pieces are few: earlier versions get what the shop counted with.
func addRuleOfLowStock(payload json.RawMessage) (json.RawMessage, error) {
	return addToObject(payload, "rules", map[string]any{"low_stock": 5})
}

// addRulesOfApproval lifts rules to schema 6, which says which changes need a second person: before, none did.
func addRulesOfApproval(payload json.RawMessage) (json.RawMessage, error) {
	return addToObject(payload, "rules", map[string]any{
		"approval_price_cut": 0, "approval_products": 0, "approval_below_cost": false, "approval_rules": false,
	})
}

// addToObject puts members into the object that a payload has under a name; those that are there stay.
func addToObject(payload json.RawMessage, name string, members map[string]any) (json.RawMessage, error) {
	var whole, inner map[string]json.RawMessage
	if err := json.Unmarshal(payload, &whole); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(whole[name], &inner); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for member, value := range members {
		if _, there := inner[member]; there {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		inner[member] = text
	}
	text, err := json.Marshal(inner)
	if err != nil {
		return nil, err
	}
	whole[name] = text
	return json.Marshal(whole)
}
