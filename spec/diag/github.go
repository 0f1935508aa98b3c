package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// GitHub writes findings as workflow commands, which a GitHub job turns into
// annotations at the lines they name:
//
//	::error file=F,line=L,col=C,title=CODE::message
//
// The message is path, summary and help. Severity note becomes "notice".
func GitHub(w io.Writer, l List) error {
	b := bufio.NewWriter(w)
	for _, d := range l {
		kind := d.Severity.String()
		if d.Severity == Note {
			kind = "notice"
		}
		var props []string
		add := func(name, value string) {
			props = append(props, name+"="+escapeProperty(value))
		}
		if d.Pos.File != "" {
			add("file", d.Pos.File)
		}
		if d.Pos.Line > 0 {
			add("line", fmt.Sprint(d.Pos.Line))
		}
		if d.Pos.Col > 0 {
			add("col", fmt.Sprint(d.Pos.Col))
		}
		if d.End.Line > 0 {
			add("endLine", fmt.Sprint(d.End.Line))
		}
		if d.End.Col > 0 {
			add("endColumn", fmt.Sprint(d.End.Col))
		}
		if d.Code != "" {
			add("title", d.Rule())
		}
		msg := d.Summary
		if d.Path != "" {
			msg = d.Path + ": " + msg
		}
		if d.Help != "" {
			msg += "\nhelp: " + d.Help
		}
		space := ""
		if len(props) > 0 {
			space = " "
		}
		fmt.Fprintf(b, "::%s%s%s::%s\n", kind, space, strings.Join(props, ","), escapeData(msg))
	}
	return b.Flush()
}

// escapeData escapes what would end or change a workflow command's message.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes a property's value, where ':' and ',' have a meaning too.
func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
