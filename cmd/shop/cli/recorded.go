package cli

// asRecorded names actors as the log does.
func asRecorded(actor string) string { return actor }

// seesAll: whoever has a shell sees every value.
func seesAll(string, string) bool { return true }
