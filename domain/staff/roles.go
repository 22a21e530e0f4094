package staff

import "slices"

// Role is what somebody works as.
type Role string

const (
	Admin    Role = "admin"
	Manager  Role = "manager"
	Analyst  Role = "analyst"
	Operator Role = "operator"
	Support  Role = "support"
)

// Roles are all roles, the mightiest first.
var Roles = []Role{Admin, Manager, Analyst, Operator, Support}

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
	// SignOutCustomers ends the sign-ins of a customer who asks for it.
	SignOutCustomers Permission = "customers.sign-out"
	// SeeHealth shows the database's size, connections and slowest statements.
	SeeHealth     Permission = "health.see"
	SeeOrders     Permission = "orders.see"
	ChangeOrders  Permission = "orders.change"
	ChangeCatalog Permission = "catalog.change"
	// ChangeRules is for prices' rules, promo codes and contents.
	ChangeRules Permission = "rules.change"
	// SeeReports is for sales and replays of pricing.
	SeeReports  Permission = "reports.see"
	ManageStaff Permission = "staff.manage"
)

// Permissions are all there are.
var Permissions = []Permission{
	SeeProjections, RunProjections, SeeLog, SeePersonal, ErasePersonal, SignOutCustomers, SeeHealth,
	SeeOrders, ChangeOrders, ChangeCatalog, ChangeRules, SeeReports, ManageStaff,
}

// allowed is the whole table. Nobody is here without a reason: an operator needs no orders to rebuild a projection,
// support no log to help a customer, an analyst no names to count.
var allowed = map[Role][]Permission{
	Admin: Permissions,
	Manager: {
		SeeProjections, SeeLog, SeePersonal, ErasePersonal, SignOutCustomers, SeeOrders, ChangeOrders, ChangeCatalog, ChangeRules, SeeReports,
	},
	Analyst:  {SeeProjections, SeeLog, SeeOrders, SeeReports},
	Operator: {SeeProjections, RunProjections, SeeLog, SeeHealth},
	Support:  {SeePersonal, SignOutCustomers, SeeOrders, ChangeOrders},
}

// Known says whether there is such a role.
func (r Role) Known() bool { return slices.Contains(Roles, r) }

// May says whether the role has a permission; an unknown role has none.
func (r Role) May(p Permission) bool { return slices.Contains(allowed[r], p) }

// Permissions are what the role may do, in a fixed order.
func (r Role) Permissions() []Permission { return slices.Clone(allowed[r]) }
