package promocode

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"shop/domain"
)

// Refusals of promo code commands; shoppers meet all but the last three.
var (
	ErrUnknown     = domain.Refuse("promocode/unknown", "Промокод не найден")
	ErrRevoked     = domain.Refuse("promocode/revoked", "Промокод больше не действует")
	ErrTooEarly    = domain.Refuse("promocode/too-early", "Промокод ещё не действует")
	ErrExpired     = domain.Refuse("promocode/expired", "Срок действия промокода истёк")
	ErrUsedUp      = domain.Refuse("promocode/used-up", "Промокод уже использован")
	ErrUsedByYou   = domain.Refuse("promocode/used-by-you", "Вы уже использовали этот промокод")
	ErrNotProved   = domain.Refuse("promocode/not-proved", "Этот промокод для покупателей с аккаунтом: войдите и подтвердите e-mail")
	ErrBelowMinSum = domain.Refuse("promocode/below-min-sum", "Сумма заказа меньше той, с которой действует промокод")
	// ErrOtherGoods: nothing in the order is in the code's scope. ErrOtherGroup: the customer is in none of the code's groups.
	ErrOtherGoods = domain.Refuse("promocode/other-goods", "Промокод действует на другие товары")
	ErrOtherGroup = domain.Refuse("promocode/other-group", "Этот промокод для другой группы покупателей")
	// ErrBadCode: a code is 1 to 64 characters without spaces.
	ErrBadCode = domain.Refuse("promocode/bad-code", "A code must have 1 to 64 characters and no space.")
	// ErrBadTerms: the terms contradict themselves. ErrBadScope: the goods or the groups cannot be those of a code. Their messages
	// begin with the field and ": ".
	ErrBadTerms = domain.Refuse("promocode/bad-terms", "The code cannot have such terms.")
	ErrBadScope = domain.Refuse("promocode/bad-scope", "The code cannot be for that.")
)

// Bounds of what a code is for.
const (
	maxScope  = 500
	maxGroups = 20
)

// errLacks: a use was decided over a snapshot of a code that has become limited per customer since. Whoever loads the state has
// to read all its events then.
var errLacks = errors.New("the buyers of a promo code limited per customer are not known: it was not read in full")

// Discount is what the terms take off goods in their scope that are worth a sum, whatever their other conditions. It reads terms
// in place: a history is priced by it.
func (t *Terms) Discount(inScope domain.Money) domain.Money {
	if t.Kind != Percent {
		return min(t.Value, inScope)
	}
	off := domain.PercentOf(inScope, t.Value)
	if t.MaxDiscount > 0 {
		off = min(off, t.MaxDiscount)
	}
	return off
}

// Capped says whether the greatest discount is why a percent takes no more off such a sum.
func (t *Terms) Capped(inScope domain.Money) bool {
	return t.Kind == Percent && t.MaxDiscount > 0 && t.MaxDiscount < domain.PercentOf(inScope, t.Value)
}

// BelowMinSum is the refusal of a TotalSum below MinSum, nil when it is reached.
func (t Terms) BelowMinSum(total domain.Money) *domain.Refusal {
	if total >= t.MinSum {
		return nil
	}
	return ErrBelowMinSum.With("Промокод действует при заказе от " + domain.Tenge(t.MinSum) +
		", не хватает " + domain.Tenge(t.MinSum-total))
}

// check is the refusal of terms that a code cannot have, whose message begins with the field and ": "; nil for terms that it can.
func (t Terms) check() error {
	switch {
	case t.Kind != Percent && t.Kind != Fixed:
		return ErrBadTerms.With("kind: A discount is percent or fixed.")
	case t.Kind == Percent && (t.Value < 1 || t.Value > 100):
		return ErrBadTerms.With("value: A percent must be between 1 and 100.")
	case t.Value < 1 || t.Value > domain.MaxPrice:
		return ErrBadTerms.With("value: A sum must be between 1 and 1000000000 tenge.")
	case t.MaxDiscount != 0 && t.Kind != Percent:
		return ErrBadTerms.With("max_discount: Only a percent has a greatest discount.")
	case t.MaxDiscount < 0 || t.MaxDiscount > domain.MaxPrice:
		return ErrBadTerms.With("max_discount: A greatest discount must be between 1 and 1000000000 tenge, or 0 for none.")
	case t.MinSum < 0 || t.MinSum > domain.MaxPrice:
		return ErrBadTerms.With("min_sum: A least sum must be between 0 and 1000000000 tenge.")
	case t.Uses < 0:
		return ErrBadTerms.With("uses: A limit must be 0 (none) or more.")
	case t.UsesPerUser < 0:
		return ErrBadTerms.With("uses_per_user: A limit must be 0 (none) or more.")
	case !t.ValidFrom.IsZero() && !t.ValidUntil.IsZero() && !t.ValidFrom.Before(t.ValidUntil):
		return ErrBadTerms.With("valid_until: The window must end after it begins.")
	case t.Size() > maxScope:
		return ErrBadScope.With("products: A code is for at most 500 categories, brands and products.")
	case t.NamesNothing():
		return ErrBadScope.With("products: The zero id names nothing.")
	case len(t.Groups) > maxGroups:
		return ErrBadScope.With("groups: A code is for at most 20 groups.")
	// They have to be in their one spelling.
	case slices.ContainsFunc(t.Groups, func(name string) bool { return name == "" || domain.GroupName(name) != name }):
		return ErrBadScope.With("groups: Names of groups are letters, digits and spaces, 40 characters or fewer.")
	}
	return nil
}

// Plain are the terms in their one spelling: what they are for in order, each once.
func (t Terms) Plain() Terms {
	t.Scope = t.Scope.Plain()
	if len(t.Groups) == 0 {
		t.Groups = nil
		return t
	}
	t.Groups = slices.Clone(t.Groups)
	slices.Sort(t.Groups)
	t.Groups = slices.Compact(t.Groups)
	return t
}

func (t Terms) equal(other Terms) bool {
	return t.Kind == other.Kind && t.Value == other.Value && t.MinSum == other.MinSum && t.MaxDiscount == other.MaxDiscount &&
		t.ValidFrom.Equal(other.ValidFrom) && t.ValidUntil.Equal(other.ValidUntil) && t.Uses == other.Uses && t.UsesPerUser == other.UsesPerUser &&
		t.Scope.Equal(other.Scope) && slices.Equal(t.Plain().Groups, other.Plain().Groups)
}

// forMember is the refusal of a customer outside the code's groups, nil for one within. Groups without a proved e-mail do not
// count: anybody could open an account with the address of a member.
func (t Terms) forMember(who Standing) *domain.Refusal {
	switch {
	case len(t.Groups) == 0:
		return nil
	case !who.Proved:
		return ErrNotProved
	case !slices.ContainsFunc(who.Groups, func(name string) bool { return slices.Contains(t.Groups, name) }):
		return ErrOtherGroup
	}
	return nil
}

// Standing is what the shop knows of the customer who gives a code. The zero value is a guest.
type Standing struct {
	// Proved: the customer is signed in, and the e-mail of the account is proved.
	Proved bool
	// Groups are those that staff put the customer into.
	Groups []string
}

// State is a code with its uses. The zero value is a code that does not exist.
type State struct {
	Code    string
	Terms   Terms
	Revoked bool
	// Uses counts the orders that use the code now.
	Uses int64

	issued     []Issued // every issue, in its order
	byOrder    domain.Map[use]
	byCustomer domain.Map[int64] // hash of a buyer → uses
	// anonymous: it was a snapshot, and buyers of before are not in it.
	anonymous bool
}

// use is an order's use of the code: the person whose key seals the buyer, and the hashes of the buyer.
type use struct {
	person domain.ID
	hashes []string
}

// Exists says whether the code was ever issued.
func (s State) Exists() bool { return s.Code != "" }

// TermsAt are the terms that the code had at a moment; false when it was not issued yet.
func (s State) TermsAt(at time.Time) (t Terms, known bool) {
	for _, e := range s.issued {
		if !e.At.After(at) {
			t, known = e.Terms, true
		}
	}
	return t, known
}

// Problem says in Russian why a customer cannot use the code now for an order of totalSum; empty when they can.
// A buyer of whom nothing is known has no limit per customer yet.
func (s State) Problem(buyer Buyer, who Standing, totalSum domain.Money, at time.Time) string {
	if refusal := s.refusal(buyer, who, totalSum, at); refusal != nil {
		return refusal.Message
	}
	return ""
}

func (s State) refusal(buyer Buyer, who Standing, totalSum domain.Money, at time.Time) *domain.Refusal {
	switch {
	case !s.Exists():
		return ErrUnknown
	case s.Revoked:
		return ErrRevoked
	case at.Before(s.Terms.ValidFrom):
		return ErrTooEarly
	case !s.Terms.ValidUntil.IsZero() && !at.Before(s.Terms.ValidUntil):
		return ErrExpired
	}
	if refusal := s.limit(buyer); refusal != nil {
		return refusal
	}
	if refusal := s.Terms.forMember(who); refusal != nil {
		return refusal
	}
	return s.Terms.BelowMinSum(totalSum)
}

// limit is the refusal of one use more, nil when there is one left.
func (s State) limit(buyer Buyer) *domain.Refusal {
	switch {
	case s.Terms.Uses > 0 && s.Uses >= s.Terms.Uses:
		return ErrUsedUp
	case s.Terms.UsesPerUser > 0 && s.usesBy(buyer) >= s.Terms.UsesPerUser:
		return ErrUsedByYou
	}
	return nil
}

// usesBy is how often the code was used with the account, the e-mail or the phone, whichever was used most.
func (s State) usesBy(buyer Buyer) (most int64) {
	for _, hash := range buyer.hashes() {
		uses, _ := s.byCustomer.Get(hash)
		most = max(most, uses)
	}
	return most
}

// hashes are those that are known.
func (b Buyer) hashes() (known []string) {
	for _, hash := range []string{b.Account, b.Email, b.Phone} {
		if hash != "" {
			known = append(known, hash)
		}
	}
	return known
}

// NeedsProof says whether the code may ask for customers who have proved who they are: it is limited per customer.
func (s State) NeedsProof() bool { return s.Exists() && s.Terms.UsesPerUser > 0 }

// ForGroups says whether the code is for groups of customers, so that who gives it has to be known.
func (s State) ForGroups() bool { return s.Exists() && len(s.Terms.Groups) > 0 }

// Decider is a promo code.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Issue:
		code := Normal(c.Code)
		if !utf8.ValidString(c.Code) || !validCode(code) {
			return nil, ErrBadCode
		}
		if err := c.Terms.check(); err != nil {
			return nil, err
		}
		if s.Exists() && !s.Revoked && s.Terms.equal(c.Terms) {
			return nil, nil
		}
		return []Event{Issued{Code: code, Terms: c.Terms.Plain(), At: c.At}}, nil

	case Redeem:
		if _, used := s.byOrder.Get(c.OrderID.String()); used {
			return nil, nil
		}
		if s.Lacks() {
			return nil, errLacks
		}
		refusal := s.refusal(c.Buyer, c.Who, c.TotalSum, c.At)
		if c.Again && s.Exists() {
			refusal = s.limit(c.Buyer)
		}
		if refusal != nil {
			return nil, refusal
		}
		return []Event{Redeemed{
			Code: s.Code, OrderID: c.OrderID, PersonID: c.PersonID, Buyer: c.Buyer, Discount: c.Discount, At: c.At,
		}}, nil

	case Return:
		if _, used := s.byOrder.Get(c.OrderID.String()); !used {
			return nil, nil
		}
		return []Event{Returned{Code: s.Code, OrderID: c.OrderID, At: c.At}}, nil

	case Revoke:
		if !s.Exists() {
			return nil, ErrUnknown
		}
		if s.Revoked {
			return nil, nil
		}
		return []Event{Revoked{Code: s.Code, At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Issued:
		s.Code, s.Terms, s.Revoked = e.Code, e.Terms, false
		s.issued = append(slices.Clip(s.issued), e)
	case Redeemed:
		s.Uses++
		hashes := e.Buyer.hashes()
		if e.Customer != "" {
			hashes = append(hashes, e.Customer)
		}
		s.byOrder = s.byOrder.With(e.OrderID.String(), use{person: e.PersonID, hashes: hashes})
		for _, hash := range hashes {
			uses, _ := s.byCustomer.Get(hash)
			s.byCustomer = s.byCustomer.With(hash, uses+1)
		}
	case Returned:
		u, used := s.byOrder.Get(e.OrderID.String())
		if !used {
			break
		}
		s.Uses--
		s.byOrder = s.byOrder.Without(e.OrderID.String())
		s.byCustomer = fewer(s.byCustomer, u.hashes)
	case Revoked:
		s.Revoked = true
	}
	return s
}

// fewer takes a use from each hash.
func fewer(uses domain.Map[int64], hashes []string) domain.Map[int64] {
	for _, hash := range hashes {
		if n, _ := uses.Get(hash); n > 1 {
			uses = uses.With(hash, n-1)
		} else {
			uses = uses.Without(hash)
		}
	}
	return uses
}

func validCode(code string) bool {
	length := utf8.RuneCountInString(code)
	return length >= 1 && length <= 64 &&
		!strings.ContainsFunc(code, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) })
}
