package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/spec"
)

func TestBarcodes(t *testing.T) {
	t.Parallel()
	known := spec.For(t, catalog.ProductDecider).Given(added...)
	for _, gtin := range []string{"4006381333931", "96385074", "036000291452", "10614141000415"} {
		known.When(catalog.CodeProduct{GTIN: gtin, At: noon}).Then(catalog.ProductCoded{ID: id, GTIN: gtin, At: noon})
	}
	coded := catalog.ProductCoded{ID: id, GTIN: "4006381333931", At: noon}
	known.When(catalog.CodeProduct{GTIN: "4006381-333931 ", At: noon}).Then(coded)
	known.Given(coded).When(catalog.CodeProduct{GTIN: coded.GTIN, At: noon}).Nothing()
	known.Given(coded).When(catalog.CodeProduct{At: noon}).Then(catalog.ProductCoded{ID: id, At: noon})
	known.When(catalog.CodeProduct{At: noon}).Nothing()
	for _, bad := range []string{"1", "400638133393", "40063813339310", "4006381333932"} {
		if len(bad) == 13 || len(bad) == 14 || len(bad) == 12 {
			known.When(catalog.CodeProduct{GTIN: bad}).Refused(catalog.ErrGTINCheck)
		} else {
			known.When(catalog.CodeProduct{GTIN: bad}).Refused(catalog.ErrBadGTIN)
		}
	}
	for _, bad := range []string{"40063813339३1", "abcdefgh", "4006381333931000", "\x00\x00\x00\x00\x00\x00\x00\x00"} {
		known.When(catalog.CodeProduct{GTIN: bad}).Refused(catalog.ErrBadGTIN)
	}
	spec.For(t, catalog.ProductDecider).When(catalog.CodeProduct{GTIN: "96385074"}).Refused(catalog.ErrUnknown)
}

func TestMeasuresCostsAndTranslations(t *testing.T) {
	t.Parallel()
	known := spec.For(t, catalog.ProductDecider).Given(added...)
	measure := catalog.Measure{Weight: 250, Length: 120, Width: 40, Height: 40}
	known.When(catalog.MeasureProduct{Measure: measure, At: noon}).Then(catalog.ProductMeasured{ID: id, Measure: measure, At: noon})
	known.When(catalog.MeasureProduct{At: noon}).Nothing()
	for _, bad := range []catalog.Measure{{Weight: -1}, {Weight: 1_000_001}, {Height: 10_001}, {Width: -1}} {
		known.When(catalog.MeasureProduct{Measure: bad}).Refused(catalog.ErrBadMeasure)
	}
	known.When(catalog.CostProduct{Cost: 900, At: noon}).Then(catalog.ProductCosted{ID: id, Cost: 900, At: noon})
	known.When(catalog.CostProduct{Cost: -1}).Refused(catalog.ErrBadCost)
	known.When(catalog.CostProduct{Cost: domain.MaxPrice + 1}).Refused(catalog.ErrBadCost)
	kazakh := catalog.Translation{Name: "Лаванда сабыны"}
	translated := catalog.ProductTranslated{ID: id, Kazakh: kazakh, At: noon}
	known.When(catalog.TranslateProduct{Kazakh: kazakh, At: noon}).Then(translated)
	known.Given(translated).When(catalog.TranslateProduct{Kazakh: kazakh, At: noon}).Nothing()
	known.When(catalog.TranslateProduct{Kazakh: catalog.Translation{Name: strings.Repeat("ә", 501)}}).Refused(catalog.ErrNameTooLong)
	known.When(catalog.TranslateProduct{Kazakh: catalog.Translation{Description: "a\x00"}}).Refused(catalog.ErrTextBroken)
	// A text in Russian that is changed leaves the Kazakh one.
	known.Given(translated).When(put()).Nothing()
}

func TestAlternativeTextIsAPartOfAPicture(t *testing.T) {
	t.Parallel()
	known := spec.For(t, catalog.ProductDecider).Given(added...)
	c := put()
	c.Pictures[0].Alt = "Кусок мыла"
	known.When(c).Then(catalog.ProductPictured{Pictures: c.Pictures, At: noon})
	c.Pictures[0].Alt, c.Pictures[0].AltKazakh = "", "Сабын"
	known.When(c).Then(catalog.ProductPictured{Pictures: c.Pictures, At: noon})
}

func TestAClaimIsOneEntrys(t *testing.T) {
	t.Parallel()
	other := uuid.UUID{15: 9}
	take := catalog.TakeClaim{Kind: catalog.ArticleClaim, Value: "SOAP-1", Owner: id, At: noon}
	taken := catalog.ClaimTaken(take)
	none := spec.For(t, catalog.ClaimDecider)
	none.When(take).Then(taken)
	none.When(catalog.FreeClaim{Owner: id}).Nothing()
	held := none.Given(taken)
	held.When(take).Nothing()
	held.When(catalog.TakeClaim{Kind: catalog.ArticleClaim, Value: "SOAP-1", Owner: other}).Refused(catalog.ErrArticleTaken)
	held.When(catalog.TakeClaim{Kind: catalog.ProductLinkClaim, Owner: other}).Refused(catalog.ErrLinkTaken)
	held.When(catalog.FreeClaim{Owner: other}).Nothing()
	held.When(catalog.FreeClaim{Owner: id, At: noon}).Then(catalog.ClaimFreed{At: noon})
	held.Given(catalog.ClaimFreed{At: noon}).When(catalog.TakeClaim{Kind: catalog.ArticleClaim, Owner: other, At: noon}).
		Then(catalog.ClaimTaken{Kind: catalog.ArticleClaim, Owner: other, At: noon})
}
