package statement_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"shop/domain"
	"shop/readapi/statement"
)

func TestRead(t *testing.T) {
	t.Parallel()
	lines, bad, err := statement.Read("\ufeffНомер транзакции;Номер заказа;Сумма;Тип операции;Статус;Дата\r\n" +
		"77;A-1;\"12 345,00\";Оплата;Завершена;23.11.2026 10:15:00\r\n" +
		"78;a-1;500;Возврат;Завершена;\r\n" +
		"79;a-2;1;Оплата;Отклонена;\r\n" +
		"80;a-3;10,50;Оплата;;\r\n" +
		"81;a-4;7;Подарок;;\r\n" +
		"82;a-5;7;;;вчера\r\n" +
		";;7;;;\r\n" +
		"83;a-6\r\n" +
		"84;a-7;-900;;;\r\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []statement.Line{
		{Row: 2, Kind: statement.Paid, PaymentID: "a-1", Receipt: "77", Amount: 12_345, At: time.Date(2026, 11, 23, 10, 15, 0, 0, domain.Almaty)},
		{Row: 3, Kind: statement.Refunded, PaymentID: "a-1", Receipt: "78", Amount: 500},
		{Row: 10, Kind: statement.Refunded, PaymentID: "a-7", Receipt: "84", Amount: 900},
	}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("lines\n%+v, want\n%+v", lines, want)
	}
	wantBad := []statement.BadRow{
		{Row: 5, Column: "Сумма", Reason: statement.BadAmount}, {Row: 6, Column: "Тип операции", Reason: statement.BadKind}, {Row: 7, Column: "Дата", Reason: statement.BadTime},
		{Row: 8, Reason: statement.NoName}, {Row: 9, Reason: statement.BadColumns},
	}
	if !reflect.DeepEqual(bad, wantBad) {
		t.Errorf("bad\n%+v, want\n%+v", bad, wantBad)
	}
	for text, refusal := range map[string]error{
		"": statement.ErrEmpty, "\n": statement.ErrEmpty, "amount,invoiceId\n": statement.ErrEmpty, "a,b\n1,2\n": statement.ErrNoColumn, "amount,note\n1,2\n": statement.ErrNoColumn,
		"amount,id\n" + strings.Repeat("1,2\n", statement.MaxRows+1): statement.ErrTooLong, "\x00\xff": statement.ErrNoColumn,
	} {
		if _, _, err := statement.Read(text); !errors.Is(err, refusal) {
			t.Errorf("%.20q: %v, want %v", text, err, refusal)
		}
	}
	if lines, _, err := statement.Read("Amount\tTransactionId\n1\t2\n"); err != nil || len(lines) != 1 || lines[0].Receipt != "2" {
		t.Errorf("tabs: %v %v", lines, err)
	}
}

// FuzzRead never fails in another way than by a refusal, and names rows of the file.
func FuzzRead(f *testing.F) {
	f.Add("amount,id\n1,2\n")
	f.Add("Сумма;Номер\n\"1\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, bad, err := statement.Read(text)
		var refusal *domain.Refusal
		if err != nil && !errors.As(err, &refusal) {
			t.Fatal(err)
		}
		for _, l := range lines {
			if l.Row < 2 || l.Amount <= 0 {
				t.Fatalf("%+v", l)
			}
		}
		for _, b := range bad {
			if b.Row < 2 {
				t.Fatalf("%+v", b)
			}
		}
	})
}

func TestCompare(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 23, 0, 0, 0, 0, domain.Almaty)
	until, noon := from.AddDate(0, 0, 1), from.Add(12*time.Hour)
	paid := func(payment, receipt string, amount domain.Money, at time.Time) statement.Line {
		return statement.Line{Kind: statement.Paid, PaymentID: payment, Receipt: receipt, Amount: amount, At: at}
	}
	row := func(n int, l statement.Line) statement.Line { l.Row = n; return l }
	ours := []statement.Line{
		paid("a", "1", 100, noon), paid("a", "2", 100, noon), paid("b", "", 50, noon), paid("c", "4", 70, noon), paid("d", "5", 10, noon),
		paid("e", "6", 30, from.Add(-time.Minute)), paid("f", "7", 30, until), {Kind: statement.Refunded, PaymentID: "a", Receipt: "9", Amount: 100, At: noon},
	}
	theirs := []statement.Line{
		row(2, paid("a", "1", 100, noon)), row(3, paid("b", "3", 50, noon)), row(4, paid("c", "4", 71, noon)), row(5, paid("e", "6", 30, from)),
		row(6, paid("x", "99", 5, noon)), row(7, paid("d", "5", 10, noon)), row(8, paid("d", "5", 10, noon)),
		row(9, statement.Line{Kind: statement.Refunded, PaymentID: "a", Receipt: "9", Amount: 100}),
	}
	found := statement.Compare(ours, theirs, from, until)
	want := []statement.Difference{
		{Side: statement.OnlyOurs, Kind: statement.Paid, PaymentID: "a", Receipt: "2", Ours: 100},
		{Side: statement.OnlyTheirs, Kind: statement.Paid, PaymentID: "x", Receipt: "99", Theirs: 5, Row: 6},
		{Side: statement.OnlyTheirs, Kind: statement.Paid, PaymentID: "d", Receipt: "5", Theirs: 10, Row: 8},
		{Side: statement.Other, Kind: statement.Paid, PaymentID: "c", Receipt: "4", Ours: 70, Theirs: 71, Row: 4},
	}
	if !reflect.DeepEqual(found.Differences, want) {
		t.Errorf("differences\n%+v, want\n%+v", found.Differences, want)
	}
	if found.Same != 5 || found.SameSum != 100+50+30+10-100 {
		t.Errorf("%d the same, %d", found.Same, found.SameSum)
	}
	if none := statement.Compare(nil, nil, from, until); none.Same != 0 || len(none.Differences) != 0 {
		t.Errorf("%+v", none)
	}
}
