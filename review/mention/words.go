package mention

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// asciiWord tells the bytes below 0x80 that are part of a word.
var asciiWord = func() (t [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") {
		t[c] = true
	}
	return t
}()

// isWord reports whether a character beyond ASCII belongs to a word. Typographic
// quotes and dashes do not, and a name that stands between them is found.
func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Pc, r) ||
		unicode.Is(unicode.Nl, r))
}

// wordEnd returns the end of the word that starts at i, or i if none does.
func wordEnd(data []byte, i int) int {
	for i < len(data) {
		if data[i] < utf8.RuneSelf {
			if !asciiWord[data[i]] {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if !isWord(r) {
			return i
		}
		i += n
	}
	return i
}

func runeSize(data []byte, i int) int {
	if data[i] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(data[i:])
	return n
}

// file searches one file.
func (s *search) file(f File) {
	data := f.Data
	line := 1
	c := newComments(f)
	dollar := familyOf(f.Path) != familyScript
	for i := 0; i < len(data); {
		b := data[i]
		switch {
		case b == '\n':
			line++
			i++
		case asciiWord[b] || b >= utf8.RuneSelf:
			end := wordEnd(data, i)
			if end == i {
				i += runeSize(data, i)
				continue
			}
			s.word(f, c, line, i, end, dollar)
			i = end
		default:
			i++
		}
	}
}

// word looks up data[start:end], and the words that it may hide: behind the
// letter of an escape ("\nSend"), and where a dollar sign is no letter, beside it.
func (s *search) word(f File, c *comments, line, start, end int, dollar bool) {
	s.lookup(f, c, line, start, end)
	if start > 0 && f.Data[start-1] == '\\' && end-start > 1 && strings.IndexByte("abefnrtv0", f.Data[start]) >= 0 {
		s.lookup(f, c, line, start+1, end)
	}
	if !dollar {
		return
	}
	from, hidden := start, false
	for i := start; i < end; i++ {
		if f.Data[i] == '$' {
			s.lookup(f, c, line, from, i)
			from, hidden = i+1, true
		}
	}
	if hidden {
		s.lookup(f, c, line, from, end)
	}
}

func (s *search) lookup(f File, c *comments, line, start, end int) {
	if start == end || s.filter[f.Data[start]]>>min(end-start, 63)&1 == 0 {
		return
	}
	for _, w := range s.wanted[string(f.Data[start:end])] {
		if w.stands(f.Data, start, end) {
			s.add(w, f, line, isMember(f.Data, start, end), func() bool { return c.at(start) })
		}
	}
}

// stands reports whether the rest of a name of several words is there too.
func (w *wanted) stands(data []byte, start, end int) bool {
	if w.before == "" && w.after == "" {
		return true
	}
	from, to := start-len(w.before), end+len(w.after)
	if from < 0 || to > len(data) || string(data[from:to]) != w.name {
		return false
	}
	return startsWord(data, from) && endsWord(data, to)
}

// startsWord reports whether no word runs across from; endsWord the same for to.
func startsWord(data []byte, from int) bool {
	if wordEnd(data, from) == from {
		return true
	}
	r, n := utf8.DecodeLastRune(data[:from])
	return n == 0 || !(n == 1 && r < utf8.RuneSelf && asciiWord[byte(r)] || n > 1 && isWord(r))
}

func endsWord(data []byte, to int) bool {
	r, n := utf8.DecodeLastRune(data[:to])
	if !(n == 1 && r < utf8.RuneSelf && asciiWord[byte(r)] || n > 1 && isWord(r)) {
		return true
	}
	return wordEnd(data, to) == to
}

// isMember reports whether a word is written as part of something: a.word,
// a:word, or the name of a file, dir/word.ext.
func isMember(data []byte, start, end int) bool {
	if start == 0 {
		return false
	}
	switch data[start-1] {
	case '.', ':':
		return true
	case '/', '\\':
		return end < len(data) && data[end] == '.'
	}
	return false
}
