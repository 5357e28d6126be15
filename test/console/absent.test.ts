/** Pages about what is not there: a bucket without objects, a bucket that does not exist, a chart without a past. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser } from './browser.ts'
import { expectRefusals, goTo, signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

describe.skipIf(chromiumPath === undefined)('what is not there', { timeout: 90_000 }, () => {
  const open = useBrowser()
  let server: DemoServer

  beforeAll(async () => {
    server = await demoServer({ isMeasured: true })
    const { store } = server
    await store.buckets.create('never-filled')
    await store.buckets.create('plain-emptied')
    for (const key of ['a', 'b']) await store.objects.put('plain-emptied', key, key)
    await store.deletePrefix('plain-emptied', '')
    await store.buckets.create('dropped')
    await store.objects.put('dropped', 'a', 'a')
    await store.deletePrefix('dropped', '')
    await store.buckets.delete('dropped')
  }, 120_000)
  afterAll(() => server.close())

  const controls = (page: Page) =>
    page
      .getByRole('button', { name: /^(Upload|Delete|Create|Fork|Restore|Suspend|Turn on|One event|Drop|Merge)/ })
      .count()

  it('is told apart: a bucket that was never filled, and one that was emptied', async () => {
    const { page } = await open(`${server.page}#/browse/never-filled`)
    await signIn(page, server.root)
    await page.getByText('Nothing here yet').waitFor()
    for (const [route, shown] of [
      ['#/browse/plain-emptied', 'b'],
      ['#/browse/photos', '2026/'],
      ['#/browse/photos?prefix=2026%2Fholiday%2Fharbour%2F', '08.svg'],
    ] as const) {
      await goTo(page, route)
      await page.getByRole('heading', { name: 'No objects here now' }).waitFor()
      expect(await page.getByText('Nothing here yet').count()).toBe(0)
      await page.getByRole('link', { name: 'Show them as they were' }).click()
      await page.getByRole('link', { name: shown, exact: true }).waitFor()
    }
    await goTo(page, '#/browse/photos')
    await page.getByText(/when Tidy agent deleted the last of them/).waitFor()
    await page.getByRole('link', { name: 'Who did what' }).last().click()
    await page.getByText('deleted 48 objects').waitFor()
  })

  it.each([
    '#/browse/none',
    '#/browse/none?show=settings',
    '#/browse/none?show=versions',
    '#/browse/none?show=uploads',
    '#/browse/No_name',
    '#/time/none',
    '#/time/none?show=snapshots',
  ])('has no controls: %s', async (route) => {
    const watched = await open(`${server.page}${route}`)
    await signIn(watched.page, server.root)
    await watched.page.getByRole('heading', { name: /^There is no bucket/ }).waitFor()
    await watched.page.waitForLoadState('networkidle')
    expect(await controls(watched.page)).toBe(0)
    expect(await watched.page.getByRole('alert').count()).toBe(0)
    await watched.page.getByRole('link', { name: 'All buckets' }).click()
    await watched.page.getByRole('link', { name: 'never-filled' }).waitFor()
    watched.problems.splice(0)
  })

  it('leads from a deleted bucket to what it was', async () => {
    const watched = await open(`${server.page}#/browse/dropped`)
    const { page } = watched
    await signIn(page, server.root)
    await page.getByText(/It existed before: .* deleted the bucket at/).waitFor()
    await page.getByRole('link', { name: 'Look at it as it was' }).click()
    await page.getByRole('button', { name: 'One event back' }).click()
    await page.getByRole('link', { name: 'a', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Upload' }).count()).toBe(0)
    expectRefusals(watched, 404)
  })

  it('ends with the bucket that is deleted while it is shown', async () => {
    await server.store.buckets.create('short-lived')
    const watched = await open(`${server.page}#/browse/short-lived`)
    const { page } = watched
    await signIn(page, server.root)
    await page.getByText('Nothing here yet').waitFor()
    await server.store.buckets.delete('short-lived')
    await page.getByLabel('Find names that begin with').fill('x')
    await page.getByRole('heading', { name: 'There is no bucket short-lived' }).waitFor()
    expect(await controls(page)).toBe(0)
    expectRefusals(watched, 404)
  })

  it('has no other year on the axis of a chart with few points', async () => {
    const { page } = await open(server.page)
    await page.addInitScript(`{
      globalThis.drawn = []
      const { fillText } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        globalThis.drawn.push(String(text))
        return fillText.call(this, text, ...rest)
      }
    }`)
    await page.goto(`${server.page}#/operate`)
    await page.reload()
    await signIn(page, server.root)
    await page.getByText(/requests per second/).waitFor()
    await expect.poll(() => page.evaluate<number>('globalThis.drawn.length')).toBeGreaterThan(0)
    const drawn = await page.evaluate<readonly string[]>('globalThis.drawn')
    expect(drawn.filter((text) => /^20\d\d$/.test(text))).toEqual([])
    expect(drawn.some((text) => /:\d\d/.test(text))).toBe(true)
  })
})
