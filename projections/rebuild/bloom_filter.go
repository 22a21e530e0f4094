package rebuild

import "hash/maphash"

// bloomFilter is a set of keys that may claim to have a key which it does not have. Its size is fixed, 2 MiB. It errs with
// 1 key in 100 at some 1.7 million keys.
type bloomFilter struct {
	seed maphash.Seed
	bits []uint64
}

const (
	bloomBits   = 1 << 24
	bloomHashes = 4
)

func newBloomFilter() *bloomFilter {
	return &bloomFilter{maphash.MakeSeed(), make([]uint64, bloomBits/64)}
}

// positions are the bits of a key.
func (s *bloomFilter) positions(key string) (positions [bloomHashes]uint32) {
	h := maphash.String(s.seed, key)
	for i := range positions {
		positions[i] = (uint32(h) + uint32(i)*(uint32(h>>32)|1)) % bloomBits
	}
	return positions
}

func (s *bloomFilter) add(key string) {
	for _, p := range s.positions(key) {
		s.bits[p/64] |= 1 << (p % 64)
	}
}

func (s *bloomFilter) has(key string) bool {
	if s == nil {
		return false
	}
	for _, p := range s.positions(key) {
		if s.bits[p/64]&(1<<(p%64)) == 0 {
			return false
		}
	}
	return true
}
