package demo

import (
	"cmp"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"shop/commands/importer/catalogfile"
	"shop/domain"
)

// Orders is how many orders the demo's past has unless one asks for another number.
const Orders = 3000

const (
	pastDays = 365
	// guests is how many people order without an account.
	guests = 1400
	// ordersOfAccount is how many orders the demo's customer made.
	ordersOfAccount = 12
	// ordersToAbandoned is how many orders are made for each basket that is left behind.
	ordersToAbandoned = 5
	// minimumSum is the shop's least order when the plan was made.
	minimumSum = 7000
	// mostOfOne is how many pieces of a product anybody wants.
	mostOfOne = 5
	// arrivals is how many products came in the last weeks, arrivalDays how long ago.
	arrivals    = 14
	arrivalDays = 18
)

// Good is a product of the demo catalog, as far as the plan needs it.
type Good struct {
	Article string
	// List is the list price, Price what one piece costs, in tenge.
	List, Price domain.Money
	// Stock is what the catalog file says is on hand.
	Stock     int64
	Top, Leaf string
	// Arrival: the product came to the shop in the last weeks.
	Arrival bool
	// Picture is the key of its photograph in Pictures; empty: it has none.
	Picture string
}

// Goods are the products of the demo catalog in its order.
func Goods() ([]Good, error) {
	file, err := catalogfile.Open(CatalogFile(), "catalog.xml", catalogfile.Options{})
	if err != nil {
		return nil, err
	}
	var goods []Good
	for {
		row, err := file.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		picture := ""
		if len(row.Pictures) > 0 {
			picture = row.Pictures[0]
		}
		goods = append(goods, Good{
			Article: row.Article, List: row.Price, Price: cmp.Or(row.DiscountPrice, row.Price), Stock: *row.Stock,
			Top: row.CategoryPath[0], Leaf: row.CategoryPath[len(row.CategoryPath)-1], Picture: picture,
		})
	}
	// Spread over the catalog, so that every category has something new now and then. The first screen shows them, so each
	// has a photograph of its own.
	shown := map[string]bool{"": true}
	for i := range arrivals {
		at := (7 + i*len(goods)/arrivals) % len(goods)
		for goods[at].Stock == 0 || shown[goods[at].Picture] {
			at = (at + 1) % len(goods)
		}
		shown[goods[at].Picture] = true
		goods[at].Arrival = true
	}
	return goods, nil
}

// Past plans a year with so many orders up to now. The same arguments give the same plan.
func Past(now time.Time, goods []Good, orders int, seed uint64) Plan {
	now = now.In(domain.Almaty).Truncate(time.Second)
	y, m, d := now.AddDate(0, 0, -pastDays).Date()
	p := planner{
		r: rand.New(rand.NewPCG(seed, 0x9E3779B97F4A7C15)), now: now, goods: goods,
		plan: Plan{Opened: time.Date(y, m, d, 8, 0, 0, 0, domain.Almaty), Arrived: now.AddDate(0, 0, -arrivalDays), Now: now},
	}
	p.orders, p.mostMembers, p.accountOrders = orders, min(mostMembers, orders*membersToOrders/100), orders/ordersOfAccount
	p.byArticle = map[string]Good{}
	for _, g := range goods {
		p.byArticle[g.Article] = g
	}
	p.popularity()
	if orders > 0 {
		p.legislate()
		p.reprice()
	}
	p.people = append(p.people, account)
	for i := range guests {
		p.people = append(p.people, newPerson(p.r, i+1))
	}
	p.ordered = make([]bool, len(p.people))
	for i, at := range p.moments(orders) {
		p.plan.Orders = append(p.plan.Orders, p.order(i, at))
	}
	if p.accountOrders == 0 { // too few orders for one of the account's
		p.plan.Members = append(p.plan.Members, Member{p.plan.Opened.Add(2 * time.Hour), account, AccountPassword})
	}
	slices.SortStableFunc(p.plan.Members, func(a, b Member) int { return a.At.Compare(b.At) })
	p.receive()
	p.reviews()
	p.r = rand.New(rand.NewPCG(seed, 0xBF58476D1CE4E5B9)) // baskets leave the orders of a seed as they are
	p.price()
	p.abandon(orders / ordersToAbandoned)
	if orders > 0 {
		p.wait()
	}
	return p.plan
}

type planner struct {
	r         *rand.Rand
	now       time.Time
	goods     []Good
	byArticle map[string]Good
	liked     []int // how popular each good is at any time
	// prices are those of each article over the year; none: it always cost the same.
	prices map[string][]Price
	// people are the account, the guests, and then whoever opens an account.
	people  []Person
	ordered []bool // who has ordered before
	members []member
	// used is who has used each promo code.
	used map[string]map[int]bool
	// orders is how many there will be, mostMembers how many members.
	orders, mostMembers int
	// accountOrders is after how many orders the account has its next; 0: it has none.
	accountOrders int
	// onShelf is what of each article is free; nil: there will be enough of what is ordered.
	onShelf map[string]int64
	plan    Plan
}

// popularity gives a few products most of the sales, as in any shop: the weight falls with the rank. What has a
// photograph sells best.
func (p *planner) popularity() {
	p.liked = make([]int, len(p.goods))
	ranked := p.r.Perm(len(p.goods))
	slices.SortStableFunc(ranked, func(a, b int) int {
		switch with, without := p.goods[a].Picture != "", p.goods[b].Picture == ""; {
		case with != without:
			return 0
		case with:
			return -1
		default:
			return 1
		}
	})
	for rank, i := range ranked {
		p.liked[i] = 100_000 / (rank + 8)
	}
}

// moments are the times of the orders: more towards the present, before holidays, on Mondays and in the evening.
func (p *planner) moments(count int) []time.Time {
	var days []time.Time
	var weights []int
	last := p.now.Add(-90 * time.Minute)
	for day := p.plan.Opened; day.Before(last); day = day.AddDate(0, 0, 1) {
		days = append(days, day)
		weights = append(weights, dayWeight(day)*(700+600*len(days)/pastDays)/1000)
	}
	perDay := newLadder(weights)
	perHour := newLadder([]int{3, 1, 1, 0, 0, 1, 3, 8, 18, 34, 46, 52, 60, 56, 48, 44, 42, 44, 50, 60, 72, 76, 52, 20})
	times := make([]time.Time, 0, count)
	for len(times) < count {
		y, m, d := days[perDay.pick(p.r)].Date()
		at := time.Date(y, m, d, perHour.pick(p.r), p.r.IntN(60), p.r.IntN(60), 0, domain.Almaty)
		if at.After(p.plan.Opened.Add(time.Hour)) && at.Before(last) {
			times = append(times, at)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

func dayWeight(day time.Time) int {
	weekday := [...]int{time.Sunday: 108, time.Monday: 116, time.Tuesday: 106, time.Wednesday: 100, time.Thursday: 100, time.Friday: 90, time.Saturday: 80}
	season := 100
	_, m, d := day.Date()
	switch {
	case m == time.November && d >= 23 && d <= 30: // Black Friday
		season = 170
	case m == time.December && d <= 28: // New Year's presents
		season = 130 + 2*d
	case m == time.January && d <= 7:
		season = 55
	case m == time.February && d >= 20, m == time.March && d <= 7: // 8 March
		season = 180
	case m == time.March && d >= 16 && d <= 22: // Nauryz
		season = 125
	case m == time.May && d <= 9:
		season = 85
	case m == time.July, m == time.August && d <= 20:
		season = 80
	}
	return weekday[day.Weekday()] * season / 10
}

// seasonal is how much more of a category is bought in a month, in percent.
func seasonal(g Good, m time.Month) int {
	warm, cold := m >= time.May && m <= time.August, m >= time.November || m <= time.February
	switch {
	case g.Leaf == "Солнце" && warm:
		return 420
	case g.Leaf == "Солнце":
		return 30
	case g.Leaf == "Кремы для рук" && cold, g.Leaf == "Губы и веки" && cold:
		return 180
	case g.Leaf == "Ароматы для дома" && m == time.December, g.Top == "Мужчинам" && m == time.February:
		return 240
	case g.Leaf == "Дезодоранты" && warm:
		return 160
	}
	return 100
}

func (p *planner) order(i int, at time.Time) Order {
	o := Order{At: at, Basket: Basket{Delivery: domain.Delivery}}
	who := p.of(i, at)
	mine := who == 0
	o.Member, o.Person = isMember(who), p.people[who]
	o.SpendBonus = o.Member && p.ordered[who] && chance(p.r, 40)
	if mine { // whatever chance says: of its orders the second, the fifth and so on
		o.SpendBonus = i/p.accountOrders%3 == 1
	}
	home := o.City == mainCity
	if home && chance(p.r, 14) {
		o.Delivery = domain.Pickup
	}
	o.Payment = pickWeighted(p.r, []weighted[domain.PaymentMethod]{{domain.Card, 56}, {domain.KaspiBill, 44}})
	// The account pays in advance: one of its payments is to fail.
	if cash := home && o.Delivery == domain.Delivery && chance(p.r, 20); cash && !mine {
		o.Payment = domain.Cash
	}
	if chance(p.r, 9) {
		o.Comment = pick(p.r, []string{
			"Позвоните за час, пожалуйста", "Домофон не работает", "Оставьте у консьержа", "Удобно после 18:00", "Это подарок, без чека в пакете",
			"Не звоните, ребёнок спит", "Въезд со двора", "Лучше до обеда",
		})
	}
	o.Outcome, o.Steps = p.life(o, mine)
	o.Lines = p.lines(o)
	o.Promocode = p.code(who, at, p.sumOf(o.Lines, at))
	p.ordered[who] = true
	return o
}

// choice is what of the goods is picked for an order.
func (p *planner) choice(o Order) ladder {
	weights := make([]int, len(p.goods))
	for i, g := range p.goods {
		weights[i] = p.liked[i] * seasonal(g, o.At.Month()) / 100
		switch {
		case !p.known(g, o.At):
			weights[i] = 0
		case g.Stock == 0 && o.Outcome != Completed:
			weights[i] = 0 // what is sold out now must not come back from a cancelled order
		case p.onShelf != nil && p.onShelf[g.Article] < mostOfOne:
			weights[i] = 0
		}
	}
	return newLadder(weights)
}

// known says whether shoppers saw a product at a time.
func (p *planner) known(g Good, at time.Time) bool {
	return !g.Arrival || !at.Before(p.plan.Arrived.Add(time.Hour))
}

// lines fill a basket until it is worth ordering, and often a little further.
func (p *planner) lines(o Order) []Line {
	choice := p.choice(o)
	more := pickWeighted(p.r, []weighted[int]{{0, 45}, {1, 28}, {2, 15}, {4, 9}, {8, 3}})
	var lines []Line
	var sum domain.Money
	for sum < minimumSum || more > 0 {
		if sum >= minimumSum {
			more--
		}
		g := p.goods[choice.pick(p.r)]
		if slices.ContainsFunc(lines, func(l Line) bool { return l.Article == g.Article }) {
			continue
		}
		amount := pickWeighted(p.r, []weighted[int64]{{1, 84}, {2, 12}, {3, 3}, {mostOfOne, 1}})
		lines = append(lines, Line{g.Article, amount})
		sum += p.costs(g, o.At) * amount
	}
	return lines
}

// life is what happens to an order. Steps that lie ahead of now are left out.
func (p *planner) life(o Order, mine bool) (Outcome, []Step) {
	l := life{p: p, order: o, mine: mine, at: o.At}
	outcome := Completed
	fate := p.r.IntN(1000)
	if mine {
		fate = p.accountFate(fate)
	}
	switch n := fate; {
	case n < 28:
		outcome = Cancelled
		// Cards are charged at once; who pays otherwise thinks again before, but for the account.
		if o.Payment == domain.Card || mine {
			l.confirm()
			l.then(l.minutes(20, 600), Step{Kind: Cancel, By: "staff", Reason: pick(p.r, []string{"Клиент передумал", "Брак на складе", "Дубль заказа"})})
		} else {
			l.then(l.minutes(3, 9), Step{Kind: Cancel, By: "customer", Reason: pick(p.r, []string{"Ошиблась с адресом", "Передумала", "Закажу позже"})})
		}
	case n < 45:
		outcome = Cancelled
		l.confirm()
		l.then(l.minutes(30, 900), Step{Kind: Cancel, By: "staff", Reason: pick(p.r, []string{"Клиент не отвечает", "Клиент передумал", "Повреждён при сборке"})})
	case n < 85 && o.Payment != domain.Cash:
		l.then(l.minutes(2, 20), Step{Kind: RefusePayment, Reason: pick(p.r, []string{"Недостаточно средств", "Отказ банка", "Не пройдена проверка 3-D Secure"})})
		if outcome = PaymentError; !mine && chance(p.r, 45) {
			outcome = Completed
			l.then(l.minutes(2, 15), Step{Kind: PayAgain})
			l.then(l.minutes(1, 8), Step{Kind: Pay})
			l.deliver()
		}
	case n < 105 && o.Payment != domain.Cash:
		outcome = PaymentError
		wait := 31 * time.Minute
		if o.Payment == domain.KaspiBill {
			wait = 24*time.Hour + time.Minute
		}
		l.then(wait, Step{Kind: ExpirePayment})
	default:
		l.confirm()
		l.deliver()
	}
	for i, s := range l.steps {
		switch {
		case s.At.After(p.now) && s.Kind == Refund:
			return outcome, l.steps[:i]
		case s.At.After(p.now):
			return InProgress, l.steps[:i]
		}
	}
	return outcome, l.steps
}

// life is what happens to an order, as far as it is told.
type life struct {
	p     *planner
	order Order
	// mine: the order is the demo account's.
	mine  bool
	at    time.Time
	steps []Step
}

// then adds a step some time after the one before.
func (l *life) then(after time.Duration, s Step) {
	l.at = l.at.Add(after)
	s.At = l.at
	l.steps = append(l.steps, s)
}

func (l *life) minutes(from, to int) time.Duration {
	return time.Duration(from*60+l.p.r.IntN((to-from)*60)) * time.Second
}

// confirm is staff's word, or the money.
func (l *life) confirm() {
	switch l.order.Payment {
	case domain.Cash:
		if l.at.Hour() >= 19 || l.at.Hour() < 10 { // staff work from 10:00 to 19:00
			l.at = nextMorning(l.at)
		}
		l.then(l.minutes(10, 90), Step{Kind: Approve, By: "staff"})
	case domain.KaspiBill:
		l.then(l.minutes(2, 240), Step{Kind: Pay})
	default:
		l.then(l.minutes(1, 12), Step{Kind: Pay})
	}
}

func (l *life) deliver() {
	if l.at.Hour() >= 18 || l.at.Hour() < 9 {
		l.at = nextMorning(l.at)
	}
	l.then(l.minutes(15, 180), Step{Kind: Process, By: "staff"})
	if l.order.City == mainCity {
		l.then(l.minutes(120, 420), Step{Kind: Complete, By: "staff"})
	} else {
		l.at = nextMorning(l.at.Add(l.minutes(24*60, 5*24*60)))
		l.then(l.minutes(0, 9*60), Step{Kind: Complete, By: "staff"})
	}
	if l.order.Payment != domain.Cash && !l.mine && l.p.r.IntN(1000) < 15 {
		l.at = nextMorning(l.at.Add(l.minutes(24*60, 9*24*60)))
		l.then(l.minutes(0, 9*60), Step{Kind: Refund, By: "staff"})
	}
}

// accountFate lets the account's third order be cancelled and its money given back, and its sixth not be paid, whatever chance says; the others go well.
func (p *planner) accountFate(chance int) int {
	mine := 0
	for _, o := range p.plan.Orders {
		if o.Person == account {
			mine++
		}
	}
	switch mine {
	case 2:
		return 0
	case 5:
		return 50
	default:
		return max(chance, 200)
	}
}

// nextMorning is the next opening at 10:00 that is not a Sunday.
func nextMorning(at time.Time) time.Time {
	y, m, d := at.Date()
	morning := time.Date(y, m, d, 10, 0, 0, 0, domain.Almaty)
	for !morning.After(at) || morning.Weekday() == time.Sunday {
		morning = morning.AddDate(0, 0, 1)
	}
	return morning
}

// receive brings in, at the beginning of each month of the plan, what is ordered in it and is not there any more.
func (p *planner) receive() {
	const period = 30 * 24 * time.Hour
	var spare map[string]int64 // came back from cancelled orders of the months before
	next := 0
	for start := p.plan.Opened; next < len(p.plan.Orders); start = start.Add(period) {
		wanted, back := map[string]int64{}, map[string]int64{}
		for ; next < len(p.plan.Orders) && p.plan.Orders[next].At.Before(start.Add(period)); next++ {
			o := p.plan.Orders[next]
			for _, l := range o.Lines {
				wanted[l.Article] += l.Amount
				// What is cancelled in the next month is back too late for it: reckon without.
				if released := o.Outcome == Cancelled || o.Outcome == PaymentError; released && o.Steps[len(o.Steps)-1].At.Before(start.Add(period)) {
					back[l.Article] += l.Amount
				}
			}
		}
		for _, g := range p.goods {
			need := wanted[g.Article] - spare[g.Article]
			if need > 0 {
				at := start // before any order of the month
				if start.Equal(p.plan.Opened) {
					at = start.Add(15 * time.Minute)
				}
				if g.Arrival && at.Before(p.plan.Arrived) {
					at = p.plan.Arrived.Add(15 * time.Minute)
				}
				p.plan.Receipts = append(p.plan.Receipts, Receipt{at, g.Article, need})
			}
			back[g.Article] += max(0, -need)
		}
		spare = back
	}
	slices.SortStableFunc(p.plan.Receipts, func(a, b Receipt) int { return a.At.Compare(b.At) })
}
