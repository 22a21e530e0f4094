package main

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
	roleWeb role = "web"
	// projectors fold the log into the read models.
	roleProjectors role = "projectors"
	// policies turn what happened, and the time that passes, into commands.
	rolePolicies role = "policies"
)

// roles are what one process does; as a flag, names with commas.
type roles []role

var everyRole = roles{roleWeb, roleProjectors, rolePolicies}

func (r roles) has(one role) bool { return slices.Contains(r, one) }

func (r roles) names() []string {
	names := make([]string, len(r))
	for i, one := range r {
		names[i] = string(one)
	}
	return names
}

func (r *roles) String() string { return strings.Join(r.names(), ",") }
func (r *roles) Type() string   { return "roles" }

// Set reads names; a role named twice counts once.
func (r *roles) Set(v string) error {
	var named roles
	for name := range strings.SplitSeq(v, ",") {
		one := role(strings.TrimSpace(name))
		if !everyRole.has(one) {
			return fmt.Errorf("%q is no role, want some of %s", one, &everyRole)
		}
		if !named.has(one) {
			named = append(named, one)
		}
	}
	*r = named
	return nil
}
