/** What tests of the console do again and again. */
import type { Page } from 'playwright-core'
import type { Identity } from 'varve/http'
import { expect } from 'vitest'
import type { WatchedPage } from './browser.ts'

export async function signIn(page: Page, { accessKeyId, secretAccessKey }: Identity): Promise<void> {
  await page.getByLabel('Access key ID').fill(accessKeyId)
  await page.getByLabel('Secret access key').fill(secretAccessKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Browse' }).waitFor()
}

/** Changes the route, as a link does. */
export const goTo = (page: Page, route: string): Promise<void> =>
  page.evaluate((hash) => {
    ;(globalThis as unknown as { location: { hash: string } }).location.hash = hash
  }, route)

/** Takes the refusals that a test expects out of the problems. The browser reports each one as an error. */
export function expectRefusals({ problems }: WatchedPage, status: number): void {
  const expected = problems.filter((line) => line.includes(`status of ${status}`))
  const others = problems.filter((line) => !expected.includes(line))
  expect(expected.length).toBeGreaterThan(0)
  problems.length = 0
  problems.push(...others)
}

/** Settings that a bucket does not have are 404 in S3. */
export function ignoreAbsentSettings({ problems }: WatchedPage): void {
  const absent = /status of 404 .*\?(object-lock|encryption|tagging|lifecycle|cors|policy)=/
  const others = problems.filter((line) => !absent.test(line))
  problems.length = 0
  problems.push(...others)
}
