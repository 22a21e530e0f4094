package mail

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/content"
)

// What staff may change and what letters say are the same texts, each keeps to what the domain allows it, and a sample shows each.
func TestLettersSayTheTextsThatStaffMayChange(t *testing.T) {
	t.Parallel()
	var kinds []Kind
	for _, l := range content.Letters {
		kinds = append(kinds, Kind(l.Kind))
		for _, language := range []string{"", domain.Kazakh} {
			own := OwnTexts(Kind(l.Kind), language)
			var names []string
			for _, text := range l.Texts {
				names = append(names, text.Name)
				if err := content.CheckLetterText(content.LetterBlock(l.Kind, text.Name, language), own[text.Name]); err != nil {
					t.Error(err)
				}
				r := *dala
				r.Texts = Texts{text.Name: "Свои слова " + strings.Join(l.Placeholders(text), " | ")}
				m, _, err := r.SampleWith(Kind(l.Kind), language, text.Name)
				if err != nil || !strings.Contains(m.Subject+m.HTML, "Свои слова") {
					t.Errorf("%s: no sample says %s (%v)", l.Kind, text.Name, err)
				}
				// Placeholders stand for something in each letter that has the text.
				if written := m.Subject + m.Text; strings.Contains(written, "{") || strings.Contains(written, "|  |") {
					t.Errorf("%s %s: %s", l.Kind, text.Name, m.Text)
				}
			}
			if slices.Sort(names); !slices.Equal(names, slices.Sorted(maps.Keys(own))) {
				t.Errorf("%s %q: may be changed %v, has %v", l.Kind, language, names, slices.Sorted(maps.Keys(own)))
			}
		}
	}
	if slices.Sort(kinds); !slices.Equal(slices.DeleteFunc(Kinds(), func(k Kind) bool { return k == KindStaffNotice }), kinds) {
		t.Errorf("%v", kinds)
	}
}

func TestChangedTextsOfALetter(t *testing.T) {
	t.Parallel()
	about := func(language, name string) Message {
		t.Helper()
		r := *dala
		r.Texts = Texts{
			"subject": "Ура, заказ {number} на {sum}", "preview": " ", "opening": "{name}, спасибо & привет: 2 < 3!\n\nМы {shop}, пишите на {email}.",
			"soon": "Позвоним {name}.", "unknown": "Этого в письме нет",
		}
		placed := OrderPlaced{cash}
		placed.Name = name
		m, err := r.Message(uuid.New(), time.Now(), "anna@shop.example", In(language, placed))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for language, rest := range map[string][]string{"": {"Доставим", "Посмотреть заказ"}, domain.Kazakh: {"Жеткізу күні", "Тапсырысты көру"}} {
		m := about(language, "<b>Анна & {sum}</b>")
		if m.Subject != "Ура, заказ 100321 на 13 924 ₸" {
			t.Errorf("subject %q", m.Subject)
		}
		for _, want := range append(rest, "Ура, заказ 100321", "<b>Анна & {sum}</b>, спасибо & привет: 2 < 3!\n\nМы Дала, пишите на hello@shop.example.", "Позвоним <b>Анна & {sum}</b>.", "ТОО «Дала»") {
			if !strings.Contains(m.Text, want) {
				t.Errorf("no %q in %s", want, m.Text)
			}
		}
		for _, want := range append(rest, "Ура, заказ 100321", "&lt;b&gt;Анна &amp; {sum}&lt;/b&gt;, спасибо &amp; привет: 2 &lt; 3!<br><br>Мы Дала, пишите на hello@shop.example.</p>", "ТОО «Дала»") {
			if !strings.Contains(m.HTML, want) {
				t.Errorf("no %q in %s", want, m.HTML)
			}
		}
		if strings.Contains(m.HTML, "<b>") {
			t.Error("a name is HTML")
		}
	}
	if m := about("", "Анна"); !strings.Contains(m.HTML, "Спасибо! Мы получили Ваш заказ, доставим 3\u00a0марта") {
		t.Error("a preview that was not changed is not the program's own")
	}
}

func TestTextsAddressNobodyWithoutAName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{name}, спасибо! {name}": "Спасибо!", "Спасибо, {name}!": "Спасибо!", "Рақмет {name}!": "Рақмет!", "Да.\n{name}! ура": "Да.\nУра", "{name}": "",
	} {
		if got := fill(text, map[string]string{"{name}": ""}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := fill(text, map[string]string{"{name}": "Анна"}); got != strings.ReplaceAll(text, "{name}", "Анна") {
			t.Errorf("%q: %q", text, got)
		}
	}
}
