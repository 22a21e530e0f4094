package staff

import (
	"slices"

	"shop/domain"
)

// Role is what somebody works as.
type Role string

const (
	Admin   Role = "admin"
	Manager Role = "manager"
	// Catalog keeps goods, categories and stock, Warehouse packs and hands over, Courier delivers.
	Catalog   Role = "catalog"
	Warehouse Role = "warehouse"
	Courier   Role = "courier"
	// Support helps customers, Content writes pages and posts.
	Support Role = "support"
	Content Role = "content"
	Analyst Role = "analyst"
	// Operator keeps the machine running and sees no customer.
	Operator Role = "operator"
)

// Roles are all roles, the mightiest first.
var Roles = []Role{Admin, Manager, Catalog, Warehouse, Courier, Support, Content, Analyst, Operator}

// Permission is one thing that staff may be allowed to do. Its text is public: pages ask for it.
type Permission string

const (
	// SeeProjections shows read models and their dead letters, RunProjections rebuilds, pauses, swaps, retries and skips.
	SeeProjections Permission = "projections.see"
	RunProjections Permission = "projections.run"
	// SeeLog shows events, personal data masked. SeePersonal takes the mask off, everywhere.
	SeeLog      Permission = "log.see"
	SeePersonal Permission = "personal.see"
	// ErasePersonal forgets a person for ever.
	ErasePersonal Permission = "personal.erase"
	// SeeHealth shows the database's size, connections and slowest statements.
	SeeHealth Permission = "health.see"
	// SeeOrders lists orders; whom they are for is masked without SeePersonal.
	SeeOrders Permission = "orders.see"
	// ChangeOrders confirms, cancels, edits and tags orders.
	ChangeOrders Permission = "orders.change"
	// PackOrders starts orders, hands them over and leaves notes on them.
	PackOrders Permission = "orders.pack"
	// Deliver shows a courier the day's own stops, and records how each ended.
	Deliver Permission = "orders.deliver"
	// RefundOrders gives money back, up to the role's [Limits].
	RefundOrders Permission = "orders.refund"
	// SeePayments shows bills, refunds and what needs somebody; MarkPayments records money that no provider reported.
	SeePayments  Permission = "payments.see"
	MarkPayments Permission = "payments.mark"
	// ModerateReviews answers, hides and shows reviews.
	ModerateReviews Permission = "reviews.moderate"
	// SeeCustomers finds customers; ChangeCustomers adjusts their bonuses, up to the role's [Limits], and
	// ends their sign-ins.
	SeeCustomers    Permission = "customers.see"
	ChangeCustomers Permission = "customers.change"
	SeeCatalog      Permission = "catalog.see"
	ChangeCatalog   Permission = "catalog.change"
	ChangeStock     Permission = "stock.change"
	// SeeCosts shows what goods cost the shop; whoever may change the catalog as well may change it.
	SeeCosts Permission = "costs.see"
	// ChangePrices is for prices of products; who may only change the catalog proposes them.
	ChangePrices Permission = "prices.change"
	// SeeChanges shows one's own changes, those of others with SeeAudit; ProposeChanges makes changes of what the role may change.
	SeeChanges     Permission = "changes.see"
	ProposeChanges Permission = "changes.propose"
	// ApproveChanges is to be the second person of a change, and to undo changes of others; OverrideChanges does without one.
	ApproveChanges  Permission = "changes.approve"
	OverrideChanges Permission = "changes.override"
	// ChangeRules is for prices' rules, promo codes and contents.
	ChangeRules   Permission = "rules.change"
	ChangeContent Permission = "content.change"
	// SeeAudit shows who did what.
	SeeAudit Permission = "audit.see"
	// SeeSecurity shows the security log: sign-ins, guesses, changes of accounts and looks at persons, with hashes in place of
	// addresses and e-mails.
	SeeSecurity Permission = "security.see"
	// SeeReports is for sales and replays of pricing.
	SeeReports  Permission = "reports.see"
	ManageStaff Permission = "staff.manage"
)

// Permissions are all there are.
var Permissions = []Permission{
	SeeProjections, RunProjections, SeeLog, SeePersonal, ErasePersonal, SeeHealth,
	SeeOrders, ChangeOrders, PackOrders, Deliver, RefundOrders, SeePayments, MarkPayments, ModerateReviews,
	SeeCustomers, ChangeCustomers, SeeCatalog, ChangeCatalog, ChangeStock, SeeCosts, ChangePrices,
	SeeChanges, ProposeChanges, ApproveChanges, OverrideChanges, ChangeRules, ChangeContent, SeeAudit, SeeSecurity, SeeReports, ManageStaff,
}

// allowed is the whole table. Nobody is here without a reason: an operator needs no orders to rebuild a projection,
// support no log to help a customer, an analyst no names to count, a courier no order but the day's own.
var allowed = map[Role][]Permission{
	Admin: Permissions,
	Manager: {
		SeeProjections, SeeLog, SeePersonal, ErasePersonal, SeeOrders, ChangeOrders, PackOrders, Deliver, RefundOrders, SeePayments, MarkPayments,
		ModerateReviews, SeeCustomers, ChangeCustomers, SeeCatalog, ChangeCatalog, ChangeStock, SeeCosts, ChangePrices,
		SeeChanges, ProposeChanges, ApproveChanges, ChangeRules, ChangeContent, SeeAudit, SeeReports,
	},
	Catalog:   {SeeCatalog, ChangeCatalog, ChangeStock, SeeChanges, ProposeChanges},
	Warehouse: {SeePersonal, SeeOrders, PackOrders, SeeCatalog, ChangeStock, SeeChanges, ProposeChanges},
	Courier:   {Deliver},
	Support: {
		SeePersonal, SeeOrders, ChangeOrders, PackOrders, RefundOrders, SeePayments, ModerateReviews, SeeCustomers, ChangeCustomers, SeeCatalog,
	},
	Content:  {ChangeContent, SeeChanges, ProposeChanges},
	Analyst:  {SeeProjections, SeeLog, SeeOrders, SeeCatalog, SeeChanges, SeeAudit, SeeReports},
	Operator: {SeeProjections, RunProjections, SeeLog, SeeHealth, SeeChanges, SeeAudit, SeeSecurity},
}

// Limits bound what one action of a role may move. Zero means that the role has no such limit.
type Limits struct {
	// Refund is the most that one refund may give back.
	Refund domain.Money
	// Bonus is the most that one adjustment may add or take.
	Bonus domain.Money
	// Discount is the most percent off that an order taken by phone may get by hand.
	Discount int64
}

// limits are those of the roles that may do such things within bounds.
var limits = map[Role]Limits{
	Manager: {Discount: 30},
	Support: {Refund: 20_000, Bonus: 2_000, Discount: 10},
}

// Limits are the role's.
func (r Role) Limits() Limits { return limits[r] }

// Known says whether there is such a role.
func (r Role) Known() bool { return slices.Contains(Roles, r) }

// May says whether the role has a permission; an unknown role has none.
func (r Role) May(p Permission) bool { return slices.Contains(allowed[r], p) }

// Permissions are what the role may do, in a fixed order.
func (r Role) Permissions() []Permission { return slices.Clone(allowed[r]) }
