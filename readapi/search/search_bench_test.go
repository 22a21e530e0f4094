package search

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Parts of the words that a large shop is made of.
var (
	someKinds = []string{"Крем для лица", "Крем для рук", "Шампунь для волос", "Бальзам для губ", "Мыло твёрдое", "Гель для душа", "Сыворотка для лица", "Зубная паста", "Дезодорант", "Масло для тела", "Скраб для тела",
		"Тоник для лица", "Маска для волос", "Гель для стирки", "Средство для мытья посуды", "Свеча", "Соль для ванны"}
	somePlants    = []string{"лавандой", "ромашкой", "облепихой", "мятой", "розой", "календулой", "углём", "ниацинамидом", "кофеином", "вербеной", "кокосом", "миндалём", "оливой"}
	someSyllables = []string{"ва", "ле", "ми", "ро", "ста", "ни", "ко", "ду", "ра", "фи", "лю", "те", "га", "пе", "ша", "зо", "бри", "кла", "сто", "вер"}
	someLatin     = []string{"al", "be", "co", "di", "en", "fla", "gly", "hex", "ino", "lan", "myr", "nia", "ol", "pro", "que", "ros", "sal", "tri", "ura", "vit"}
)

// warehouse is an index of so many products, with 12 000 rare words and 3 000 ingredients among them.
func warehouse(tb testing.TB, products int) *index {
	tb.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	coin := func(from []string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(from[r.IntN(len(from))])
		}
		return b.String()
	}
	rare, inci := make([]string, 12_000), make([]string, 3_000)
	for i := range rare {
		rare[i] = coin(someSyllables, 2+r.IntN(3))
	}
	for i := range inci {
		inci[i] = coin(someLatin, 3+r.IntN(3))
	}
	some := func(of []string, n int) []string { // a few are nearly everywhere
		out := make([]string, n)
		for i := range out {
			out[i] = of[int(float64(len(of))*r.Float64()*r.Float64()*r.Float64())]
		}
		return out
	}
	a := newAnalyzer()
	l, err := readLexicon(Synonyms, a)
	if err != nil {
		tb.Fatal(err)
	}
	x := newIndex(a, l)
	for i := range products {
		kind := someKinds[r.IntN(len(someKinds))]
		x.put(Product{ID: uuid.UUID{13: byte(i >> 16), 14: byte(i >> 8), 15: byte(i)}, Article: fmt.Sprintf("AB-%05d", i), Category: kind, Brand: coin(someLatin, 2) + fmt.Sprint("x", r.IntN(200)),
			Name: fmt.Sprintf("%s с %s «%s»", kind, somePlants[r.IntN(len(somePlants))], rare[r.IntN(len(rare))]), Size: fmt.Sprint(50*(1+r.IntN(8)), " мл"),
			Description: strings.Join(some(rare, 30), " ") + " для ежедневного ухода", Composition: "Aqua, Glycerin, " + strings.Join(some(inci, 25), ", ")})
	}
	x.finish()
	return x
}

// searched is what shoppers type, of each kind; the dearest are slips that fit nothing.
var searched = []string{
	"крем", "шампунь", "крем для рук", "мыло с лавандой", "облепихой", "зубная паста мята", "шампуни для волос 200 мл", "ромашк", "гель для душа", "свеч", "шмпунь", "дизодорант", "сыворотка с ниоцинамидом", "облепеха",
	"ifvgeym", "rhtv lkz her", "shampun", "krem dlya ruk", "AB-00123", "ab001", "10", "niacinamide", "aqua", "aqua glycerin", "niasinamide", "ванилести", "крем ромашка облепиха мята", "абракадабра несусветная", "ыдыс жуатын құрал",
	"крем без отдушки", "маскадляволос", "солнце защитный крем", "бессульфатный шампунь", "прщи", "xqzwvkj plmoknij", "щзшгнекуц йцукенгшщз", "зубнаящеткадетская", "кожа", "для лица", "тоник для лица роза 100 мл",
}

// spent is the processor time of this thread.
func spent(tb testing.TB) time.Duration {
	tb.Helper()
	const thread = 1
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkUnderstanding measures searches among 10 000 products by processor time, so that other work on the machine does not count:
// go test ./readapi/search -run - -bench Understanding
func BenchmarkUnderstanding(b *testing.B) {
	x := warehouse(b, 10_000)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	took := map[string]time.Duration{}
	for b.Loop() {
		for _, text := range searched {
			const times = 10
			start := spent(b)
			for range times {
				q := x.understand(text, false)
				hits := x.matching(q)
				x.owners(q)
				x.needs(hits)
				if len(hits) == 0 {
					x.ranked(q, false)
				}
			}
			took[text] = max(took[text], (spent(b)-start)/times)
		}
	}
	slices.SortFunc(searched, func(a, b string) int { return int(took[b] - took[a]) })
	b.ReportMetric(float64(took[searched[0]].Microseconds())/1000, "ms-slowest")
	b.ReportMetric(float64(took[searched[len(searched)/2]].Microseconds())/1000, "ms-p50")
	for _, text := range searched[:12] {
		b.Logf("%v %s", took[text].Round(10*time.Microsecond), text)
	}
}
