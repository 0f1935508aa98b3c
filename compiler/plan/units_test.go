package plan

import "testing"

func TestUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Bytes(0), "0 B"}, {Bytes(1023), "1023 B"}, {Bytes(1024), "1.00 KiB"}, {Bytes(-3 << 20), "-3.00 MiB"}, {Bytes(5 << 40), "5.00 TiB"}, {Bytes(1 << 60), "1024.00 PiB"},
		{Duration(7), "7 ns"}, {Duration(999), "999 ns"}, {Duration(1000), "1 µs"}, {Duration(999_600), "1 ms"}, {Duration(999_999_999), "1 s"},
		{Duration(69_100_000_000), "69.1 s"}, {Duration(120_000_000_000), "2 min 0 s"}, {Duration(7_325_000_000_000), "2 h 2 min"}, {Duration(-1500), "-1.5 µs"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
