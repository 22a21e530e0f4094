package document_test

import (
	"strings"
	"testing"
	"time"

	"shop/domain/document"
	"shop/domain/spec"
)

func text(words string) document.Text {
	return document.Text{Title: "Публичная оферта", Source: words, HTML: "<p>" + words + "</p>"}
}

func TestEachPublicationIsAVersionOfItsOwn(t *testing.T) {
	t.Parallel()
	evening := time.Date(2026, 12, 1, 18, 59, 0, 0, time.UTC) // 23:59 in Almaty
	publish := func(words string, at time.Time) document.Publish {
		return document.Publish{Name: document.Offer, RU: text(words), At: at}
	}
	published := func(words, version string, at time.Time) document.Published {
		return document.Published{Name: document.Offer, Version: version, RU: text(words), At: at}
	}
	first := published("Первая", "2026-12-01", evening)
	second := published("Вторая", "2026-12-01-2", evening)
	offer := spec.For(t, document.Decider)
	offer.When(publish("Первая", evening)).Then(first)
	offer.Given(first).When(publish("Первая", evening.Add(time.Hour))).Nothing()
	offer.Given(first).When(publish("Вторая", evening)).Then(second)
	offer.Given(first, second).When(publish("Первая", evening)).Then(published("Первая", "2026-12-01-3", evening))
	offer.Given(first, second).When(publish("Первая", evening.Add(time.Minute))).Then(published("Первая", "2026-12-02", evening.Add(time.Minute)))
	// A clock that went back names no version twice.
	offer.Given(first, second).When(publish("Первая", evening.AddDate(0, 0, -3))).Then(published("Первая", "2026-12-01-3", evening.AddDate(0, 0, -3)))

	out := document.Withdrawn{Name: document.Offer, At: evening}
	offer.When(document.Withdraw{Name: document.Offer, At: evening}).Nothing()
	offer.Given(first).When(document.Withdraw{Name: document.Offer, At: evening}).Then(out)
	offer.Given(first, out).When(document.Withdraw{Name: document.Offer, At: evening}).Nothing()
	offer.Given(first, out).When(publish("Первая", evening)).Then(published("Первая", "2026-12-01-2", evening))
}

func TestPlaceholdersOfADocument(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 12, 1, 7, 0, 0, 0, time.UTC)
	with := text("Редакция {version} от {date}")
	filled := with
	filled.HTML = "<p>Редакция 2026-12-01 от 01.12.2026</p>"
	offer := spec.For(t, document.Decider)
	offer.When(document.Publish{Name: document.Offer, RU: with, KK: with, At: noon}).
		Then(document.Published{Name: document.Offer, Version: "2026-12-01", RU: filled, KK: filled, At: noon})
	offer.When(document.Publish{Name: document.Offer, RU: text("{phone}"), At: noon}).Refused(document.ErrPlaceholder)
}

func TestDocumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	offer := spec.For(t, document.Decider)
	good := text("Текст")
	offer.When(document.Publish{Name: "terms", RU: good}).Refused(document.ErrUnknown)
	for _, bad := range []string{"", " ", "a\nb", strings.Repeat("ж", 201)} {
		title := good
		title.Title = bad
		offer.When(document.Publish{Name: document.Offer, RU: title}).Refused(document.ErrTitle)
		offer.When(document.Publish{Name: document.Offer, RU: good, KK: title}).Refused(document.ErrTitle)
	}
	for _, bad := range []string{"", " ", "\x00", strings.Repeat("ж", 200_001)} {
		source := good
		source.Source = bad
		offer.When(document.Publish{Name: document.Offer, RU: source}).Refused(document.ErrText)
	}
}
