/** A selection is what is shown: what a filter, a folder or another moment hides is neither counted nor deleted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser } from './browser.ts'
import { expectRefusals, goTo, signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

describe.skipIf(chromiumPath === undefined)('a selection', { timeout: 90_000 }, () => {
  const open = useBrowser()
  let server: DemoServer

  beforeAll(async () => {
    server = await demoServer()
    await server.store.buckets.create('mixed', { versioning: 'Enabled' })
    for (const key of ['apple', 'apricot', 'banana', 'cherry/one']) await server.store.objects.put('mixed', key, key)
  }, 120_000)
  afterAll(() => server.close())

  it('loses what a filter hides, and deletes only what is left', async () => {
    const { page } = await open(`${server.page}#/browse/mixed`)
    await signIn(page, server.root)
    await page.getByLabel('Choose all that are loaded').check()
    await page.getByText('4 selected').waitFor()
    const search = page.getByLabel('Find names that begin with')
    await search.fill('ap')
    await page.getByText('2 entries').waitFor()
    await page.getByText('2 selected').waitFor()
    await search.fill('')
    await page.getByText('4 entries').waitFor()
    await page.getByText('2 selected').waitFor()
    expect(await page.getByLabel('Choose banana').isChecked()).toBe(false)
    await search.fill('b')
    await page.getByText('1 entry').waitFor()
    await page.getByText('selected').waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await page.getByLabel('Choose banana').check()
    await search.fill('apple')
    await page.getByRole('link', { name: 'apple' }).waitFor()
    await page.getByText('selected').waitFor({ state: 'detached' })
    await page.getByLabel('Choose apple').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByText('apple').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Deleted 1 object.').waitFor()
    expect(await server.store.objects.exists('mixed', 'banana')).toBe(true)
    expect(await server.store.objects.exists('mixed', 'apple')).toBe(false)
  })

  it('ends with the folder, the moment and the view that it was made in', async () => {
    const { page } = await open(`${server.page}#/browse/mixed`)
    await signIn(page, server.root)
    for (const route of ['#/browse/mixed?prefix=cherry%2F', `#/browse/mixed?at=${server.store.seq}`]) {
      await goTo(page, '#/browse/mixed')
      await page.getByLabel('Choose banana').check()
      await page.getByText('1 selected').waitFor()
      await goTo(page, route)
      await page.getByText('selected').waitFor({ state: 'detached' })
      await goTo(page, '#/browse/mixed')
      await page.getByLabel('Choose banana').waitFor()
      expect(await page.getByLabel('Choose banana').isChecked()).toBe(false)
    }
  })

  it('loses what others deleted', async () => {
    const watched = await open(`${server.page}#/browse/mixed?show=versions`)
    const { page } = watched
    await signIn(page, server.root)
    await page.getByLabel(/of banana/).check()
    await page.getByLabel(/of apricot/).check()
    await page.getByText('2 selected').waitFor()
    const { versionId } = await server.store.objects.head('mixed', 'banana')
    await server.store.versions.delete('mixed', 'banana', versionId)
    await page.getByLabel('Choose the version').first().waitFor()
    await goTo(page, '#/browse/mixed?show=versions&key=apricot')
    await page.getByRole('button', { name: 'Versions' }).click()
    await page.getByRole('button', { name: /^Delete the version/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('selected').waitFor({ state: 'detached' })
    // The panel asks for the object that is gone.
    expectRefusals(watched, 404)
  })
})
