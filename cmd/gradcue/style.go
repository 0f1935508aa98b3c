package main

import "strings"

// chooseColor decides from --color, NO_COLOR, TERM and what is a terminal.
func (a *app) chooseColor(flag string) error {
	switch flag {
	case "always":
		a.outColor, a.errColor = true, true
	case "never":
		a.outColor, a.errColor = false, false
	case "auto":
		on := a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
		a.outColor, a.errColor = on && a.outTTY, on && a.errTTY
	default:
		return usage("--color is auto, always or never, not %q", flag)
	}
	return nil
}

// style is an ANSI attribute of text on stdout.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

// paint gives text a style when colours are on.
func paint(on bool, s style, text string) string {
	if !on || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// bar draws a share of width cells, to an eighth of a cell.
func bar(share float64, width int) string {
	eighths := int(share*float64(width)*8 + 0.5)
	eighths = min(eighths, width*8)
	s := strings.Repeat("█", eighths/8)
	if r := eighths % 8; r > 0 {
		s += string([]rune(" ▏▎▍▌▋▊▉")[r])
	}
	return s
}
