package shopapi

import (
	"maps"
	"slices"

	"shop/commands"
)

const (
	msgLines   = "Ожидается список товаров"
	msgTooMany = "Не больше 100 разных товаров в заказе"
	msgLine    = "Укажите товар и количество"
	msgPieces  = "Укажите количество целым числом от 1 до 9999"
)

const (
	// maxLines is how many different products a basket may hold, maxPieces the most pieces worth pricing in a line.
	maxLines  = 100
	maxPieces = 9999
)

// lines reads {"products": [{"product", "amount"}]}. One bad line makes the whole field a list with an entry per line.
func (f *form) lines(name string) []commands.NamedLine {
	v, given := f.value(name)
	if !given {
		f.refuse(name, msgRequired)
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		f.refuse(name, msgLines)
		return nil
	}
	if len(list) > maxLines {
		f.refuse(name, msgTooMany)
		return nil
	}
	lines := make([]commands.NamedLine, len(list))
	wrong := make([]commands.LineError, len(list))
	bad := false
	for i, v := range list {
		lines[i], wrong[i] = readLine(v)
		bad = bad || len(wrong[i]) > 0
	}
	if bad {
		if _, ok := f.wrong[name]; !ok {
			f.wrong[name] = wrong
		}
		return nil
	}
	return lines
}

// readLine says one thing that is wrong: with the product, or else with the amount.
func readLine(v any) (commands.NamedLine, commands.LineError) {
	o, ok := v.(object)
	if !ok {
		return commands.NamedLine{}, commands.LineError{"product": []string{msgLine}}
	}
	f := newForm(o)
	l := commands.NamedLine{Product: f.text("product", textRule{max: 200, required: true})}
	amount, given := f.value("amount")
	n, ok := whole(amount)
	if l.Amount = n; !given {
		f.refuse("amount", msgRequired)
	} else if !ok || n < 1 || n > maxPieces {
		f.refuse("amount", msgPieces)
	}
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		if !f.known[name] {
			f.refuse("product", msgUnknown+" «"+name+"»")
		}
	}
	for _, name := range []string{"product", "amount"} {
		if message, wrong := f.wrong[name]; wrong {
			return l, commands.LineError{name: message}
		}
	}
	if len(f.wrong) > 0 {
		return l, commands.LineError{"product": []string{msgTwice}}
	}
	return l, commands.LineError{}
}
