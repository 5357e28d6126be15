/** The log in the console, where the store is busy: what happened in a bucket is shown however much happened elsewhere since. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser } from './browser.ts'
import { signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

const waitMs = 120_000
const inPart = 250
const deleted = 6000
const elsewhere = 30_000

describe.skipIf(chromiumPath === undefined)('the log of a busy store in the console', { timeout: 400_000 }, () => {
  const open = useBrowser()
  let server: DemoServer

  async function fill(bucket: string, count: number): Promise<void> {
    for (let start = 0; start < count; start += inPart) {
      await server.store.transaction(async ({ objects }) => {
        for (let n = start; n < start + inPart; n++) await objects.put(bucket, `all/${String(n).padStart(6, '0')}`, 'x')
      })
    }
  }

  beforeAll(async () => {
    server = await demoServer()
    for (const bucket of ['quiet', 'busy']) await server.store.buckets.create(bucket)
    await fill('quiet', deleted)
    const sam = server.store.as({ by: { id: 'sam', name: 'Sam' }, requestId: 'of Sam' })
    await sam.deletePrefix('quiet', 'all/')
    await fill('busy', elsewhere)
  }, 400_000)
  afterAll(() => server.close())

  async function openAt(route: string): Promise<Page> {
    const { page } = await open(`${server.page}${route}`)
    page.setDefaultTimeout(waitMs)
    await signIn(page, server.root)
    return page
  }

  const items = (page: Page) => page.getByRole('list', { name: /newest first/ }).getByRole('listitem')
  const older = (page: Page) => page.getByRole('button', { name: 'Show older' })

  it('begins the live log with the newest events of the bucket, and goes back without an end', async () => {
    const page = await openAt('#/time/quiet?show=log')
    await items(page).first().getByText('removed a version of').waitFor()
    expect(await items(page).count()).toBe(100)
    await older(page).click()
    await expect.poll(() => items(page).count(), { timeout: waitMs }).toBe(200)
    const seqs = (await items(page).locator('span:first-child').allInnerTexts()).map(Number).filter((n) => n > 0)
    expect(seqs).toEqual(seqs.toSorted((a, b) => b - a))
    expect(new Set(seqs).size).toBe(200)
    await server.store.objects.put('quiet', 'new.txt', 'x')
    await items(page).first().getByText('new.txt').waitFor()
    await page.getByLabel('Show', { exact: true }).selectOption({ label: 'What was written' })
    await items(page).nth(1).getByText('all/005999').waitFor()
  })

  it('has the whole of an action, and undoes all of it', async () => {
    const page = await openAt('#/time/quiet')
    const row = page.getByRole('row').filter({ hasText: 'Sam' })
    await row.getByText('6,000 objects, the first is all/000000').waitFor()
    await row.getByText('(6,000 events)').waitFor()
    await row.getByRole('button', { name: /^Undo… Sam/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo 6,000 changes' }).click()
    await page.getByText('Undone: 6,000 changes.').waitFor()
    let count = 0
    for await (const { entries } of server.store.objects.list('quiet', { prefix: 'all/' }).pages())
      count += entries.length
    expect(count).toBe(deleted)
    await page.getByText('undid a change: brought back 6,000 objects').waitFor()
    for (let pages = 0; pages < 50; pages++) {
      await page.getByRole('status').filter({ hasText: 'Reading the log' }).waitFor({ state: 'detached' })
      if ((await older(page).count()) === 0) break
      await older(page).click()
    }
    await page.getByText('created the bucket quiet').waitFor()
    await page.getByText('Everything that happened here').waitFor()
  })
})
