package content_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/content"
	"shop/domain/spec"
)

func TestTextsOfLettersThatAreRefused(t *testing.T) {
	t.Parallel()
	opening, owed := content.LetterBlock("order-placed", "opening", ""), content.LetterBlock("order-cancelled", "owed", domain.Kazakh)
	if opening != "letter-order-placed.opening" || owed != "letter-order-cancelled.owed-kk" {
		t.Fatal(opening, owed)
	}
	for _, c := range []struct {
		block, text string
		refusal     *domain.Refusal
		says        string
	}{
		{opening, "Спасибо, {name}! Заказ {numer} принят.", content.ErrLetterBadValue, opening + ": there is no {numer}; this text may have {name}, {shop}, {email}, {number}, {sum}."},
		{opening, "Вернём {owed}", content.ErrLetterBadValue, "there is no {owed}"},
		{opening, "Скидки: {tiers}", content.ErrLetterBadValue, "there is no {tiers}"},
		{owed, "Ақшаны қайтарамыз", content.ErrLetterLacksValue, owed + ": this text must have {owed}"},
		{content.LetterBlock("order-placed", "subject", ""), "Спасибо за заказ", content.ErrLetterLacksValue, "must have {number}"},
		{content.LetterBlock("order-placed", "subject", ""), "Заказ\n{number}", content.ErrSubjectLines, "letter-order-placed.subject: A subject, a heading and a preview are one line."},
		{content.LetterBlock("welcome", "preview", ""), "E-mail\r\nподтверждён", content.ErrSubjectLines, "letter-welcome.preview"},
		{opening, "Спасибо <b>Вам</b>", content.ErrLetterHTML, opening},
		{opening, "Спасибо <script", content.ErrLetterHTML, opening},
		{opening, "Спасибо, {name", content.ErrLetterHTML, opening},
		{opening, "Спасибо, {{.C}}", content.ErrLetterHTML, opening},
		{opening, strings.Repeat("я", 2_001), content.ErrLetterText, opening},
		{"letter-order-placed.ending", "Ждём Вас", content.ErrNoLetterText, "letter-order-placed.ending"},
		{"letter-order-lost.opening", "Ждём Вас", content.ErrNoLetterText, "letter-order-lost.opening"},
		{"letter-staff-notice.subject", "Новости", content.ErrNoLetterText, "letter-staff-notice.subject"},
	} {
		spec.For(t, content.Decider).When(content.Change{Name: c.block, Text: c.text}).Refused(c.refusal)
		if err := content.CheckLetterText(c.block, c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q: %v", c.block, c.text, err)
		}
	}
}

func TestTextsOfLettersThatMayBe(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for block, text := range map[string]string{
		"letter-order-placed.opening":       "Спасибо, {name}!\n\nЗаказ {number} на {sum} принят: 2 < 3 & это важно.",
		"letter-order-placed.opening-kk":    "Рақмет, {name}!",
		"letter-order-placed.pay_before":    "Оплатите {to_pay} до {pay_before}.",
		"letter-order-cancelled.owed":       "Вернём {owed}.",
		"letter-already-registered.subject": strings.Repeat("я", 2_000),
		"letter-order-cancelled.owed-kk":    "", // the program's own
	} {
		spec.For(t, content.Decider).When(content.Change{Name: block, Text: text, At: at}).Then(content.Changed{Name: block, Text: text, At: at})
	}
}

func TestEveryLetterHasASubjectAndPlaceholdersOnce(t *testing.T) {
	t.Parallel()
	if len(content.Letters) != 24 {
		t.Errorf("%d letters", len(content.Letters))
	}
	for _, l := range content.Letters {
		names := map[string]bool{}
		for _, text := range l.Texts {
			names[text.Name] = true
			if of, same, known := content.LetterTextOf(content.LetterBlock(l.Kind, text.Name, domain.Kazakh)); !known || of.Kind != l.Kind || same.Name != text.Name {
				t.Errorf("%s %s is not found by its block", l.Kind, text.Name)
			}
			all := l.Placeholders(text)
			slices.Sort(all)
			if len(slices.Compact(slices.Clone(all))) != len(all) {
				t.Errorf("%s %s: %v", l.Kind, text.Name, all)
			}
		}
		if !names[content.SubjectText] || len(names) != len(l.Texts) {
			t.Errorf("%s has no subject, or a text twice", l.Kind)
		}
	}
}
