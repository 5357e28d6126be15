/** Pages that somebody stored, in a browser at the address of the console: they run nothing, and other pages use them as before. */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { presign } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, useBrowser } from './browser.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

/** Looks like the sign-in of the console, and would send what is typed to a bucket. */
const attack = 'document.title = "run"; localStorage.setItem("stolen", "a key")'
const html = `<!doctype html><title>stored</title><script>${attack}</script>
<form action="/public/taken" method="post"><input name="key" value="a"><button>Sign in</button></form>
<img src="/public/none" onerror='${attack}'><a id="link" href='javascript:${attack}'>Sign in</a>
<iframe srcdoc='<script>parent.${attack}</script>'></iframe>`
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><title>stored</title><script>${attack}</script>
<rect width="40" height="40" onload='${attack}'/></svg>`
const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>stored</title><script>${attack}</script></head><body/></html>`
const styled = '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/public/style.xsl"?><a/>'
const style = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">
<html><script>${attack}</script></html></xsl:template></xsl:stylesheet>`
const pdf =
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'

const objects: readonly (readonly [key: string, body: string, type?: string])[] = [
  ['page.html', html, 'text/html'],
  ['utf.html', html, 'text/html; charset=utf-8'],
  ['page.xhtml', xhtml, 'application/xhtml+xml'],
  ['picture.svg', svg, 'image/svg+xml'],
  ['page.xml', xhtml, 'application/xml'],
  ['styled.xml', styled, 'text/xml'],
  ['style.xsl', style, 'text/xsl'],
  ['unknown', html, 'application/unknown'],
  ['any', html, '*/*'],
  ['typeless', html, ''],
  ['text', html, 'text/plain'],
  ['paper.pdf', pdf, 'application/pdf'],
  ['script', 'globalThis.scriptRan = true'],
  ['picture', svg, 'text/plain'],
  ['data.json', '{"a":1}', 'application/json'],
]

// Skipped without a browser: `chromiumPath` prints a line that names the variable.
describe.skipIf(chromiumPath === undefined)('a page that somebody stored', { timeout: 90_000 }, () => {
  const open = useBrowser()
  let demo: DemoServer
  let elsewhere: Server
  let other = ''
  let seq = 0

  beforeAll(async () => {
    demo = await demoServer()
    await demo.store.buckets.create('public')
    for (const [key, body, contentType] of objects) {
      const stored = await demo.store.objects.put('public', key, body, contentType === undefined ? {} : { contentType })
      seq = stored.seq
    }
    const rule = { allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders: [], exposeHeaders: [] }
    await demo.store.buckets.settings.put('public', 'Cors', [rule])
    elsewhere = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>')
    }).listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    other = `http://localhost:${(elsewhere.address() as AddressInfo).port}/`
  }, 120_000)
  afterAll(async () => {
    elsewhere.closeAllConnections()
    elsewhere.close()
    await demo.close()
  })

  /** As the console shares it. */
  function link(path: string, query = ''): string {
    const { host } = new URL(demo.url)
    const toSign = { method: 'GET', rawPath: path, rawQuery: query, headers: [['host', host]] } as const
    const { accessKeyId, secretAccessKey } = demo.root
    const signer = { accessKeyId, secretAccessKey, region: 'us-east-1', now: Date.now(), expiresSeconds: 600 }
    return `${demo.url}${path}?${presign(toSign, signer).rawQuery}`
  }

  const tried = [
    ...objects.slice(0, 11).map(([key]) => [key, `/public/${key}`, ''] as const),
    ['text that a link calls a page', '/public/text', 'response-content-type=text%2Fhtml'],
    ['a page as it was', '/public--at-SEQ/page.html', ''],
    ['a version', '/public/page.html', 'versionId=null'],
    ['a part', '/public/page.html', 'partNumber=1'],
    ['an error', '/public/%3Cscript%3Edocument.title%3D%22run%22%3C%2Fscript%3E', ''],
  ] as const

  it.each(tried)('runs nothing at the origin of the console: %s', async (_, path, query) => {
    const { page, problems } = await open(demo.page)
    let downloads = 0
    page.on('download', () => downloads++)
    await page.goto(link(path.replace('SEQ', String(seq)), query)).catch(() => downloads++)
    if (downloads === 0) {
      expect(await page.title()).not.toBe('run')
      expect(await page.evaluate('self.origin')).toBe('null')
      expect(await page.evaluate('try { localStorage.length } catch (error) { error.name }')).toBe('SecurityError')
      await page
        .locator('#link')
        .click({ timeout: 300, noWaitAfter: true })
        .catch(() => undefined)
      await page
        .locator('form button')
        .click({ timeout: 300, noWaitAfter: true })
        .catch(() => undefined)
    }
    await page.goto(demo.page)
    expect(await page.evaluate('localStorage.getItem("stolen")')).toBe(null)
    expect(await demo.store.objects.exists('public', 'taken')).toBe(false)
    problems.length = 0
  })

  it('runs nothing in a frame or a window that another page makes of it', async () => {
    const { page, problems } = await open(other)
    await page.evaluate(`{
      const frame = document.createElement('iframe')
      frame.src = ${JSON.stringify(link('/public/page.html'))}
      document.body.append(frame)
    }`)
    const framed = () => page.frames().find((frame) => frame.url().startsWith(demo.url))
    await expect.poll(() => framed()?.title()).toBe('stored')
    expect(await framed()?.evaluate('self.origin')).toBe('null')
    const opening = page.context().waitForEvent('page')
    await page.evaluate(`void window.open(${JSON.stringify(link('/public/page.html'))})`)
    const opened = await opening
    await expect.poll(() => opened.title()).toBe('stored')
    expect(await opened.evaluate('self.origin')).toBe('null')
    problems.length = 0
  })

  it('is a picture, a script, a document and data for other pages, as from S3', async () => {
    const { page, problems } = await open(other)
    const loads = (tag: string, src: string): Promise<unknown> =>
      page.evaluate(`new Promise((resolve) => {
        const element = document.createElement(${JSON.stringify(tag)})
        element.onload = () => resolve('loaded')
        element.onerror = () => resolve('failed')
        element.src = ${JSON.stringify(src)}
        document.body.append(element)
      })`)
    expect(await loads('img', link('/public/picture.svg'))).toBe('loaded')
    expect(await loads('script', link('/public/script'))).toBe('loaded')
    expect(await page.evaluate('globalThis.scriptRan')).toBe(true)
    const text = await page.evaluate(async (url) => (await fetch(url)).text(), link('/public/data.json'))
    expect(text).toBe('{"a":1}')
    expect(problems).toEqual([])
    await page.goto(link('/public/paper.pdf')).catch(() => undefined)
    problems.length = 0
  })
})
