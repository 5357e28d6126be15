/** Long work in the console: it can be stopped, says what it did, and what the server does goes on without the page. */
import type { Page, Route } from 'playwright-core'
import type { EventType, RecordedEvent } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFindings, chromiumPath, useBrowser, type WatchedPage } from './browser.ts'
import { goTo, signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

const waitMs = 60_000
const inPart = 250

describe.skipIf(chromiumPath === undefined)('long work in the console', { timeout: 240_000 }, () => {
  const open = useBrowser()
  let server: DemoServer

  beforeAll(async () => {
    server = await demoServer()
  }, 120_000)
  afterAll(() => server.close())

  async function openAt(route: string): Promise<WatchedPage> {
    const watched = await open(`${server.page}${route}`)
    // Deletions of thousands of objects take long on a busy machine.
    watched.page.setDefaultTimeout(waitMs)
    await signIn(watched.page, server.root)
    return watched
  }

  async function fill(bucket: string, prefix: string, count: number): Promise<void> {
    for (let start = 0; start < count; start += inPart) {
      await server.store.transaction(async ({ objects }) => {
        for (let n = start; n < Math.min(count, start + inPart); n++)
          await objects.put(bucket, `${prefix}${String(n).padStart(6, '0')}`, 'x')
      })
    }
  }

  async function countOf(bucket: string): Promise<number> {
    let count = 0
    for await (const { entries } of server.store.objects.list(bucket).pages()) count += entries.length
    return count
  }

  async function next(type: EventType, from: number): Promise<RecordedEvent> {
    for await (const event of server.store.log({ from, types: [type], follow: true })) return event
    throw new Error('The log has ended.')
  }

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Work in progress' })

  async function chooseAndDelete(page: Page, ...names: readonly string[]): Promise<void> {
    for (const name of names) await page.getByLabel(`Choose ${name}`, { exact: true }).check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialogOf(page).getByRole('button', { name: 'Delete', exact: true }).click()
  }

  /** Holds the requests of this number, until it is let go. */
  async function holding(page: Page, url: string, number: number): Promise<{ held: Promise<void>; go(): void }> {
    let [seen, reached, go] = [0, (): void => undefined, (): void => undefined]
    const held = new Promise<void>((resolve) => (reached = resolve))
    const released = new Promise<void>((resolve) => (go = resolve))
    await page.route(url, async (route: Route) => {
      if (++seen === number) {
        reached()
        await released
      }
      await route.continue()
    })
    return { held, go: () => go() }
  }

  it.each(['never set', 'Enabled'] as const)(
    'stops a deletion of a folder, says what it did, and undoes that (versioning: %s)',
    async (versioning) => {
      const bucket = versioning === 'Enabled' ? 'stopped-versions' : 'stopped'
      await server.store.buckets.create(bucket, versioning === 'Enabled' ? { versioning } : {})
      await fill(bucket, 'all/', 3500)
      const { page } = await openAt(`#/browse/${bucket}`)
      const { held, go } = await holding(page, `**/${bucket}?delete=`, 2)
      await chooseAndDelete(page, 'all/')
      await held
      await dialogOf(page).waitFor({ state: 'detached' })
      await panelOf(page).getByText('Deleting everything in the folder all/').waitFor()
      await panelOf(page).getByText('1,000 deleted').waitFor()
      expect(await accessibilityFindings(page)).toEqual([])
      await panelOf(page).getByRole('button', { name: 'Stop' }).click()
      await panelOf(page).getByText('Stopping…').waitFor()
      go()
      await page.getByText('Stopped. Deleted 2,000 objects. The others are still there.').waitFor()
      await panelOf(page).waitFor({ state: 'detached' })
      expect(await countOf(bucket)).toBe(1500)
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone: 2,000 objects came back.').waitFor()
      expect(await countOf(bucket)).toBe(3500)
    },
  )

  it('deletes nothing when the question is cancelled, in each way', async () => {
    await server.store.buckets.create('asked')
    await fill('asked', 'all/', 10)
    const { page } = await openAt('#/browse/asked')
    await page.getByLabel('Choose all/').check()
    for (const leave of [
      () => dialogOf(page).getByRole('button', { name: 'Cancel' }).click(),
      () => dialogOf(page).getByRole('button', { name: 'Close' }).click(),
      () => page.keyboard.press('Escape'),
    ]) {
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await dialogOf(page).waitFor()
      await leave()
      await dialogOf(page).waitFor({ state: 'detached' })
    }
    expect(await countOf('asked')).toBe(10)
  })

  it('keeps a dialog whose request was cancelled, and says that it may have been done', async () => {
    await server.store.buckets.create('cancelled')
    for (const [n, leave] of ['Cancel', 'Close', 'Escape'].entries()) {
      await server.store.objects.put('cancelled', `a${n}.txt`, 'a')
      const { page, problems } = await openAt(`#/browse/cancelled?key=a${n}.txt`)
      const { held, go } = await holding(page, `**/cancelled/b${n}.txt*`, 1)
      await page.getByRole('button', { name: 'Copy or move' }).click()
      await dialogOf(page).getByLabel('Name').fill(`b${n}.txt`)
      await dialogOf(page).getByLabel('Delete the original').check()
      await dialogOf(page).getByRole('button', { name: 'Move' }).click()
      await held
      if (leave === 'Escape') await page.keyboard.press('Escape')
      else await dialogOf(page).getByRole('button', { name: leave }).click()
      await dialogOf(page).getByText('Cancelled before the server answered.').waitFor()
      go()
      await dialogOf(page).getByRole('button', { name: 'Cancel' }).click()
      await dialogOf(page).waitFor({ state: 'detached' })
      expect(await server.store.objects.exists('cancelled', `a${n}.txt`)).toBe(true)
      problems.length = 0
    }
  })

  it('undoes a deletion of many requests as a task that goes on when the page is closed', async () => {
    await server.store.buckets.create('closed')
    await fill('closed', 'all/', 2500)
    const { page } = await openAt('#/browse/closed')
    await chooseAndDelete(page, 'all/')
    await page.getByText('Deleted 2,500 objects.').waitFor()
    expect(await countOf('closed')).toBe(0)
    const from = server.store.seq + 1
    const started = next('TaskStarted', from)
    await page.getByRole('button', { name: 'Undo' }).click()
    const { data } = await started
    await page.close()
    const ended = await next('TaskEnded', from)
    expect(ended.data).toEqual({ id: (data as { id: string }).id, outcome: 'done' })
    expect(await countOf('closed')).toBe(2500)
  })

  it('finds a task after a reload, shows how far it is, and stops it', async () => {
    await server.store.buckets.create('found')
    await fill('found', 'all/', 6000)
    const { id: requestId } = await server.store.deletePrefix('found', 'all/')
    const from = server.store.seq + 1
    // Each change is a commit, so it takes long.
    const undo = server.store.undo({ requestId, bucket: 'found', partSize: 1 }).catch(() => undefined)
    await next('TaskStarted', from)
    const { page } = await openAt('#/browse/found')
    await panelOf(page).getByText('Undoing changes in found').waitFor()
    await panelOf(page)
      .getByText(/^[\d,]+ of 6,000$/)
      .waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
    await panelOf(page).getByRole('button', { name: 'Stop' }).click()
    await undo
    const made = await countOf('found')
    expect(made).toBeLessThan(6000)
    await page.getByText(`Stopped: ${made.toLocaleString('en')} of 6,000 changes were undone`).waitFor()
    await panelOf(page).waitFor({ state: 'detached' })
  })

  it.each(['never set', 'Enabled', 'Suspended'] as const)(
    'names what an undo and its undo do by their net effect (versioning: %s)',
    async (versioning) => {
      const bucket = `words-${versioning.toLowerCase().replace(' ', '-')}`
      await server.store.buckets.create(bucket)
      if (versioning !== 'never set') await server.store.buckets.setVersioning(bucket, versioning)
      const agent = server.store.as({ by: { id: 'sam', name: 'Sam' }, requestId: `of Sam in ${bucket}` })
      await server.store.objects.put(bucket, 'gone.txt', 'first')
      await server.store.objects.put(bucket, 'changed.txt', 'first')
      await agent.objects.put(bucket, 'added.txt', 'new')
      await agent.objects.put(bucket, 'changed.txt', 'second')
      await agent.objects.delete(bucket, 'gone.txt')
      const exists = async () => [
        await server.store.objects.exists(bucket, 'added.txt'),
        await server.store.objects.exists(bucket, 'gone.txt'),
        await (await server.store.objects.get(bucket, 'changed.txt')).text(),
      ]
      const { page } = await openAt(`#/time/${bucket}`)
      const planned = async (): Promise<readonly string[]> => {
        const items = dialogOf(page).getByRole('list', { name: 'Changes' }).getByRole('listitem')
        await items.first().waitFor()
        return (await items.allInnerTexts()).map((item) => item.replace(/\s+/g, ' ').trim()).toSorted()
      }
      await page.getByRole('button', { name: /^Undo… Sam/ }).click()
      expect(await planned()).toEqual(['bring back gone.txt', 'change back changed.txt', 'remove added.txt'])
      await dialogOf(page).getByRole('button', { name: 'Undo 3 changes' }).click()
      await page.getByText('Undone: 3 changes.').waitFor()
      expect(await exists()).toEqual([false, true, 'first'])

      const row = page.getByRole('row').filter({ hasText: 'undid a change' }).first()
      await row.waitFor()
      const shown = await row.innerText()
      for (const part of ['brought back gone.txt', 'changed back changed.txt', 'removed added.txt'])
        expect(shown).toContain(part)
      await goTo(page, `#/time/${bucket}?show=story&key=gone.txt`)
      await page.getByText('The object exists.').waitFor()
      expect(await page.getByText('Last removed by').count()).toBe(0)
      await goTo(page, `#/time/${bucket}?show=story&key=added.txt`)
      await page.getByText('Last removed by root').waitFor()

      await goTo(page, `#/time/${bucket}`)
      await page.getByRole('button', { name: /^Undo… root undid a change/ }).click()
      expect(await planned()).toEqual(['bring back added.txt', 'change back changed.txt', 'remove gone.txt'])
      await dialogOf(page).getByRole('button', { name: 'Undo 3 changes' }).click()
      await page.getByText('Undone: 3 changes.').last().waitFor()
      await expect.poll(exists).toEqual([true, false, 'second'])
      await goTo(page, `#/time/${bucket}?show=story&key=gone.txt`)
      await page.getByText('Last removed by root').waitFor()
    },
  )
})
