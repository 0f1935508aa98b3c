package data

// stream is the ids of all documents, joined. Ids of a small vocabulary take two
// bytes each.
type stream struct {
	narrow []uint16
	wide   []int32
	small  bool
}

func newStream(vocab int) *stream { return &stream{small: vocab <= 1<<16} }

func (s *stream) add(ids ...int32) {
	if !s.small {
		s.wide = append(s.wide, ids...)
		return
	}
	for _, id := range ids {
		s.narrow = append(s.narrow, uint16(id))
	}
}

func (s *stream) len() int {
	if s.small {
		return len(s.narrow)
	}
	return len(s.wide)
}

func (s *stream) at(i int) int32 {
	if s.small {
		return int32(s.narrow[i])
	}
	return s.wide[i]
}
