/** The console as operators serve it: by the command, with workers, and behind a proxy that removes a prefix. */
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeDemo } from '#varve/cli/demo/make-demo'
import { endServersAfterEach, scratchPaths, serve } from '../cli/run-varve.ts'
import { chromiumPath, useBrowser } from './browser.ts'

const keys = { VARVE_ACCESS_KEY_ID: 'VARVEDEMOROOT', VARVE_SECRET_ACCESS_KEY: 'a-secret-for-demos' }

/** As nginx with `location /store/ { proxy_pass http://…/; proxy_set_header Host $http_host; }`. */
async function proxyTo(url: string): Promise<Server> {
  const proxy = createServer((received, response) => {
    const { method, url: path = '', headers } = received
    if (!path.startsWith('/store/')) return void response.writeHead(404).end()
    const onward = request(url, { method, path: path.slice('/store'.length), headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    received.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return proxy
}

// Skipped without a browser: `chromiumPath` prints a line that names the variable.
describe.skipIf(chromiumPath === undefined)('the console behind a proxy with a prefix, with workers', () => {
  const next = scratchPaths()
  endServersAfterEach()
  const open = useBrowser()
  let dir: string
  let proxy: Server | undefined

  beforeAll(async () => {
    dir = next()
    await makeDemo(dir, new AbortController().signal)
  })
  afterEach(() => proxy?.closeAllConnections())
  afterAll(() => proxy?.close())

  it('signs what the server receives, and shows the store', async () => {
    const server = await serve([dir, '--workers', '2', '--metrics'], keys)
    proxy = await proxyTo(server.url)
    const { port } = proxy.address() as { port: number }
    const { page } = await open(`http://127.0.0.1:${port}/store/`)
    expect(page.url()).toBe(`http://127.0.0.1:${port}/store/-/console/`)
    await page.getByLabel('Access key ID').fill(keys.VARVE_ACCESS_KEY_ID)
    await page.getByLabel('Secret access key').fill(keys.VARVE_SECRET_ACCESS_KEY)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'photos' }).waitFor()
    await page.getByRole('link', { name: 'Operate' }).click()
    await page.getByRole('button', { name: /^photos/ }).waitFor()
    await page.getByText(/requests per second/).waitFor()
    await page.getByLabel('Bucket', { exact: true }).fill('photos')
    await page.getByLabel('Key', { exact: true }).fill('any')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('No. No policy and no access control list allows it.').waitFor()
  })
})
