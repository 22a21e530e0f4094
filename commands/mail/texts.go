package mail

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"shop/domain"
)

// Texts are texts of a letter that staff changed, by their names. One that is blank or not among them is the program's own.
type Texts map[string]string

// ownTexts are the program's texts of letters, by language and kind.
var ownTexts = sync.OnceValue(func() map[string]map[Kind]Texts {
	all := map[string]map[Kind]Texts{}
	for name := range languages {
		content, err := files.ReadFile(path.Join("templates", name, "texts.json"))
		if err != nil {
			panic(err) // the program has it
		}
		var texts map[Kind]Texts
		if err := json.Unmarshal(content, &texts); err != nil {
			panic(err)
		}
		all[name] = texts
	}
	return all
})

// OwnTexts are the program's texts of a kind of letters in a language: those that hold until staff change them.
func OwnTexts(k Kind, language string) Texts {
	if language != domain.Kazakh {
		language = ""
	}
	return ownTexts()[language][k]
}

// Say is a text of the letter with what it leaves to the letter filled in. Templates call it.
func (l letter) Say(name string) (string, error) {
	text, known := l.own[name]
	if !known {
		return "", fmt.Errorf("%s has no text %q", l.C.Kind(), name)
	}
	l.said[name] = true
	if changed := strings.TrimSpace(l.changed[name]); changed != "" {
		text = changed
	}
	return fill(text, l.values), nil
}

// unnamed is where a text names somebody, with what is left out together with the name.
var unnamed = regexp.MustCompile(`(?:^|\n)\{name\}[,!]? *\pL?|,? *\{name\}`)

// fill puts values in the place of a text's placeholders. Where nobody's name is known, the text addresses nobody.
func fill(text string, values map[string]string) string {
	if values["{name}"] == "" {
		text = unnamed.ReplaceAllStringFunc(text, func(part string) string {
			before, after, _ := strings.Cut(part, "{name}")
			if strings.TrimLeft(before, "\n") != "" {
				return ""
			}
			return before + strings.ToUpper(strings.TrimLeftFunc(after, func(r rune) bool { return !unicode.IsLetter(r) }))
		})
	}
	var pairs []string
	for placeholder, value := range values {
		pairs = append(pairs, placeholder, value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// whole is the order that a letter is about.
func (o Order) whole() Order { return o }

// values are what texts of a letter may leave to it, by their placeholders. domain/content lists which text may have which.
func (l *language) values(shop Shop, c Content) map[string]string {
	v := map[string]string{"{shop}": shop.Name, "{email}": shop.Email}
	if about, is := c.(interface{ whole() Order }); is {
		o := about.whole()
		v["{name}"], v["{number}"], v["{sum}"] = o.Name, strconv.FormatInt(o.Number, 10), domain.Tenge(o.Total)
		v["{to_pay}"], v["{pay_before}"], v["{delivery_day}"] = domain.Tenge(o.PayableNow), l.moment(o.PayBefore), l.day(o.DeliveryDate)
	}
	account := func(name string, at, until time.Time) {
		v["{name}"], v["{time}"], v["{until}"] = name, l.moment(at), l.moment(until)
	}
	var never time.Time
	switch c := c.(type) {
	case OrderCancelled:
		v["{owed}"] = domain.Tenge(c.Owed)
	case OrderRefunded:
		v["{amount}"], v["{reference}"] = domain.Tenge(c.Amount), c.Reference
	case OrderChanged:
		v["{lacks}"], v["{owed}"] = domain.Tenge(c.Lacks), domain.Tenge(c.Owed)
	case OrderHandedOver:
		v["{carrier}"], v["{tracking}"], v["{day}"] = c.Carrier, c.Tracking, l.day(c.Day)
	case GoodsReturned:
		v["{owed}"], v["{bonuses}"] = domain.Tenge(c.Owed), strconv.FormatInt(int64(c.Bonuses), 10)
	case VerifyEmail:
		account(c.Name, never, c.Until)
	case Welcome:
		account(c.Name, never, never)
	case ResetCode:
		account(c.Name, never, c.Until)
	case ResetTries:
		account(c.Name, c.At, never)
	case AlreadyRegistered:
		account(c.Name, c.At, never)
	case PasswordChanged:
		account(c.Name, c.At, never)
	case NewDevice:
		account(c.Name, c.At, never)
	case EmailRequested:
		account(c.Name, c.At, c.Until)
	case EmailChanged:
		account(c.Name, c.At, c.Until)
	case AccountErased:
		account(c.Name, never, never)
	case Restocked:
		v["{name}"], v["{product}"] = c.Name, c.Product
	case ReviewAnswered:
		v["{name}"], v["{product}"] = c.Name, c.Product
	}
	return v
}
