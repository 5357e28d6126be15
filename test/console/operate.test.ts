/** The page for operators: where the bytes are, how busy the server is, whether it is well, and who may do what. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { createIdentity, followIdentities, parsePolicy } from 'varve/http'
import { accessibilityFindings, chromiumPath, useBrowser } from './browser.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

const statement = { Sid: 'only-read', Effect: 'Allow', Action: 's3:Get*', Resource: '*' }
const reader = createIdentity({
  name: 'reader',
  id: 'reader',
  accessKeyId: 'VARVEDEMOREADER',
  secretAccessKey: 'a-secret-for-demos',
  policy: parsePolicy({ Version: '2012-10-17', Statement: [statement] }),
})

async function signIn(page: Page, accessKeyId = 'VARVEDEMOROOT'): Promise<void> {
  await page.getByLabel('Access key ID').fill(accessKeyId)
  await page.getByLabel('Secret access key').fill('a-secret-for-demos')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

// Skipped without a browser: `chromiumPath` prints a line that names the variable.
describe.skipIf(chromiumPath === undefined)('the page for operators', () => {
  const open = useBrowser()
  let server: DemoServer
  let unfollow: () => void

  beforeAll(async () => {
    server = await demoServer({ identities: [reader], isMeasured: true })
    await server.store.undo({ requestId: server.story.requestId })
    unfollow = await followIdentities(server.store, [server.root, reader], (identities, sessions) => {
      server.replaceIdentities(identities, sessions)
    })
  })
  afterAll(async () => {
    unfollow()
    await server.close()
  })

  it('shows where the bytes are, down to a folder', async () => {
    const { page, screenshot } = await open(`${server.page}#/operate`)
    await signIn(page)
    await page.getByRole('button', { name: /^photos/ }).click()
    await page.getByText('48 current objects').waitFor()
    await page.getByRole('button', { name: /^2026\// }).click()
    await page.getByRole('button', { name: /^holiday\// }).click()
    await page.getByRole('button', { name: /^harbour\// }).waitFor()
    await page.getByText(/requests per second/).waitFor()
    await expect.poll(() => page.locator('.line-chart canvas').count()).toBe(2)
    expect(await accessibilityFindings(page)).toEqual([])
    await screenshot('operate', { fullPage: true })
  })

  it('shows jobs, damage and subscriptions, and says what their absence means', async () => {
    const { page } = await open(`${server.page}#/operate`)
    await signIn(page)
    await page.getByRole('cell', { name: 'scrub' }).waitFor()
    await page.getByText('Scrubbing has found none').waitFor()
    await page.getByText('There are no durable subscriptions.').waitFor()
  })

  it('answers whether an identity may do something, and why not', async () => {
    const { page } = await open(`${server.page}#/operate`, {
      viewport: { width: 390, height: 800 },
      colorScheme: 'dark',
    })
    await signIn(page)
    await page.getByLabel('Identity').fill('reader')
    await page.getByLabel('Bucket', { exact: true }).fill('photos')
    await page.getByLabel('Key', { exact: true }).fill('2026/holiday/harbour/01.svg')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('No. The policy of the identity does not allow it').waitFor()
    await page.getByLabel('May', { exact: true }).selectOption('s3:GetObject')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('Yes. The policy of the identity allows it.').waitFor()
    await page.getByText('Statement “only-read” of the policy of the identity allows it.').waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
  })

  it('lists the identities of the store, and what one of them may do', async () => {
    const policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: { Effect: 'Allow', Action: ['s3:GetObject', 's3:ListBucket'], Resource: '*' },
    })
    const { identity } = await server.store.identities.create('watcher', { policy })
    const { page, screenshot } = await open(`${server.page}#/operate`)
    await signIn(page)
    const row = page.getByRole('row', { name: /^watcher/ })
    await row.getByText(identity.accessKeys[0]?.accessKeyId ?? 'none').waitFor()
    await row.getByText('Policy', { exact: true }).click()
    await row.getByText('"s3:ListBucket"').waitFor()
    await row.getByRole('button', { name: 'Permissions of watcher' }).click()
    expect(await page.getByLabel('Identity').inputValue()).toBe(identity.id)
    await page.getByLabel('May', { exact: true }).selectOption('each of these')
    await page.getByLabel('Bucket', { exact: true }).fill('photos')
    await page.getByLabel('Key', { exact: true }).fill('cat.jpg')
    await page.getByRole('button', { name: 'Explain' }).click()
    const answers = page.locator('.access-answers > div')
    await expect.poll(() => answers.count()).toBe(10)
    const allowed = await answers.filter({ hasText: 'Yes.' }).locator('dt').allTextContents()
    expect(allowed).toEqual(['read an object (s3:GetObject)', 'list a bucket (s3:ListBucket)'])
    expect(await accessibilityFindings(page)).toEqual([])
    await screenshot('console-identities')
  })

  it('shows a key without rights what it lacks, and nothing of the store', async () => {
    const { page, problems } = await open(`${server.page}#/operate`)
    await signIn(page, 'VARVEDEMOREADER')
    await page.getByText('Your key does not have the permission to see:').waitFor()
    expect(await page.getByText('scrub', { exact: true }).count()).toBe(0)
    // The browser reports each refused request.
    expect(problems.splice(0).every((line) => line.includes('403'))).toBe(true)
  })
})
