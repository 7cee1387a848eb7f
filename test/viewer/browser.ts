/**
 * The viewer in a real Chromium: the built page, served by the real server, over real files.
 *
 * Every page is watched from its first request to its last. A message of the content security policy, an
 * error in the console or a request to anything but the viewer itself fails the test, whatever it was about.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { openViewer, type ViewerOptions } from '../../src/viewer/items/open-viewer.ts'
import { readPage } from '../../src/viewer/server/page-files.ts'
import { serveViewer } from '../../src/viewer/server/serve.ts'
import { launchChromium } from '../support/chromium.ts'

const builtPage = new URL('../../dist/viewer/web/', import.meta.url)

let launched: Promise<Browser> | null = null

/** One browser per test file. It resolves no name, so that even its own services reach nobody. */
function browser(): Promise<Browser> {
  launched ??= launchChromium()
  return launched
}

afterAll(async () => (await launched)?.close())

export type WatchedPage = {
  readonly page: Page
  readonly requests: readonly string[]
  /** What went wrong: errors in the console, exceptions, requests that left the viewer. */
  readonly troubles: string[]
}

/**
 * A page that may talk to `allowed` only (a prefix of addresses). It is checked and closed when the test
 * ends.
 */
export async function watchedPage(
  allowed: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const requests: string[] = []
  const troubles: string[] = []
  page.on('request', (request) => {
    requests.push(request.url())
    if (!request.url().startsWith(allowed)) troubles.push(`request to ${request.url()}`)
  })
  page.on('websocket', (socket) => troubles.push(`web socket to ${socket.url()}`))
  page.on('popup', (popup) => troubles.push(`popup ${popup.url()}`))
  page.on('dialog', async (dialog) => {
    troubles.push(`dialog ${dialog.message()}`)
    await dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => troubles.push(`exception: ${error.message}`))
  onTestFinished(async () => {
    await context.close()
    expect(troubles).toEqual([])
  })
  return { page, requests, troubles }
}

export type Viewed = WatchedPage & {
  readonly url: string
  /** Opens a fragment of the same viewer. */
  go(fragment: string): Promise<void>
}

/** Opens paths in the viewer, as `reprise view` does. */
export async function view(
  paths: readonly string[],
  { fragment = '', ...options }: ViewerOptions & BrowserContextOptions & { readonly fragment?: string } = {},
): Promise<Viewed> {
  const viewer = await openViewer(paths, options)
  const server = await serveViewer(viewer.source, readPage(builtPage))
  // Runs after the page is closed: what is registered last runs first.
  onTestFinished(async () => {
    await server.close()
    await viewer.close()
  })
  const watched = await watchedPage(server.url, options)
  const go = async (next: string): Promise<void> => {
    await watched.page.goto(`${server.url}${next}`)
    await watched.page.locator('main').waitFor()
  }
  await go(fragment)
  return { ...watched, url: server.url, go }
}

/** The text of the first element as it is on the screen; empty if there is none yet. */
export async function shownText(page: Page, selector: string): Promise<string> {
  const [text = ''] = await page.locator(selector).allInnerTexts()
  return text
}

/** Waits until an element shows a text. */
export async function shows(
  page: Page,
  selector: string,
  wanted: string | RegExp,
  timeout = 5000,
): Promise<void> {
  const pattern =
    typeof wanted === 'string' ? new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : wanted
  await expect.poll(() => shownText(page, selector), { timeout }).toMatch(pattern)
}

/** Whether anything is drawn on a canvas. */
export function painted(page: Page, selector: string): Promise<boolean> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector(${JSON.stringify(selector)})
    return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte !== 0)
  })()`)
}
