package sentences

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// forStaff are the sentences in the same files that no shopper meets.
var forStaff = []string{
	"Не указан платёж", "Сумма платежа должна быть больше нуля", "Подтвердить можно только полученный заказ", "Собирать можно только подтверждённый заказ",
	"Завершить можно только заказ, который собран", "Неизвестно, кто отменяет заказ", "Такой платёж по заказу не поступал", "Вернуть можно не больше, чем поступило",
	"Чтобы вернуть деньги, сначала отмените заказ", "Сумма — от 1 до 1 000 000 бонусов, со знаком", "Подпись уведомления неверна", "Уведомление непонятно",
	"Такой заявки на возврат нет", "Принять можно не больше, чем указано в заявке", "Этот возврат уже записан",
}

func TestEverySentenceForShoppersHasItsKazakhOne(t *testing.T) {
	t.Parallel()
	literal := regexp.MustCompile(`"([А-ЯЁ][^"\n]* [^"\n]*[а-яё][^"\n]*)"`)
	seen := 0
	for _, pattern := range []string{ // staff type what phone_orders.go reads
		"commands/shopapi/[^p]*.go", "commands/shopapi/p[^h]*.go", "commands/checkout.go", "commands/lines.go", "commands/refused.go", "commands/promocode.go",
		"commands/photos/album.go", "commands/identity/*/guesses.go", "domain/order/decider.go", "domain/order/open.go", "domain/order/returns.go",
		"domain/order/forget.go", "domain/customer/decider.go", "domain/review/decider.go", "domain/restock/decider.go", "domain/promocode/decider.go", "domain/bonus/decider.go", "domain/stock/decider.go",
		"cmd/shop/edge/problem.go", "cmd/shop/edge/forwarded.go", "readapi/answer.go", "readapi/endpoint/endpoint.go",
	} {
		files, err := filepath.Glob("../../" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, found := range literal.FindAllStringSubmatch(string(source), -1) {
				said := strings.ReplaceAll(found[1], "%d", "7")
				said = strings.ReplaceAll(said, "%s", "7")
				if slices.Contains(forStaff, said) || strings.HasSuffix(said, " ") || strings.HasSuffix(said, "«") {
					continue
				}
				if seen++; InKazakh(said) == said {
					t.Errorf("%s: no Kazakh for %q", file, said)
				}
			}
		}
	}
	if seen < 80 {
		t.Errorf("%d sentences were found", seen)
	}
}

// The storefront knows by these letters that a sentence is not to be read aloud as Russian (web/kit/design/message.ts).
func TestKazakhSentencesHaveALetterOfTheirOwn(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(kazakhText) {
		russian, kazakh, two := strings.Cut(strings.TrimSpace(line), "|")
		if !two || !strings.ContainsAny(strings.ToLower(kazakh), "әғқңөұүһі") || strings.Count(russian, "{}") != strings.Count(kazakh, "{}") {
			t.Errorf("the sentence %q", line)
		}
	}
}
