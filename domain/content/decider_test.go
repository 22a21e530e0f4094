package content_test

import (
	"strings"
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

func TestBlocksThatAreRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("я", 1_000)
	full := content.Slide{URL: "/" + long[2:], File: "/" + long[2:], Alt: long}
	block := spec.For(t, content.Decider)
	for _, change := range []func(*content.Slide){
		func(s *content.Slide) { s.File = "" },
		func(s *content.Slide) { s.File += "я" },
		func(s *content.Slide) { s.URL += "я" },
		func(s *content.Slide) { s.Alt = "\xff" },
	} {
		bad := full
		change(&bad)
		block.When(content.Change{Name: "a", Slides: []content.Slide{full, bad}}).Refused(content.ErrBadSlides)
	}
	for _, astray := range []content.Slide{{File: "data:image/png,a"}, {File: "/a.webp", URL: "javascript:alert(1)"}, {File: "/a.webp", URL: "//example.kz"}} {
		block.When(content.Change{Name: "a", Slides: []content.Slide{full, astray}}).Refused(content.ErrBadAddress)
	}
	many := make([]content.Slide, 51)
	for i := range many {
		many[i] = full
	}
	block.When(content.Change{Name: "a", Slides: many}).Refused(content.ErrBadSlides)
	block.When(content.Change{Name: "a", Text: strings.Repeat("я", 200_001)}).Refused(content.ErrBadText)
	block.When(content.Change{Name: "a", Text: "\x00"}).Refused(content.ErrBadText)
	text := strings.Repeat("я", 200_000)
	block.When(content.Change{Name: "a", Text: text, Slides: many[:50]}).Then(content.Changed{Name: "a", Text: text, Slides: many[:50]})
}

func TestTextsLeaveNumbersToTheRules(t *testing.T) {
	t.Parallel()
	text := func(name, text string) content.Change { return content.Change{Name: name, Text: text} }
	block := spec.For(t, content.Decider)
	block.When(text("discount-text", "Скидка 5 % от {free_from}")).Refused(content.ErrStatesRule)
	block.When(text("discount-text-kk", "{free_from}-ден 5 % жеңілдік")).Refused(content.ErrStatesRule)
	block.When(text("discount-text", "Скидка от {tier}")).Refused(content.ErrBadPlaceholder)
	block.When(text("discount-text", "Скидка {}")).Refused(content.ErrBadPlaceholder)
	every := text("discount-text", "Правила: "+strings.Join(content.Placeholders, ", "))
	block.When(every).Then(content.Changed{Name: "discount-text", Text: every.Text})
	block.When(text("about", "С 2009 года")).Then(content.Changed{Name: "about", Text: "С 2009 года"})
	block.When(text("about", "С {year} года")).Refused(content.ErrBadPlaceholder)
}
