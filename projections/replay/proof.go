package replay

import (
	"context"
	"fmt"
	"slices"

	"shop/domain"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/eventstore"
)

// Progress hears what share of the reading is done: it never falls, and is 1 at the end.
type Progress func(share float64)

// Proof says whether every order still comes to the price it was placed at.
type Proof struct {
	// Position is where the log was read to.
	Position eventstore.Position `json:"position"`
	// Orders were priced again, and Changed counts the changes of their lines that were. Elsewhere counts those that another shop priced, which cannot be.
	Orders    int64 `json:"orders"`
	Changed   int64 `json:"changed"`
	Elsewhere int64 `json:"elsewhere"`
	// Different counts the orders that come out otherwise; Differences tells of the first of them.
	Different   int64        `json:"different"`
	Differences []Difference `json:"differences"`
}

// Difference is an order that comes out otherwise than it was placed.
type Difference struct {
	Number   int64               `json:"number"`
	Position eventstore.Position `json:"position"`
	Why      string              `json:"why"`
	Changes  []Change            `json:"changes"`
}

// toldDifferences is the most orders a Proof tells of.
const toldDifferences = 1000

// Prove prices every order up to a position anew, 0: the head, with the lines it names and the rules and the terms of the
// promo code of its day, and compares totals and lines. Words of an explanation may have changed since; its steps and
// amounts may not.
func Prove(ctx context.Context, store *eventstore.Store, upTo eventstore.Position, progress Progress) (Proof, error) {
	upTo, err := end(ctx, store, upTo)
	if err != nil {
		return Proof{}, err
	}
	p := Proof{Position: upTo, Differences: []Difference{}}
	day := newDay()
	scan := eventstore.Scanning{
		UpTo: upTo, Range: -1, Types: append([]string{order.Placed{}.EventType(), order.LinesChanged{}.EventType()}, dayTypes...), Bare: true, Skim: skimmed(true), Readers: 2,
	}
	err = store.Scan(ctx, scan, func(events []eventstore.Event, reached eventstore.Position) error {
		for _, e := range events {
			day.learn(e.Data)
			var err error
			switch changed := e.Data.(type) {
			case order.Placed:
				err = p.order(day, e.Position, &changed)
			case order.LinesChanged:
				err = p.changed(day, e.Position, &changed)
			}
			if err != nil {
				return err
			}
		}
		progress(float64(reached) / float64(upTo))
		return ctx.Err()
	})
	if err != nil {
		return Proof{}, fmt.Errorf("price all orders again: %w", err)
	}
	return p, nil
}

func (p *Proof) order(day *day, at eventstore.Position, placed *order.Placed) error {
	was := placed.Calculation
	if was.RulesVersion == 0 {
		p.Elsewhere++
		return nil
	}
	p.Orders++
	in, missing := day.input(placed)
	return p.compare(placed.Number, at, was, in, missing)
}

// changed prices an order again whose lines staff changed.
func (p *Proof) changed(day *day, at eventstore.Position, e *order.LinesChanged) error {
	p.Changed++
	in, missing := day.changed(e)
	return p.compare(e.Number, at, e.Calculation, in, missing)
}

func (p *Proof) compare(number int64, at eventstore.Position, was domain.Calculation, in pricing.Input, missing string) error {
	if missing != "" {
		p.differs(Difference{number, at, missing, []Change{}})
		return nil
	}
	is := pricing.Calculate(in)
	if same(was, is) {
		return nil
	}
	found, err := Changes(silent(was), silent(is))
	if err != nil {
		return err
	}
	p.differs(Difference{number, at, reason(was, is), found})
	return nil
}

func (p *Proof) differs(d Difference) {
	if p.Different++; len(p.Differences) < toldDifferences {
		p.Differences = append(p.Differences, d)
	}
}

// same compares without words.
func same(a, b domain.Calculation) bool {
	if !slices.EqualFunc(a.Explanation, b.Explanation, func(x, y domain.Step) bool { return x.Code == y.Code && x.Amount == y.Amount }) {
		return false
	}
	a.Explanation, b.Explanation = nil, nil
	return a.Equal(b)
}

// silent is a calculation without words.
func silent(c domain.Calculation) domain.Calculation {
	c.Explanation = slices.Clone(c.Explanation)
	for i := range c.Explanation {
		c.Explanation[i].Label, c.Explanation[i].Note = "", ""
	}
	return c
}

// reason is the first step from list prices to the total that comes out otherwise.
func reason(was, is domain.Calculation) string {
	amount := func(c domain.Calculation, code string) (sum domain.Money) {
		for _, s := range c.Explanation {
			if s.Code == code {
				sum += s.Amount
			}
		}
		return sum
	}
	for _, s := range append(slices.Clone(was.Explanation), is.Explanation...) {
		if before, after := amount(was, s.Code), amount(is, s.Code); before != after {
			return fmt.Sprintf("%s was %d and comes to %d under rules version %d", s.Code, before, after, is.RulesVersion)
		}
	}
	return fmt.Sprintf("the steps are the same under rules version %d, the order's record is not", is.RulesVersion)
}

// end is where reading up to a position ends; 0 asks for the head.
func end(ctx context.Context, store *eventstore.Store, upTo eventstore.Position) (eventstore.Position, error) {
	head, err := store.Head(ctx)
	if err != nil || upTo == 0 {
		return head, err
	}
	return min(upTo, head), nil
}

// day is what prices depend on besides the basket, as it stands where the log is read.
type day struct {
	rules map[int64]rules.Rules
	terms map[string]promocode.Terms
	// ever are all terms that codes had.
	ever map[string][]promocode.Terms
}

var dayTypes = []string{rules.Changed{}.EventType(), promocode.Issued{}.EventType()}

func newDay() *day {
	return &day{map[int64]rules.Rules{}, map[string]promocode.Terms{}, map[string][]promocode.Terms{}}
}

func (d *day) learn(event any) {
	switch e := event.(type) {
	case rules.Changed:
		d.rules[e.Version] = e.Rules
	case promocode.Issued:
		d.terms[e.Code] = e.Terms
		d.ever[e.Code] = append(d.ever[e.Code], e.Terms)
	}
}

// input is what an order's price depended on; missing names what the log does not say.
func (d *day) input(placed *order.Placed) (in pricing.Input, missing string) {
	c := &placed.Calculation
	in = pricing.Input{
		Lines: make([]pricing.Line, len(c.Lines)), RulesVersion: c.RulesVersion, City: placed.City,
		DeliveryType: placed.DeliveryType, PaymentMethod: placed.PaymentMethod, BonusBalance: c.BonusSpent, SpendBonus: c.BonusSpent, Manual: c.Manual, At: placed.At,
	}
	var known bool
	if in.Rules, known = d.rules[c.RulesVersion]; !known {
		return in, fmt.Sprintf("rules version %d is not in the log before the order", c.RulesVersion)
	}
	for i, l := range c.Lines {
		in.Lines[i] = pricing.Line{
			ProductID: l.ProductID, Article: l.Article, Name: l.Name, Link: l.Link, Picture: l.Picture,
			Amount: l.Amount, Price: l.Price, DiscountedPrice: l.DiscountedPrice, InScope: l.InScope,
		}
	}
	if c.PromocodeApplied != "" {
		terms, known := d.terms[c.PromocodeApplied]
		if !known {
			return in, fmt.Sprintf("promo code %s is not in the log before the order", c.PromocodeApplied)
		}
		in.Promocode = &pricing.Code{Code: c.PromocodeApplied, Terms: terms}
	}
	return in, ""
}

// changed is what the price of changed lines depended on. The terms of the promo code are those that the change names, if the code
// ever had them.
func (d *day) changed(e *order.LinesChanged) (in pricing.Input, missing string) {
	as := order.Placed{City: e.City, DeliveryType: e.DeliveryType, PaymentMethod: e.PaymentMethod, Calculation: e.Calculation, At: e.At}
	as.Calculation.PromocodeApplied = ""
	if in, missing = d.input(&as); missing != "" {
		return in, missing
	}
	in.Edited = true
	for i, l := range in.Lines {
		for _, p := range e.ByHand {
			if p.ProductID == l.ProductID {
				in.Lines[i].Price, in.Lines[i].HandReason, in.Lines[i].HandWas = max(p.List, p.Price), p.Reason, p.Was
			}
		}
	}
	if c := e.Promocode; c != nil {
		at := slices.IndexFunc(d.ever[c.Code], func(t promocode.Terms) bool {
			return string(t.Kind) == c.Kind && t.Value == c.Value && t.MinSum == c.MinSum && t.MaxDiscount == c.MaxDiscount && t.Scope.Equal(c.Scope)
		})
		if at < 0 {
			return in, fmt.Sprintf("promo code %s never had the terms that the change of lines names", c.Code)
		}
		in.Promocode = &pricing.Code{Code: c.Code, Terms: d.ever[c.Code][at]}
	}
	return in, ""
}
