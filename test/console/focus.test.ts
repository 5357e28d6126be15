/** Where the focus is when a dialog or a panel opens, and where it is when it has closed. */
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser } from './browser.ts'
import { goTo, signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

interface Place {
  readonly name: string
  readonly route: string
  /** What a person does before the dialog can be opened. */
  readonly before?: (page: Page) => Promise<void>
  readonly opener: (page: Page) => Locator
}

const button = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).first()
const card = (title: string, name: string) => (page: Page) =>
  page
    .locator('section.card, section.stack')
    .filter({ has: page.getByRole('heading', { name: title, exact: true }) })
    .last()
    .getByRole('button', { name, exact: true })
const details = (page: Page) => page.getByRole('button', { name: 'Details' }).click()
const versions = (page: Page) => page.getByRole('button', { name: 'Versions' }).click()
const chooseAll = (page: Page) => page.getByLabel('Choose all that are loaded').check()

const settings = '#/browse/notes?show=settings'
const object = '#/browse/notes?key=packing.md'

const dialogs: readonly Place[] = [
  { name: 'a new bucket', route: '#/', opener: button('Create a bucket') },
  { name: 'the deletion of a bucket', route: '#/', opener: button('Delete notes') },
  { name: 'the deletion in the settings', route: settings, opener: button('Delete the bucket') },
  { name: 'the tags of a bucket', route: settings, opener: card('Tags', 'Change…') },
  { name: 'a lifecycle', route: settings, opener: card('Lifecycle', 'Add…') },
  { name: 'the removal of a policy', route: settings, opener: card('Policy', 'Remove…') },
  { name: 'a shared link', route: object, opener: button('Share') },
  { name: 'a copy', route: object, opener: button('Copy or move') },
  { name: 'the deletion of an object', route: object, opener: (page) => button('Delete')(page) },
  { name: 'metadata', route: object, before: details, opener: card('Metadata', 'Change…') },
  { name: 'the tags of an object', route: object, before: details, opener: card('Tags', 'Change…') },
  {
    name: 'a retention',
    route: '#/browse/locked?key=contract.txt',
    before: details,
    opener: card('Locks', 'Change…'),
  },
  { name: 'the deletion of a version', route: object, before: versions, opener: button(/for good$/) },
  { name: 'the deletion of a selection', route: '#/browse/notes', before: chooseAll, opener: button('Delete') },
  {
    name: 'the deletion of versions',
    route: '#/browse/notes?show=versions',
    before: chooseAll,
    opener: button('Delete for good'),
  },
  { name: 'a restore', route: '#/browse/photos?at=40', opener: button('Restore this state…') },
  { name: 'a fork of the past', route: '#/browse/photos?at=40', opener: button('Fork from here…') },
  { name: 'a snapshot of the past', route: '#/browse/photos?at=40', opener: button('Keep as a snapshot…') },
  { name: 'an undo', route: '#/time/photos', opener: button(/^Undo…/) },
  { name: 'an undo of all', route: '#/time/photos', opener: button(/^All by/) },
  { name: 'a comparison', route: '#/time/photos?show=changes&at=40', opener: button('Go back to the earlier state…') },
  { name: 'a new snapshot', route: '#/time/notes?show=snapshots', opener: button('Create a snapshot') },
  { name: 'the end of a snapshot', route: '#/time/notes?show=snapshots', opener: button(/^Delete the snapshot/) },
  { name: 'a new fork', route: '#/time/notes?show=snapshots', opener: button('Fork notes') },
  { name: 'a merge', route: '#/time/notes?show=snapshots', opener: button(/^Merge/) },
  { name: 'the end of a fork', route: '#/time/notes?show=snapshots', opener: button(/^Drop/) },
]

/** Ways to leave a dialog. The key is pressed on the focused control. */
const waysOut: readonly (readonly [name: string, leave: (page: Page) => Promise<void>])[] = [
  ['Escape', (page) => page.keyboard.press('Escape')],
  ['×', (page) => page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()],
  [
    'Cancel',
    (page) =>
      page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Cancel|Close)$/ })
        .last()
        .click(),
  ],
]

const focused = (page: Page) =>
  page.evaluate<{ readonly name: string; readonly tag: string; readonly isInDialog: boolean }>(`(() => {
    const { activeElement: element } = document
    const name = element.getAttribute('aria-label') ?? element.innerText
    return { name, tag: element.tagName, isInDialog: element.closest('dialog') !== null }
  })()`)
const hasFocus = (locator: Locator): Promise<boolean> =>
  locator.evaluate(
    (element: unknown) =>
      element === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement,
  )

describe.skipIf(chromiumPath === undefined)('the focus', { timeout: 180_000 }, () => {
  const open = useBrowser()
  let server: DemoServer

  beforeAll(async () => {
    server = await demoServer()
    const { store } = server
    await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    await store.objects.put('locked', 'contract.txt', 'signed')
    const Statement = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::notes/open/*' }
    const policy = { Version: '2012-10-17', Statement }
    await store.buckets.settings.put('notes', 'Policy', JSON.stringify(policy))
    await store.snapshots.create('kept')
    await store.buckets.fork('notes', 'notes-try')
    await store.objects.put('notes-try', 'new.md', 'new')
  }, 120_000)
  afterAll(() => server.close())

  async function openAt(route: string): Promise<Page> {
    const { page, problems } = await open(`${server.page}${route}`)
    // Settings that a bucket does not have are 404 in S3.
    const noted = problems.push.bind(problems)
    problems.push = (...lines) => noted(...lines.filter((line) => !line.includes('status of 404')))
    await signIn(page, server.root)
    return page
  }

  it('is in the first field of each dialog or on its safe button, and returns to what opened it', async () => {
    const page = await openAt('#/')
    const found: string[] = []
    for (const { name, route, before, opener } of dialogs) {
      await goTo(page, '#/browse/locked?show=uploads')
      await goTo(page, route)
      await before?.(page)
      for (const [way, leave] of waysOut) {
        const from = opener(page)
        await from.focus()
        await page.keyboard.press('Enter')
        const dialog = page.getByRole('dialog')
        await dialog.waitFor()
        const at = await focused(page)
        const isField = ['INPUT', 'SELECT', 'TEXTAREA'].includes(at.tag)
        const hasFields = (await dialog.locator('input, select, textarea:not([readonly])').count()) > 0
        if (!at.isInDialog || isField !== hasFields) found.push(`${name}: the focus is on ${at.tag} ${at.name}`)
        if (!isField && !/^(Cancel|Close|Add)$/.test(at.name)) found.push(`${name}: Enter would press ${at.name}`)
        await leave(page)
        await dialog.waitFor({ state: 'detached' })
        if (
          !(await expect
            .poll(() => hasFocus(from), { timeout: 3000 })
            .toBe(true)
            .then(
              () => true,
              () => false,
            ))
        )
          found.push(`${name}: after ${way}, the focus is on ${JSON.stringify(await focused(page))}`)
      }
    }
    expect(found).toEqual([])
  })

  it('takes what is typed as soon as a dialog opens, and Enter harms nothing', async () => {
    const page = await openAt('#/')
    await button('Create a bucket')(page).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('typed-at-once')
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('typed-at-once')
    await page.keyboard.press('Escape')
    await goTo(page, object)
    await button('Delete')(page).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await server.store.objects.exists('notes', 'packing.md')).toBe(true)
    await details(page)
    await card('Tags', 'Change…')(page).click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('state')
    expect(await page.getByLabel('Name 1').inputValue()).toBe('state')
  })

  it.each([
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['the cross', (page: Page) => page.locator('.object-panel').getByRole('link', { name: 'Close' }).press('Enter')],
  ] as const)('returns to the row of an object when its panel is closed with %s', async (_, leave) => {
    const page = await openAt('#/browse/notes')
    const row = page.getByRole('link', { name: 'route.md' })
    for (const route of ['#/browse/notes', '#/browse/notes?show=versions']) {
      await goTo(page, route)
      await row.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'route.md' }).waitFor()
      await page.getByRole('button', { name: 'Versions' }).focus()
      await page.keyboard.press('Enter')
      await leave(page)
      await page.locator('.object-panel').waitFor({ state: 'detached' })
      await expect.poll(() => hasFocus(row)).toBe(true)
    }
  })

  it('returns to the row of an object that was opened by its address', async () => {
    const page = await openAt('#/browse/notes?key=route.md')
    await page.getByRole('button', { name: 'Share' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => hasFocus(page.getByRole('link', { name: 'route.md' }))).toBe(true)
  })

  it('goes on beside what is gone', async () => {
    const { store } = server
    await store.buckets.create('a-first')
    await store.buckets.create('b-second')
    const page = await openAt('#/')
    await button('Delete a-first')(page).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await page.getByRole('link', { name: 'a-first' }).waitFor({ state: 'detached' })
    expect((await focused(page)).tag).not.toBe('BODY')
    await page.getByRole('button', { name: 'Dismiss' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Deleted the bucket').waitFor({ state: 'detached' })
    expect((await focused(page)).tag).not.toBe('BODY')
    await goTo(page, '#/browse/notes')
    await page.getByLabel('Choose route.md').check()
    await button('Delete')(page).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await page.getByText('Deleted 1 object.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await focused(page)).tag).not.toBe('BODY')
  })
})
