/**
 * Chromium for tests of the console. Pages are watched: what the browser reports as an error, and each violation of the
 * content security policy, fails the test that caused it.
 */
import { accessSync, constants } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'

/** The browser that `VARVE_CHROMIUM` names, or Debian's. `undefined`: the tests are skipped. */
export const chromiumPath = findChromium()

function findChromium(): string | undefined {
  const named = process.env['VARVE_CHROMIUM']
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const usual = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  )
  const found = (named === undefined ? usual : [named]).find(isExecutable)
  if (named !== undefined && found === undefined) throw new Error(`VARVE_CHROMIUM names no program: ${named}`)
  if (found === undefined)
    console.warn('No Chromium here: the tests of the console are skipped. VARVE_CHROMIUM names one.')
  return found
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export interface WatchedPage {
  readonly page: Page
  /** Errors and violations so far. The test fails for those that are left at its end. */
  readonly problems: string[]
  /** With `VARVE_SCREENSHOTS=1`, renews a picture of the documentation: `docs/images/NAME.png`. */
  screenshot(name: string): Promise<void>
}

export type OpenPage = (url: string, how?: BrowserContextOptions) => Promise<WatchedPage>

/** A browser for the tests of one file. Call it at the top of the file. Each page has a context of its own. */
export function useBrowser(): OpenPage {
  let browser: Promise<Browser> | undefined
  let opened: { readonly problems: readonly string[]; close(): Promise<void> }[] = []
  afterEach(async () => {
    const [pages, found] = [opened, opened.flatMap(({ problems }) => problems)]
    opened = []
    for (const page of pages) await page.close()
    expect(found).toEqual([])
  })
  afterAll(async () => (await browser)?.close())
  return async (url, how = {}) => {
    browser ??= chromium.launch({ executablePath: chromiumPath ?? '', args: ['--disable-dev-shm-usage'] })
    const context = await (await browser).newContext({ viewport: { width: 1280, height: 800 }, ...how })
    const page = await context.newPage()
    const problems = watched(page)
    opened.push({ problems, close: () => context.close() })
    await page.goto(url)
    return { page, problems, screenshot: (name) => screenshot(page, name) }
  }
}

/** Chromium reports refused resources, failed requests and violations of the policy as errors of the page's console. */
function watched(page: Page): string[] {
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('crash', () => problems.push('The page crashed.'))
  return problems
}

/** What axe finds wrong for people who use a keyboard or a screen reader, one line each. */
export async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  // Runs in the page as the browser's debugger does, so the policy of the page stays in force.
  await page.evaluate(axe.source)
  const found = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`),
  )
}

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url))

async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env['VARVE_SCREENSHOTS'] !== '1') return
  await mkdir(images, { recursive: true })
  await page.screenshot({ path: join(images, `${name}.png`), animations: 'disabled' })
}
