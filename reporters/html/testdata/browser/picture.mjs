// Takes a picture of a page.
//
//   node picture.mjs PAGE.html OUT.png [--dark] [--width N] [--height N] [--at SECTION] [--choose NAME] [--without-tests]
//
// --at scrolls to a section, such as impact; --choose opens the proof of the
// first box whose name holds NAME.
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { start } from './browser.mjs'

const { values, positionals: [file, out] } = parseArgs({
  allowPositionals: true,
  options: {
    dark: { type: 'boolean', default: false },
    width: { type: 'string', default: '1280' },
    height: { type: 'string', default: '900' },
    at: { type: 'string' },
    choose: { type: 'string' },
    'without-tests': { type: 'boolean', default: false },
  },
})
const browser = await start()
const page = await browser.newPage({
  viewport: { width: Number(values.width), height: Number(values.height) },
  colorScheme: values.dark ? 'dark' : 'light', reducedMotion: 'reduce',
})
await page.goto(pathToFileURL(file).href)
if (values['without-tests']) await page.locator('#radius-tests').uncheck()
if (values.choose) await page.locator('#radius .box').filter({ hasText: values.choose }).first().click()
await page.mouse.move(0, 0)
if (values.at) await page.locator(`#${values.at}`).evaluate(e => e.scrollIntoView({ block: 'start', behavior: 'instant' }))
await page.screenshot({ path: out })
await browser.close()
