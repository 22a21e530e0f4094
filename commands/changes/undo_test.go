package changes_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/changes"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/change"
	"shop/domain/content"
	"shop/domain/promocode"
	"shop/domain/reply"
	"shop/domain/rules"
	"shop/domain/settings"
)

// shelves are things of a shop of which tests change any field.
type shelves struct {
	desk
	ids map[string][]string
	r   *rand.Rand
}

func fill(t *testing.T, r *rand.Rand) shelves { return filled(open(t), r) }

// filled fills a shop with things that r alone decides.
func filled(d desk, r *rand.Rand) shelves {
	s := shelves{d, map[string][]string{
		"content": {"about", "main-slider"}, "document": {"offer", "privacy"}, "post": {idBy(r)}, "promocode": {"SPRING", "SUMMER"}, "rules": {rules.Stream}, "settings": {settings.Stream}, "replies": {reply.Stream},
	}, r}
	for range 2 {
		for _, thing := range []string{"category", "brand", "mark"} {
			id := idBy(r)
			s.ids[thing] = append(s.ids[thing], id)
			d.must(proposal(asked(thing, id, "whole", "", s.value(thing, "whole"))))
		}
	}
	for range 2 {
		id, added := s.added()
		s.ids["product"], s.ids["stock"] = append(s.ids["product"], id), append(s.ids["stock"], id)
		d.must(proposal(asked("product", id, "added", "", added)))
	}
	said := settings.Default()
	said.SocialName, said.SocialURL = "Instagram", "https://example.kz/0"
	said.Email, said.LegalName, said.RegistrationNumber, said.Address, said.NoDelivery, said.Holidays = "hello@example.kz", "ТОО", "1", settings.Text{RU: "А", KK: "А"}, []int{}, []settings.Holiday{}
	if _, err := (&commands.Settings{Handler: d.Shop.Handler}).Publish(d.T.Context(), said, nil); err != nil {
		d.T.Fatal(err)
	}
	return s
}

func idBy(r *rand.Rand) string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48))
}

// added is a new product.
func (s shelves) added() (id, value string) {
	n := s.r.IntN(1_000_000)
	article := fmt.Sprint("A-", n)
	text, _ := json.Marshal(changes.AddedProduct{
		Article: article, Link: fmt.Sprint("krem-", n), CategoryID: uuid.MustParse(s.ids["category"][0]), Text: catalog.ProductText{Name: "Крем", Composition: "Aqua"},
		Price: 9_000, DiscountedPrice: 9_000, OnHand: 10,
	})
	return commands.ProductID(article).String(), string(text)
}

// keys are all fields, in one order, so that a seed is always the same test.
func (s shelves) keys() [][2]string {
	return slices.SortedFunc(maps.Keys(s.Fields), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
}

// state is everything that fields say of the shop.
func (s shelves) state() map[string]string {
	s.T.Helper()
	var p changes.Proposal
	p.May = everything
	for _, key := range s.keys() {
		if key[1] == "whole" || key[1] == "added" {
			continue // its parts say it, and one change cannot have both
		}
		for _, id := range s.ids[key[0]] {
			p.Items = append(p.Items, changes.Asked{Thing: key[0], ID: id, Field: key[1], Now: json.RawMessage(s.value(key[0], key[1]))})
		}
	}
	a, err := s.DryRun(s.T.Context(), p)
	if err != nil {
		s.T.Fatal(err)
	}
	all := map[string]string{}
	for _, row := range a.Rows {
		all[row.Thing+" "+row.ID+" "+row.Field] = string(row.Was)
	}
	return all
}

// differences are what differs between two states.
func differences(a, b map[string]string) (all []string) {
	for key := range a {
		if a[key] != b[key] {
			all = append(all, fmt.Sprintf("%s: %s, %s", key, a[key], b[key]))
		}
	}
	return all
}

// value is some value of a field.
func (s shelves) value(thing, name string) string {
	n := s.r.IntN(1_000) + 1
	text := func(v any) string { encoded, _ := json.Marshal(v); return string(encoded) }
	some := func(thing string) string { return s.ids[thing][s.r.IntN(len(s.ids[thing]))] }
	picture := catalog.Picture{Src: fmt.Sprintf("/media/%d.webp", n)}
	switch thing + "." + name {
	case "product.prices":
		return text(changes.Prices{Price: domain.Money(9_000 + n), DiscountedPrice: domain.Money(8_000 + n)})
	case "product.price":
		return fmt.Sprint(20_000 + n)
	case "product.discounted_price":
		return fmt.Sprint(1_000 + n)
	case "product.discount":
		return fmt.Sprint(n % 100)
	case "product.added":
		return "null"
	case "product.category_id":
		return text(some("category"))
	case "product.brand_id":
		return text(some("brand"))
	case "product.marks":
		return text([]string{some("mark")})
	case "product.pictures":
		return text([]catalog.Picture{picture})
	case "product.archived", "category.archived", "brand.archived", "mark.archived", "rules.reviews_moderated", "rules.promocode_proof":
		return text(n%2 == 0)
	case "product.gtin":
		return text([]string{"4006381333931", "96385074", "036000291452"}[n%3])
	case "product.measure":
		return text(catalog.Measure{Weight: int64(n)})
	case "product.kazakh":
		return text(catalog.Translation{Name: fmt.Sprint("Крем ", n)})
	case "category.kazakh", "mark.kazakh":
		return text(catalog.Wording{Name: fmt.Sprint("Күтім ", n)})
	case "category.whole":
		return text(catalog.Category{Link: fmt.Sprint("k-", n), Name: fmt.Sprint("Уход ", n)})
	case "brand.whole":
		return text(catalog.Brand{Link: fmt.Sprint("b-", n), Name: fmt.Sprint("Марка ", n)})
	case "rules.whole":
		r := rules.Default()
		r.MinimumSum = domain.Money(n)
		return text(r)
	case "settings.whole":
		r := settings.Default()
		r.Email, r.LegalName, r.Address = fmt.Sprintf("a%d@example.kz", n), "ТОО", settings.Text{RU: "А"}
		return text(r)
	case "mark.whole":
		return text(catalog.Mark{Name: fmt.Sprint("Знак ", n)})
	case "post.article":
		return text(changes.Article{Link: fmt.Sprint("p-", n), Title: "Пост", HTML: fmt.Sprintf("<p>%d</p>", n)})
	case "category.parent_id":
		return text(some("category"))
	case "category.picture", "brand.logo", "brand.picture", "mark.picture":
		return text(picture)
	case "category.link", "brand.link":
		return text(fmt.Sprint("link-", n))
	case "content.slides":
		return text([]content.Slide{{File: picture.Src, Alt: "Весна"}})
	case "document.text":
		return text(changes.Wording{RU: changes.Written{Title: "Оферта", Source: fmt.Sprint(n)}})
	case "promocode.terms":
		return text(promocode.Terms{Kind: promocode.Fixed, Value: int64(n)})
	case "replies.templates":
		return text([]reply.Template{{Name: fmt.Sprint(n), Text: "Спасибо"}})
	case "rules.approval_below_cost", "rules.approval_rules":
		return text(n%2 == 0)
	case "rules.tiers":
		return text([]rules.Tier{{From: domain.Money(n), Percent: 5}})
	case "rules.delivery":
		return text([]rules.CityDelivery{{City: "Алматы", Aliases: []string{fmt.Sprint("А", n)}, Price: domain.Money(n)}})
	case "settings.hours", "settings.address", "settings.pickup", "settings.returns":
		return text(settings.Text{RU: fmt.Sprint("Текст ", n), KK: fmt.Sprint("Мәтін ", n)})
	case "settings.no_delivery":
		return text([]int{n%7 + 1})
	case "settings.holidays":
		return text([]settings.Holiday{{Date: "2026-05-01", Name: settings.Text{RU: fmt.Sprint(n), KK: fmt.Sprint(n)}}})
	case "settings.menu", "settings.footer_menu":
		return text([]settings.MenuEntry{{Text: settings.Text{RU: fmt.Sprint("Меню ", n)}, Address: fmt.Sprint("/", n)}})
	case "settings.email":
		return text(fmt.Sprintf("a%d@example.kz", n))
	case "settings.phone":
		return text(fmt.Sprintf("+7 701 111 %d", 2_000+n))
	case "settings.social_url", "settings.privacy_url", "settings.offer_url":
		return text(fmt.Sprint("https://example.kz/", n))
	}
	switch {
	case thing == "rules" || thing == "stock" || name == "order" || name == "cost" || name == "low_line":
		return fmt.Sprint(n%20 + 1)
	}
	return text(fmt.Sprint("t", n))
}

// proposal makes a change of some random fields; what the shop refuses is left out.
func (s shelves) some(n int) changes.Proposal {
	// A rule that asks for a second person would let the undo wait for one.
	keys := slices.DeleteFunc(s.keys(), func(key [2]string) bool { return strings.HasPrefix(key[1], "approval_") })
	p := changes.Proposal{Title: "Random", Partly: true, May: everything}
	for range n {
		key := keys[s.r.IntN(len(keys))]
		id := s.ids[key[0]][s.r.IntN(len(s.ids[key[0]]))]
		// A block's source makes its text, so one change sets one of them: what the first left is not what the undo finds.
		if key[0] == "content" && key[1] != "slides" && slices.ContainsFunc(p.Items, func(i changes.Asked) bool { return i.Thing == "content" && i.ID == id && i.Field != "slides" }) {
			continue
		}
		p.Items = append(p.Items, changes.Asked{Thing: key[0], ID: id, Field: key[1], Now: json.RawMessage(s.value(key[0], key[1]))})
	}
	return p
}

// TestEveryFieldCanBeChangedAndTakenBack: each by itself, so that none is left out by chance.
func TestEveryFieldCanBeChangedAndTakenBack(t *testing.T) {
	t.Parallel()
	s := fill(t, rand.New(rand.NewPCG(1, 2)))
	for _, key := range s.keys() {
		id, before := s.ids[key[0]][0], s.state()
		var a changes.Answer
		var err error
		for range 50 { // a random value may be the present one
			p := proposal(asked(key[0], id, key[1], "", s.value(key[0], key[1])))
			if a, err = s.Propose(as(t, "staff:a"), p); err == nil {
				break
			}
		}
		if err != nil {
			var refused *changes.Refused
			t.Errorf("%v cannot be changed: %v %v", key, err, refused)
			continue
		}
		if len(differences(before, s.state())) == 0 {
			t.Errorf("%v: nothing changed", key)
		}
		back, err := s.Undo(as(t, "staff:a"), changes.Undoing{Change: a.ID, May: everything})
		if err == nil && back.Status == change.Waiting { // a rule asks for a second person as long as it is in force
			_, err = s.Approve(as(t, "staff:b"), back.ID, "")
		}
		if err != nil {
			t.Errorf("%v cannot be taken back: %v", key, err)
		}
		if left := differences(before, s.state()); len(left) > 0 {
			t.Errorf("%v leaves %s", key, strings.Join(left, "; "))
		}
	}
}

// TestUndoGivesWhatWouldBeWithoutTheChange: a twin shop that never had the change, but all edits that came after it, is the same; what
// the edits touched stays as they made it.
func TestUndoGivesWhatWouldBeWithoutTheChange(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := fill(t, r)
		before := s.state()
		made := s.some(12)
		a, err := s.Propose(as(t, "staff:a"), made)
		if err != nil {
			continue // chance asked for what is so already
		}
		after := s.state()
		edits := besides(s.some(4), made)
		if _, err := s.Propose(as(t, "staff:b"), edits); err != nil {
			edits.Items = nil
		}
		edited := s.state()
		u, err := s.Undo(as(t, "staff:a"), changes.Undoing{Change: a.ID, May: everything})
		if err != nil {
			t.Logf("seed %d: %v", seed, err) // the edits touched all of it
			continue
		}
		undone := s.state()
		for key := range before {
			want := before[key]
			if edited[key] != after[key] {
				want = edited[key] // exactly the edits stay
			}
			if undone[key] != want && !excused(u, key) {
				t.Errorf("seed %d: %s is %s, want %s (it was %s, then %s, then %s)", seed, key, undone[key], want, before[key], after[key], edited[key])
			}
		}
	}
}

// excused: the undo told that it left the thing.
func excused(u changes.Answer, key string) bool {
	for _, row := range u.Rows {
		if row.Outcome != change.Done && strings.HasPrefix(key, row.Thing+" "+row.ID+" ") {
			return true
		}
	}
	return false
}
