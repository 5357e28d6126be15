/** What the tests of the console rely on: a browser that reports errors, and the policy that the server gives to pages. */
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFindings, chromiumPath, useBrowser } from './browser.ts'
import { type DemoServer, demoServer } from './demo-server.ts'

const page = (body: string): string =>
  `<!doctype html><html lang="en"><title>Test</title><link rel="icon" href="./assets/icon.svg"><main><h1>Test</h1>${body}</main></html>`

const script = `
document.querySelector('h1').style.color = 'black'
const picture = new Image()
picture.alt = 'a picture'
picture.src = URL.createObjectURL(new Blob(['<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'], { type: 'image/svg+xml' }))
document.querySelector('main').append(picture)
const frame = document.createElement('iframe')
frame.title = 'an object'
frame.sandbox = ''
frame.src = URL.createObjectURL(new Blob(['text'], { type: 'text/plain' }))
document.querySelector('main').append(frame)
const health = await (await fetch('../health')).json()
document.querySelector('h1').textContent = health.state
`

// Skipped without a browser: `chromiumPath` prints a line that names the variable.
describe.skipIf(chromiumPath === undefined)('the browser of the tests', () => {
  const open = useBrowser()
  let dir: string
  let server: DemoServer

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-files-'))
    await mkdir(join(dir, 'assets'))
    await writeFile(join(dir, 'index.html'), page('<script type="module" src="./assets/index.js"></script>'))
    await writeFile(join(dir, 'assets/index.js'), script)
    await writeFile(join(dir, 'assets/icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')
    const inline = '<script>document.title = "inline"</script><p style="color: red">a</p>'
    await writeFile(join(dir, 'inline.html'), page(`${inline}<form action="/photos"><button>Send</button></form>`))
    await writeFile(
      join(dir, 'throwing.html'),
      page('<script src="./assets/throwing.js"></script><img src="/photos/none">'),
    )
    await writeFile(join(dir, 'assets/throwing.js'), 'throw new Error("out of order")')
    server = await demoServer({ console: dir })
  })
  afterAll(async () => {
    await server.close()
    await rm(dir, { recursive: true })
  })

  it('is led from the address of the server to the page, which may do what the console needs', async () => {
    const { page: shown } = await open(server.url)
    expect(shown.url()).toBe(server.page)
    await shown.getByRole('heading', { name: 'open' }).waitFor()
    expect(await shown.frameLocator('iframe').getByText('text').count()).toBe(1)
    expect(await accessibilityFindings(shown)).toEqual([])
  })

  it('runs nothing that is not a file of the console', async () => {
    const { page: shown, problems } = await open(`${server.page}inline.html`)
    expect(await shown.title()).toBe('Test')
    expect(problems.splice(0).map((line) => /script|style/.exec(line)?.[0])).toEqual(['script', 'style'])
    await shown.evaluate('document.forms[0].requestSubmit()')
    await expect.poll(() => problems.join()).toContain('form-action')
    expect(shown.url()).toBe(`${server.page}inline.html`)
    await shown.close()
    problems.length = 0
  })

  it('reports errors of scripts and of requests, and what is hard to read', async () => {
    const { page: shown, problems } = await open(`${server.page}throwing.html`)
    await expect.poll(() => problems.join('\n')).toMatch(/403[^]*|out of order/)
    expect(problems.splice(0).join('\n')).toContain('out of order')
    expect(await accessibilityFindings(shown)).toEqual([expect.stringContaining('image-alt')])
  })

  it('keeps the window of the console apart from that of any other page of the server', async () => {
    const { page: other, problems } = await open(`http://photos.localhost:${new URL(server.url).port}/none`)
    const opening = other.context().waitForEvent('page')
    await other.evaluate(`globalThis.opened = open("${server.page}")`)
    const opened = await opening
    await opened.getByRole('heading', { name: 'open' }).waitFor()
    expect(await other.evaluate('opened.closed')).toBe(true)
    expect(await opened.evaluate('opener')).toBe(null)
    await other.close()
    problems.length = 0
  })
})
