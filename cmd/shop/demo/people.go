package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"shop/commands/importer"
)

// Person is a customer of the plan. People are invented; no operator gives out numbers of the block they have.
type Person struct {
	FirstName, LastName string
	// Phone is +7XXXXXXXXXX.
	Phone, Email string
	// City and street are where the person lives; the rest may be empty.
	City, Street, House, Apartment, Entrance, Floor string
}

// account is the demo's customer, who signs in with AccountPassword.
var account = Person{
	FirstName: "Айгерим", LastName: "Демонова", Phone: "+77010009999", Email: "demo@dala.example",
	City: "Алматы", Street: "Абая", House: "52", Apartment: "14", Entrance: "1", Floor: "4",
}

// AccountPassword is no secret: only the demo has such an account.
const AccountPassword = "demo-dala-2026"

var cities = []weighted[string]{
	{"Алматы", 520}, {"Астана", 165}, {"Шымкент", 70}, {"Караганда", 50}, {"Актобе", 30}, {"Атырау", 26}, {"Павлодар", 24},
	{"Усть-Каменогорск", 22}, {"Костанай", 18}, {"Тараз", 17}, {"Уральск", 14}, {"Семей", 13}, {"Актау", 13}, {"Кызылорда", 10},
	{"Петропавловск", 10}, {"Талдыкорган", 9}, {"Конаев", 8}, {"Кокшетау", 8}, {"Туркестан", 7}, {"Каскелен", 6}, {"Темиртау", 5},
	{"Экибастуз", 5},
}

var (
	streets = strings.Split("Абая,Сатпаева,Достык,Толе би,Жибек жолы,Кабанбай батыра,Богенбай батыра,Гоголя,Ауэзова,Байтурсынова,"+
		"Тимирязева,Розыбакиева,Жандосова,Навои,Момышулы,Райымбека,Сейфуллина,Назарбаева,Шевченко,Курмангазы,Кунаева,Сыганак,Кенесары,"+
		"Валиханова,Мангилик Ел,Сарыарка,Иманова,Бухар жырау,Ермекова,Каирбекова", ",")
	kazakhWomen = strings.Split("Айгерим,Айгуль,Асель,Динара,Жанар,Сауле,Мадина,Алия,Гульнара,Камила,Томирис,Дана,Аружан,Меруерт,Назерке,"+
		"Ботагоз,Салтанат,Жулдыз,Арайлым,Индира,Акмарал,Карлыгаш,Молдир,Перизат,Зарина", ",")
	kazakhMen      = strings.Split("Данияр,Ерлан,Арман,Нурлан,Тимур,Санжар,Алишер,Бауыржан,Мирас,Ильяс,Руслан,Адиль", ",")
	kazakhSurnames = strings.Split("Сериков,Нурланов,Ахметов,Жумабаев,Касымов,Омаров,Сулейменов,Искаков,Тулегенов,Бекмухамедов,Абдрахманов,"+
		"Кенжебаев,Муканов,Оспанов,Сапаров,Тлеубаев,Утегенов,Шарипов,Ибраев,Байжанов,Есенов,Калиев,Досмагамбетов,Мусабаев", ",")
	russianWomen = strings.Split("Анна,Мария,Екатерина,Ольга,Наталья,Татьяна,Елена,Ирина,Светлана,Юлия,Дарья,Алёна,Виктория,Полина,Ксения,"+
		"Вера,Людмила", ",")
	russianMen      = strings.Split("Александр,Дмитрий,Сергей,Андрей,Павел,Максим,Антон,Игорь", ",")
	russianSurnames = strings.Split("Иванов,Ким,Петров,Соколов,Попов,Васильев,Фёдоров,Морозов,Волков,Лебедев,Шмидт,Новиков,Козлов,Павлов,"+
		"Семёнов,Цой,Бондаренко,Гончаренко,Яковлев,Орлов,Макаров,Миллер", ",")
	operators = strings.Split("700,701,702,705,707,708,747,771,775,776,777,778", ",")
)

func newPerson(r *rand.Rand, number int) Person {
	women, men, surnames := kazakhWomen, kazakhMen, kazakhSurnames
	if chance(r, 38) {
		women, men, surnames = russianWomen, russianMen, russianSurnames
	}
	p := Person{LastName: pick(r, surnames), City: pickWeighted(r, cities), Street: pick(r, streets), House: fmt.Sprint(1 + r.IntN(180))}
	if chance(r, 82) {
		p.FirstName = pick(r, women)
		if strings.HasSuffix(p.LastName, "в") {
			p.LastName += "а"
		}
	} else {
		p.FirstName = pick(r, men)
	}
	p.Phone = fmt.Sprintf("+7%s000%04d", operators[number%len(operators)], number/len(operators))
	p.Email = fmt.Sprintf("%s.%s%d@example.kz", importer.Slug(p.FirstName), importer.Slug(p.LastName), number)
	if chance(r, 15) {
		p.House += pick(r, []string{"А", "Б", "/1", "/2", " к. 3"})
	}
	if chance(r, 85) {
		flat := r.IntN(120) // 36 to an entrance, 4 to a floor
		p.Apartment, p.Entrance, p.Floor = fmt.Sprint(flat+1), fmt.Sprint(flat/36+1), fmt.Sprint(flat%36/4+1)
	}
	return p
}
