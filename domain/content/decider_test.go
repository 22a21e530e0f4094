package content_test

import (
	"testing"
	"time"

	"shop/domain/content"
	"shop/domain/spec"
)

func TestChange(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	slides := []content.Slide{{URL: "/brands", File: "/media/spring.webp", Alt: "Весна"}}
	changed := content.Changed{Name: "main-slider", Slides: slides, At: noon}

	block := spec.For(t, content.Decider)
	block.When(content.Change{Name: "main-slider", Slides: slides, At: noon}).Then(changed)
	block.When(content.Change{Slides: slides, At: noon}).Refused(content.ErrNoName)
	block.Given(changed).When(content.Change{Name: "main-slider", Slides: slides, At: noon}).Nothing()
	block.Given(changed).When(content.Change{Name: "main-slider", Text: "Весна", Slides: slides, At: noon}).
		Then(content.Changed{Name: "main-slider", Text: "Весна", Slides: slides, At: noon})
	block.Given(changed).When(content.Change{Name: "main-slider", At: noon}).
		Then(content.Changed{Name: "main-slider", At: noon})
}
