package app

import (
	"fmt"
	"slices"
	"strings"
)

// role is a part of the shop's work. Any number of processes may have a role; leases in the database share out what
// only one may do at a time.
type role string

const (
	// web serves the storefront, its API and the operators' pages. It folds nothing, but hears of what others fold.
	RoleWeb role = "web"
	// projectors fold the log into the read models.
	RoleProjectors role = "projectors"
	// policies turn what happened, and the time that passes, into commands.
	RolePolicies role = "policies"
	// relay publishes the log to NATS JetStream, for regions and other programs.
	RoleRelay role = "relay"
)

// Roles are what one process does; as a flag, names with commas.
type Roles []role

// EveryRole are all roles. A process has the first three by default: a relay needs NATS.
var EveryRole = Roles{RoleWeb, RoleProjectors, RolePolicies, RoleRelay}

func (r Roles) Has(one role) bool { return slices.Contains(r, one) }

func (r Roles) names() []string {
	names := make([]string, len(r))
	for i, one := range r {
		names[i] = string(one)
	}
	return names
}

func (r *Roles) String() string { return strings.Join(r.names(), ",") }
func (r *Roles) Type() string   { return "roles" }

// Set reads names; a role named twice counts once.
func (r *Roles) Set(v string) error {
	var named Roles
	for name := range strings.SplitSeq(v, ",") {
		one := role(strings.TrimSpace(name))
		if !EveryRole.Has(one) {
			return fmt.Errorf("%q is no role, want some of %s", one, &EveryRole)
		}
		if !named.Has(one) {
			named = append(named, one)
		}
	}
	*r = named
	return nil
}
