/** Time in the console: the slider above a bucket, comparisons, undo, the log, the story of a key, snapshots and forks. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFindings, chromiumPath, useBrowser } from './browser.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

const timeout = 60_000

// Skipped without a browser: `chromiumPath` prints a line that names the variable.
describe.skipIf(chromiumPath === undefined)('time in the console', { timeout }, () => {
  const open = useBrowser()
  let demo: DemoServer

  beforeAll(async () => {
    demo = await demoServer()
  }, timeout)
  afterAll(() => demo.close())

  async function signedIn(route: string, how?: Parameters<typeof open>[1]) {
    const opened = await open(`${demo.page}${route}`, how)
    await signIn(opened.page)
    return opened
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('Access key ID').fill(demo.root.accessKeyId)
    await page.getByLabel('Secret access key').fill('a-secret-for-demos')
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  const slider = (page: Page) => page.getByRole('slider', { name: 'Moment that the page shows' })
  const folder = '2026/holiday/harbour/'

  it('shows a bucket as it was where the mark is dragged, and as it is again', async () => {
    const { page, screenshot } = await signedIn(`#/browse/photos?prefix=${encodeURIComponent(folder)}`)
    await page.getByText('No objects here now').waitFor()
    const box = await slider(page).boundingBox()
    if (box === null) throw new Error('The slider is not in sight.')
    await page.mouse.move(box.x + box.width - 2, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.8, box.y + 20, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('link', { name: '01.svg' }).waitFor()
    await expect.poll(() => slider(page).getAttribute('aria-valuetext')).toContain('before')
    await screenshot('console-time')
    await page.getByRole('button', { name: 'Now' }).click()
    await page.getByText('No objects here now').waitFor()
  })

  it('moves the mark by the keyboard, by slices and by single events', async () => {
    const { page, problems } = await signedIn('#/browse/photos')
    await slider(page).focus()
    await page.keyboard.press('Home')
    await page.getByText('The bucket did not exist then').waitFor()
    await page.getByText('Nothing had happened yet').waitFor()
    await page.keyboard.press('PageUp')
    await page.getByText(/^Position \d+ of .* created the bucket photos$/).waitFor()
    await page.keyboard.press('End')
    await expect.poll(() => slider(page).getAttribute('aria-valuetext')).toBe('Now')
    // The browser reports each listing of a time when there was no such bucket.
    const left = problems.splice(0).filter((problem) => !/status of 404.*\/photos\?/.test(problem))
    expect(left).toEqual([])
  })

  it('restores a folder to the moment of the mark after it showed the plan', async () => {
    const { page } = await signedIn(`#/browse/photos?prefix=${encodeURIComponent(folder)}&at=${demo.story.before}`)
    await page.getByRole('button', { name: 'Restore this state…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${folder}01.svg`).waitFor()
    expect(await demo.store.objects.exists('photos', `${folder}01.svg`)).toBe(false)
    await dialog.getByRole('button', { name: /^Restore \d+ changes$/ }).click()
    await page.getByText(/^Restored: \d+ changes\.$/).waitFor()
    expect(await demo.store.objects.exists('photos', `${folder}01.svg`)).toBe(true)
  })

  it('lists who did what, and undoes all that an agent did', async () => {
    const { page, screenshot } = await signedIn('#/time/photos')
    await page.getByText(/deleted \d+ objects/).waitFor()
    await screenshot('console-actions')
    await page.getByRole('button', { name: /^Undo… Tidy agent deleted/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('bring back').first().waitFor()
    await dialog.getByRole('button', { name: /^Undo \d+ changes$/ }).click()
    await page.getByText(/^Undone: \d+ changes\.$/).waitFor()
    await page.getByText(/^\d+ places stay as they are, because others changed them since\.$/).waitFor()
    const left = await demo.store.objects.listPage('photos', { prefix: '2026/holiday/' })
    expect(left.entries.length).toBeGreaterThan(40)
  })

  it('compares two moments', async () => {
    const { page } = await signedIn(`#/time/photos?show=changes&at=10&to=${demo.story.before}`)
    const row = page.getByRole('row', { name: /added/ }).first()
    await row.waitFor()
    await row.getByRole('link').click()
    await page.getByRole('list', { name: 'Story of the key, newest first' }).waitFor()
  })

  it('begins with a bucket, also of somebody else', async () => {
    const { page } = await signedIn('')
    await page.getByRole('link', { name: 'Time' }).click()
    await page.getByLabel('Bucket', { exact: true }).selectOption('photos')
    await page.getByText('deleted 48 objects').waitFor()
  })

  it('names who deleted an object, and leads to the moment before', async () => {
    const key = `${folder}01.svg`
    const agent = demo.store.as({ by: { id: 'tidy-agent', name: 'Tidy agent' } })
    await agent.objects.delete('photos', key)
    const { page } = await signedIn(`#/time/photos?show=story&key=${encodeURIComponent(key)}`)
    await page.getByText('Last removed by').waitFor()
    expect(await page.locator('main').innerText()).toContain('Tidy agent')
    await demo.store.objects.put('photos', key, 'written again')
    await page.reload()
    await signIn(page)
    await page.getByText('The object exists.').waitFor()
    expect(await page.getByText('Last removed by').count()).toBe(0)
  })

  it('follows the log, and filters it', async () => {
    const { page } = await signedIn('#/time/notes?show=log')
    await demo.store.objects.put('notes', 'while-you-look', 'new')
    await page.getByText('while-you-look').waitFor()
    await page.getByLabel('Show').selectOption({ label: 'What was deleted or removed' })
    await page.getByText('while-you-look').waitFor({ state: 'detached' })
    await demo.store.objects.delete('notes', 'while-you-look')
    await page.getByText('while-you-look').waitFor()
  })

  it('makes and deletes a snapshot, and makes, merges and drops a fork', async () => {
    const { page } = await signedIn('#/time/notes?show=snapshots')
    await page.getByRole('button', { name: 'Create a snapshot' }).click()
    await page.getByLabel('Name').fill('before-try')
    await page.getByRole('button', { name: 'Create the snapshot' }).click()
    await page.getByRole('link', { name: 'before-try' }).waitFor()
    await page.getByRole('button', { name: 'Delete the snapshot before-try' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No snapshots').waitFor()
    await page.getByRole('button', { name: 'Fork notes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Fork', exact: true }).click()
    await page.getByRole('heading', { name: 'notes-try' }).waitFor()
    await demo.store.objects.put('notes-try', 'from-the-fork', 'merged')
    await page.goto(`${demo.page}#/time/notes?show=snapshots`)
    await page.getByRole('button', { name: 'Merge notes-try' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Merge 1 change' }).click()
    await page.getByText('Merged: 1 change.').waitFor()
    expect(await demo.store.objects.exists('notes', 'from-the-fork')).toBe(true)
    await page.getByRole('button', { name: 'Drop notes-try' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Drop', exact: true }).click()
    await page.getByText('No forks').waitFor()
  })

  it.each(['light', 'dark'] as const)(
    'has no fault that axe finds, in %s colours and on a phone',
    async (colorScheme) => {
      const { page } = await signedIn('#/browse/photos?at=40', { colorScheme, viewport: { width: 390, height: 800 } })
      await page.getByRole('button', { name: 'Restore this state…' }).waitFor()
      expect(await accessibilityFindings(page)).toEqual([])
      for (const show of ['', 'changes', 'log', 'story', 'snapshots']) {
        await page.goto(`${demo.page}#/time/photos?at=40&show=${show}`)
        await page.getByRole('navigation', { name: 'Views of time' }).waitFor()
        await page.waitForTimeout(300)
        expect(await accessibilityFindings(page), show).toEqual([])
      }
    },
  )
})
