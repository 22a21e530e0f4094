package commands

import (
	"context"
	"fmt"

	"shop/domain/rules"
	"shop/eventstore"
)

// Rules changes the shop's rules.
type Rules struct{ Handler *Handler }

// Change replaces the rules of the version expected; 0: whichever is in force.
func (r *Rules) Change(ctx context.Context, to rules.Rules, expected int64) (eventstore.Position, error) {
	return Change(ctx, r.Handler, RulesStream(), changeRules(to, expected))
}

// WouldChange says whether Change would add anything.
func (r *Rules) WouldChange(ctx context.Context, to rules.Rules, expected int64) (bool, error) {
	return WouldChange(ctx, r.Handler, RulesStream(), changeRules(to, expected))
}

func changeRules(to rules.Rules, expected int64) func(u *Unit) rules.Command {
	return func(u *Unit) rules.Command {
		return rules.Change{Rules: to, Expected: expected, At: u.At()}
	}
}

// Show answers the rules in force.
func (r *Rules) Show(ctx context.Context) (rules.State, error) {
	return See(ctx, r.Handler, RulesStream())
}

// Open records the default rules in a log that has none, so that every price names the version it was made under.
func (r *Rules) Open(ctx context.Context) (eventstore.Position, error) {
	position, err := r.Handler.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(RulesStream()); err != nil {
			return err
		}
		if RulesStream().Exists(u) {
			return nil
		}
		return RulesStream().Do(u, rules.Change{Rules: rules.Default(), At: u.At()})
	})
	if err != nil {
		return 0, fmt.Errorf("record the first rules: %w", err)
	}
	return position, nil
}
