package changes

import (
	"encoding/json"

	"shop/commands"
	"shop/domain"
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
func (c *Changes) needs(u *commands.Unit, out *checked, terms rules.Rules) ([]change.Need, error) {
	var needs []change.Need
	if out.proposed {
		needs = append(needs, change.Need{Rule: NeedsRole})
	}
	cut, below := change.Need{Rule: NeedsPriceCut, Bound: terms.ApprovalPriceCut}, change.Need{Rule: NeedsBelowCost}
	ruled, products := false, map[string]bool{}
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
		if terms.FarCut(was.DiscountedPrice, now.DiscountedPrice) {
			if fall := fallOf(was.DiscountedPrice, now.DiscountedPrice); fall > cut.Found {
				cut.Thing, cut.ID, cut.Found = item.Thing, item.ID, fall
			}
		}
		stream, err := product.stream(item.ID)
		if err != nil {
			return nil, err
		}
		if cost := stream.State(u).Cost; now.DiscountedPrice < cost && now.DiscountedPrice < was.DiscountedPrice && below.ID == "" {
			below.Thing, below.ID, below.Found = item.Thing, item.ID, int64(now.DiscountedPrice)
		}
	}
	if cut.ID != "" {
		needs = append(needs, cut)
	}
	if n := int64(len(products)); terms.ApprovalProducts > 0 && n > terms.ApprovalProducts {
		needs = append(needs, change.Need{Rule: NeedsMany, Found: n, Bound: terms.ApprovalProducts})
	}
	if terms.ApprovalBelowCost && below.ID != "" {
		needs = append(needs, below)
	}
	if terms.ApprovalRules && ruled {
		needs = append(needs, change.Need{Rule: NeedsRules})
	}
	return needs, nil
}

// fallOf is by how many percent a price falls, rounded up: a fall beyond a rule is never as large as the rule.
func fallOf(from, to domain.Money) int64 { return int64(((from-to)*100 + from - 1) / from) }

// names are the rules that ask for a second person.
func names(needs []change.Need) (all []string) {
	for _, n := range needs {
		all = append(all, n.Rule)
	}
	return all
}

// approval are the rules of second persons before what the unit decides, which may change them.
func approval(u *commands.Unit) (rules.Rules, error) {
	if err := u.Load(commands.RulesStream()); err != nil {
		return rules.Rules{}, err
	}
	return commands.RulesStream().State(u).Rules, nil
}
