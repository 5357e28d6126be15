import type { GetOptions, ObjectContent } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { DownloadSlots } from '../contract/download-slots.ts'
import { objectContext, objectInfo } from '../objects/object-context.fixture.ts'
import { getObject } from './get-object.ts'

/** Whether each of the downloads that were begun was thrifty; bodies are of two bytes, or end in an error. */
function downloading(fails?: 'at once' | 'later') {
  const thrifty: (boolean | undefined)[] = []
  const downloads = new DownloadSlots()
  async function* body() {
    yield Uint8Array.of(1)
    if (fails === 'later') throw new Error('later')
    yield Uint8Array.of(2)
  }
  const store = {
    objects: {
      async get(_bucket: string, _key: string, options: GetOptions): Promise<Partial<ObjectContent>> {
        thrifty.push(options.thrifty)
        if (fails === 'at once') throw new Error('at once')
        return { ...objectInfo(), body: body(), close: async () => undefined }
      },
    },
  }
  const begin = async (signal = new AbortController().signal) => {
    const answer = await getObject(objectContext({ store, downloads, client: { signal, onOver: () => undefined } }))
    return ('slow' in answer ? undefined : answer.body) as AsyncIterable<Uint8Array>
  }
  return { begin, thrifty }
}

describe('downloads', () => {
  it('are thrifty beyond the first 16 of one client, for as long as those last', async () => {
    const { begin, thrifty } = downloading()
    const bodies: AsyncIterable<Uint8Array>[] = []
    for (let i = 0; i < 17; i++) bodies.push(await begin())
    expect(thrifty).toEqual([...Array.from({ length: 16 }, () => false), true])
    for await (const _chunk of bodies[5] as AsyncIterable<Uint8Array>);
    await begin()
    await begin()
    expect(thrifty.slice(17)).toEqual([false, true])
  })

  it.each([
    [
      'is read',
      async (begin) => {
        for await (const _chunk of await begin());
      },
    ],
    [
      'is left',
      async (begin) => {
        for await (const _chunk of await begin()) break
      },
    ],
    ['is left unread', async (begin) => void (await (await begin())[Symbol.asyncIterator]().return?.())],
    [
      'is aborted before it is read',
      async (begin) => {
        const gone = new AbortController()
        await begin(gone.signal)
        gone.abort()
      },
    ],
  ] as [string, (begin: ReturnType<typeof downloading>['begin']) => Promise<void>][])(
    'are forgotten when the body %s',
    async (_name, end) => {
      const { begin, thrifty } = downloading()
      for (let i = 0; i < 40; i++) await end(begin)
      expect(thrifty).not.toContain(true)
    },
  )

  it.each(['at once', 'later'] as const)('are forgotten when they fail %s', async (when) => {
    const { begin, thrifty } = downloading(when)
    const read = async () => {
      for await (const _chunk of await begin());
    }
    for (let i = 0; i < 40; i++) await expect(read()).rejects.toThrow(when)
    expect(thrifty).not.toContain(true)
  })
})
