package mail

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"shop/domain"
)

// alike are words that letters in both languages have.
var alike = strings.Fields("аккаунт алматы банк бонус код коды курьер минут промокод")

var word = regexp.MustCompile(`\p{Cyrillic}{2,}`)

// wordsOf are the Cyrillic words of a text.
func wordsOf(text string) map[string]bool {
	found := map[string]bool{}
	for _, w := range word.FindAllString(strings.ToLower(text), -1) {
		found[w] = true
	}
	return found
}

// typed is what people wrote that a sample shows, in JSON: it stays as it is. What a price is made of is the shop's own words.
func typed(t *testing.T, c Content) string {
	t.Helper()
	steps := regexp.MustCompile(`"explanation":\[[^\]]*\]`)
	whole, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?i)`+steps.String()).ReplaceAllString(string(whole), "")
}

func TestKazakhLettersHaveNoRussianWord(t *testing.T) {
	t.Parallel()
	russian := map[string]bool{}
	for _, k := range Kinds() {
		m, _, err := dala.Sample(k, "")
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(russian, wordsOf(m.Subject+m.Text+m.HTML))
	}
	shop, err := json.Marshal(dala.Shop)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Kinds() {
		if k == KindStaffNotice {
			continue
		}
		m, _, err := dala.Sample(k, domain.Kazakh)
		if err != nil {
			t.Errorf("%s: %v", k, err)
			continue
		}
		described, _ := kindOf(k)
		known := wordsOf(typed(t, described.sample) + string(shop))
		for _, w := range slices.Sorted(maps.Keys(wordsOf(m.Subject + m.Text + m.HTML))) {
			if russian[w] && !known[w] && !slices.Contains(alike, w) {
				t.Errorf("%s says %q in Kazakh", k, w)
			}
		}
		if !strings.Contains(m.HTML, `<html lang="kk"`) || !strings.ContainsAny(m.Text, "әғқңөұүһі") {
			t.Errorf("%s is not in Kazakh: %s", k, m.Text)
		}
		for _, wrong := range []string{"<no value>", "%!", "{{", "ZgotmplZ"} {
			if strings.Contains(m.HTML+m.Text+m.Subject, wrong) {
				t.Errorf("%s has %q", k, wrong)
			}
		}
	}
}

// What a sample does not show is in the templates.
func TestKazakhTemplatesHaveNoRussianWord(t *testing.T) {
	t.Parallel()
	russian := map[string]bool{}
	for _, k := range Kinds() {
		maps.Copy(russian, wordsOf(source(t, string(k)+".tmpl")))
	}
	maps.Copy(russian, wordsOf(source(t, "texts.json")))
	maps.Copy(russian, wordsOf(source(t, "words.tmpl")))
	for _, k := range append(Kinds(), "words", "texts") {
		file := "kk/" + string(k) + ".tmpl"
		switch k {
		case KindStaffNotice:
			continue
		case "texts":
			file = "kk/texts.json"
		}
		for w := range wordsOf(source(t, file)) {
			if russian[w] && !slices.Contains(alike, w) {
				t.Errorf("%s says %q in Kazakh", k, w)
			}
		}
	}
	for _, name := range []string{"layout.html", "layout.txt"} {
		if found := wordsOf(source(t, name)); len(found) > 0 {
			t.Errorf("%s says %v in every language", name, found)
		}
	}
}

// source is a template's file.
func source(t *testing.T, name string) string {
	t.Helper()
	content, err := files.ReadFile("templates/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Whatever a letter's content has, the letter in Kazakh tells too: it names the same facts.
func TestKazakhLettersTellTheSameFacts(t *testing.T) {
	t.Parallel()
	fact := regexp.MustCompile(`https?://[^\s"<]+|\d+(?:[\x{a0} ]\d{3})*`)
	for _, k := range Kinds() {
		if k == KindStaffNotice {
			continue
		}
		in, _, err := dala.Sample(k, "")
		if err != nil {
			t.Fatal(err)
		}
		kk, _, err := dala.Sample(k, domain.Kazakh)
		if err != nil {
			t.Fatal(err)
		}
		for name, both := range map[string][2]string{"subject": {in.Subject, kk.Subject}, "text": {in.Text, kk.Text}, "html": {in.HTML, kk.HTML}} {
			want, got := fact.FindAllString(both[0], -1), fact.FindAllString(both[1], -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("%s: the %s tells %q, want %q", k, name, got, want)
			}
		}
	}
}

func TestAStepIsSaidInKazakh(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ step, want domain.Step }{
		{domain.Step{Code: "promocode", Label: "Промокод SALE10, скидка 10 %", Amount: -5, Note: "выгоднее"}, domain.Step{Code: "promocode", Label: "Промокод SALE10", Amount: -5}},
		{domain.Step{Code: "hand_price", Label: "Цена от магазина: Мыло: два", Amount: -5}, domain.Step{Code: "hand_price", Label: "Дүкен бағасы: Мыло: два", Amount: -5}},
		{domain.Step{Code: "imported", Label: "Итог"}, domain.Step{Code: "imported", Label: "Итог"}},
	} {
		if got := kazakhStep(c.step); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

func TestASealedLetterKeepsItsLanguage(t *testing.T) {
	t.Parallel()
	p := open(t)
	code := ResetCode{Code: "402817", Until: noon.Add(time.Hour)}
	p.enqueue(Letter{To: "anna@example.com", Content: In(domain.Kazakh, code)})
	p.enqueue(Letter{To: "olga@example.com", Content: In("en", code)})
	p.once(2)
	said := map[string]string{}
	for _, m := range p.sent {
		said[m.To] = m.Subject
	}
	if said["anna@example.com"] != "Құпиясөзді ауыстыру коды" || said["olga@example.com"] != "Код для смены пароля" {
		t.Errorf("sent %q", said)
	}
}

// The hours of a shop are said in the language of the letter when it has them.
func TestAShopSpeaksOfItselfInKazakh(t *testing.T) {
	t.Parallel()
	r := *dala
	r.Shop.HoursKK = "күн сайын"
	m, _, err := r.Sample(KindWelcome, domain.Kazakh)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(m.Text, "күн сайын") || !strings.Contains(m.Text, dala.Shop.Address) {
		t.Error(m.Text)
	}
}

// TestStepsAreCalledAlike: the storefront calls the steps of an explanation in Kazakh as letters do.
func TestStepsAreCalledAlike(t *testing.T) {
	t.Parallel()
	texts, err := os.ReadFile("../../web/shop/texts/kk.ts")
	if err != nil {
		t.Fatal(err)
	}
	for code, label := range kazakhSteps {
		if !strings.Contains(string(texts), "  "+code+": '"+label+"',") {
			t.Errorf("the storefront does not call %s %s", code, label)
		}
	}
}
