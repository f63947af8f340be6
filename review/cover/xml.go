package cover

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// maxDepth is far below where any of these formats ends.
const maxDepth = 64

// parseCobertura reads <class filename> and the <line number hits> in it. A
// single <source> is the folder that the names are relative to.
func parseCobertura(in *bufio.Reader, b *builder) error {
	var f *File
	var sources []string
	rated := false // Clover has the same root, and other counts in it
	err := eachElement(in, func(e element) (err error) {
		switch e.name {
		case "coverage":
			rated = rated || e.has("line-rate") || e.has("lines-valid")
		case "source":
			if s := strings.TrimSpace(e.text); e.end && s != "" {
				sources = append(sources, s)
			}
		case "class":
			if f = nil; !e.end {
				f, err = b.file(within(sources, e.attr("filename")))
			}
		case "line":
			if e.end || f == nil {
				return nil
			}
			number, count, ok := e.counts("number", "hits")
			if !ok {
				return fmt.Errorf("%w: a <line> without number and hits", ErrFormat)
			}
			err = b.line(f, number, count > 0)
		}
		return err
	})
	if err == nil && !rated {
		return fmt.Errorf("%w: its root is <coverage>, but it is not Cobertura", ErrFormat)
	}
	return err
}

// within puts the one folder of the sources before a relative name.
func within(sources []string, name string) string {
	if len(sources) != 1 || name == "" || path.IsAbs(name) || strings.Contains(name, ":") {
		return name
	}
	return strings.TrimSuffix(sources[0], "/") + "/" + name
}

// parseJaCoCo reads <package name>, <sourcefile name> and <line nr mi ci>: the
// instructions of a line that were missed and covered.
func parseJaCoCo(in *bufio.Reader, b *builder) error {
	var f *File
	folder := ""
	return eachElement(in, func(e element) (err error) {
		switch e.name {
		case "package":
			folder = e.attr("name")
		case "sourcefile":
			if f = nil; !e.end {
				f, err = b.file(path.Join(folder, e.attr("name")))
			}
		case "line":
			if e.end || f == nil {
				return nil
			}
			number, covered, ok := e.counts("nr", "ci")
			if !ok {
				return fmt.Errorf("%w: a <line> without nr and ci", ErrFormat)
			}
			err = b.line(f, number, covered > 0)
		}
		return err
	})
}

// An element is the start of an XML element, or its end with its text.
type element struct {
	name  string
	attrs []xml.Attr
	end   bool
	text  string // directly in it, at the end
}

func (e element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e element) has(name string) bool { return e.attr(name) != "" }

// counts reads two attributes that hold numbers.
func (e element) counts(line, count string) (number int, times int64, ok bool) {
	number, err := strconv.Atoi(e.attr(line))
	times, err2 := strconv.ParseInt(e.attr(count), 10, 64)
	return number, times, err == nil && err2 == nil
}

// eachElement calls fn with the start and the end of every element. The decoder
// expands no entity that the document declares.
func eachElement(in *bufio.Reader, fn func(element) error) error {
	d := xml.NewDecoder(in)
	var texts []string // of the open elements
	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			if len(texts) > 0 {
				return fmt.Errorf("%w: the XML ends within an element", ErrFormat)
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if texts = append(texts, ""); len(texts) > maxDepth {
				return fmt.Errorf("%w: elements within elements, %d deep", ErrFormat, maxDepth)
			}
			err = fn(element{name: t.Name.Local, attrs: t.Attr})
		case xml.EndElement:
			if len(texts) == 0 {
				return fmt.Errorf("%w: the XML closes what it did not open", ErrFormat)
			}
			err = fn(element{name: t.Name.Local, end: true, text: texts[len(texts)-1]})
			texts = texts[:len(texts)-1]
		case xml.CharData:
			if n := len(texts); n > 0 && len(texts[n-1])+len(t) <= maxName {
				texts[n-1] += string(t)
			}
		}
		if err != nil {
			return err
		}
	}
}
