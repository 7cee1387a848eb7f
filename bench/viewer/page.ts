/**
 * The page of the viewer in Chromium, drawn by software: the time of a frame while a reader scrolls through
 * the record list and zooms in the timeline, and the resident memory of the process that draws it.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchChromium } from '../../test/support/chromium.ts'
import { median } from '../measure.ts'

const reprise = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const RUNS = 5
const STEPS = 40

export type PageFigures = {
  readonly p95FrameMs: number
  readonly residentMb: number
  readonly firstViewMs: number
}

/** Opens the tape with `reprise view`, whose index is built before anything is measured. */
export async function pageFigures(path: string): Promise<PageFigures> {
  const viewer = spawn(process.execPath, [reprise, 'view', '--no-open', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for await (const line of createInterface({ input: viewer.stdout })) return await figuresOf(line)
    throw new Error(`reprise view ended without an address for ${path}`)
  } finally {
    viewer.kill('SIGINT')
  }
}

async function figuresOf(url: string): Promise<PageFigures> {
  const browser = await launchChromium()
  try {
    const runs: { p95: number; residentMb: number; firstViewMs: number }[] = []
    for (let run = 0; run < RUNS; run += 1) runs.push(await oneRun(browser, url))
    return {
      p95FrameMs: median(runs.map(({ p95 }) => p95)),
      residentMb: Math.max(...runs.map(({ residentMb }) => residentMb)),
      firstViewMs: median(runs.map(({ firstViewMs }) => firstViewMs)),
    }
  } finally {
    await browser.close()
  }
}

async function oneRun(
  browser: Browser,
  url: string,
): Promise<{ p95: number; residentMb: number; firstViewMs: number }> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  try {
    const start = performance.now()
    await page.goto(`${url}#/timeline/0`)
    await page.locator('.row-title').first().waitFor()
    const firstViewMs = performance.now() - start
    await page.evaluate(COLLECT)
    await scrollAndZoom(page)
    const frames = await page.evaluate<number[]>('window.frames_ms')
    const residentMb = await rendererMb(await browser.newBrowserCDPSession())
    return { p95: percentile(frames, 0.95), residentMb, firstViewMs }
  } finally {
    await page.close()
  }
}

/** Notes the time between two frames, until the page is closed. */
const COLLECT = `
  window.frames_ms = []
  let last = performance.now()
  const note = (now) => {
    window.frames_ms.push(now - last)
    last = now
    requestAnimationFrame(note)
  }
  requestAnimationFrame(note)`

async function scrollAndZoom(page: Page): Promise<void> {
  const list = await centre(page, '.row-list')
  await page.mouse.move(list.x, list.y)
  for (let step = 0; step < STEPS; step += 1) await page.mouse.wheel(0, step % 4 === 3 ? 40_000 : 400)
  const area = await centre(page, '.timeline-area')
  await page.mouse.move(area.x, area.y)
  for (let step = 0; step < STEPS; step += 1) await page.mouse.wheel(0, step < STEPS / 2 ? -150 : 150)
  for (let step = 0; step < STEPS; step += 1) await page.keyboard.press(step % 2 === 0 ? 'End' : 'Home')
}

async function centre(page: Page, selector: string): Promise<{ readonly x: number; readonly y: number }> {
  const box = await page.locator(selector).boundingBox()
  if (box === null) throw new Error(`${selector} is not on the page`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** The largest renderer: the others are spare ones. */
async function rendererMb(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentMb(id))
  return Math.max(...sizes)
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
