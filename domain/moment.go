package domain

import (
	"errors"
	"time"
)

// MomentIn reads a moment: a time, one in Almaty when it names no zone, or a day there, which is its end.
func MomentIn(text string) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, Almaty); err == nil {
		return day.AddDate(0, 0, 1).Add(-time.Nanosecond), nil
	}
	for _, format := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(format, text, Almaty); err == nil {
			return at, nil
		}
	}
	return time.Time{}, errors.New("want a time such as 2026-03-02T12:00:00+05:00 or 2026-03-02T12:00, or a day")
}
