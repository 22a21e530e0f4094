package order

import (
	"slices"
	"strings"
	"time"

	"shop/domain"
)

// Refusals of goods that come back.
var (
	// ErrNotReturnable: goods come back once they are with the customer.
	ErrNotReturnable  = domain.Refuse("order/not-returnable", "Вернуть можно товары завершённого заказа")
	ErrReturnsOff     = domain.Refuse("order/returns-off", "Магазин не принимает возвраты через сайт: напишите нам")
	ErrReturnTooLate  = domain.Refuse("order/return-too-late", "Срок возврата истёк")
	ErrNothingBack    = domain.Refuse("order/nothing-back", "Отметьте, что и сколько возвращается")
	ErrReturnTooMany  = domain.Refuse("order/return-too-many", "Столько этого товара в заказе не осталось")
	ErrReturnAsked    = domain.Refuse("order/return-asked", "Заявка на возврат уже рассматривается")
	ErrNoReturnAsked  = domain.Refuse("order/no-return-asked", "Такой заявки на возврат нет")
	ErrMoreThanAsked  = domain.Refuse("order/more-than-asked", "Принять можно не больше, чем указано в заявке")
	ErrReturnRecorded = domain.Refuse("order/return-recorded", "Этот возврат уже записан")
)

// BackLine is what comes back of a line.
type BackLine struct {
	ProductID domain.ID `json:"product_id"`
	Amount    int64     `json:"amount"`
	// WrittenOff: the goods cannot be sold again; otherwise they go into stock.
	WrittenOff bool `json:"written_off"`
}

// ReturnedLine is what came back of a line, the money it cost, which goes back, and the bonuses that paid for it besides.
type ReturnedLine struct {
	ProductID  domain.ID    `json:"product_id"`
	Amount     int64        `json:"amount"`
	WrittenOff bool         `json:"written_off"`
	Money      domain.Money `json:"money"`
	Bonuses    domain.Money `json:"bonuses"`
}

// AskedLine is what a customer wants to bring back of a line.
type AskedLine struct {
	ProductID domain.ID `json:"product_id"`
	Amount    int64     `json:"amount"`
}

// ReturnRequested is a customer's wish to bring goods back.
type ReturnRequested struct {
	RequestID domain.ID   `json:"request_id"`
	Lines     []AskedLine `json:"lines"`
	// PersonID is the order's, whose key seals what the customer wrote.
	PersonID domain.ID `json:"person_id"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
}

// Personal seals what the customer wrote.
func (r ReturnRequested) Personal() domain.Personal {
	return domain.Personal{Person: r.PersonID, Fields: []string{"reason"}}
}

// ReturnDeclined is the shop's no to a request.
type ReturnDeclined struct {
	RequestID domain.ID `json:"request_id"`
	Reason    string    `json:"reason"`
	At        time.Time `json:"at"`
}

// GoodsReturned brought goods back to the shop. The order costs so much less, and its status stays.
type GoodsReturned struct {
	ReturnID domain.ID `json:"return_id"`
	// RequestID is the request that is granted by it; zero: staff took the goods without one.
	RequestID domain.ID      `json:"request_id,omitzero"`
	Lines     []ReturnedLine `json:"lines"`
	// Money and Bonuses are the sums of the lines.
	Money   domain.Money `json:"money"`
	Bonuses domain.Money `json:"bonuses"`
	Reason  string       `json:"reason"`
	// Late is why staff took the goods after the time that the rules give; empty: in time.
	Late string    `json:"late,omitempty"`
	At   time.Time `json:"at"`
}

func (ReturnRequested) EventType() string { return "order.return-requested" }
func (ReturnDeclined) EventType() string  { return "order.return-declined" }
func (GoodsReturned) EventType() string   { return "order.goods-returned" }
func (ReturnRequested) isEvent()          {}
func (ReturnDeclined) isEvent()           {}
func (GoodsReturned) isEvent()            {}

func (r ReturnRequested) When() time.Time { return r.At }
func (e ReturnDeclined) When() time.Time  { return e.At }
func (e GoodsReturned) When() time.Time   { return e.At }

// RequestReturn is a customer's wish to bring goods back within Days after completion; 0: the shop takes no such wishes.
type RequestReturn struct {
	RequestID domain.ID
	Lines     []AskedLine
	Reason    string
	Days      int64
	At        time.Time
}

// DeclineReturn is the shop's no.
type DeclineReturn struct {
	RequestID domain.ID
	Reason    string
	At        time.Time
}

// ReturnGoods records goods that came back. After Days (0: at any time) Late says why they were taken all the same.
type ReturnGoods struct {
	ReturnID  domain.ID
	RequestID domain.ID
	Lines     []BackLine
	Reason    string
	Late      string
	Days      int64
	At        time.Time
}

func (RequestReturn) isCommand() {}
func (DeclineReturn) isCommand() {}
func (ReturnGoods) isCommand()   {}

// Return is an open request.
type Return struct {
	ID    domain.ID   `json:"id"`
	Lines []AskedLine `json:"lines"`
	At    time.Time   `json:"at"`
}

// ReturnUntil is when the time to bring goods back ends; zero: it has not begun.
func (s State) ReturnUntil(days int64) time.Time {
	if s.CompletedAt.IsZero() {
		return time.Time{}
	}
	return s.CompletedAt.AddDate(0, 0, int(days))
}

// Back is how many pieces of a product came back.
func (s State) Back(product domain.ID) (pieces int64) {
	for _, l := range s.Returned {
		if l.ProductID == product {
			pieces += l.Amount
		}
	}
	return pieces
}

// Left is how many pieces of a product the customer has.
func (s State) Left(product domain.ID) (pieces int64) {
	for _, l := range s.Placed.Calculation.Lines {
		if l.ProductID == product {
			pieces += l.Amount
		}
	}
	return pieces - s.Back(product)
}

// Returnable says whether goods may come back: they are with the customer, and not all came back.
func (s State) Returnable() bool {
	return !s.CompletedAt.IsZero() && !s.Imported && s.Pieces() > s.piecesBack()
}

func (s State) piecesBack() (pieces int64) {
	for _, l := range s.Returned {
		pieces += l.Amount
	}
	return pieces
}

func decideReturn(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case RequestReturn:
		return decideRequestReturn(c, s)
	case DeclineReturn:
		reason, err := plainReason(c.Reason)
		switch {
		case s.ReturnAsked == nil || s.ReturnAsked.ID != c.RequestID:
			return nil, ErrNoReturnAsked
		case err != nil:
			return nil, err
		}
		return []Event{ReturnDeclined{RequestID: c.RequestID, Reason: reason, At: c.At}}, nil
	case ReturnGoods:
		return decideReturnGoods(c, s)
	default:
		return nil, domain.UnknownCommand(command)
	}
}

func decideRequestReturn(c RequestReturn, s State) ([]Event, error) {
	reason, err := plainReason(c.Reason)
	switch {
	case !s.Returnable() || s.Forgotten:
		return nil, ErrNotReturnable
	case c.Days <= 0:
		return nil, ErrReturnsOff
	case c.At.After(s.ReturnUntil(c.Days)):
		return nil, ErrReturnTooLate
	case s.ReturnAsked != nil:
		return nil, ErrReturnAsked
	case err != nil:
		return nil, err
	}
	lines := make([]BackLine, len(c.Lines))
	for i, l := range c.Lines {
		lines[i] = BackLine{ProductID: l.ProductID, Amount: l.Amount}
	}
	if err := s.canComeBack(lines); err != nil {
		return nil, err
	}
	return []Event{ReturnRequested{RequestID: c.RequestID, Lines: slices.Clone(c.Lines), PersonID: s.Placed.PersonID, Reason: reason, At: c.At}}, nil
}

// canComeBack refuses lines that the customer has not got.
func (s State) canComeBack(lines []BackLine) error {
	if len(lines) == 0 {
		return ErrNothingBack
	}
	pieces := map[domain.ID]int64{}
	for _, l := range lines {
		if l.Amount < 1 {
			return ErrNothingBack
		}
		if pieces[l.ProductID] += l.Amount; l.Amount > s.Pieces() || pieces[l.ProductID] > s.Left(l.ProductID) {
			return ErrReturnTooMany
		}
	}
	return nil
}

func decideReturnGoods(c ReturnGoods, s State) ([]Event, error) {
	reason, err := plainReason(c.Reason)
	late := strings.TrimSpace(c.Late)
	switch {
	case slices.Contains(s.returns, c.ReturnID):
		return nil, nil
	case !s.Returnable():
		return nil, ErrNotReturnable
	case err != nil:
		return nil, err
	case c.Days > 0 && c.At.After(s.ReturnUntil(c.Days)) && late == "":
		return nil, ErrReturnTooLate
	}
	if err := s.canComeBack(c.Lines); err != nil {
		return nil, err
	}
	if c.RequestID != (domain.ID{}) {
		if s.ReturnAsked == nil || s.ReturnAsked.ID != c.RequestID {
			return nil, ErrNoReturnAsked
		}
		if !within(c.Lines, s.ReturnAsked.Lines) {
			return nil, ErrMoreThanAsked
		}
	}
	if c.Days <= 0 || !c.At.After(s.ReturnUntil(c.Days)) {
		late = ""
	}
	e := GoodsReturned{ReturnID: c.ReturnID, RequestID: c.RequestID, Reason: reason, Late: late, At: c.At}
	gone := map[domain.ID]int64{} // by earlier lines of this return
	for _, l := range c.Lines {
		from := s.Back(l.ProductID) + gone[l.ProductID]
		back := ReturnedLine{ProductID: l.ProductID, Amount: l.Amount, WrittenOff: l.WrittenOff}
		back.Money, back.Bonuses = s.worth(l.ProductID, from, from+l.Amount)
		gone[l.ProductID] += l.Amount
		e.Lines = append(e.Lines, back)
		e.Money += back.Money
		e.Bonuses += back.Bonuses
	}
	return []Event{e}, nil
}

// within says whether no more comes back than was asked for.
func within(lines []BackLine, asked []AskedLine) bool {
	room := map[domain.ID]int64{}
	for _, l := range asked {
		room[l.ProductID] += l.Amount
	}
	for _, l := range lines {
		if room[l.ProductID] -= l.Amount; room[l.ProductID] < 0 {
			return false
		}
	}
	return true
}

// worth is what the pieces of a line from one up to another cost: the money and the bonuses that paid for them. The parts of a
// line add up to it whatever comes back first.
func (s State) worth(product domain.ID, from, to int64) (money, bonuses domain.Money) {
	for i, l := range s.Placed.Calculation.Lines {
		if l.ProductID != product {
			continue
		}
		spent := s.bonusShares()[i]
		part := func(sum domain.Money) domain.Money {
			return domain.PartOf(sum, to, l.Amount) - domain.PartOf(sum, from, l.Amount)
		}
		return part(l.Total - spent), part(spent)
	}
	return 0, 0
}

// Worth is the money that goes back with goods.
func (s State) Worth(lines []BackLine) (sum domain.Money) {
	gone := map[domain.ID]int64{}
	for _, l := range lines {
		from := s.Back(l.ProductID) + gone[l.ProductID]
		if l.Amount < 1 || l.Amount > s.Left(l.ProductID)-gone[l.ProductID] {
			continue // refused when it is decided
		}
		money, _ := s.worth(l.ProductID, from, from+l.Amount)
		gone[l.ProductID] += l.Amount
		sum += money
	}
	return sum
}

// bonusShares are the parts of the lines in the bonuses that pay for the order, by the largest remainder.
func (s State) bonusShares() []domain.Money {
	c := s.Placed.Calculation
	shares, lost, left := make([]domain.Money, len(c.Lines)), make([]domain.Money, len(c.Lines)), c.BonusSpent
	if c.BonusSpent == 0 || c.DiscountedSum == 0 {
		return shares
	}
	order := make([]int, len(c.Lines))
	for i, l := range c.Lines {
		order[i] = i
		shares[i], lost[i] = domain.PartDown(c.BonusSpent, l.Total, c.DiscountedSum)
		left -= shares[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case lost[a] > lost[b]:
			return -1
		case lost[a] < lost[b]:
			return 1
		}
		return 0
	})
	for _, i := range order[:left] {
		shares[i]++
	}
	return shares
}

// evolveReturn folds goods that came back, and wishes of that.
func evolveReturn(s State, event Event) State {
	switch e := event.(type) {
	case ReturnRequested:
		s.ReturnAsked = &Return{ID: e.RequestID, Lines: e.Lines, At: e.At}
	case ReturnDeclined:
		s.ReturnAsked = nil
	case GoodsReturned:
		s.Returned = append(slices.Clip(s.Returned), e.Lines...)
		s.returns = append(slices.Clip(s.returns), e.ReturnID)
		s.GoodsBack += e.Money
		s.BonusesBack += e.Bonuses
		if s.ReturnAsked != nil && s.ReturnAsked.ID == e.RequestID {
			s.ReturnAsked = nil
		}
	default: // the others say nothing of it
	}
	return s
}
