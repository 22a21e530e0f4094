package changes

import (
	"reflect"
	"strings"

	"shop/domain/rules"
	"shop/domain/settings"
)

// Inverse says how what an event recorded goes back: by setting Fields of the thing to what they were, or why not.
type Inverse struct {
	Thing  string
	Fields []string
	// Why is why nothing takes it back; the zero reason: Fields do.
	Why Reason
}

// Reason is why nothing takes an event back. Code names it in answers, and pages have it in their languages.
type Reason struct{ Code, Text string }

func by(thing string, fields ...string) Inverse { return Inverse{Thing: thing, Fields: fields} }

func never(why Reason) Inverse { return Inverse{Why: why} }

// Why some events are not taken back.
var (
	money     = Reason{"money", "Money moved. It goes back by a refund, which is another movement."}
	sent      = Reason{"sent", "Somebody was told, and nobody can be untold."}
	erased    = Reason{"erased", "The data are gone for ever; that is what was asked for."}
	completed = Reason{"completed", "A completed order is closed; goods come back by a return."}
	shoppers  = Reason{"shoppers", "Shoppers did it, or it follows from what they did."}
	ofOrders  = Reason{"orders", "Orders are changed on their own pages, by commands with their own rules."}
	people    = Reason{"people", "Accounts of staff are changed on their own page; each step there has its counterpart."}
	customers = Reason{"customers", "Notes and groups are written on the customer's page, and an erasure is proposed and withdrawn there."}
	bonuses   = Reason{"bonuses", "Bonuses may be spent by now: another adjustment takes them back."}
	imported  = Reason{"imported", "It is the past of another shop."}
	ofChanges = Reason{"changes", "It is the record of a change; an undo is another change."}
	claims    = Reason{"claims", "It goes with the product that has the article or link."}
	machine   = Reason{"machine", "The shop's own record of itself."}
	follows   = Reason{"follows", "It follows from the stock, which counts itself again when that goes back."}
	moderated = Reason{"reviews", "Reviews are answered, hidden and shown on their own page; each step there has its counterpart."}
	rounds    = Reason{"rounds", "A courier's day is a fact; another sorting or settlement corrects it."}
)

// Inverses are all types of events with the way back; a test finds those that are missing.
var Inverses = map[string]Inverse{
	"product.described":    by("product", "name", "description", "composition", "expires", "apply_method", "package_size", "made_in"),
	"product.priced":       by("product", "prices"),
	"product.price-timed":  by("product", "prices"),
	"product.pictured":     by("product", "pictures"),
	"product.marked":       by("product", "marks"),
	"product.moved":        by("product", "category_id", "brand_id"),
	"product.archived":     by("product", "archived"),
	"product.restored":     by("product", "archived"),
	"product.shelved":      by("product", "shelf"),
	"product.low-line-set": by("product", "low_line"),
	"product.coded":        by("product", "gtin"),
	"product.measured":     by("product", "measure"),
	"product.costed":       by("product", "cost"),
	"product.translated":   by("product", "kazakh"),
	"product.added":        by("product", "added"),
	"claim.taken":          never(claims),
	"claim.freed":          never(claims),

	"category.added": by("category", "whole"), "category.changed": by("category", "whole"), "category.archived": by("category", "whole"),
	"brand.added": by("brand", "whole"), "brand.changed": by("brand", "whole"), "brand.archived": by("brand", "whole"),
	"mark.added": by("mark", "whole"), "mark.changed": by("mark", "whole"), "mark.archived": by("mark", "whole"),

	"stock.received": by("stock", "received"), "stock.adjusted": by("stock", "on_hand"),
	"stock.reserved": never(shoppers), "stock.released": never(shoppers), "stock.shipped": never(ofOrders),
	"stock.replenished": never(follows), "stock.depleted": never(follows),

	"content.changed":      by("content", "text", "source", "slides"),
	"document.published":   by("document", "text"),
	"document.withdrawn":   by("document", "text"),
	"promocode.issued":     by("promocode", "terms"),
	"promocode.revoked":    by("promocode", "terms"),
	"promocode.redeemed":   never(shoppers),
	"promocode.returned":   never(shoppers),
	"rules.changed":        by("rules", memberNames[rules.Rules]()...),
	"settings.changed":     by("settings", memberNames[settings.Settings]()...),
	"settings.withdrawn":   by("settings", wholeField),
	"reply.templates-kept": by("replies", "templates"),
	"post.published":       by("post", "article"), "post.changed": by("post", "article"), "post.unpublished": by("post", "article"),

	"change.proposed": never(ofChanges), "change.items-listed": never(ofChanges), "change.approved": never(ofChanges), "change.rejected": never(ofChanges),
	"change.cancelled": never(ofChanges), "change.items-applied": never(ofChanges), "change.applied": never(ofChanges),
	"change.items-ended": never(ofChanges), "change.ended": never(ofChanges), "change.undone": never(ofChanges), "change.effect-measured": never(ofChanges),

	"basket.priced": never(shoppers), "basket.checked-out": never(shoppers), "basket.checkout-refused": never(shoppers),
	"bonus.earned": never(shoppers), "bonus.spent": never(shoppers), "bonus.returned": never(shoppers), "bonus.revoked": never(shoppers),
	"bonus.adjusted": never(bonuses),

	"customer.registered": never(shoppers), "customer.profile-changed": never(shoppers), "customer.photo-changed": never(shoppers),
	"customer.photo-removed": never(shoppers), "customer.password-changed": never(shoppers), "customer.email-change-requested": never(shoppers),
	"customer.email-change-cancelled": never(shoppers), "customer.email-verified": never(shoppers), "customer.email-taken-back": never(shoppers),
	"customer.consent-given": never(shoppers), "customer.consent-withdrawn": never(shoppers), "customer.noted": never(customers),
	"customer.group-joined": never(customers), "customer.group-left": never(customers),
	"customer.erasure-requested": never(erased), "customer.erased": never(erased), "customer.erasure-confirmed": never(erased),
	"customer.erasure-proposed":  never(customers),
	"customer.erasure-withdrawn": never(customers),

	"order.placed": never(shoppers), "order.joined": never(shoppers), "order.imported": never(imported), "order.forgotten": never(erased),
	"order.paid": never(money), "order.refunded": never(money), "order.payment-requested": never(money), "order.payment-failed": never(money),
	"order.payment-expired": never(money), "order.payment-marked": never(money), "order.hand-payment-claimed": never(money),
	"order.hand-refund-claimed": never(money), "order.hand-refund-withdrawn": never(money),
	"order.hand-payment-withdrawn": never(money), "order.completed": never(completed),
	"order.goods-returned": never(money), "order.return-requested": never(shoppers), "order.return-declined": never(sent),
	"order.approved": never(sent), "order.cancelled": never(sent), "order.lines-changed": never(ofOrders), "order.address-changed": never(ofOrders),
	"order.processing-started": never(ofOrders), "order.noted": never(ofOrders), "order.tagged": never(ofOrders), "order.assigned": never(ofOrders),
	"order.packed": never(ofOrders), "order.courier-assigned": never(ofOrders), "order.handed-over": never(ofOrders), "order.delivered": never(sent),
	"order.not-delivered": never(sent), "order.delivery-photographed": never(ofOrders), "order.delivery-photos-removed": never(erased),

	"restock.subscribed": never(shoppers), "restock.unsubscribed": never(shoppers), "restock.notified": never(sent),
	"review.posted": never(shoppers), "review.answered": never(moderated), "review.hidden": never(moderated), "review.shown": never(moderated),
	"review.photos-removed": never(erased), "review.forgotten": never(erased),
	"round.sorted": never(rounds), "round.settled": never(rounds), "round.short-closed": never(rounds),

	"staff.added": never(people), "staff.role-changed": never(people), "staff.disabled": never(people), "staff.enabled": never(people),
	"staff.credentials-reset": never(people), "staff.invited": never(sent), "staff.unlocked": never(people), "staff.sessions-ended": never(people),

	"log.anchored": never(machine),
}

// memberNames are the members that T has in JSON, in the order of its fields.
func memberNames[T any]() (names []string) {
	for f := range reflect.TypeFor[T]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
