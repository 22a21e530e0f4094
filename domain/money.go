package domain

// Money is an amount in whole tenge.
type Money = int64

// PercentOf is percent of sum, rounded half up. Sum must not be negative.
func PercentOf(sum Money, percent int64) Money {
	return (sum*percent + 50) / 100
}
