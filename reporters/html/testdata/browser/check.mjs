// Opens pages in a browser and operates them as people do: by mouse, by keyboard,
// without JavaScript, in light and dark, on a narrow screen, on paper.
//
//   node check.mjs NAMES.json PAGE.html…
//
// NAMES.json lists what the page called hostile.html must show. A page without
// <main> is a rendered comment: it only has to be quiet.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { start } from './browser.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const [namesFile, ...files] = process.argv.slice(2)
const names = JSON.parse(readFileSync(namesFile, 'utf8'))
const browser = await start()
const patience = 600_000 // ms: how fast this machine is decides nothing
let failed = 0
let checks = 0

function check (where, claim, holds, seen = '') {
  checks++
  if (holds) return
  failed++
  console.log(`  ${where}: NOT ${claim} ${seen === '' ? '' : JSON.stringify(seen).slice(0, 400)}`)
}

// A page that notes everything that it should not do.
async function open (file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true, ...options })
  context.setDefaultTimeout(patience)
  const page = await context.newPage()
  const noise = []
  page.on('console', message => noise.push(`console: ${message.text()}`))
  page.on('pageerror', error => noise.push(`error: ${error.message}`))
  page.on('dialog', dialog => { noise.push(`dialog: ${dialog.message()}`); dialog.dismiss() })
  page.on('popup', () => noise.push('popup'))
  page.on('worker', () => noise.push('worker'))
  const address = pathToFileURL(file).href
  page.on('request', request => { if (request.url() !== address) noise.push(`request: ${request.url()}`) })
  const began = performance.now()
  await page.goto(address)
  return { page, noise, took: Math.round(performance.now() - began), close: () => context.close() }
}

async function quiet (file) {
  const { page, noise, close } = await open(file)
  const attributes = await page.$$eval('*', all => all.flatMap(e => e.getAttributeNames().filter(n => n.startsWith('on'))))
  check(basename(file), 'without handlers of its own', attributes.length === 0, attributes)
  if (basename(file) === 'hostile.html') await shows(file, page)
  check(basename(file), 'quiet', noise.length === 0, noise)
  await close()
}

async function shows (file, page) {
  const text = await page.evaluate(() => document.body.textContent)
  for (const name of names) check(basename(file), 'showing a name', text.includes(name), name)
}

async function accessible (file, scheme) {
  const { page, close } = await open(file, { colorScheme: scheme, bypassCSP: true })
  await page.evaluate(axe)
  await page.evaluate(() => { for (const fold of document.querySelectorAll('details')) fold.open = true })
  const box = page.locator('#radius .box').first()
  if (await box.count() > 0) await box.click()
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }))
  for (const v of violations) {
    const bad = ['serious', 'critical'].includes(v.impact)
    check(`${basename(file)} ${scheme}`, `free of axe's ${v.id}`, !bad, v.nodes.map(n => n.html).slice(0, 3))
    if (!bad) console.log(`  ${basename(file)} ${scheme}: axe notes ${v.id} (${v.impact}), ${v.nodes.length} times`)
  }
  await close()
}

const visible = page => page.$$eval('#radius .box', all => all.filter(b => b.getBoundingClientRect().height > 0)
  .map(b => ({ column: Number(b.dataset.column), tier: b.dataset.tier, test: b.classList.contains('test'), id: b.id })))

async function filters (where, page) {
  const before = await visible(page)
  const status = async shown => check(where, 'telling how many boxes are shown', (await page.textContent('#radius-status')).includes(`${shown.length} `), shown.length)
  const tests = page.locator('#radius-tests')
  if (await tests.count() > 0) {
    await tests.uncheck()
    const shown = await visible(page)
    check(where, 'hiding tests', shown.length > 0 && shown.length < before.length && !shown.some(b => b.test), shown.length)
    await status(shown)
    await tests.check()
  }
  const tiers = page.locator('.controls input[name=tier]')
  const last = tiers.nth(await tiers.count() - 1)
  const tier = await last.getAttribute('value')
  await last.uncheck()
  const without = await visible(page)
  check(where, 'hiding a tier', without.length < before.length && !without.some(b => b.column > 0 && b.tier === tier), tier)
  await status(without)
  await last.check()
  await page.selectOption('#radius-distance', '1')
  const near = await visible(page)
  check(where, 'hiding what is further away', near.length > 0 && !near.some(b => b.column > 1), near.length)
  await page.selectOption('#radius-distance', { index: await page.locator('#radius-distance option').count() - 1 })
  const change = page.locator('#radius-change')
  if (await change.count() > 0) {
    await change.selectOption({ index: 1 })
    const one = await visible(page)
    check(where, 'showing one change alone', one.filter(b => b.column === 0).length >= 1 && one.length <= before.length, one.length)
    await change.selectOption('')
  }
  check(where, 'showing all boxes again', (await visible(page)).length === before.length)
  const places = await page.$$eval('#radius .box > svg', all => all.map(b => `${b.getAttribute('x')},${b.getAttribute('y')}`))
  check(where, 'without two boxes in one place', new Set(places).size === places.length)
}

async function zooms (where, page) {
  const width = () => page.$eval('#radius', e => e.getBoundingClientRect().width)
  const canvas = page.locator('.canvas')
  const first = await width()
  await page.click('[data-zoom="1"]')
  const more = await width()
  check(where, 'growing by its button', more > first, [first, more])
  await canvas.hover()
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -400)
  await page.keyboard.up('Control')
  await page.waitForFunction(was => document.querySelector('#radius').getBoundingClientRect().width > was, more)
  const left = () => canvas.evaluate(e => [e.scrollLeft, e.scrollTop])
  await canvas.evaluate(e => e.scrollTo({ left: 0, top: 0, behavior: 'instant' }))
  const frame = await canvas.boundingBox()
  await page.mouse.move(frame.x + 400, frame.y + 60)
  await page.mouse.down()
  await page.mouse.move(frame.x + 200, frame.y + 30, { steps: 4 })
  await page.mouse.up()
  check(where, 'moving by dragging', (await left())[0] > 0, await left())
  check(where, 'choosing nothing at the end of a drag', await page.locator('.proof.open').count() === 0)
  await page.click('[data-zoom="0"]')
  check(where, 'fitting its frame', await width() <= await canvas.evaluate(e => e.clientWidth))
}

async function keyboard (where, page) {
  const focus = () => page.evaluate(() => ({ id: document.activeElement.id, box: document.activeElement.classList.contains('box') }))
  await page.keyboard.press('Tab')
  check(where, 'starting with a link over the head', await page.evaluate(() => document.activeElement.className) === 'skip')
  let stops = 1
  for (; stops < 200 && !(await focus()).box; stops++) await page.keyboard.press('Tab')
  const first = await focus()
  check(where, 'reaching the boxes by Tab', first.box, stops)
  await page.keyboard.press('ArrowRight')
  const second = await focus()
  check(where, 'moving between boxes by arrow keys', second.box && second.id !== first.id, [first, second])
  await page.keyboard.press('Enter')
  const proof = await page.evaluate(() => ({ open: document.activeElement.classList.contains('open'), text: document.activeElement.textContent,
    shown: document.activeElement.getBoundingClientRect().height > 0 }))
  check(where, 'opening the proof by Enter', proof.open && proof.shown && /Reaches/.test(proof.text), proof)
  await page.keyboard.press('Escape')
  check(where, 'returning by Escape', (await focus()).id === second.id && await page.locator('.proof.open').count() === 0)
  const before = await page.$eval('#radius', e => e.getBoundingClientRect().width)
  await page.keyboard.press('+')
  check(where, 'growing by +', await page.$eval('#radius', e => e.getBoundingClientRect().width) > before)
  await page.keyboard.press('0')
}

async function proofs (where, page) {
  const box = page.locator('#radius .box').nth(1)
  await box.click()
  const label = (await box.locator('title').textContent()).replace(/^test /, '')
  const shown = await page.$$eval('.proof', all => all.filter(p => p.getBoundingClientRect().height > 0).map(p => p.querySelector('h3').textContent))
  check(where, 'showing one proof, that of the box', shown.length === 1 && label.startsWith(shown[0]), [label, shown])
  await page.keyboard.press('Escape')
}

async function sorts (where, page) {
  await page.evaluate(() => { for (const fold of document.querySelectorAll('details')) fold.open = true })
  const tables = page.locator('table.sorts')
  for (let i = 0; i < await tables.count(); i++) {
    const head = tables.nth(i).locator('thead th').first()
    for (const order of ['ascending', 'descending']) {
      await head.locator('button').click()
      check(where, 'naming the order', await head.getAttribute('aria-sort') === order)
      const columns = await tables.nth(i).evaluate(t => [...t.tBodies].map(b =>
        [...b.rows].filter(r => !r.classList.contains('head')).map(r => r.cells[0].textContent.trim())))
      const sorted = columns.map(c => [...c].sort(new Intl.Collator('en', { numeric: true }).compare))
      if (order === 'descending') for (const c of sorted) c.reverse()
      check(where, `sorting ${order}`, JSON.stringify(columns) === JSON.stringify(sorted), columns[0])
    }
  }
}

async function operated (file) {
  const { page, noise, took, close } = await open(file)
  const where = basename(file)
  const boxes = await page.locator('#radius .box').count()
  console.log(`${where}: ${Math.round(readFileSync(file).length / 1024)} KB, loaded in ${took} ms, ${boxes} boxes`)
  if (boxes > 0) {
    await keyboard(where, page)
    await filters(where, page)
    await proofs(where, page)
    await zooms(where, page)
  }
  await sorts(where, page)
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  await page.check('#theme-dark')
  const dark = await ground()
  await page.check('#theme-light')
  check(where, 'turning dark and light', dark !== await ground())
  check(where, 'quiet while it is operated', noise.length === 0, noise)
  await close()
}

async function plain (file) {
  const { page, noise, close } = await open(file, { javaScriptEnabled: false })
  const where = `${basename(file)} without JavaScript`
  check(where, 'without controls that do nothing', await page.locator('.controls:visible, th button').count() === 0)
  const box = page.locator('#radius .box').first()
  if (await box.count() > 0) {
    await box.click()
    check(where, 'showing the proof of a box', await page.locator('.proof:visible').count() === 1)
  }
  check(where, 'quiet', noise.length === 0, noise)
  await close()
}

async function narrow (file) {
  const { page, close } = await open(file, { viewport: { width: 390, height: 844 } })
  await page.evaluate(() => { for (const fold of document.querySelectorAll('details')) fold.open = true })
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  check(`${basename(file)} at 390`, 'as wide as its screen', width <= 390, width)
  await close()
}

async function printed (file) {
  const { page, close } = await open(file)
  await page.emulateMedia({ media: 'print' })
  const hidden = await page.$$eval('details *', all => all.filter(e => e.tagName === 'TD' && e.getBoundingClientRect().height === 0).length)
  check(`${basename(file)} on paper`, 'unfolded', hidden === 0, hidden)
  check(`${basename(file)} on paper`, 'without controls', await page.locator('.controls:visible, .theme:visible').count() === 0)
  await close()
}

for (const file of files) {
  const page = readFileSync(file, 'utf8').includes('<main>')
  await quiet(file)
  if (!page) continue
  await operated(file)
  await plain(file)
  await narrow(file)
  await printed(file)
  if (basename(file) === 'huge.html') continue // its rows are like those of the others, and ten thousand of them
  for (const scheme of ['light', 'dark']) await accessible(file, scheme)
}
await browser.close()
console.log(`${files.length} pages, ${checks} checks: ${failed === 0 ? 'all hold' : `${failed} do not hold`}`)
process.exit(failed === 0 ? 0 : 1)
