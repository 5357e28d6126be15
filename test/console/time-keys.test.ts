/** The controls of time by the keyboard: the slider, the steps from event to event, and the buttons beside them. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser } from './browser.ts'
import { signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

describe.skipIf(chromiumPath === undefined)('time by the keyboard', { timeout: 90_000 }, () => {
  const open = useBrowser()
  let server: DemoServer

  beforeAll(async () => {
    server = await demoServer()
    // Events of another bucket, before, between and behind those of the notes.
    for (let n = 0; n < 3; n++) await server.store.objects.put('photos', 'elsewhere', String(n))
    await server.store.objects.put('notes', 'last.md', 'last')
    for (let n = 0; n < 600; n++) await server.store.objects.put('photos', 'elsewhere', String(n))
  }, 120_000)
  afterAll(() => server.close())

  async function openAt(route: string): Promise<Page> {
    const { page, problems } = await open(`${server.page}${route}`)
    // The browser reports each listing of a time when there was no such bucket.
    const noted = problems.push.bind(problems)
    problems.push = (...lines) => noted(...lines.filter((line) => !line.includes('status of 404')))
    await signIn(page, server.root)
    await slider(page).waitFor()
    return page
  }
  const slider = (page: Page) => page.getByRole('slider', { name: 'Moment that the page shows' })
  const placeOf = async (page: Page): Promise<number> => Number(await slider(page).getAttribute('aria-valuenow'))
  const shownMoment = (page: Page): string | null => /[?&]at=([^&]*)/.exec(page.url())?.[1] ?? null

  async function eventsOf(bucket: string, prefix = ''): Promise<readonly number[]> {
    const positions: number[] = []
    for await (const { seq } of server.store.log({ bucket, ...(prefix !== '' && { prefix }) })) positions.push(seq)
    return positions.toReversed()
  }

  it.each(['#/browse/notes', '#/browse/photos?prefix=2026%2Fholiday%2F', '#/time/notes?show=changes'])(
    'moves the slider of %s with each press of an arrow, however fast they come',
    async (route) => {
      const page = await openAt(route)
      await slider(page).focus()
      const all = await placeOf(page)
      let before = all
      for (const key of ['ArrowLeft', 'ArrowDown', 'ArrowLeft']) {
        await page.keyboard.press(key)
        await expect.poll(() => placeOf(page)).toBeLessThan(before)
        before = await placeOf(page)
      }
      const moment = shownMoment(page)
      expect(moment).not.toBe(null)
      await page.evaluate(`for (let n = 0; n < 3; n++)
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))`)
      for (let n = 0; n < 40 && (await placeOf(page)) < all; n++) {
        before = await placeOf(page)
        await page.keyboard.press('ArrowRight')
        await expect.poll(() => placeOf(page)).toBeGreaterThan(before)
      }
      expect(shownMoment(page)).toBe(null)
      await page.keyboard.press('Home')
      await expect.poll(() => placeOf(page)).toBe(0)
      await page.keyboard.press('End')
      await expect.poll(() => placeOf(page)).toBe(all)
      expect(await page.evaluate('document.activeElement.role')).toBe('slider')
    },
  )

  it.each([
    ['a bucket', '#/browse/notes', 'notes', ''],
    ['a folder', '#/browse/photos?prefix=2026%2Fholiday%2Fharbour%2F', 'photos', '2026/holiday/harbour/'],
    ['a comparison', '#/time/notes?show=changes', 'notes', ''],
  ] as const)('steps through the events of %s alone', async (_, route, bucket, prefix) => {
    const page = await openAt(route)
    const positions = await eventsOf(bucket, prefix)
    const back = page.getByRole('button', { name: 'One event back' })
    await back.focus()
    for (const position of positions.slice(1, 5)) {
      await page.keyboard.press('Enter')
      await expect.poll(() => shownMoment(page)).toBe(String(position))
    }
    await page.getByRole('button', { name: 'One event on' }).focus()
    for (const position of positions.slice(1, 4).toReversed()) {
      await page.keyboard.press('Space')
      await expect.poll(() => shownMoment(page)).toBe(String(position))
    }
    await page.keyboard.press('Space')
    await expect.poll(() => shownMoment(page)).toBe(null)
    await slider(page).focus()
    await page.keyboard.press('PageDown')
    await expect.poll(() => shownMoment(page)).toBe(String(positions[1]))
    await page.keyboard.press('PageUp')
    await expect.poll(() => shownMoment(page)).toBe(null)
  })

  it('takes steps that are requested faster than they are answered', async () => {
    const page = await openAt('#/browse/notes')
    const positions = await eventsOf('notes')
    await slider(page).focus()
    for (let n = 0; n < 3; n++) await page.keyboard.press('PageDown')
    await expect.poll(() => shownMoment(page)).toBe(String(positions[3]))
    await page
      .getByText(/^Position/)
      .getByText('packing.md')
      .waitFor()
  })

  it('describes the last event of what is shown', async () => {
    const page = await openAt('#/browse/notes')
    await page.getByText(/wrote last\.md$/).waitFor()
  })

  it('keeps the focus on a button that turns itself off', async () => {
    const page = await openAt('#/browse/notes?at=60')
    for (const name of ['Zoom in', 'Whole log', 'Now']) {
      const button = page.getByRole('button', { name, exact: true })
      await button.focus()
      await page.keyboard.press('Enter')
      if (name !== 'Zoom in') await expect.poll(() => button.isDisabled()).toBe(true)
      await page.getByRole('slider').waitFor()
      await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe(name)
    }
    expect(shownMoment(page)).toBe(null)
  })
})
