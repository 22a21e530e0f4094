package skim

import (
	"strings"
	"testing"
)

func TestMembersOfAnObject(t *testing.T) {
	t.Parallel()
	var got []string
	add := func(name string, value []byte) error { got = append(got, name+"="+string(value)); return nil }
	object := ` { "a" : {"x":["}",{"\\":"\""}]} , "b\"\u0410":[1,[2]],"c":"\\\"," ,"d":-1.5e3,"e":null}  `
	if err := Members([]byte(object), add); err != nil || strings.Join(got, ";") != `a={"x":["}",{"\\":"\""}]};b"А=[1,[2]];c="\\\",";d=-1.5e3;e=null` {
		t.Errorf("%q, %v", got, err)
	}
	for cut := range strings.TrimSpace(object) { // never a panic, never content with half an object
		if err := Members([]byte(strings.TrimSpace(object)[:cut]), add); err == nil {
			t.Errorf("%d bytes of an object are one", cut)
		}
	}
	if err := Members([]byte(" {} "), add); err != nil {
		t.Error(err)
	}
}
