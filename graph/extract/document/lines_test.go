package document

import (
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
)

// said lists what a document says: headings with their level of nesting, then
// references and links, each with its line.
func said(t *testing.T, language, src string) string {
	t.Helper()
	r, err := New().Extract(t.Context(), language, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	f := r.Facts
	var out []string
	depth := func(i int32) (n int) {
		for ; f.Symbols[i].Parent > 0; i = f.Symbols[i].Parent {
			n++
		}
		return n
	}
	for i := 1; i < len(f.Symbols); i++ {
		s := f.Symbols[i]
		out = append(out, strings.Repeat(">", depth(int32(i)))+"# "+s.Name+at(s.Line))
	}
	for _, ref := range f.Refs {
		name := ref.Name
		for e := f.Exprs[ref.Expr].Base; e != graph.None; e = f.Exprs[e].Base {
			name = f.Exprs[e].Name + "." + name
		}
		if ref.Args != graph.None {
			name += "()"
		}
		out = append(out, name+at(ref.Line))
	}
	for _, im := range f.Imports {
		mark := "link "
		if im.Guarded {
			mark = "path "
		}
		out = append(out, mark+im.Module+at(im.Line))
	}
	return strings.Join(out, " | ")
}

func at(line int32) string { return ":" + string(rune('0'+line/10)) + string(rune('0'+line%10)) }

func TestReStructuredText(t *testing.T) {
	for _, c := range []struct{ claim, src, want string }{
		{"titles by the order of their rules", "Guide\n=====\n\nUse\n---\n\nMore\n~~~~\n\nNext\n----\n", "# Guide:01 | ># Use:04 | >># More:07 | ># Next:10"},
		{"a rule above and below", "=====\nGuide\n=====\n\nUse\n=====\n", "# Guide:02 | ># Use:05"},
		{"a rule shorter than the text is none", "Some words\n===\n", ""},
		{"a literal that is a name or a path", "Call ``Client.send()`` of ``pay/client.py``.\n", "Client.send():01 | path pay/client.py:01"},
		{"roles of any domain", ":py:meth:`~shop.Cart.add` :class:`Cart` :go:func:`pay.New` :ref:`elsewhere`\n", "shop.Cart.add():01 | Cart:01 | pay.New():01"},
		{"a role with a text of its own", ":func:`adding <shop.add>`\n", "shop.add():01"},
		{"a plain interpreted text says nothing", "the `Cart` here\n", ""},
		{"links", "`guide <guide.rst>`_ :doc:`api` :file:`a/b.py`\n\n.. _home: ../README.rst\n", "link guide.rst:01 | link api:01 | path a/b.py:01 | link ../README.rst:03"},
		{"a link out of the tree", "`x <https://example.com>`_\n", ""},
		{"a block of code", ".. code-block:: python\n\n    add(1)\n\n    more()\n\nout()\n", "add():03 | more():05"},
		{"a block of another language", ".. code-block:: console\n\n    add(1)\n", ""},
		{"a literal block", "Like so::\n\n    ``add`` add(1)\n\nBack to ``Cart``.\n", "Cart:05"},
		{"directives that name code and files", ".. autofunction:: shop.add\n.. py:autoclass:: Cart\n.. include:: a.rst\n.. image:: a.png\n", "shop.add:01 | Cart:02 | path shop.add:01 | link a.rst:03 | link a.png:04"},
		{"a heading holds what follows", "Use\n===\n\n``Cart.add``\n", "# Use:01 | Cart.add:04 | path Cart.add:04"},
		{"nothing", "", ""},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := said(t, ReStructuredText, c.src); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestAsciiDoc(t *testing.T) {
	for _, c := range []struct{ claim, src, want string }{
		{"titles", "= Guide\n\n== Use\n\n=== More\n\n== Next\n", "# Guide:01 | ># Use:03 | >># More:05 | ># Next:07"},
		{"literals", "Call `Client.send()` of `+pay/client.py+`.\n", "Client.send():01 | path pay/client.py:01"},
		{"links", "xref:guide.adoc[Guide] link:a.txt[a] include::b.adoc[] image::c.png[] <<d.adoc#x,D>> <<inside>>\n",
			"link guide.adoc:01 | link a.txt:01 | link b.adoc:01 | link c.png:01 | link d.adoc:01"},
		{"a link out of the tree", "link:https://example.com[x]\n", ""},
		{"a block of code", "[source,python]\n----\nadd(1)\n----\n`Cart`\n", "add():03 | Cart:05"},
		{"a fence of another kind", "```go\nnew.Cart()\n```\n", "new.Cart():02"},
		{"a block without a language", "----\nadd(1) `Cart`\n----\n", ""},
		{"the language is that of the next block only", "[source,python]\n\nText.\n\n----\nadd(1)\n----\n", ""},
		{"a comment", "// `Cart`\n////\n`Cart`\n////\n", ""},
		{"nothing", "", ""},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := said(t, AsciiDoc, c.src); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	f.Add("Guide\n=====\n\n``Cart.add`` :func:`x <y>`\n\n.. code-block:: go\n\n  a.b()\n")
	f.Add("===\nx\n===\n\n= T\n[source,go]\n----\na.b()\n----\nxref:a.adoc[b]")
	f.Fuzz(func(t *testing.T, src string) {
		for _, language := range []string{ReStructuredText, AsciiDoc} {
			r, err := New().Extract(t.Context(), language, []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range r.Facts.Symbols {
				if s.Start < 0 || s.Start > s.End || int(s.End) > len(src) || s.Line < 1 || s.EndLine < s.Line || s.EndLine > r.Facts.Lines || i > 0 && s.Parent >= int32(i) {
					t.Fatalf("%s: symbol %d of %d: %+v", language, i, len(src), s)
				}
			}
			for _, e := range r.Facts.Exprs {
				if e.Start < 0 || e.Start > e.End || int(e.End) > len(src) {
					t.Fatalf("%s: expression %+v of %d bytes", language, e, len(src))
				}
			}
		}
	})
}
