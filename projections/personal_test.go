package projections

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// planted is a text that stands in personal fields of events and nowhere else.
const planted = "Жибектолеген"

// plant sets every text in a value.
func plant(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(planted)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				plant(v.Field(i))
			}
		}
	}
}

// personalEvent is an event of the same type with the text in its personal fields and with ids everywhere else.
func personalEvent(e domain.Event) domain.Event {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	fields := v.Interface().(domain.HasPersonal).Personal().Fields
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch {
		case slices.Contains(fields, name):
			plant(v.Field(i))
		case v.Field(i).Type() == reflect.TypeFor[domain.ID]():
			v.Field(i).Set(reflect.ValueOf(id(77)))
		}
	}
	return v.Interface().(domain.Event)
}

// A column that a personal field of an event comes to is declared personal.
func TestEveryPersonalColumnIsDeclared(t *testing.T) {
	found := 0
	for _, p := range All() {
		for _, table := range p.Tables {
			d := table.Definition()
			var events []eventstore.Event
			for _, e := range reflect.ValueOf(table).FieldByName("Events").Interface().([]domain.Event) {
				if _, ok := e.(domain.HasPersonal); ok && d.Stream == nil {
					events = append(events, event(order.Stream(id(77)), personalEvent(e)))
				} else if ok {
					events = append(events, event(d.Stream(id(77).String()), personalEvent(e)))
				}
			}
			states, err := table.states(events, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, state := range states {
				var row map[string]json.RawMessage
				if err := json.Unmarshal(state, &row); err != nil {
					t.Fatal(err)
				}
				for column, value := range row {
					if !strings.Contains(string(value), planted) {
						continue
					}
					found++
					if !slices.Contains(d.Personal, column) {
						t.Errorf("%s.%s.%s shows what is personal, and is not declared so", p.Name, d.Name, column)
					}
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("the text came to %d columns only", found)
	}
}
