package round_test

import (
	"strings"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/round"
	"shop/domain/spec"
)

const day = "2026-03-02"

var (
	noon    = time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	courier = domain.ID{15: 1}
	a, b    = domain.ID{15: 2}, domain.ID{15: 3}
)

func TestStopsAreSorted(t *testing.T) {
	t.Parallel()
	sort := round.Sort{Courier: courier, Day: day, Orders: []domain.ID{b, a}, At: noon}
	none := spec.For(t, round.Decider)
	none.When(sort).Then(round.Sorted(sort))
	none.Given(round.Sorted(sort)).When(sort).Nothing()
	none.When(round.Sort{Courier: courier, Day: day, Orders: []domain.ID{a, b, a}}).Refused(round.ErrBadStops)
	none.When(round.Sort{Courier: courier, Day: day, Orders: make([]domain.ID, 301)}).Refused(round.ErrBadStops)
	none.When(round.Sort{Courier: courier, Day: "today"}).Refused(round.ErrBadDay)
}

func TestCashIsSettled(t *testing.T) {
	t.Parallel()
	whole := round.Settle{Courier: courier, Day: day, Expected: 9_000, HandedIn: 9_000, At: noon}
	none := spec.For(t, round.Decider)
	none.When(whole).Then(round.Settled(whole))
	none.Given(round.Settled(whole)).When(whole).Nothing()
	less := round.Settle{Courier: courier, Day: day, Expected: 9_000, HandedIn: 8_000, Note: " разменял ", At: noon}
	none.Given(round.Settled(whole)).When(less).Then(round.Settled{Courier: courier, Day: day, Expected: 9_000, HandedIn: 8_000, Note: "разменял", At: noon})
	less.Note = " "
	none.When(less).Refused(round.ErrNeedsNote)
	less.Note = strings.Repeat("ж", 501)
	none.When(less).Refused(round.ErrLongNote)
	none.When(round.Settle{Courier: courier, Day: day, HandedIn: -1, Note: "x"}).Refused(round.ErrBadSum)
	none.When(round.Settle{Courier: courier, Day: "2026-13-01"}).Refused(round.ErrBadDay)
}

func TestWhatIsShortStaysOpenUntilItIsClosed(t *testing.T) {
	t.Parallel()
	short := round.Settled{Courier: courier, Day: day, Expected: 9_000, HandedIn: 8_000, Note: "сдача", At: noon}
	letGo := round.CloseShort{Courier: courier, Day: day, Expected: 9_000, Reason: " удержано из оплаты ", At: noon}
	closed := round.ShortClosed{Courier: courier, Day: day, Short: 1_000, Reason: "удержано из оплаты", At: noon}
	none := spec.For(t, round.Decider)
	none.When(letGo).Refused(round.ErrNothingShort)
	none.Given(short).When(letGo).Then(closed)
	none.Given(short, closed).When(letGo).Nothing()
	rest := round.Settled{Courier: courier, Day: day, Expected: 9_000, HandedIn: 9_000, At: noon}
	none.Given(short, rest).When(letGo).Refused(round.ErrNothingShort)
	// Cash that comes later opens the day: less of it is short now.
	more := round.Settled{Courier: courier, Day: day, Expected: 9_000, HandedIn: 8_500, Note: "сдача", At: noon}
	none.Given(short, closed, more).When(letGo).Then(round.ShortClosed{Courier: courier, Day: day, Short: 500, Reason: "удержано из оплаты", At: noon})
	letGo.Reason = " "
	none.Given(short).When(letGo).Refused(round.ErrNeedsReason)
	letGo.Reason = strings.Repeat("ж", 501)
	none.Given(short).When(letGo).Refused(round.ErrLongNote)
	letGo.Day = "x"
	none.Given(short).When(letGo).Refused(round.ErrBadDay)
}
