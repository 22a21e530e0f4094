package catalog_test

import (
	"testing"

	"shop/domain/catalog"
	"shop/domain/spec"
)

func TestALowLineIsSetOnceAndTakenAway(t *testing.T) {
	t.Parallel()
	few, none := int64(3), int64(0)
	known := spec.For(t, catalog.ProductDecider).Given(added...)
	known.When(catalog.SetLowLine{LowLine: &few, At: noon}).Then(catalog.ProductLowLineSet{ID: id, LowLine: &few, At: noon})
	known.When(catalog.SetLowLine{At: noon}).Nothing()
	set := known.Given(catalog.ProductLowLineSet{ID: id, LowLine: &few, At: noon})
	same := few
	set.When(catalog.SetLowLine{LowLine: &same, At: noon}).Nothing()
	set.When(catalog.SetLowLine{LowLine: &none, At: noon}).Then(catalog.ProductLowLineSet{ID: id, LowLine: &none, At: noon})
	set.When(catalog.SetLowLine{At: noon}).Then(catalog.ProductLowLineSet{ID: id, At: noon})
	below, above := int64(-1), int64(catalog.MaxLowLine+1)
	known.When(catalog.SetLowLine{LowLine: &below}).Refused(catalog.ErrBadLowLine)
	known.When(catalog.SetLowLine{LowLine: &above}).Refused(catalog.ErrBadLowLine)
	spec.For(t, catalog.ProductDecider).When(catalog.SetLowLine{LowLine: &few}).Refused(catalog.ErrUnknown)
}
