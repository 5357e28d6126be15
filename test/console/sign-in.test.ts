/** Signing in to the console, and what happens when a key, a clock or a server fails. */
import { createIdentity, parsePolicy } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFindings, chromiumPath, useBrowser } from './browser.ts'
import { expectRefusals, goTo, ignoreAbsentSettings, signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

describe.skipIf(chromiumPath === undefined)('signing in', { timeout: 90_000 }, () => {
  const open = useBrowser()
  const reader = createIdentity({
    name: 'reader',
    accessKeyId: 'VARVEREADER',
    secretAccessKey: 'a-secret-of-the-reader',
    policy: parsePolicy({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: ['s3:ListBucket', 's3:GetObject'], Resource: 'arn:aws:s3:::notes*' }],
    }),
  })
  let server: DemoServer

  beforeAll(async () => {
    server = await demoServer({ identities: [reader] })
  }, 120_000)
  afterAll(() => server.close())

  it('explains a wrong key, and accepts the right one', async () => {
    const watched = await open(server.page)
    const { page } = watched
    await page.getByLabel('Access key ID').fill('NOBODY')
    await page.getByLabel('Secret access key').fill('nothing')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The server does not know this access key ID.').waitFor()
    await page.getByLabel('Access key ID').fill(server.root.accessKeyId)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The secret access key is wrong.').waitFor()
    expectRefusals(watched, 403)
    expect(await accessibilityFindings(page)).toEqual([])
    await signIn(page, server.root)
    await page.getByRole('link', { name: 'photos' }).waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
  })

  it('keeps the key in the memory of the page alone', async () => {
    const { page } = await open(server.page)
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await signIn(page, server.root)
    await page.getByRole('link', { name: 'photos' }).waitFor()
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    expect(kept).toBe('[{},{},""]')
    expect([...urls, page.url()].filter((url) => url.includes(server.root.secretAccessKey))).toEqual([])
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Varve' }).waitFor()
  })

  it('works with a key that may not list buckets, and shows what it lacks', async () => {
    const watched = await open(server.page)
    const { page } = watched
    await signIn(page, reader)
    await page.getByLabel('Open another bucket').fill('notes')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByRole('link', { name: 'packing.md' }).waitFor()
    await page.getByLabel('packing.md').first().check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('could not be deleted').waitFor()
    await goTo(page, '#/browse/photos')
    await page.getByText('Your key does not have the permission to list this bucket.').waitFor()
    expectRefusals(watched, 403)
  })

  it('ends what belongs to a person who signs out', async () => {
    const { page } = await open(server.page)
    await signIn(page, server.root)
    await goTo(page, '#/browse/notes')
    await page
      .getByLabel('Files to upload')
      .setInputFiles([{ name: 'mine.txt', mimeType: '', buffer: Buffer.from('a') }])
    await page.getByText('1 of 1 uploaded').waitFor()
    await page.getByLabel('Choose mine.txt').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, server.root)
    await page.getByRole('link', { name: 'packing.md' }).waitFor()
    expect(await page.getByText('uploaded').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  it('works with a clock that is a day late', async () => {
    const watched = await open('about:blank')
    const { page } = watched
    await page.clock.setSystemTime(Date.now() + 86_400_000)
    await page.goto(server.page)
    await signIn(page, server.root)
    await page.getByRole('link', { name: 'photos' }).waitFor()
    expectRefusals(watched, 403)
  })

  it('asks again for a key that the server refuses later, and stays where it was', async () => {
    const watched = await open(server.page)
    const { page } = watched
    await signIn(page, server.root)
    await goTo(page, '#/browse/notes')
    await page.getByRole('link', { name: 'packing.md' }).waitFor()
    await page.route('**/notes?**', (route) =>
      route.fulfill({ status: 403, body: '<Error><Code>InvalidAccessKeyId</Code></Error>' }),
    )
    await page.getByRole('link', { name: 'All versions' }).click()
    await page.getByText('The server does not accept your key any more.').waitFor()
    await page.unrouteAll()
    await signIn(page, server.root)
    await page.getByRole('table', { name: 'Versions' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    // The page also reads this setting: only the change is refused.
    await page.getByRole('button', { name: 'Suspend' }).waitFor()
    await page.route('**/notes?versioning=', (route) =>
      route.fulfill({ status: 400, body: '<Error><Code>ExpiredToken</Code></Error>' }),
    )
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByText('The server does not accept your key any more.').waitFor()
    await page.unrouteAll()
    expect(await accessibilityFindings(page)).toEqual([])
    await signIn(page, server.root)
    await page.getByText('These temporary credentials have expired.').waitFor()
    expectRefusals(watched, 403)
    expectRefusals(watched, 400)
    ignoreAbsentSettings(watched)
  })

  it('shows that the server is away, and goes on by itself when it is back', async () => {
    const watched = await open(server.page)
    const { page, problems } = watched
    await signIn(page, server.root)
    await page.getByRole('link', { name: 'notes' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'notes' }).click()
    await page.getByText('The console tries again every two seconds').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('link', { name: 'packing.md' }).waitFor()
    expect(await page.getByText('The console tries again every two seconds').count()).toBe(0)
    problems.length = 0
  })
})
