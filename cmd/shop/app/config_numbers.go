package app

import (
	"fmt"
	"strconv"
)

func between(v string, least, most int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is not a number from %d to %d", v, least, most)
	}
	return n, nil
}

func rateOf(v string) (float64, error) {
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || !(f >= 0 && f <= 1e6) {
		return 0, fmt.Errorf("%q is not a number from 0 to 1000000", v)
	}
	return f, nil
}

// Stated says whether a variable was set.
func (c Config) Stated(name string) bool { return c.stated[name] }
