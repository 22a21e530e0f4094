package policies

import (
	"strings"
	"testing"
	"time"

	"shop/commands/mail"
	"shop/domain"
	"shop/domain/content"
	"shop/domain/order"
	"shop/eventstore"
)

// Letters are written in the words of the moment, in their own language, and shown again in those that they were sent in.
func TestLettersAreInTheWordsOfStaff(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	m.Wording = mail.Wording{Log: m.store}
	says := func(block, text string) {
		m.happens(content.Stream(block), eventstore.Metadata{}, content.Changed{Name: block, Text: text, At: m.clock()})
	}
	written := func(number byte, language string) (domain.ID, mail.Message) {
		p := placed(number, domain.Cash)
		p.Contact.Email, p.Language = "anna@shop.example", language
		m.happens(order.Stream(p.ID), eventstore.Metadata{}, p)
		return p.ID, m.expect(mail.KindOrderPlaced)[0]
	}
	later := func() { m.turn(m.clock().Add(2 * time.Hour)) }

	says("letter-order-placed.opening", "Как мы рады, заказ {number}!")
	says("letter-order-approved.opening", "Не об этом письме")
	says("letter-order-placed.opening-kk", "Қандай қуаныш, {number}!")
	id, first := written(1, "")
	if !strings.Contains(first.Text, "Как мы рады, заказ 100001!") || !strings.Contains(first.HTML, "Как мы рады, заказ 100001!") || strings.Contains(first.Text, "Мы получили Ваш заказ") {
		t.Error(first.Text)
	}
	later()
	if _, kazakh := written(2, domain.Kazakh); !strings.Contains(kazakh.Text, "Қандай қуаныш, 100002!") {
		t.Error(kazakh.Text)
	}
	later()
	says("letter-order-placed.opening", "")
	if _, own := written(3, ""); !strings.Contains(own.Text, "Спасибо! Мы получили Ваш заказ.") {
		t.Error(own.Text)
	}

	archive := mail.Archive{Composer: m.policy, Renderer: m.Renderer, Wording: m.Wording}
	for _, c := range []struct {
		sent time.Time
		says string
	}{{noon.Add(time.Minute), "Как мы рады, заказ 100001!"}, {time.Time{}, "Спасибо! Мы получили Ваш заказ."}, {noon.Add(-time.Hour), "Спасибо! Мы получили Ваш заказ."}} {
		shown, err := archive.Show(t.Context(), mail.KindOrderPlaced, id, noon, c.sent, order.Stream(id), 1)
		if err != nil || !strings.Contains(shown.Text, c.says) {
			t.Errorf("sent at %s: %v, %s", c.sent, err, shown.Text)
		}
	}
}
