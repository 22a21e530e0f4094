package changes

import (
	"encoding/json"

	"shop/commands"
	"shop/domain/change"
	"shop/domain/rules"
)

// Reasons why a change needs a second person.
const (
	// NeedsRole: the role may only propose it.
	NeedsRole = "role"
	// NeedsPriceCut: a price to pay falls far. NeedsMany: many products change. NeedsBelowCost: a price falls below cost.
	NeedsPriceCut  = "price-cut"
	NeedsMany      = "many"
	NeedsBelowCost = "below-cost"
	// NeedsRules: rules or settings change.
	NeedsRules = "rules"
)

// needs are why a second person has to approve what was checked, by the rules as they were before it.
func (c *Changes) needs(u *commands.Unit, out *checked, terms rules.Rules) (needs []string, err error) {
	var far, below, ruled bool
	products := map[string]bool{}
	for i, item := range out.items {
		if out.results[i].Outcome != change.Done {
			continue
		}
		switch item.Thing {
		case "rules", "settings":
			ruled = true
		case "product", "stock":
			products[item.ID] = true
		}
		if item.Thing != "product" || item.Field != "prices" {
			continue
		}
		var was, now Prices
		if err := json.Unmarshal(item.Was, &was); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(item.Now, &now); err != nil {
			return nil, err
		}
		far = far || terms.FarCut(was.DiscountedPrice, now.DiscountedPrice)
		stream, err := product.stream(item.ID)
		if err != nil {
			return nil, err
		}
		cost := stream.State(u).Cost
		below = below || now.DiscountedPrice < cost && now.DiscountedPrice < was.DiscountedPrice
	}
	for _, reason := range []struct {
		name string
		is   bool
	}{
		{NeedsRole, out.proposed}, {NeedsPriceCut, far}, {NeedsMany, terms.ApprovalProducts > 0 && int64(len(products)) > terms.ApprovalProducts},
		{NeedsBelowCost, terms.ApprovalBelowCost && below}, {NeedsRules, terms.ApprovalRules && ruled},
	} {
		if reason.is {
			needs = append(needs, reason.name)
		}
	}
	return needs, nil
}

// approval are the rules of second persons before what the unit decides, which may change them.
func approval(u *commands.Unit) (rules.Rules, error) {
	if err := u.Load(commands.RulesStream()); err != nil {
		return rules.Rules{}, err
	}
	return commands.RulesStream().State(u).Rules, nil
}
