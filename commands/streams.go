package commands

import (
	"shop/domain"
	"shop/domain/basket"
	"shop/domain/bonus"
	"shop/domain/catalog"
	"shop/domain/change"
	"shop/domain/content"
	"shop/domain/customer"
	"shop/domain/document"
	"shop/domain/order"
	blog "shop/domain/post"
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

// nothing of a state is personal, although the stream is one person's.
func nothing[S any](state S, _ domain.ID) (S, bool) { return state, true }

func ProductStream(id domain.ID) Stream[catalog.ProductCommand, catalog.ProductEvent, catalog.ProductState] {
	return Stream[catalog.ProductCommand, catalog.ProductEvent, catalog.ProductState]{Name: catalog.ProductStream(id), Decider: catalog.ProductDecider}
}

func CategoryStream(id domain.ID) Stream[catalog.CategoryCommand, catalog.CategoryEvent, catalog.CategoryState] {
	return Stream[catalog.CategoryCommand, catalog.CategoryEvent, catalog.CategoryState]{Name: catalog.CategoryStream(id), Decider: catalog.CategoryDecider}
}

func BrandStream(id domain.ID) Stream[catalog.BrandCommand, catalog.BrandEvent, catalog.BrandState] {
	return Stream[catalog.BrandCommand, catalog.BrandEvent, catalog.BrandState]{Name: catalog.BrandStream(id), Decider: catalog.BrandDecider}
}

func MarkStream(id domain.ID) Stream[catalog.MarkCommand, catalog.MarkEvent, catalog.MarkState] {
	return Stream[catalog.MarkCommand, catalog.MarkEvent, catalog.MarkState]{Name: catalog.MarkStream(id), Decider: catalog.MarkDecider}
}

// ClaimStream is the claim of an entry of the catalog on a value that no other may have.
func ClaimStream(kind catalog.ClaimKind, value string) Stream[catalog.ClaimCommand, catalog.ClaimEvent, catalog.ClaimState] {
	return Stream[catalog.ClaimCommand, catalog.ClaimEvent, catalog.ClaimState]{
		Name: catalog.ClaimStream(kind, MadeOf("claim-"+string(kind), value)), Decider: catalog.ClaimDecider,
	}
}

func StockStream(product domain.ID) Stream[stock.Command, stock.Event, stock.State] {
	return Stream[stock.Command, stock.Event, stock.State]{Name: stock.Stream(product), Decider: stock.Decider, Snapshots: stockSnapshots}
}

var stockSnapshots = snapshots("stock", stock.FoldRevision,
	func(s stock.State) (stock.Snapshot, bool) { return s.Snapshot(), true }, stock.Snapshot.State, nil)

func RulesStream() Stream[rules.Command, rules.Event, rules.State] {
	return Stream[rules.Command, rules.Event, rules.State]{Name: rules.Stream, Decider: rules.Decider, Only: true}
}

func SettingsStream() Stream[settings.Command, settings.Event, settings.State] {
	return Stream[settings.Command, settings.Event, settings.State]{Name: settings.Stream, Decider: settings.Decider, Only: true}
}

// DocumentStream is a text that shoppers agree to; the zero state of one that nobody published has no version.
func DocumentStream(name string) Stream[document.Command, document.Event, document.State] {
	return Stream[document.Command, document.Event, document.State]{Name: document.Stream(name), Decider: document.Decider, Only: true}
}

func PromocodeStream(code string) Stream[promocode.Command, promocode.Event, promocode.State] {
	return Stream[promocode.Command, promocode.Event, promocode.State]{
		Name: promocode.Stream(code), Decider: promocode.Decider, Snapshots: promocodeSnapshots,
		Forget: func(s promocode.State, person domain.ID) (promocode.State, bool) { return s.Forget(person), true },
	}
}

// Of a code that is limited per customer the buyers must be known, and they are personal.
var promocodeSnapshots = snapshots("promocode", promocode.FoldRevision,
	func(s promocode.State) (promocode.Snapshot, bool) { return s.Snapshot(), !s.PerCustomer() }, promocode.Snapshot.State, promocode.State.Lacks)

func BasketStream(id domain.ID) Stream[basket.Command, basket.Event, basket.State] {
	return Stream[basket.Command, basket.Event, basket.State]{
		Name: basket.Stream(id), Decider: basket.Decider, Private: true, Forget: nothing[basket.State],
		Spent: func(s basket.State) bool { return s.OrderID != domain.ID{} },
	}
}

func OrderStream(id domain.ID) Stream[order.Command, order.Event, order.State] {
	return Stream[order.Command, order.Event, order.State]{
		Name: order.Stream(id), Decider: order.Decider, Private: true,
		Forget: func(s order.State, person domain.ID) (order.State, bool) { return s, s.Placed.PersonID != person },
		// The next that happens to an order that waits for no money comes hours later.
		Spent: func(s order.State) bool { return s.PayBefore.IsZero() },
	}
}

// ChangeStream is private, as a change with many items is large and of use to few commands.
func ChangeStream(id domain.ID) Stream[change.Command, change.Event, change.State] {
	return Stream[change.Command, change.Event, change.State]{Name: change.Stream(id), Decider: change.Decider, Private: true, Forget: nothing[change.State]}
}

func ContentStream(name string) Stream[content.Command, content.Event, content.State] {
	return Stream[content.Command, content.Event, content.State]{Name: content.Stream(name), Decider: content.Decider}
}

func PostStream(id domain.ID) Stream[blog.Command, blog.Event, blog.State] {
	return Stream[blog.Command, blog.Event, blog.State]{Name: blog.Stream(id), Decider: blog.Decider}
}

func StaffStream(id domain.ID) Stream[staff.Command, staff.Event, staff.State] {
	return Stream[staff.Command, staff.Event, staff.State]{Name: staff.Stream(id), Decider: staff.Decider, Private: true, Forget: nothing[staff.State]}
}

func ReviewStream(id domain.ID) Stream[review.Command, review.Event, review.State] {
	return Stream[review.Command, review.Event, review.State]{Name: review.Stream(id), Decider: review.Decider, Private: true, Forget: nothing[review.State]}
}

// ReplyStream holds the templates of answers to reviews.
func ReplyStream() Stream[reply.Command, reply.Event, reply.State] {
	return Stream[reply.Command, reply.Event, reply.State]{Name: reply.Stream, Decider: reply.Decider}
}

// RoundStream is a courier's day.
func RoundStream(courier domain.ID, day string) Stream[round.Command, round.Event, round.State] {
	return Stream[round.Command, round.Event, round.State]{Name: round.Stream(courier, day), Decider: round.Decider}
}

func RestockStream(product domain.ID) Stream[restock.Command, restock.Event, restock.State] {
	return Stream[restock.Command, restock.Event, restock.State]{Name: restock.Stream(product), Decider: restock.Decider}
}

func BonusStream(customer domain.ID) Stream[bonus.Command, bonus.Event, bonus.State] {
	return Stream[bonus.Command, bonus.Event, bonus.State]{Name: bonus.Stream(customer), Decider: bonus.Decider, Private: true, Forget: nothing[bonus.State]}
}

func CustomerStream(id domain.ID) Stream[customer.Command, customer.Event, customer.State] {
	return Stream[customer.Command, customer.Event, customer.State]{
		Name: customer.Stream(id), Decider: customer.Decider, Private: true,
		Forget: func(s customer.State, person domain.ID) (customer.State, bool) { return s, id != person },
	}
}
