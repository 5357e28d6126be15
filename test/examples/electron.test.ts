/** The part of the Electron example that needs no Electron: requests of a page, answered from a store. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore, type Store } from 'varve'

type Handler = (request: Request) => Promise<Response>

const { createProtocolHandler } = (await import(
  new URL('../../examples/electron/protocol-handler.mjs', import.meta.url).href
)) as { createProtocolHandler(store: Store, page: string): Handler }

let store: Store
let ask: (path: string, init?: RequestInit) => Promise<Response>

beforeEach(async () => {
  store = await memoryStore()
  await store.buckets.create('notes')
  const handler = createProtocolHandler(store, '<p>page</p>')
  ask = (path, init) => handler(new Request(`http://app${path}`, init))
})
afterEach(() => store.close())

describe('the Electron example', () => {
  it('shows its page', async () => {
    expect(await (await ask('/')).text()).toBe('<p>page</p>')
  })

  it('keeps, lists, gives and removes what the page requests', async () => {
    const key = encodeURIComponent('a note/é?')
    const put = await ask(`/objects/notes/${key}`, { method: 'PUT', body: 'hello', headers: { 'content-type': 'x/y' } })
    expect(put.status).toBe(204)
    expect(await (await ask('/objects/notes/')).json()).toEqual(['a note/é?'])
    const got = await ask(`/objects/notes/${key}`)
    expect(await got.text()).toBe('hello')
    expect(Object.fromEntries(got.headers)).toMatchObject({ 'content-type': 'x/y', 'content-length': '5' })
    expect((await ask(`/objects/notes/${key}`, { method: 'DELETE' })).status).toBe(204)
    expect((await ask(`/objects/notes/${key}`)).status).toBe(404)
  })

  it('reports what it does not have, and what it does not do', async () => {
    expect((await ask('/objects/nowhere/a')).status).toBe(404)
    expect((await ask('/elsewhere')).status).toBe(404)
    expect((await ask('/objects/notes/%zz')).status).toBe(400)
    expect((await ask('/objects/notes/a', { method: 'POST' })).status).toBe(405)
    await store.close()
    expect((await ask('/objects/notes/a')).status).toBe(503)
  })
})
