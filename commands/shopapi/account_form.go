package shopapi

import (
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/domain/customer"
)

const (
	msgPassword = "Пароль: от 8 до 256 символов"
	msgDiffer   = "Пароли не совпадают"
	msgCode6    = "Неверный или устаревший код"
	msgObject   = "Ожидается объект"
)

// passed lets fields be there that say nothing.
func (f *form) passed(names ...string) {
	for _, name := range names {
		f.known[name] = true
	}
}

// inside reads an object within the form, or an empty one where it is absent. What is wrong in it is named under it.
func (f *form) inside(name string, fill func(*form)) {
	v, given := f.value(name)
	inner, ok := v.(object)
	if given && v != nil && !ok {
		f.refuse(name, msgObject)
		return
	}
	within := newForm(inner)
	fill(within)
	var wrong *commands.Invalid
	if err := within.done(); errors.As(err, &wrong) {
		f.wrong[name] = wrong.Fields
	} else if err != nil {
		f.refuse(name, msgUnknown)
	}
}

// names reads first and last name; where they are not required, an absent one reads as "".
func (f *form) names(p *customer.Profile, required bool) {
	for _, field := range []struct {
		name string
		into *string
	}{{"first_name", &p.FirstName}, {"last_name", &p.LastName}} {
		_, given := f.values[field.name]
		*field.into = f.name(field.name, maxName, required || given)
	}
}

// homeAddress reads where goods go; all of it may be empty. The address in one line is an answer, and no question.
func (f *form) homeAddress(p *customer.Profile) {
	p.City = f.text("city", textRule{max: 100, null: true})
	p.Street = f.text("street", textRule{max: 200, null: true})
	p.House = f.text("house", textRule{max: 30, null: true})
	p.Floor = f.text("floor", textRule{max: 20, null: true})
	p.Apartment = f.text("apartment", textRule{max: 20, null: true})
	p.Entrance = f.text("entrance", textRule{max: 20, null: true})
	f.passed("address")
	if p.City != "" && !hasLetter(p.City) {
		f.refuse("city", msgCity)
	}
}

// phone reads a number as +7XXXXXXXXXX; one that is there must not be empty.
func (f *form) phone(name string, required bool) string {
	_, given := f.values[name]
	text := f.text(name, textRule{max: 32, required: required || given})
	if text == "" {
		return ""
	}
	number, ok := phone(text)
	if !ok {
		f.refuse(name, msgPhone)
	}
	return number
}

// accountEmail reads an e-mail in its one spelling; one that is there must not be empty.
func (f *form) accountEmail(name string, required bool) string {
	_, given := f.values[name]
	text := f.text(name, textRule{max: 254, required: required || given})
	if text == "" {
		return ""
	}
	if text = customer.NormalEmail(text); !validEmail(text) || len(text) > 254 {
		f.refuse(name, msgEmail)
	}
	return text
}

// password reads a password as it is, spaces and all.
func (f *form) password(name string) string {
	v, given := f.value(name)
	text, ok := v.(string)
	switch {
	case given && v != nil && !ok:
		f.refuse(name, msgText)
	case text == "":
		f.refuse(name, msgRequired)
	case utf8.RuneCountInString(text) > 256:
		f.refuse(name, msgPassword)
	}
	return text
}

// onlyPassword reads a body that is the password of who is signed in.
func onlyPassword(w http.ResponseWriter, r *http.Request) (string, error) {
	f, err := readForm(w, r)
	if err != nil {
		return "", err
	}
	password := f.password("password")
	return password, f.done()
}

// newPassword reads a password to be and its repetition.
func (f *form) newPassword(name, again string) string {
	password, second := f.password(name), f.password(again)
	switch {
	case password != "" && !accounts.Acceptable(password):
		f.refuse(name, msgPassword)
	case password != second:
		f.refuse(again, msgDiffer)
	}
	return password
}

// code reads six digits.
func (f *form) code() string {
	text := f.text("code", textRule{max: 20, required: true})
	if text != "" && (len(text) != 6 || strings.ContainsFunc(text, func(c rune) bool { return c < '0' || c > '9' })) {
		f.refuse("code", msgCode6)
	}
	return text
}
