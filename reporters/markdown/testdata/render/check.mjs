// Renders Markdown files with cmark-gfm and with remark, and fails if the two
// differ in structure or text, or if either holds what a report never holds:
// a link, an image, a script, a heading or a box that nobody wrote.
//
//   node check.mjs [--html DIR] FILE.md…
//
// With --html it also writes what remark made of each file, for looking at.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import rehypeParse from 'rehype-parse'
import rehypeRaw from 'rehype-raw'
import rehypeSanitize from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'

// The parts of a page that must agree, as [what, elements].
const compared = [
  ['headings', ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']],
  ['folds', ['details']],
  ['summaries', ['summary']],
  ['tables', ['table']],
  ['table rows', ['tr']],
  ['table cells', ['th', 'td']],
  ['list items', ['li']],
  ['code spans and blocks', ['code']],
  ['bold parts', ['b', 'strong']],
  ['everything else', ['em', 'del', 'ol', 'blockquote', 'hr', 'sup', 'input', 'section']],
]
const forbidden = ['a', 'img', 'script', 'style', 'iframe', 'input', 'form', 'h1', 'h2', 'h5', 'h6',
  'em', 'del', 'ol', 'blockquote', 'hr', 'sup', 'section', 'svg', 'math']

function elements (tree, names, found = []) {
  for (const child of tree.children ?? []) {
    if (child.type === 'element' && names.includes(child.tagName)) found.push(child)
    elements(child, names, found)
  }
  return found
}

function text (tree) {
  if (tree.type === 'text') return tree.value
  return (tree.children ?? []).map(text).join('')
}

// Where two texts part, with a little of each.
function parting (a, b) {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  const near = (s) => JSON.stringify(s.slice(Math.max(0, i - 30), i + 30))
  return `${near(a)} by cmark-gfm, ${near(b)} by remark`
}

const words = (tree) => text(tree).replace(/[ \t\n]+/g, ' ').trim()

const html = unified().use(rehypeParse, { fragment: true })
const remark = unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)

function byCmark (file) {
  const extensions = ['table', 'strikethrough', 'autolink', 'tagfilter', 'tasklist'].flatMap(e => ['-e', e])
  return html.parse(execFileSync('cmark-gfm', ['--unsafe', ...extensions, file], { encoding: 'utf8' }))
}

function byRemark (source) {
  return remark.runSync(remark.parse(source))
}

function differences (one, other) {
  const out = []
  for (const [what, names] of compared) {
    const a = elements(one, names)
    const b = elements(other, names)
    if (a.length !== b.length) out.push(`${what}: ${a.length} by cmark-gfm, ${b.length} by remark`)
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      if (words(a[i]) === words(b[i]) && a[i].tagName === b[i].tagName) continue
      out.push(`${what}: number ${i} is ${parting(words(a[i]), words(b[i]))}`)
      break
    }
  }
  if (words(one) !== words(other)) out.push(`text: ${parting(words(one), words(other))}`)
  return out
}

function intruders (tree, who) {
  return elements(tree, forbidden).map(e => `${who} made <${e.tagName}>: ${JSON.stringify(words(e).slice(0, 80))}`)
}

const args = process.argv.slice(2)
const dir = args[0] === '--html' ? args.splice(0, 2)[1] : ''
if (args.length === 0) {
  console.error('error: no files to check')
  process.exit(2)
}
let failed = 0
for (const file of args) {
  const one = byCmark(file)
  const other = byRemark(readFileSync(file, 'utf8'))
  const wrong = [...differences(one, other), ...intruders(one, 'cmark-gfm'), ...intruders(other, 'remark')]
  const count = (...names) => elements(one, names).length
  console.log(`${basename(file)}: ${count('h3', 'h4')} headings, ${count('details')} folds, ${count('tr')} rows, ` +
    `${count('th', 'td')} cells, ${count('li')} items, ${count('code')} code spans, ${count('a')} links: ` +
    (wrong.length === 0 ? 'equal' : `${wrong.length} differences`))
  for (const w of wrong.slice(0, 10)) console.log(`  ${w}`)
  failed += wrong.length
  if (dir) {
    mkdirSync(dir, { recursive: true })
    const safe = unified().use(rehypeSanitize).runSync(other)
    writeFileSync(join(dir, basename(file, '.md') + '.html'), unified().use(rehypeStringify).stringify(safe))
  }
}
process.exit(failed === 0 ? 0 : 1)
