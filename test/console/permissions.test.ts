/** Keys that may do little: one plain message says what they lack, and nothing fails in red. */
import { createIdentity, type Identity, parsePolicy } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser } from './browser.ts'
import { goTo, signIn } from './console-session.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

function keyWith(name: string, statement: { readonly Action: string; readonly Resource: string }): Identity {
  return createIdentity({
    name,
    accessKeyId: `VARVEKEY${name.toUpperCase()}`,
    secretAccessKey: 'a-secret-of-a-key',
    policy: parsePolicy({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] }),
  })
}

const keys = [
  keyWith('reads', { Action: 's3:GetObject', Resource: 'arn:aws:s3:::notes/*' }),
  keyWith('lists', { Action: 's3:ListBucket', Resource: 'arn:aws:s3:::notes' }),
  keyWith('nothing', { Action: 's3:GetObject', Resource: 'arn:aws:s3:::elsewhere/*' }),
]

describe.skipIf(chromiumPath === undefined)('a key that may do little', { timeout: 90_000 }, () => {
  const open = useBrowser()
  let server: DemoServer

  beforeAll(async () => {
    server = await demoServer({ identities: keys, isMeasured: true })
  }, 120_000)
  afterAll(() => server.close())

  it.each(keys.map((key) => [key.name, key] as const))('sees plain pages: %s', async (name, key) => {
    const { page, problems } = await open(server.page)
    await signIn(page, key)
    await page.getByRole('heading', { name: 'Your key does not have the permission to list buckets.' }).waitFor()
    expect(await page.getByText('No buckets yet').count()).toBe(0)
    await page.getByLabel('Open another bucket').fill('notes')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    if (name === 'lists') await page.getByRole('link', { name: 'packing.md' }).waitFor()
    else await page.getByText('Your key does not have the permission to list this bucket.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    if (name === 'reads') {
      await page.getByLabel('Key of the object').fill('packing.md')
      await page.getByRole('button', { name: 'Open', exact: true }).click()
      await page.getByText('spare battery').waitFor()
    }
    for (const route of ['#/operate', '#/browse/notes?show=settings']) {
      await goTo(page, route)
      await page.getByText('Your key does not have the permission to see:').waitFor()
      await page.waitForLoadState('networkidle')
      expect(await page.getByText('Your key does not have the permission').count()).toBe(1)
      expect(await page.getByRole('alert').count(), route).toBe(0)
    }
    expect(problems.splice(0).every((line) => line.includes('403'))).toBe(true)
  })
})
