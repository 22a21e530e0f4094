package readapi

// ReviewStates are what a list may be narrowed to.
var ReviewStates = []string{"shown", "pending", "hidden"}
