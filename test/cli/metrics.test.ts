/** `varve serve --metrics`: one answer for the whole server, however many processes it has. */
import { writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { endServersAfterEach, scratchPaths, serve, varve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const total = (text: string): number =>
  [...text.matchAll(/^varve_requests_total\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('varve serve --metrics with %s', (_, workers) => {
  it('counts every request once', async () => {
    const server = await serve([next(), '--metrics', ...workers])
    const metrics = async () => (await fetch(`${server.url}/-/metrics`)).text()
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => fetch(`${server.url}/photos/${i}`, { headers: { connection: 'close' } })),
    )
    await expect
      .poll(async () => /operation="GetObject",status="404"\} 20$/m.test(await metrics()), { timeout: 10_000 })
      .toBe(true)
    const before = total(await metrics())
    await expect.poll(async () => total(await metrics()), { timeout: 10_000 }).toBeGreaterThan(before)
    expect(await metrics()).toContain('varve_store_up 1')
    // The connection of this very request, at least.
    await expect.poll(metrics, { timeout: 10_000 }).toMatch(/^varve_connections [1-9]/m)
  })

  it('needs the token of a file', async () => {
    const file = next()
    await writeFile(file, 'a-token-of-some-length\n')
    const server = await serve([next(), '--metrics-token-file', file, ...workers])
    const status = async (headers: Record<string, string> = {}) =>
      (await fetch(`${server.url}/-/metrics`, { headers })).status
    expect(await status()).toBe(401)
    expect(await status({ authorization: 'Bearer a-token-of-some-length' })).toBe(200)
  })
})

describe('varve serve', () => {
  it('has no metrics unless they are asked for', async () => {
    const server = await serve([next()])
    expect((await fetch(`${server.url}/-/metrics`)).status).toBe(400)
  })

  it('makes no store when the file has no token', async () => {
    const file = next()
    await writeFile(file, 'short\n')
    expect(await varve(['serve', next(), '--metrics-token-file', file])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('at least 16 characters') as string,
    })
  })
})
