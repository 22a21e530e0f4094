package domain

import "github.com/google/uuid"

// ID identifies an aggregate or a person. The zero value identifies nothing.
type ID = uuid.UUID
