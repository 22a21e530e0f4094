package shopapi

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	msgName     = "Введите имя буквами"
	msgOnlyName = "Напишите только имя: без ссылок, адресов и номеров"

	// maxName bounds a first or last name, maxWholeName one that is both.
	maxName, maxWholeName = 50, 60
	// maxNameDigits is how many digits a name may have, such as «2-й».
	maxNameDigits = 2
)

var (
	// dots are the ones that browsers and mail programs read as a dot in an address.
	dots = strings.NewReplacer("。", ".", "｡", ".")
	// address is a dot between what may be the parts of a domain.
	address = regexp.MustCompile(`([\pL\pM\pN_-]+)\.([\pL\pM\pN-]{2,})`)
)

// nameFault says why a text is no person's name, such as an advertisement; empty when it may be one. Names are shown to
// others and stand in letters.
func nameFault(name string) string {
	plain := dots.Replace(norm.NFKC.String(name))
	digits := 0
	for _, c := range plain {
		if unicode.IsDigit(c) {
			digits++
		}
	}
	switch {
	case !hasLetter(plain):
		return msgName
	case digits > maxNameDigits, strings.ContainsAny(plain, `@/\`), strings.Contains(plain, ":/"), strings.Contains(strings.ToLower(plain), "www."), hasDomain(plain):
		return msgOnlyName
	}
	return ""
}

// hasDomain finds what mail programs make a link of: a dot followed by letters. An initial before a name is none.
func hasDomain(name string) bool {
	for _, found := range address.FindAllStringSubmatch(name, -1) {
		before, after := []rune(found[1]), []rune(found[2])
		if len(before) == 1 && unicode.IsUpper(before[0]) && unicode.IsUpper(after[0]) {
			continue
		}
		return true
	}
	return false
}

// name reads a person's name; empty where it is absent or refused.
func (f *form) name(field string, most int, required bool) string {
	name := f.text(field, textRule{max: most, required: required})
	if name == "" {
		return ""
	}
	if fault := nameFault(name); fault != "" {
		f.refuse(field, fault)
	}
	return name
}
