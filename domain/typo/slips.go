package typo

// Slips counts the letters missing, added, wrong or swapped with their neighbour between two words (optimal string alignment:
// R. A. Wagner and R. Lowrance, An Extension of the String-to-String Correction Problem, 1975).
func Slips(x, y string) int {
	a, b := []rune(x), []rune(y)
	before, previous, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			wrong := 1
			if a[i-1] == b[j-1] {
				wrong = 0
			}
			row[j] = min(previous[j]+1, row[j-1]+1, previous[j-1]+wrong)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, previous, row = previous, row, before
	}
	return previous[len(b)]
}
