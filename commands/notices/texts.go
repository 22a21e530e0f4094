package notices

import (
	"strconv"
	"strings"

	"shop/domain"
)

// words are what notices say in a language. %-signs are not used: each part is joined where it belongs.
type words struct {
	order, left, stars, more, digest, footer string
	causes                                   map[Cause]string
}

var inLanguage = map[string]words{
	"ru": {
		order: "Заказ", left: "Осталось", stars: "Звёзд", more: "И ещё", digest: "Уведомлений", footer: "Что присылать, Вы выбираете на странице «Уведомления»",
		causes: map[Cause]string{
			NewOrder: "Новый заказ", PaymentFailed: "Оплата не прошла", StockLow: "Товар заканчивается", RefundStuck: "Возврат не проходит",
			LowReview: "Отзыв с низкой оценкой", EventParked: "Событие не обработано", LetterDead: "Письмо не ушло", Trial: "Проверка уведомлений",
		},
	},
	"kk": {
		order: "Тапсырыс", left: "Қалғаны", stars: "Жұлдыз", more: "Тағы", digest: "Хабарландырулар", footer: "Не жіберілетінін «Хабарландырулар» бетінде таңдайсыз",
		causes: map[Cause]string{
			NewOrder: "Жаңа тапсырыс", PaymentFailed: "Төлем өтпеді", StockLow: "Тауар таусылып барады", RefundStuck: "Ақша қайтару өтпей тұр",
			LowReview: "Төмен бағалы пікір", EventParked: "Оқиға өңделмеді", LetterDead: "Хат жіберілмеді", Trial: "Хабарландыруларды тексеру",
		},
	},
	"en": {
		order: "Order", left: "Left", stars: "Stars", more: "And more", digest: "Notices", footer: "You choose what is sent on the page Notices",
		causes: map[Cause]string{
			NewOrder: "New order", PaymentFailed: "A payment failed", StockLow: "A product runs low", RefundStuck: "A refund is stuck",
			LowReview: "A review with few stars", EventParked: "An event is parked", LetterDead: "A letter could not be sent", Trial: "Trial of notices",
		},
	},
}

func wordsIn(language string) words {
	if w, known := inLanguage[language]; known {
		return w
	}
	return inLanguage["ru"]
}

// Line is a notice in one line, without its title.
func (w words) line(a About) string {
	var parts []string
	if a.Number > 0 {
		parts = append(parts, w.order+" "+strconv.FormatInt(a.Number, 10))
	}
	if a.Sum > 0 {
		parts = append(parts, domain.Tenge(a.Sum))
	}
	if a.Product != "" {
		name := a.Product
		if a.Article != "" {
			name += " (" + a.Article + ")"
		}
		parts = append(parts, name)
	}
	if a.Left > 0 {
		parts = append(parts, w.left+": "+strconv.FormatInt(a.Left, 10))
	}
	if a.Stars > 0 {
		parts = append(parts, w.stars+": "+strconv.FormatInt(a.Stars, 10))
	}
	if a.Name != "" {
		parts = append(parts, a.Name)
	}
	if a.More > 0 {
		parts = append(parts, w.more+": "+strconv.Itoa(a.More))
	}
	return strings.Join(parts, " · ")
}

// text is a notice with its title.
func (w words) text(c Cause, a About) string {
	line := w.line(a)
	if line == "" {
		return w.causes[c]
	}
	return w.causes[c] + ": " + line
}

// path is where in the staff app a notice leads.
func path(c Cause, a About) string {
	switch {
	case a.Number > 0:
		return "/admin/orders/" + strconv.FormatInt(a.Number, 10)
	case c == EventParked:
		return "/ops/dead-letters"
	case c == Trial:
		return "/admin/notices"
	}
	return "/admin"
}
