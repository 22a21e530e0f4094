package reply_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"shop/domain/reply"
	"shop/domain/spec"
)

func TestTemplatesAreKept(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	keep := func(all ...reply.Template) reply.Keep { return reply.Keep{Templates: all, At: noon} }
	thanks, sorry := reply.Template{Name: "Спасибо", Text: "{name}, спасибо за отзыв о «{product}»!"}, reply.Template{Name: "Извинение", Text: "Нам жаль."}
	kept := reply.Kept{Templates: []reply.Template{sorry, thanks}, At: noon}
	none := spec.For(t, reply.Decider)
	none.When(keep(reply.Template{Name: " Спасибо ", Text: thanks.Text + "\n"}, sorry)).Then(kept)
	none.When(keep()).Nothing()
	none.Given(kept).When(keep(thanks, sorry)).Nothing()
	none.Given(kept).When(keep()).Then(reply.Kept{Templates: []reply.Template{}, At: noon})
	none.When(keep(thanks, reply.Template{Name: "спасибо", Text: "x"})).Refused(reply.ErrBadName)
	none.When(keep(reply.Template{Name: " ", Text: "x"})).Refused(reply.ErrBadName)
	none.When(keep(reply.Template{Name: strings.Repeat("ж", reply.MaxName+1), Text: "x"})).Refused(reply.ErrBadName)
	none.When(keep(reply.Template{Name: "x"})).Refused(reply.ErrBadText)
	none.When(keep(reply.Template{Name: "x", Text: strings.Repeat("ж", reply.MaxText+1)})).Refused(reply.ErrBadText)
	for _, text := range []string{"{phone}", "{name", "{}", "{ name}"} {
		none.When(keep(reply.Template{Name: "x", Text: text})).Refused(reply.ErrBadPlaceholder)
	}
	var many []reply.Template
	for n := range reply.MaxTemplates + 1 {
		many = append(many, reply.Template{Name: fmt.Sprint(n), Text: "x"})
	}
	none.When(keep(many...)).Refused(reply.ErrTooMany)
}
