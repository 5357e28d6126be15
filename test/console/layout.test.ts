/** Every page and dialog at the widths of a screen, a tablet and a phone, with content that strains it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser } from './browser.ts'
import { goTo, signIn } from './console-session.ts'
import { crowd, longBucket, longKey } from './crowded-store.ts'
import { type DemoServer, demoServer } from './demo-server.ts'
import { layoutFindings } from './layout-findings.ts'

const crowded = `#/browse/${longBucket}`
const inFolder = `${crowded}?prefix=folder%2F&key=${encodeURIComponent(longKey)}`

const press = (name: string | RegExp) => async (page: Page) => page.getByRole('button', { name }).first().click()

/** What is looked at: a route, then what a person does there. */
const places: readonly (readonly [name: string, route: string, act?: (page: Page) => Promise<void>])[] = [
  ['the buckets', '#/'],
  ['a dialog over the buckets', '#/', press('Create a bucket')],
  ['a bucket', '#/browse/notes'],
  ['the past of a bucket', '#/browse/photos?at=40'],
  ['a crowded bucket', `${crowded}?prefix=many%2F`],
  ['a selection', `${crowded}?prefix=many%2F`, (page) => page.getByLabel('Choose all that are loaded').check()],
  ['an object', '#/browse/notes?key=packing.md'],
  ['an object with a long key', inFolder],
  ['the details of an object', inFolder, press('Details')],
  ['25 versions of an object', `${crowded}?key=versions.txt`, press('Versions')],
  ['a dialog over an object', inFolder, press('Share')],
  ['fields over an object', inFolder, press('Copy or move')],
  ['all versions', `${crowded}?show=versions`],
  ['unfinished uploads', `${crowded}?show=uploads`],
  ['the settings', `${crowded}?show=settings`],
  ['a bucket that is not there', '#/browse/none'],
  ['who did what', `#/time/${longBucket}`],
  ['what changed', `#/time/${longBucket}?show=changes&at=120`],
  ['a plan', `#/browse/${longBucket}?at=120`, press('Restore this state…')],
  ['the live log', `#/time/${longBucket}?show=log`],
  ['the story of a key', `#/time/${longBucket}?show=story&key=${encodeURIComponent(longKey)}`],
  ['snapshots and forks', `#/time/${longBucket}?show=snapshots`],
  ['the page for operators', '#/operate'],
]

describe.skipIf(chromiumPath === undefined)('the layout of the console', { timeout: 180_000 }, () => {
  const open = useBrowser()
  let server: DemoServer

  beforeAll(async () => {
    server = await demoServer({ isMeasured: true })
    await crowd(server.store)
    const name = 'a-watcher-with-a-long-name-'.repeat(4)
    await server.store.identities.create(name, {
      policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: { Effect: 'Allow', Action: 's3:Get*', Resource: '*' },
      }),
    })
  }, 120_000)
  afterAll(() => server.close())

  it.each([
    [1280, 800],
    [1000, 700],
    [768, 1024],
    [360, 740],
  ])('shows every control of every page, %d pixels wide', async (width, height) => {
    const { page, problems } = await open(server.page, { viewport: { width, height } })
    await signIn(page, server.root)
    const found: Record<string, readonly string[]> = {}
    for (const [name, route, act] of places) {
      await goTo(page, '#/')
      await goTo(page, route)
      await page.waitForLoadState('networkidle')
      await act?.(page)
      await page.waitForLoadState('networkidle')
      await page
        .getByText(/^(Loading|Making the plan|Comparing|Measuring)…$/)
        .first()
        .waitFor({ state: 'detached' })
      const folder = process.env['VARVE_LAYOUT_PICTURES']
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${width} ${name}.png` })
      const findings = await layoutFindings(page)
      if (findings.length > 0) found[name] = findings
      if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape')
    }
    // Settings and buckets that are not there.
    expect(problems.splice(0).filter((line) => !line.includes('status of 404'))).toEqual([])
    expect(found).toEqual({})
  })

  it('keeps uploads and messages apart, and shows what is beneath them', async () => {
    const { page } = await open(server.page, { viewport: { width: 360, height: 740 } })
    await signIn(page, server.root)
    await goTo(page, `#/browse/${longBucket}?key=versions.txt`)
    await press('Delete')(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Deleted 1 object.').waitFor()
    const files = Array.from({ length: 30 }, (_, n) => ({ name: `${n}.txt`, mimeType: '', buffer: Buffer.from('a') }))
    await page.getByLabel('Files to upload').setInputFiles(files)
    await page.getByText('30 of 30 uploaded').waitFor()
    await page.getByRole('link', { name: '0.txt', exact: true }).scrollIntoViewIfNeeded()
    expect(await layoutFindings(page)).toEqual([])
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.click()
    await page.getByText('came back').waitFor()
  })
})
