// Starts the browser of this machine so that it does nothing by itself.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export function start () {
  const executablePath = places.find(place => place && existsSync(place))
  if (!executablePath) throw new Error('no chromium found; name one in CHROMIUM')
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  })
}
