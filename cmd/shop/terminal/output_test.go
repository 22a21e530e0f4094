package terminal

import (
	"strings"
	"testing"
	"time"
)

type fruit struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

var fruitColumns = []Column[fruit]{
	Left("NAME", func(f fruit) string { return f.Name }),
	Right("COUNT", func(f fruit) string { return Tenge(f.Count) }),
}

func TestTableIsAligned(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := WriteList(&out, "table", []fruit{{"Ёж", 5}, {"Облепиха", 1234567}}, fruitColumns...); err != nil {
		t.Fatal(err)
	}
	want := "NAME          COUNT\n" +
		"Ёж                5\n" +
		"Облепиха  1\u00a0234\u00a0567\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestTableKeepsControlCharactersOut(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := WriteList(&out, "table", []fruit{{"a\x1b[31m\nb\u009bc", 1}}, fruitColumns...); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\u009b") || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("got %q", out.String())
	}
}

func TestJSONListIsAnArrayEvenWhenEmpty(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := WriteList(&out, "json", []fruit(nil), fruitColumns...); err != nil {
		t.Fatal(err)
	}
	if out.String() != "[]\n" {
		t.Errorf("got %q", out.String())
	}
}

func TestTenge(t *testing.T) {
	t.Parallel()
	for amount, want := range map[int64]string{0: "0", 999: "999", 1000: "1\u00a0000", -1234567: "-1\u00a0234\u00a0567"} {
		if got := Tenge(amount); got != want {
			t.Errorf("tenge(%d) = %q, want %q", amount, got, want)
		}
	}
}

func TestProgressInAPipeIsPlainLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := NewProgress(&out)
	p.Every = 0
	p.Say("%d rows", 1)
	p.Every = time.Hour
	p.Say("%d rows", 2) // too soon to tell
	if out.String() != "1 rows\n" {
		t.Errorf("got %q", out.String())
	}
}
