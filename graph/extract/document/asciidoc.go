package document

import (
	"bytes"
	"regexp"
	"strings"
)

// What of AsciiDoc can hold a name or a path.
var (
	adocTitle  = regexp.MustCompile(`^(={1,6}|#{1,6})\s+(\S.*)$`)
	adocSource = regexp.MustCompile(`^\[source(?:%\w+)?,\s*([\w+-]+)`)
	adocInline = regexp.MustCompile("`\\+?([^`]+?)\\+?`|\\b(xref|link|include|image):{1,2}([^\\s\\[\\]]+)\\[|<<([^,<>#]+\\.adoc)[#,>]")
)

// adocFences are the lines that open and close blocks which are not text.
var adocFences = []string{"----", "....", "++++", "////", "```"}

// readAsciiDoc reads the document line by line.
func (b *builder) readAsciiDoc() {
	at, closing := 0, "" // closing: the fence that ends the block which the line is in
	language := ""       // of the block that may follow
	code, scope := false, int32(0)
	for _, raw := range bytes.SplitAfter(b.text, []byte("\n")) {
		line := bytes.TrimRight(raw, " \t\r\n")
		text := string(line)
		switch fence := adocFence(text); {
		case text == closing && closing != "":
			closing = ""
		case closing != "":
			if code {
				b.codeLine(line, at, scope)
			}
		case fence != "":
			closing = text
			if fence == "```" {
				closing, language = fence, text[len(fence):]
			}
			scope, code = b.fence(language)
			language = ""
		case strings.HasPrefix(text, "//"):
		default:
			language = ""
			if m := adocSource.FindStringSubmatch(text); m != nil {
				language = m[1]
			}
			b.adocLine(text, at)
		}
		at += len(raw)
	}
}

// adocFence returns the kind of fence that a line is, or "".
func adocFence(text string) string {
	for _, f := range adocFences {
		if f == "```" && strings.HasPrefix(text, f) && !strings.Contains(text[3:], "`") {
			return f
		}
		if strings.HasPrefix(text, f) && strings.Trim(text, f[:1]) == "" {
			return f
		}
	}
	return ""
}

// adocLine reads a title, or the literals and links of a line of text.
func (b *builder) adocLine(text string, at int) {
	if m := adocTitle.FindStringSubmatchIndex(text); m != nil {
		if title := fold([]byte(strings.ReplaceAll(text[m[4]:m[5]], "`", "")), maxTitle); title != "" {
			b.heading(m[3]-m[2], at, at+m[4], title)
		}
		return
	}
	for _, m := range adocInline.FindAllStringSubmatchIndex(text, -1) {
		switch {
		case m[2] >= 0:
			b.literal(text[m[2]:m[3]], at+m[2])
		case m[6] >= 0:
			b.readLink(text[m[6]:m[7]], at+m[6])
		case m[8] >= 0:
			b.readLink(text[m[8]:m[9]], at+m[8])
		}
	}
}
