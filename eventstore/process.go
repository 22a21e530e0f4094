package eventstore

import "github.com/google/uuid"

// processID tells this process's notifications from others'.
var processID = uuid.NewString()
