package kz

import "time"

// Almaty is the shop's time zone: UTC+5 all year since March 2024, so it needs no zone database.
var Almaty = time.FixedZone("Asia/Almaty", 5*60*60)
