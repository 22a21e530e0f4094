package mail

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"shop/domain"
)

// spoken is a letter in another language than Russian.
type spoken struct {
	Content
	language string
}

// In is a letter in a language; Russian where the language is empty or has no letters.
func In(language string, c Content) Content {
	if c == nil || language != domain.Kazakh {
		return c
	}
	return spoken{c, language}
}

// languageOf is a letter's content and its language.
func languageOf(c Content) (Content, string) {
	if s, is := c.(spoken); is {
		return s.Content, s.language
	}
	return c, ""
}

// language is what letters say outside their templates.
type language struct {
	months   [12]string
	weekdays [7]string
	pieces   string
	// pickup and vague say where an order goes whose address the letter does not name.
	pickup, vague string
	paidBy        map[domain.PaymentMethod]string
	// gone, added, instead and price are formats of a line that staff changed.
	gone, added, instead, price string
	// ordered says why somebody gets a letter about an order, why that of other kinds.
	ordered string
	why     map[Kind]string
	// step says a step of an explanation.
	step func(domain.Step) domain.Step
}

var (
	aboutAccounts = []Kind{
		KindVerifyEmail, KindWelcome, KindResetCode, KindResetTries, KindRegistered, KindPasswordChanged, KindEmailRequested, KindEmailChanged, KindNewDevice, KindAccountErased,
	}
	languages = map[string]*language{"": russian(), domain.Kazakh: kazakh()}
)

func russian() *language {
	return (&language{
		months:   [12]string{"января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря"},
		weekdays: [7]string{"воскресенье", "понедельник", "вторник", "среда", "четверг", "пятница", "суббота"},
		pieces:   "шт.", vague: "Доставка по адресу, указанному в заказе", pickup: "Самовывоз",
		paidBy: map[domain.PaymentMethod]string{domain.Card: "Банковской картой", domain.KaspiBill: "Счёт в Kaspi", domain.Cash: "Наличными при получении"},
		gone:   "%s: убрали", added: "%s: добавили, %s", instead: "%s вместо %s", price: "цена %s вместо %s",
		ordered: "Вы получили это письмо, потому что оформили заказ в нашем магазине.",
		why: map[Kind]string{
			KindRestocked:      "Вы получили это письмо, потому что просили сообщить о поступлении товара.",
			KindReviewAnswered: "Вы получили это письмо, потому что оставили отзыв в нашем магазине.",
			KindStaffNotice:    "Вы получили это письмо, потому что работаете в магазине и выбрали такие уведомления.",
		},
		step: func(s domain.Step) domain.Step { return s },
	}).accounts("Это служебное письмо о Вашем аккаунте.")
}

func kazakh() *language {
	return (&language{
		months:   [12]string{"қаңтар", "ақпан", "наурыз", "сәуір", "мамыр", "маусым", "шілде", "тамыз", "қыркүйек", "қазан", "қараша", "желтоқсан"},
		weekdays: [7]string{"жексенбі", "дүйсенбі", "сейсенбі", "сәрсенбі", "бейсенбі", "жұма", "сенбі"},
		pieces:   "дана", vague: "Тапсырыста көрсетілген мекенжайға жеткізу", pickup: "Өзі алып кету",
		paidBy: map[domain.PaymentMethod]string{domain.Card: "Банк картасымен", domain.KaspiBill: "Kaspi шоты", domain.Cash: "Алған кезде қолма-қол"},
		gone:   "%s: алып тасталды", added: "%s: қосылды, %s", instead: "%[2]s орнына %[1]s", price: "бағасы %[2]s орнына %[1]s",
		ordered: "Бұл хатты дүкенімізде тапсырыс рәсімдегендіктен алдыңыз.",
		why: map[Kind]string{
			KindRestocked:      "Бұл хатты тауардың түскенін хабарлауды сұрағандықтан алдыңыз.",
			KindReviewAnswered: "Бұл хатты дүкенімізде пікір қалдырғандықтан алдыңыз.",
		},
		step: kazakhStep,
	}).accounts("Бұл — аккаунтыңыз туралы қызметтік хат.")
}

// accounts says why somebody gets a letter about an account.
func (l *language) accounts(why string) *language {
	for _, k := range aboutAccounts {
		l.why[k] = why
	}
	return l
}

// because says why somebody gets a letter of a kind.
func (l *language) because(k Kind) string {
	if why := l.why[k]; why != "" {
		return why
	}
	return l.ordered
}

// kazakhSteps are the labels of an explanation by the codes of its steps.
var kazakhSteps = map[string]string{
	"list_prices": "Тауарлар әдеттегі бағамен", "product_discounts": "Тауарларға жеңілдік", "tier_discount": "Тапсырыс сомасына жеңілдік",
	"promocode": "Промокод", "manual_discount": "Менеджер жеңілдігі", "bonus": "Бонуспен төлеу", "delivery": "Жеткізу", "hand_price": "Дүкен бағасы",
	"promocode_lost": "Промокод енді жеңілдік бермейді", "below_minimum": "Тапсырыстың ең төменгі сомасынан аз, дүкен тапсырысты қабылдады",
}

// kazakhStep says a step in Kazakh, without its note: a stored explanation has its words in Russian, and codes beside them.
func kazakhStep(s domain.Step) domain.Step {
	label, known := kazakhSteps[s.Code]
	if !known {
		return s
	}
	switch s.Code {
	case "promocode":
		code, _, _ := strings.Cut(strings.TrimPrefix(s.Label, "Промокод "), ",")
		label += " " + code
	case "hand_price":
		if _, product, found := strings.Cut(s.Label, ": "); found {
			label += ": " + product
		}
	}
	s.Label, s.Note = label, ""
	return s
}

// functions are what templates may call.
func (l *language) functions() map[string]any {
	return map[string]any{
		"tenge": domain.Tenge, "day": l.day, "moment": l.moment, "button": func(label, url string) button { return button{label, url} },
		"lines": func(t string) []string { return strings.Split(strings.TrimSpace(t), "\n") }, "signed": signed, "pieces": l.count,
		"colon":  func(sentence string) string { return strings.TrimSuffix(sentence, ".") + ":" },
		"times":  func(amount int64, price domain.Money) domain.Money { return amount * price },
		"change": l.change, "where": l.where, "paidBy": l.payment, "step": l.step,
	}
}

// day says a date YYYY-MM-DD: "2 марта, понедельник".
func (l *language) day(date string) string {
	d, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return strconv.Itoa(d.Day()) + "\u00a0" + l.months[d.Month()-1] + ", " + l.weekdays[d.Weekday()]
}

// moment says a time in Almaty: "2 марта, 14:30".
func (l *language) moment(at time.Time) string {
	at = at.In(domain.Almaty)
	return strconv.Itoa(at.Day()) + "\u00a0" + l.months[at.Month()-1] + ", " + at.Format("15:04")
}

func (l *language) count(n int64) string { return strconv.FormatInt(n, 10) + "\u00a0" + l.pieces }

// change says in a line what became of an order's line.
func (l *language) change(c LineChange) string {
	switch {
	case c.After == 0:
		return fmt.Sprintf(l.gone, c.Name)
	case c.Before == 0:
		return fmt.Sprintf(l.added, c.Name, l.count(c.After))
	}
	var said []string
	if c.Before != c.After {
		said = append(said, fmt.Sprintf(l.instead, l.count(c.After), l.count(c.Before)))
	}
	if c.PriceBefore != c.PriceAfter {
		said = append(said, fmt.Sprintf(l.price, domain.Tenge(c.PriceAfter), domain.Tenge(c.PriceBefore)))
	}
	return c.Name + ": " + strings.Join(said, ", ")
}

// where says where an order goes.
func (l *language) where(o Order) string {
	switch {
	case o.Delivery == domain.Pickup:
		return l.pickup
	case o.City == "" && o.Address == "":
		return l.vague
	case o.Address == "":
		return o.City
	case o.City == "":
		return o.Address
	}
	return o.City + ", " + o.Address
}

// payment says how an order is paid.
func (l *language) payment(o Order) string {
	if words := l.paidBy[o.Payment]; words != "" {
		return words
	}
	return string(o.Payment)
}
