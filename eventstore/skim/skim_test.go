package skim

import (
	"fmt"
	"testing"
)

func TestSkimmerTakesWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := Of([]byte(` { "other": {"city":"}"}, "city":"Алматы","quoted":"\"\u043D\"\\","n" : -42 ,"list":[ {"n":1},{"n":2,"x":["\"]"]}],"none":[],"yes":true,"no":false,"empty":{}, "last":null} `))
	var got string
	s.Members(func(name []byte) {
		switch string(name) {
		case "city", "quoted":
			got += s.Text()
		case "n":
			got += fmt.Sprint(" ", s.Int())
		case "list", "none":
			s.Elements(func() {
				s.Members(func(name []byte) {
					if string(name) == "n" {
						got += fmt.Sprint(" [", s.Int(), "]")
					}
				})
			})
		case "yes", "no":
			got += fmt.Sprint(" ", s.Bool())
		case "empty":
			s.Members(func([]byte) { t.Error("a member of nothing") })
		}
	})
	if want := `Алматы"н"\ -42 [1] [2] true false`; got != want || s.Failed() {
		t.Errorf("got %q, want %q; failed: %v", got, want, s.Failed())
	}
}

func TestSkimmerGivesUpOnWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	number, text, yes := func(s *Skimmer) { s.Int() }, func(s *Skimmer) { _ = s.Text() }, func(s *Skimmer) { s.Bool() }
	for payload, take := range map[string]func(*Skimmer){
		`{"a":1.5}`: number, `{"a":1e3}`: number, `{"a":"1"}`: number, `{"a":null}`: number, `{"a":9223372036854775807}`: number,
		`{"a":"\x"}`: text, `{"a": null}`: text, `{"a":1}`: text, `{"a":0}`: yes, `{"a":"true"}`: yes,
		`{"\u0061":1}`: number, `["a"]`: number, ``: number,
	} {
		s := Of([]byte(payload))
		s.Members(func([]byte) { take(s) })
		if !s.Failed() {
			t.Errorf("%s was understood", payload)
		}
	}
	// Half a payload never ends in a panic or without an end.
	whole := `{"a":{"b":["c",-1,true]},"d":"e"}`
	for cut := range whole {
		s := Of([]byte(whole[:cut]))
		s.Members(func([]byte) {})
		if !s.Failed() {
			t.Errorf("%s was understood", whole[:cut])
		}
	}
}
