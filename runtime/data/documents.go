package data

import "bytes"

// split cuts a text into documents: the whole file, a line, or a paragraph. A
// document keeps its line end, and the blank lines that follow it, so that the
// documents joined are the text. Blank lines before the first document belong
// to it.
func split(text []byte, by string) [][]byte {
	if by == "file" {
		return [][]byte{text}
	}
	var docs [][]byte
	start, content, ended := 0, false, false
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		blank := len(bytes.TrimSpace(text[at:end])) == 0
		if !blank && content && ended {
			docs = append(docs, text[start:at])
			start = at
		}
		content = content || !blank
		ended = blank || by == "line"
		at = end
	}
	return append(docs, text[start:])
}
