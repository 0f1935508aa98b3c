package cpu

// lanes are the sixteen accumulators of a row reduction: element i of a row goes to lane i mod 16.
// Slices handed to its methods start at an index that is a multiple of 16.
type lanes [16]float32

// tree folds the lanes: i with i+8, i+4, i+2, i+1.
func (l *lanes) tree() float32 {
	a0, a1, a2, a3 := l[0]+l[8], l[1]+l[9], l[2]+l[10], l[3]+l[11]
	a4, a5, a6, a7 := l[4]+l[12], l[5]+l[13], l[6]+l[14], l[7]+l[15]
	a0, a1, a2, a3 = a0+a4, a1+a5, a2+a6, a3+a7
	return (a0 + a2) + (a1 + a3)
}

// sum adds x. Eight lanes at a time stay in registers.
func (l *lanes) sum(x []float32) {
	whole := len(x) &^ 15
	for h := 0; h < 16; h += 8 {
		s := (*[8]float32)(l[h:])
		s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		for i := h; i < whole; i += 16 {
			v := (*[8]float32)(x[i:])
			s0 += v[0]
			s1 += v[1]
			s2 += v[2]
			s3 += v[3]
			s4 += v[4]
			s5 += v[5]
			s6 += v[6]
			s7 += v[7]
		}
		*s = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	}
	for i, v := range x[whole:] {
		l[i] += v
	}
}

// dot adds the products a[i]*b[i].
func (l *lanes) dot(a, b []float32) {
	b = b[:len(a)]
	whole := len(a) &^ 15
	for h := 0; h < 16; h += 8 {
		s := (*[8]float32)(l[h:])
		s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		for i := h; i < whole; i += 16 {
			u, v := (*[8]float32)(a[i:]), (*[8]float32)(b[i:])
			s0 = float32(u[0]*v[0]) + s0
			s1 = float32(u[1]*v[1]) + s1
			s2 = float32(u[2]*v[2]) + s2
			s3 = float32(u[3]*v[3]) + s3
			s4 = float32(u[4]*v[4]) + s4
			s5 = float32(u[5]*v[5]) + s5
			s6 = float32(u[6]*v[6]) + s6
			s7 = float32(u[7]*v[7]) + s7
		}
		*s = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	}
	for i := whole; i < len(a); i++ {
		l[i-whole] = float32(a[i]*b[i]) + l[i-whole]
	}
}

// at adds v as element i: for reductions whose terms are computed on the way.
func (l *lanes) at(i int, v float32) { l[i&15] += v }

// spread16 is the sum of squares of a row about m.
func spread16(x []float32, m float32) float32 {
	var l lanes
	for i, v := range x {
		d := v - m
		l.at(i, float32(d*d))
	}
	return l.tree()
}

// sum16 is the sum of a row.
func sum16(x []float32) float32 {
	var l lanes
	l.sum(x)
	return l.tree()
}

// dot16 is the dot product of two rows.
func dot16(a, b []float32) float32 {
	var l lanes
	l.dot(a, b)
	return l.tree()
}
