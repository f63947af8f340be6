// Draws every Mermaid diagram of Markdown files in Chromium, and fails if one
// cannot be drawn, if a box is missing or has another text than it was given, or
// if a name acts: a link, a picture, a script, a request, a dialog.
//
//   node check.mjs FILE.md…
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'

const library = readFileSync(fileURLToPath(new URL('node_modules/mermaid/dist/mermaid.min.js', import.meta.url)), 'utf8')

// The diagrams of a file, each with the texts that its boxes must show.
function diagrams (file) {
  const found = []
  for (const [, source] of readFileSync(file, 'utf8').matchAll(/^```mermaid\n(.*?)^```$/gms)) {
    const boxes = [...source.matchAll(/^ {2}n\d+\(?\["(.*)"\]\)?$/gm)]
      .map(([, label]) => label.replace(/#(\d+);/g, (_, n) => String.fromCodePoint(Number(n))))
    found.push({ file: basename(file), source, boxes })
  }
  return found
}

// Runs in the page. Nothing may be loaded there, so whatever tries is counted.
async function draw (all) {
  let acted = 0
  window.alert = window.confirm = window.prompt = window.open = () => { acted++ }
  document.addEventListener('securitypolicyviolation', () => { acted++ })
  window.mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' })
  const wrong = []
  const clean = (s) => s.replace(/\s+/g, ' ').trim()
  for (const [i, d] of all.entries()) {
    const say = (what) => wrong.push(`${d.file}: ${what}`)
    try {
      const { svg } = await window.mermaid.render(`d${i}`, d.source)
      const at = document.body.appendChild(document.createElement('div'))
      at.innerHTML = svg
      const labels = [...at.querySelectorAll('.node .nodeLabel')].map(e => clean(e.textContent))
      if (labels.length !== d.boxes.length) say(`${labels.length} boxes of ${d.boxes.length}`)
      d.boxes.forEach((text, j) => { if (labels[j] !== clean(text)) say(`box ${j} shows ${JSON.stringify(labels[j])}, not ${JSON.stringify(text)}`) })
      for (const e of at.querySelectorAll('a, img, image, script, iframe, object, embed, form, input, h1, strong, em, i')) say(`element <${e.tagName}>`)
      for (const e of at.querySelectorAll('*')) {
        for (const a of e.attributes) if (/^on|javascript:/i.test(a.name + a.value)) say(`attribute ${a.name}`)
      }
    } catch (e) { say(String(e.message).slice(0, 300)) }
  }
  await new Promise(resolve => setTimeout(resolve, 0))
  if (acted > 0) wrong.push(`${acted} scripts or requests`)
  return wrong
}

const all = process.argv.slice(2).flatMap(diagrams)
const work = mkdtempSync(join(tmpdir(), 'mermaid-check-'))
try {
  const data = JSON.stringify(all).replace(/</g, '\\u003c')
  const page = join(work, 'page.html')
  writeFileSync(page, `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<body><script>${library.replace(/<\/script/g, '<\\/script')}</script>
<script>(${draw})(${data}).then(wrong => { document.body.textContent = 'DONE' + JSON.stringify(wrong) + 'END' })</script>`)
  const dom = execFileSync('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=120000',
    `--user-data-dir=${join(work, 'profile')}`, '--dump-dom', `file://${page}`], { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] })
  const answer = dom.match(/DONE(.*)END/s)
  const wrong = answer ? JSON.parse(answer[1].replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&nbsp;/g, '\u00a0').replace(/&amp;/g, '&')) : ['the page did not come to an end']
  for (const w of wrong) console.log(w)
  console.log(`${all.length} diagrams, ${all.reduce((n, d) => n + d.boxes.length, 0)} boxes: ${wrong.length === 0 ? 'all drawn, nothing acts' : wrong.length + ' faults'}`)
  process.exitCode = wrong.length === 0 && all.length > 0 ? 0 : 1
} finally {
  rmSync(work, { recursive: true, force: true })
}
