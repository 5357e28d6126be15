/** Browsing in the console, in a browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFindings, chromiumPath, useBrowser, type WatchedPage } from './browser.ts'
import { expectRefusals, goTo, ignoreAbsentSettings, signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

const mebibyte = 1024 ** 2

describe.skipIf(chromiumPath === undefined)('browsing', { timeout: 90_000 }, () => {
  const open = useBrowser()
  let server: DemoServer

  beforeAll(async () => {
    server = await demoServer()
  }, 120_000)
  afterAll(() => server.close())

  async function openAt(route: string, how: Parameters<typeof open>[1] = {}): Promise<WatchedPage> {
    const watched = await open(`${server.page}${route}`, how)
    await signIn(watched.page, server.root)
    return watched
  }
  const textOf = async (bucket: string, key: string): Promise<string> =>
    (await server.store.objects.get(bucket, key)).text()

  it('creates a bucket, uploads into it, and deletes it when it is empty', async () => {
    const watched = await openAt('#/')
    const { page } = watched
    await page.getByRole('button', { name: 'Create a bucket' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Bad_Name')
    await dialog.getByText('lower-case letters').waitFor()
    expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Name').fill('letters')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Nothing here yet').waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
    await page.getByLabel('Files to upload').setInputFiles([
      { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
      { name: 'größe.json', mimeType: 'application/json', buffer: Buffer.from('{"a":[1,2]}') },
    ])
    await page.getByText('2 of 2 uploaded').waitFor()
    expect(await textOf('letters', 'größe.json')).toBe('{"a":[1,2]}')
    await page.getByRole('link', { name: 'größe.json' }).click()
    await page.getByText('"a": [').waitFor()
    await goTo(page, '#/')
    await page.getByRole('button', { name: 'Delete letters' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: 'Show what is left' }).click()
    await page.getByLabel('Choose all that are loaded').check()
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No versions here').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Delete the bucket' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Deleted the bucket letters.').waitFor()
    expect(await server.store.buckets.exists('letters')).toBe(false)
    expectRefusals(watched, 409)
    ignoreAbsentSettings(watched)
  })

  it('deletes a folder, and undoes it', async () => {
    await server.store.buckets.create('plain')
    for (const key of ['docs/a', 'docs/deep/b', 'c']) await server.store.objects.put('plain', key, key)
    const { page } = await openAt('#/browse/plain')
    await page.getByLabel('Choose docs/').check()
    await page.getByLabel('Choose c').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('1 object and everything in 1 folder').waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No objects here now').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone: 3 objects came back.').waitFor()
    await page.getByRole('link', { name: 'docs/' }).waitFor()
    expect(await textOf('plain', 'docs/deep/b')).toBe('docs/deep/b')
  })

  it('opens a key with every character', async () => {
    const keys = [
      '..',
      '.',
      'a/../b',
      'x//y',
      '/',
      'a%2Fb',
      'a b+c?d#e&f',
      '\u0001\u007f\n',
      '😀/é',
      '<b>&"\'',
      '\u202egpj',
      '%',
    ]
    await server.store.buckets.create('odd')
    for (const key of keys)
      await server.store.objects.put('odd', key, `content of ${key}`, { contentType: 'text/plain' })
    const { page } = await openAt('#/browse/odd')
    for (const key of keys) {
      await goTo(page, `#/browse/odd?key=${encodeURIComponent(key)}`)
      await expect.poll(() => page.locator('pre.preview').textContent()).toBe(`content of ${key}`)
    }
    await goTo(page, '#/browse/odd')
    await page.getByRole('link', { name: '(empty name)/' }).click()
    await page.getByRole('link', { name: '(the folder itself)' }).waitFor()
    await page.getByRole('link', { name: 'Buckets', exact: true }).waitFor()
  })

  it('shows versions, brings one back and undoes a deletion', async () => {
    const { page } = await openAt('#/browse/notes?key=packing.md')
    await page.getByRole('button', { name: 'Versions' }).click()
    expect(await accessibilityFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Bring back' }).click()
    await page.getByText('It is the current version again.').waitFor()
    expect(await textOf('notes', 'packing.md')).not.toContain('battery')
    await page.getByRole('button', { name: 'Delete', exact: true }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Deleted 1 object.').waitFor()
    expect(await server.store.objects.exists('notes', 'packing.md')).toBe(false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone: 1 object came back.').waitFor()
    expect(await server.store.objects.exists('notes', 'packing.md')).toBe(true)
  })

  it('changes metadata, tags and the name of an object', async () => {
    const watched = await openAt('#/browse/notes?key=route.md')
    const { page } = watched
    await page.getByRole('button', { name: 'Details' }).click()
    await page.getByRole('button', { name: 'Change…' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Cache control').fill('max-age=60')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByLabel('Name 1').fill('two words')
    await dialog.getByText('not a name for a header').waitFor()
    await dialog.getByLabel('Name 1').fill('author')
    await dialog.getByLabel('Value 1').fill('Zoë 😀')
    expect(await accessibilityFindings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Zoë 😀').waitFor()
    const changed = await server.store.objects.head('notes', 'route.md')
    expect(changed).toMatchObject({
      cacheControl: 'max-age=60',
      contentType: 'text/markdown',
      metadata: { author: 'Zoë 😀' },
    })
    await page.getByRole('button', { name: 'Change…' }).last().click()
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByLabel('Name 1').fill('state')
    await dialog.getByLabel('Value 1').fill('draft')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('state: draft').waitFor()
    await page.getByRole('button', { name: 'Copy or move' }).click()
    await dialog.getByLabel('Name').fill('plans/route.md')
    await dialog.getByLabel('Delete the original').check()
    await dialog.getByRole('button', { name: 'Move' }).click()
    await page.getByText('Moved.').waitFor()
    await page.getByRole('heading', { name: 'route.md' }).waitFor()
    expect(await server.store.objects.exists('notes', 'route.md')).toBe(false)
    expect(await textOf('notes', 'plans/route.md')).toContain('harbour')
    ignoreAbsentSettings(watched)
  })

  it('moves only the content that the person saw', async () => {
    await server.store.objects.put('notes', 'shared.txt', 'first')
    const watched = await openAt('#/browse/notes?key=shared.txt')
    const { page } = watched
    await page.getByText('first').waitFor()
    await server.store.objects.put('notes', 'shared.txt', 'changed meanwhile')
    await page.getByRole('button', { name: 'Copy or move' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('moved.txt')
    await dialog.getByLabel('Delete the original').check()
    await dialog.getByRole('button', { name: 'Move' }).click()
    await dialog.getByText('PreconditionFailed').waitFor()
    expect(await textOf('notes', 'shared.txt')).toBe('changed meanwhile')
    expect(await server.store.objects.exists('notes', 'moved.txt')).toBe(false)
    expectRefusals(watched, 412)
  })

  it('sends a large file in parts, and goes on after it was cut off', async () => {
    await server.store.buckets.create('large')
    const watched = await openAt('#/browse/large')
    const { page, problems } = watched
    const bytes = Buffer.alloc(20 * mebibyte, 'twenty mebibytes of text ')
    const sent: string[] = []
    await page.route('**/large/big.bin?partNumber=*', (route) => {
      const number = new URL(route.request().url()).searchParams.get('partNumber') ?? ''
      sent.push(number)
      return number === '3'
        ? route.fulfill({ status: 400, body: '<Error><Code>IncompleteBody</Code></Error>' })
        : route.continue()
    })
    // A file of 20 MiB is too large to be sent to the browser by the test.
    await page.evaluate(`{
      const content = new Uint8Array(${bytes.length})
      new TextEncoder().encodeInto('twenty mebibytes of text '.repeat(${Math.ceil(bytes.length / 25)}), content)
      const transfer = new DataTransfer()
      transfer.items.add(new File([content], 'big.bin'))
      const drop = new DragEvent('drop', { dataTransfer: transfer, bubbles: true })
      document.querySelector('.drop-area').dispatchEvent(drop)
    }`)
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
    await page.unrouteAll()
    const again: string[] = []
    page.on('request', (request) => {
      const number = new URL(request.url()).searchParams.get('partNumber')
      if (number !== null) again.push(number)
    })
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('1 of 1 uploaded').waitFor()
    expect([sent.toSorted(), again]).toEqual([['1', '2', '3'], ['3']])
    const got = await server.store.objects.get('large', 'big.bin')
    expect(bytes.equals(Buffer.from(await got.bytes()))).toBe(true)
    problems.length = 0
  })

  it('saves settings, and shows what the server refuses', async () => {
    await server.store.buckets.create('settled')
    const watched = await openAt('#/browse/settled?show=settings')
    const { page } = watched
    const card = (title: string) =>
      page.locator('section.card').filter({ has: page.getByRole('heading', { name: title }) })
    await card('Versioning').getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('On: each change keeps').waitFor()
    await card('Policy').getByRole('button', { name: 'Add…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Document').fill('{ "Version": ')
    await dialog.getByText('This is not JSON').waitFor()
    await dialog.getByLabel('Document').fill('{ "Version": "2012-10-17", "Statement": [{ "Effect": "Perhaps" }] }')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('MalformedPolicy').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await card('Lifecycle').getByRole('button', { name: 'Add…' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('<Prefix>tmp/</Prefix>').waitFor()
    await card('Encryption').getByLabel('Key').selectOption('AES256')
    await card('Encryption').getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => server.store.buckets.settings.get('settled', 'Encryption')).toBeDefined()
    expect(await accessibilityFindings(page)).toEqual([])
    expectRefusals(watched, 400)
    ignoreAbsentSettings(watched)
  })

  it('locks a version, in a bucket with object lock', async () => {
    await server.store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    await server.store.objects.put('locked', 'contract.txt', 'signed')
    const watched = await openAt('#/browse/locked?key=contract.txt')
    const { page } = watched
    await page.getByRole('button', { name: 'Details' }).click()
    await page.getByRole('button', { name: 'Hold' }).click()
    await page.getByText('Legal hold: it cannot be deleted').waitFor()
    await page.getByRole('button', { name: 'Versions' }).click()
    await page.getByRole('button', { name: /for good/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('could not be deleted').waitFor()
  })

  it('scrolls through thousands of keys with few rows in the document', async () => {
    await server.store.buckets.create('many')
    for (let start = 0; start < 2500; start += 250) {
      await server.store.transaction(async (transaction) => {
        for (let n = start; n < start + 250; n++) await transaction.objects.put('many', String(n).padStart(6, '0'), 'x')
      })
    }
    const { page } = await openAt('#/browse/many')
    await page.getByRole('link', { name: '000000' }).focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('000001')
    for (let presses = 0; presses < 6; presses++) {
      await page.keyboard.press('End')
      await page.waitForTimeout(200)
    }
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('002499')
    expect(await page.getByText('2,500 entries').count()).toBe(1)
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    await page.getByLabel('Find names that begin with').fill('0012')
    await page.getByText('100 entries').waitFor()
  })

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 375],
  ] as const)('is readable: %s, %d pixels wide', async (colorScheme, width) => {
    const watched = await openAt('#/browse/photos?prefix=2026%2F', { colorScheme, viewport: { width, height: 720 } })
    const { page } = watched
    for (const route of [
      '#/',
      '#/browse/photos',
      '#/browse/photos?show=versions',
      '#/browse/notes?key=packing.md',
      '#/browse/photos?show=uploads',
    ]) {
      await goTo(page, route)
      await page.waitForTimeout(300)
      expect(await accessibilityFindings(page), route).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), route).toBeLessThanOrEqual(0)
    }
  })
})
