package merchant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/payments"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/stock"
	"shop/eventstore"
)

// Line is a line as it should be.
type Line struct {
	ProductID domain.ID `json:"product_id"`
	Amount    int64     `json:"amount"`
	// Price is what staff want for one piece, nil: what the line costs by itself. Reason says why.
	Price  *domain.Money `json:"price"`
	Reason string        `json:"reason"`
}

// Lines are all lines of an order as they should be.
type Lines struct {
	// Version is that of the order that the change was made of; 0: any.
	Version eventstore.Version `json:"version"`
	Lines   []Line             `json:"lines"`
	Reason  string             `json:"reason"`
	// MaxDiscount is how many percent off whoever asks may give by hand; 0: any.
	MaxDiscount int64 `json:"-"`
}

// Messages about single lines.
const (
	msgTwice      = "Этот товар уже есть в заказе"
	msgUnknown    = "Такого товара нет"
	msgArchived   = "Товар больше не продаётся"
	msgBadAmount  = "Количество — от 1 до %d"
	msgBadPrice   = "Цена — от 0 до %s"
	msgNoReason   = "Укажите, почему цена другая"
	msgTooCheap   = "Ваша роль может снизить цену не больше чем на %s: до %s"
	msgNotEnough  = "В наличии только %d"
	maxLineReason = 200
)

// ChangeLines gives an order other lines: more, fewer, other amounts, other prices by hand. It is priced by the rules that the order
// was placed by, at the prices of its lines; lines that are new cost what they cost today. Stock, promo code and bonuses move in
// the same append; a bill for what is lacking is opened by the way the order is paid, and what is too much goes back by the way it
// came. Errors of fields are *commands.Invalid, another version is *Overtaken.
func (o *Orders) ChangeLines(ctx context.Context, id domain.ID, c Lines) (eventstore.Position, error) {
	owes := false
	position, err := o.change(ctx, id, c.Version, func(u *unit) error {
		if !u.was.Editable() {
			return order.ErrNotEditable
		}
		if len(c.Lines) == 0 {
			return order.ErrLastLine
		}
		in, err := u.input(ctx)
		if err != nil {
			return err
		}
		prices, err := u.takeLines(&in, c)
		if err != nil {
			return err
		}
		if err := u.reprice(in, prices, u.was.Placed.City, c.Reason); err != nil {
			return err
		}
		owes = len(u.order.State(u.Unit).Owed()) > 0
		return nil
	})
	if err == nil && owes {
		position = o.giveBack(ctx, id, position)
	}
	return position, err
}

// Preview is what a change of lines would make of an order's price, and of the money it lacks; nothing is written.
func (o *Orders) Preview(ctx context.Context, id domain.ID, c Lines) (domain.Calculation, error) {
	var found domain.Calculation
	_, err := o.change(ctx, id, 0, func(u *unit) error {
		in, err := u.input(ctx)
		if err != nil {
			return err
		}
		if _, err := u.takeLines(&in, c); err != nil {
			return err
		}
		found = pricing.Calculate(in)
		return nil
	})
	return found, err
}

// input is what the price of the order depends on, without its lines.
func (u *unit) input(ctx context.Context) (pricing.Input, error) {
	p, c := u.was.Placed, u.was.Placed.Calculation
	terms, err := u.rulesOf(ctx)
	if err != nil {
		return pricing.Input{}, err
	}
	in := pricing.Input{
		Rules: terms, RulesVersion: c.RulesVersion, City: p.City, DeliveryType: p.DeliveryType, PaymentMethod: p.PaymentMethod,
		BonusBalance: c.BonusSpent, SpendBonus: c.BonusSpent, Manual: c.Manual, Edited: true, At: u.At(),
	}
	code, err := u.code()
	if err != nil || code == nil {
		return in, err
	}
	in.Promocode = &pricing.Code{Code: code.Code, Terms: termsOf(code)}
	return in, nil
}

// ownLine is a line of the order as it would be priced without staff's hand.
func (u *unit) ownLine(l domain.PricedLine) pricing.Line {
	line := pricing.Line{
		ProductID: l.ProductID, Article: l.Article, Name: l.Name, Link: l.Link, Picture: l.Picture, Amount: l.Amount, Price: l.Price, DiscountedPrice: l.DiscountedPrice, InScope: l.InScope,
	}
	if by, ok := u.was.HandPriceOf(l.ProductID); ok {
		line.Price, line.DiscountedPrice = by.List, by.Was
	}
	return line
}

// keepLines prices the lines that the order has.
func (u *unit) keepLines(in *pricing.Input) {
	for _, l := range u.was.Placed.Calculation.Lines {
		line := u.ownLine(l)
		if by, ok := u.was.HandPriceOf(l.ProductID); ok {
			line.DiscountedPrice, line.HandReason, line.HandWas = by.Price, by.Reason, by.Was
		}
		in.Lines = append(in.Lines, line)
	}
}

// takeLines puts the lines that are asked for into the input; what is wrong with them is told line by line.
func (u *unit) takeLines(in *pricing.Input, c Lines) (prices []order.HandPrice, err error) {
	wrong, bad := make([]commands.LineError, len(c.Lines)), false
	refs := make([]commands.Ref, 0, 2*len(c.Lines))
	for _, l := range c.Lines {
		refs = append(refs, commands.ProductStream(l.ProductID), commands.StockStream(l.ProductID))
	}
	if err := u.Load(refs...); err != nil {
		return nil, err
	}
	if err := u.scopeOf(in, c.Lines); err != nil {
		return nil, err
	}
	seen := map[domain.ID]bool{}
	for i, asked := range c.Lines {
		wrong[i] = commands.LineError{}
		line, field, message := u.line(asked, seen[asked.ProductID], in.Rules.MaxPerOrder)
		seen[asked.ProductID] = true
		if in.Promocode != nil && message == "" && !u.ordered(asked.ProductID) {
			line.InScope = u.InScope(in.Promocode.Terms.Scope, asked.ProductID)
		}
		if message == "" && asked.Price != nil && *asked.Price != line.DiscountedPrice {
			var price order.HandPrice
			if price, field, message = u.handPrice(asked, line, c.MaxDiscount); message == "" {
				line.DiscountedPrice, line.HandReason, line.HandWas = price.Price, price.Reason, price.Was
				prices = append(prices, price)
			}
		}
		if message != "" {
			wrong[i][field], bad = []string{message}, true
		}
		in.Lines = append(in.Lines, line)
	}
	if bad {
		return nil, &commands.Invalid{Fields: map[string]any{"lines": wrong}}
	}
	return prices, nil
}

// scopeOf follows what tells whether lines that are new are in the scope of the order's promo code. The others keep what they were.
func (u *unit) scopeOf(in *pricing.Input, lines []Line) error {
	if in.Promocode == nil {
		return nil
	}
	var added []domain.ID
	for _, l := range lines {
		if !u.ordered(l.ProductID) {
			added = append(added, l.ProductID)
		}
	}
	return u.FollowScope(in.Promocode.Terms.Scope, added...)
}

// ordered says whether the order has a line of the product.
func (u *unit) ordered(product domain.ID) bool {
	return slices.ContainsFunc(u.was.Placed.Calculation.Lines, func(l domain.PricedLine) bool { return l.ProductID == product })
}

// line is a line that is asked for, at its own price: that of the order, or of today when it is new.
func (u *unit) line(asked Line, twice bool, most int64) (line pricing.Line, field, message string) {
	had := int64(0)
	for _, l := range u.was.Placed.Calculation.Lines {
		if l.ProductID == asked.ProductID {
			line, had = u.ownLine(l), l.Amount
		}
	}
	if twice {
		return line, "product_id", msgTwice
	}
	if had == 0 {
		stream := commands.ProductStream(asked.ProductID)
		product := stream.State(u.Unit)
		switch {
		case asked.ProductID == uuid.Nil || !stream.Exists(u.Unit):
			return line, "product_id", msgUnknown
		case !product.Sellable():
			return line, "product_id", msgArchived
		}
		line = pricing.Line{
			ProductID: asked.ProductID, Article: product.Article, Name: product.Text.Name, Link: product.Link, Picture: product.MainPicture(),
			Price: product.Price, DiscountedPrice: product.DiscountedPrice,
		}
	}
	line.Amount = asked.Amount
	if asked.Amount < 1 || asked.Amount > most {
		return line, "amount", fmt.Sprintf(msgBadAmount, most)
	}
	stocked := commands.StockStream(asked.ProductID).State(u.Unit)
	if can := stocked.Held(u.id) + stocked.Free(); asked.Amount > had && asked.Amount > can {
		return line, "amount", fmt.Sprintf(msgNotEnough, can)
	}
	return line, "", ""
}

// handPrice is the price that staff want for a line, when they may have it. One that holds already is nobody's new discount.
func (u *unit) handPrice(asked Line, own pricing.Line, most int64) (price order.HandPrice, field, message string) {
	price = order.HandPrice{
		ProductID: asked.ProductID, Price: *asked.Price, List: own.Price, Was: own.DiscountedPrice, Reason: strings.TrimSpace(asked.Reason),
	}
	held, known := u.was.HandPriceOf(asked.ProductID)
	if known && held.Price == price.Price && price.Reason == "" {
		price.Reason = held.Reason
	}
	least := own.DiscountedPrice - domain.PercentOf(own.DiscountedPrice, most)
	switch {
	case price.Price < 0 || price.Price > domain.MaxPrice:
		return price, "price", fmt.Sprintf(msgBadPrice, domain.Tenge(domain.MaxPrice))
	case price.Reason == "" || len([]rune(price.Reason)) > maxLineReason:
		return price, "reason", msgNoReason
	case most > 0 && price.Price < least && (!known || held.Price != price.Price):
		return price, "price", fmt.Sprintf(msgTooCheap, domain.Percent(most), domain.Tenge(least))
	}
	return price, "", ""
}

// reprice prices the input and moves the order with all that it holds. A promo code that somebody else has used up meanwhile brings
// nothing more.
func (u *unit) reprice(in pricing.Input, prices []order.HandPrice, city, reason string) error {
	if in.Promocode == nil {
		return u.priceAs(in, prices, city, reason)
	}
	code := commands.PromocodeStream(in.Promocode.Code)
	if err := u.Load(code); err != nil {
		return err
	}
	back := u.Savepoint(u.order, code)
	err := u.priceAs(in, prices, city, reason)
	var refusal *domain.Refusal
	if !errors.As(err, &refusal) || !strings.HasPrefix(refusal.Code, "promocode/") {
		return err
	}
	back()
	in.Promocode = nil
	return u.priceAs(in, prices, city, reason)
}

func (u *unit) priceAs(in pricing.Input, prices []order.HandPrice, city, reason string) error {
	change := order.ChangeLines{Calculation: pricing.Calculate(in), ByHand: prices, City: city, Reason: reason, At: u.At()}
	if in.Promocode != nil {
		change.Promocode = usedCode(in.Promocode.Code, in.Promocode.Terms)
	}
	decided := u.Decided()
	if err := u.order.Do(u.Unit, change); err != nil {
		return err
	}
	if u.Decided() == decided {
		return nil // the same as before
	}
	if err := u.moveCode(); err != nil {
		return err
	}
	if err := u.holdGoods(); err != nil {
		if errors.Is(err, stock.ErrNotEnough) {
			return stock.ErrNotEnough.With("Товара больше нет в нужном количестве")
		}
		return err
	}
	if err := u.moveBonuses(); err != nil {
		return err
	}
	return u.askForRest()
}

// askForRest opens a bill for what the order lacks now, in place of one for another sum.
func (u *unit) askForRest() error {
	now := u.order.State(u.Unit)
	if !now.MayAskForMoney() || now.AwaitsPayment() {
		return nil
	}
	ask := order.RequestPayment{PaymentID: payments.ID(u.id, now.Attempt+1), Provider: u.Orders.Orders.Providers.Current.Name(), At: u.At()}
	if now.Status == order.StatusReceived {
		ask.PayBefore = commands.RulesStream().State(u.Unit).Rules.PayBefore(now.Placed.PaymentMethod, u.At())
	}
	return u.order.Do(u.Unit, ask)
}
