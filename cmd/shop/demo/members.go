package demo

import (
	"slices"
	"time"

	"shop/domain"
)

const (
	// mostMembers is how many people open an account in the year, and membersToOrders how many at most of a hundred orders.
	mostMembers, membersToOrders = 380, 13
	// strangers is the pull of all who have no account, beside that of the members: it settles how many orders are of
	// customers who come back.
	strangers = 1500
	// rest is how long nobody orders again.
	rest = 5 * 24 * time.Hour
)

// Member is a person with an account.
type Member struct {
	// At is when the account was opened, before the person's first order.
	At time.Time
	Person
	// Password opens the account; empty: none does.
	Password string
}

// member is what the planner knows of a Member: who it is, how fond of the shop, and when last there.
type member struct {
	who, fondness int
	joined, last  time.Time
}

// pull is how likely a member orders now: less from month to month, and not at once.
func (m member) pull(at time.Time) int {
	if at.Sub(m.last) < rest {
		return 0
	}
	months := int(at.Sub(m.joined).Hours() / 24 / 30)
	return m.fondness * 12 / (4 + 2*months)
}

// of says whose an order is. Every so often it is the account's, the newest one too, so that it has something on its way.
func (p *planner) of(i int, at time.Time) (who int) {
	if p.accountOrders > 0 && (i+1)%p.accountOrders == 0 {
		if !p.ordered[0] {
			p.plan.Members = append(p.plan.Members, Member{at.Add(-20 * time.Minute), account, AccountPassword})
		}
		return 0
	}
	if len(p.members) < p.mostMembers && p.r.IntN(p.orders) < p.mostMembers {
		return p.join(at)
	}
	pulls := make([]int, len(p.members)+1)
	for j, m := range p.members {
		pulls[j] = m.pull(at)
	}
	pulls[len(p.members)] = strangers
	if j := newLadder(pulls).pick(p.r); j < len(p.members) {
		p.members[j].last = at
		return p.members[j].who
	}
	// Guests come back too: half of their orders are from the first third of them.
	if chance(p.r, 50) {
		return 1 + p.r.IntN(guests/3)
	}
	return 1 + p.r.IntN(guests)
}

// join lets a new person open an account.
func (p *planner) join(at time.Time) (who int) {
	who = len(p.people)
	p.people, p.ordered = append(p.people, newPerson(p.r, who)), append(p.ordered, false)
	p.members = append(p.members, member{
		who: who, joined: at, last: at, fondness: pickWeighted(p.r, []weighted[int]{{1, 58}, {4, 30}, {12, 12}}),
	})
	p.plan.Members = append(p.plan.Members, Member{At: at.Add(-time.Duration(2+p.r.IntN(20)) * time.Minute), Person: p.people[who]})
	return who
}

// isMember says whether a person of the plan has an account, or will.
func isMember(who int) bool { return who == 0 || who > guests }

// Wait is a member who waits for what is sold out.
type Wait struct {
	At time.Time
	Person
	Article string
}

// Return is when what was sold out is there again, and who waits is told.
type Return struct {
	At      time.Time
	Article string
}

const (
	// daysToWait is for how many days that something is sold out there is one who waits for it.
	daysToWait = 9
	// accountWaits is on how many lists the account is at the end.
	accountWaits = 2
)

// wait puts members on the lists of what is sold out.
func (p *planner) wait() {
	free, since, waiting := map[string]int64{}, map[string]time.Time{}, map[string]map[string]bool{}
	for _, g := range p.goods {
		if free[g.Article] = g.Stock; g.Stock == 0 && !g.Arrival {
			since[g.Article] = p.plan.Opened.Add(15 * time.Minute)
		}
	}
	put := func(who Person, article string, at time.Time) {
		if waiting[article] == nil {
			waiting[article] = map[string]bool{}
		}
		if !waiting[article][who.Email] {
			waiting[article][who.Email] = true
			p.plan.Waits = append(p.plan.Waits, Wait{at, who, article})
		}
	}
	between := func(article string, from, to time.Time) {
		from = from.Add(time.Hour)
		for n := int(to.Sub(from).Hours() / 24 / daysToWait); n > 0 && len(p.members) > 0; n-- {
			at := from.Add(time.Duration(p.r.Int64N(int64(to.Sub(from)))))
			if m := pick(p.r, p.members); m.joined.Before(at) {
				put(p.people[m.who], article, at)
			}
		}
	}
	for _, m := range p.moves() {
		free[m.article] += m.pieces
		from, gone := since[m.article]
		switch {
		case free[m.article] == 0 && !gone:
			since[m.article] = m.at
		case free[m.article] > 0 && gone:
			delete(since, m.article)
			if between(m.article, from, m.at); waiting[m.article] != nil {
				p.plan.Returns = append(p.plan.Returns, Return{m.at, m.article})
				delete(waiting, m.article)
			}
		}
	}
	mine := 0
	for _, g := range p.goods {
		from, gone := since[g.Article]
		if !gone {
			continue
		}
		if mine++; mine <= accountWaits {
			put(account, g.Article, p.now)
		}
		between(g.Article, from, p.now)
	}
	slices.SortStableFunc(p.plan.Waits, func(a, b Wait) int { return a.At.Compare(b.At) })
}

// sumOf is what lines cost at a time.
func (p *planner) sumOf(lines []Line, at time.Time) (sum domain.Money) {
	for _, l := range lines {
		sum += p.costs(p.byArticle[l.Article], at) * l.Amount
	}
	return sum
}
