/** What is dropped anywhere in the window is uploaded or refused: the page is never left for it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser } from './browser.ts'
import { goTo, signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

/** Whether the page took the drop, so that the browser does not open what was dropped. */
const drop = (page: Page, onto: string, what: 'file' | 'link'): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const dataTransfer = new DataTransfer()
    if (${JSON.stringify(what)} === 'file') dataTransfer.items.add(new File(['dropped'], 'dropped.txt'))
    else dataTransfer.setData('text/uri-list', 'https://example.com/')
    const element = document.querySelector(${JSON.stringify(onto)})
    const send = (type) => !element.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    return send('dragover') && send('drop')
  })()`)

const patiently = { timeout: 30_000 }

async function dismissAll(page: Page): Promise<void> {
  const buttons = page.getByRole('button', { name: 'Dismiss' })
  while ((await buttons.count()) > 0) await buttons.first().click()
}

const refused = [
  ['the buckets', '#/', /Open the objects of a bucket/],
  ['all versions', '#/browse/notes?show=versions', /Open the objects of a bucket/],
  ['the settings', '#/browse/notes?show=settings', /Open the objects of a bucket/],
  ['the past', '#/browse/notes?at=60', /The past cannot be changed/],
  ['the times', '#/time/notes', /Open the objects of a bucket/],
  ['the page for operators', '#/operate', /Open the objects of a bucket/],
] as const

describe.skipIf(chromiumPath === undefined)('a drop', { timeout: 120_000 }, () => {
  const open = useBrowser()
  let server: DemoServer

  beforeAll(async () => {
    server = await demoServer({ isMeasured: true })
  }, 120_000)
  afterAll(() => server.close())

  it.each(['body', '.top-bar', '.breadcrumbs', '.timeline', '.drop-area', '.object-panel', '.search input'])(
    'of a file onto %s is uploaded into the folder that is shown',
    async (onto) => {
      const { page } = await open(`${server.page}#/browse/notes?key=packing.md`)
      await signIn(page, server.root)
      await page.getByLabel('Choose packing.md').waitFor()
      await page.locator('.object-panel').waitFor()
      await page.locator('.timeline').waitFor()
      expect(await drop(page, onto, 'file')).toBe(true)
      await page.getByText('1 of 1 uploaded').waitFor()
      expect(await (await server.store.objects.get('notes', 'dropped.txt')).text()).toBe('dropped')
    },
  )

  it('of a file is refused with a reason where nothing can be uploaded', async () => {
    const { page, problems } = await open(server.page)
    await page.getByLabel('Access key ID').waitFor()
    for (const what of ['file', 'link'] as const) expect(await drop(page, 'body', what)).toBe(true)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await signIn(page, server.root)
    for (const [name, route, reason] of refused) {
      await goTo(page, route)
      await page.waitForLoadState('networkidle')
      expect(await drop(page, 'main', 'link'), name).toBe(true)
      // The page may still be loading.
      await expect
        .poll(async () => {
          await dismissAll(page)
          expect(await drop(page, 'main', 'file'), name).toBe(true)
          return page.locator('.toasts').innerText()
        }, patiently)
        .toMatch(reason)
      await dismissAll(page)
    }
    await goTo(page, '#/')
    await page.getByRole('button', { name: 'Create a bucket' }).click()
    expect(await drop(page, 'dialog', 'file')).toBe(true)
    await page.getByText('Close the dialog').waitFor()
    problems.splice(0)
  })
})
