package shopapi

import (
	"net/mail"
	"regexp"
	"strings"
	"unicode"

	"github.com/nyaruka/phonenumbers"

	"shop/domain/order"
)

const (
	msgEmail = "Email введен неверно"
	msgPhone = "Введите номер телефона Казахстана или России, например +7 701 234 56 78"
	msgCity  = "Выберите город из списка"
)

// email is what mailboxes look like in practice: one @, a domain with a dot, nothing quoted.
var email = regexp.MustCompile(`^[^\s@"(),:;<>\[\]\\]+@[\pL\pN](?:[\pL\pN-]*[\pL\pN])?(?:\.[\pL\pN](?:[\pL\pN-]*[\pL\pN])?)*\.\pL{2,}$`)

func validEmail(s string) bool {
	if !email.MatchString(s) {
		return false
	}
	_, err := mail.ParseAddress(s) // dots in a row and the like
	return err == nil
}

// phone gives a Kazakh or Russian number as +7XXXXXXXXXX.
func phone(s string) (string, bool) {
	if strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsDigit(c) && !strings.ContainsRune("+-(). \u00a0", c) }) {
		return "", false
	}
	number, err := phonenumbers.Parse(s, "KZ")
	if err != nil || number.GetCountryCode() != 7 || number.GetExtension() != "" || !phonenumbers.IsValidNumber(number) {
		return "", false
	}
	return phonenumbers.Format(number, phonenumbers.E164), true
}

// hasLetter keeps names and cities from being numbers and punctuation.
func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// contact reads who orders.
func (f *form) contact() order.Contact {
	c := order.Contact{
		FirstName: f.name("customer_first_name", maxName, true),
		LastName:  f.name("customer_last_name", maxName, true),
		Email:     f.text("customer_email", textRule{max: 254, required: true}),
		Phone:     f.text("customer_phone", textRule{max: 32, required: true}),
	}
	if c.Email != "" && !validEmail(c.Email) {
		f.refuse("customer_email", msgEmail)
	}
	if c.Phone != "" {
		var ok bool
		if c.Phone, ok = phone(c.Phone); !ok {
			f.refuse("customer_phone", msgPhone)
		}
	}
	return c
}

// address reads where to. For a delivery city, street and house are needed; for a pickup nothing is.
func (f *form) address(delivery bool) order.Address {
	a := order.Address{
		City:      f.text("customer_city", textRule{max: 100, required: delivery}),
		Street:    f.text("customer_street", textRule{max: 200, required: delivery}),
		House:     f.text("customer_house", textRule{max: 30, required: delivery}),
		Floor:     f.text("customer_floor", textRule{max: 20}),
		Apartment: f.text("customer_apartment", textRule{max: 20}),
		Entrance:  f.text("customer_entrance", textRule{max: 20}),
		Comment:   f.text("address_comment", textRule{max: 500, newlines: true}),
	}
	if a.City != "" && !hasLetter(a.City) {
		f.refuse("customer_city", msgCity)
	}
	return a
}
