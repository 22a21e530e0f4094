package content

import (
	"regexp"
	"slices"
	"strings"

	"shop/domain"
)

// maxLetterText is how many characters a text of a letter may have.
const maxLetterText = 2_000

// Refusals of a text of a letter.
var (
	// ErrNoLetterText: letters say nothing of that name.
	ErrNoLetterText     = domain.Refuse("content/no-letter-text", "No letter has this text.")
	ErrLetterText       = domain.Refuse("content/letter-text", "A text of a letter may have 2000 characters.")
	ErrSubjectLines     = domain.Refuse("content/subject-lines", "A subject, a heading and a preview are one line.")
	ErrLetterHTML       = domain.Refuse("content/letter-html", "A text of a letter is plain: it may have no HTML and no single brace.")
	ErrLetterBadValue   = domain.Refuse("content/letter-bad-placeholder", "A text of a letter may only have placeholders of its own.")
	ErrLetterLacksValue = domain.Refuse("content/letter-lacks-placeholder", "A text of a letter must tell what no other text of it tells.")
)

// Letter is a kind of letters whose texts staff may change.
type Letter struct {
	Kind string
	// May are the placeholders that each of its texts may have.
	May   []string
	Texts []LetterText
}

// LetterText is a text of a letter: its subject, its preview, or a sentence of its own.
type LetterText struct {
	Name string
	// May are placeholders that it may have besides those of its letter, Must those that it may not leave out: nothing else tells them.
	May, Must []string
}

// Names of texts that all letters have.
const (
	SubjectText = "subject"
	// PreviewText is what mail programs show beside the subject.
	PreviewText = "preview"
)

// oneLine says whether the text is a line of a list of mails, or a heading.
func (t LetterText) oneLine() bool {
	return t.Name == SubjectText || t.Name == "title" || strings.HasPrefix(t.Name, PreviewText)
}

// text is a text that need not have any placeholder, telling one that must have some.
func text(name string, may ...string) LetterText     { return LetterText{Name: name, May: may} }
func telling(name string, must ...string) LetterText { return LetterText{Name: name, Must: must} }

var (
	ofShop   = []string{"{name}", "{shop}", "{email}"}
	ofOrders = []string{"{name}", "{shop}", "{email}", "{number}", "{sum}"}
)

func aboutShop(kind string, texts ...LetterText) Letter { return Letter{kind, ofShop, texts} }

func aboutOrder(kind string, texts ...LetterText) Letter {
	return Letter{kind, ofOrders, append([]LetterText{telling(SubjectText, "{number}")}, texts...)}
}

// Letters are the letters to shoppers with the texts that staff may change. What they tell of an order, sums, links and what the law
// asks for is not among them, so that no text can leave it out.
var Letters = []Letter{
	aboutOrder("order-placed", text(PreviewText), text("preview_day", "{delivery_day}"), text("preview_pay", "{to_pay}"),
		text("preview_pay_day", "{to_pay}", "{delivery_day}"), text("opening"), text("pay", "{to_pay}"),
		LetterText{"pay_before", []string{"{to_pay}"}, []string{"{pay_before}"}}, text("soon")),
	aboutOrder("order-approved", text(PreviewText), text("preview_paid"), text("opening_paid"), text("opening")),
	aboutOrder("order-processing", text(PreviewText), text("opening")),
	aboutOrder("order-completed", text(PreviewText), text("opening"), text("review")),
	aboutOrder("order-cancelled", text(PreviewText), text("preview_owed", "{owed}"), text("opening_asked"), text("opening"), text("not_confirmed"), telling("owed", "{owed}")),
	aboutOrder("order-refunded", text(PreviewText, "{amount}"), telling("opening_hand", "{amount}", "{reference}"), telling("opening", "{amount}"), text("excess")),
	aboutOrder("order-changed", text(PreviewText), text("preview_pay", "{lacks}"), text("preview_owed", "{owed}"), text("opening"), telling("owed", "{owed}")),
	aboutOrder("order-handed-over", text(PreviewText), text("preview_carrier", "{carrier}", "{tracking}"), telling("opening_carrier", "{carrier}", "{tracking}"),
		telling("opening_day", "{day}"), text("opening")),
	aboutOrder("goods-returned", text(PreviewText), text("preview_owed", "{owed}"), text("opening_granted"), text("opening"), telling("owed", "{owed}"), telling("bonuses", "{bonuses}")),
	aboutOrder("return-declined", text("title"), text("opening"), text("disagree")),
	aboutOrder("payment-failed", text(PreviewText), text("opening"), text("again")),
	aboutOrder("payment-expired", text(PreviewText), text("opening"), text("again")),
	aboutShop("verify-email", text(SubjectText), text(PreviewText), text("opening_change"), text("opening"), telling("until", "{until}"), text("not_you")),
	aboutShop("welcome", text(SubjectText), text(PreviewText), text("opening")),
	aboutShop("reset-code", text(SubjectText), text(PreviewText), text("opening"), text("link"), telling("until", "{until}"), text("secret")),
	aboutShop("reset-tries", text(SubjectText), text(PreviewText), telling("opening", "{time}"), text("code"), text("not_you"), text("help")),
	aboutShop("already-registered", text(SubjectText), text(PreviewText), telling("opening", "{time}"), text("known"), text("not_you"), text("help")),
	aboutShop("password-changed", text(SubjectText), text(PreviewText), telling("opening", "{time}"), text("devices"), text("not_you")),
	aboutShop("new-device", text(SubjectText), text(PreviewText), telling("opening", "{time}"), text("advice"), text("help")),
	aboutShop("email-change-requested", text(SubjectText), text(PreviewText), telling("opening", "{time}"), telling("until", "{until}"), text("not_you"), text("help")),
	aboutShop("email-changed", text(SubjectText), text(PreviewText), telling("opening", "{time}"), text("take_back"), telling("until", "{until}"), text("help"),
		text("not_you")),
	aboutShop("account-erased", text(SubjectText), text(PreviewText), text("opening"), text("list"), text("last")),
	aboutShop("restocked", text(SubjectText, "{product}"), text("title"), text(PreviewText, "{product}"), telling("opening", "{product}"), text("once")),
	aboutShop("review-answered", text(SubjectText, "{product}"), text("opening", "{product}")),
}

// letterBlock begins the names of the blocks that are texts of letters.
const letterBlock = "letter-"

// LetterBlock names the block of a letter's text: in Russian, or with a language in Kazakh.
func LetterBlock(kind, text, language string) string {
	name := letterBlock + kind + "." + text
	if language == domain.Kazakh {
		name = Kazakh(name)
	}
	return name
}

// LetterTextOf is the text that a block is, with its letter; false for a block that is none of a letter's.
func LetterTextOf(block string) (Letter, LetterText, bool) {
	name, found := strings.CutPrefix(strings.TrimSuffix(block, Kazakh("")), letterBlock)
	kind, text, _ := strings.Cut(name, ".")
	at := slices.IndexFunc(Letters, func(l Letter) bool { return l.Kind == kind })
	if !found || at < 0 {
		return Letter{}, LetterText{}, false
	}
	of := slices.IndexFunc(Letters[at].Texts, func(t LetterText) bool { return t.Name == text })
	if of < 0 {
		return Letter{}, LetterText{}, false
	}
	return Letters[at], Letters[at].Texts[of], true
}

// Placeholders are what the text may leave to the letter: those that it must have first.
func (l Letter) Placeholders(t LetterText) []string {
	may := slices.DeleteFunc(slices.Clone(l.May), func(p string) bool { return slices.Contains(t.Must, p) })
	return slices.Concat(t.Must, t.May, may)
}

var markup = regexp.MustCompile(`</?[A-Za-z!]`)

// CheckLetterText answers the refusal that forbids a text of a letter, with the block and the placeholder that it is about. A blank
// text is the program's own.
func CheckLetterText(block, said string) error {
	letter, t, known := LetterTextOf(block)
	refused := func(why *domain.Refusal, because string) error { return why.With(block + ": " + because) }
	switch {
	case !known:
		return refused(ErrNoLetterText, ErrNoLetterText.Message)
	case strings.TrimSpace(said) == "":
		return nil
	case !domain.TextFits(said, maxLetterText):
		return refused(ErrLetterText, ErrLetterText.Message)
	case t.oneLine() && strings.ContainsAny(said, "\r\n"):
		return refused(ErrSubjectLines, ErrSubjectLines.Message)
	case markup.MatchString(said) || strings.ContainsAny(placeholder.ReplaceAllString(said, ""), "{}"):
		return refused(ErrLetterHTML, ErrLetterHTML.Message)
	}
	may := letter.Placeholders(t)
	has := placeholder.FindAllString(said, -1)
	for _, p := range has {
		if !slices.Contains(may, p) {
			return refused(ErrLetterBadValue, "there is no "+p+"; this text may have "+strings.Join(may, ", ")+".")
		}
	}
	for _, p := range t.Must {
		if !slices.Contains(has, p) {
			return refused(ErrLetterLacksValue, "this text must have "+p+": no other text of the letter tells it.")
		}
	}
	return nil
}
