import { describe, expect, it } from 'vitest'
import { file } from './bodies/file.ts'
import { createFetchHandler, createHandler, serve } from './http.ts'
import { createKeyring } from './keyring/create-keyring.ts'
import { memoryStore } from './store/memory-store.ts'
import { openStore } from './store/open-store.ts'
import { toFile } from './bodies/to-file.ts'
import { toReadable } from './bodies/to-readable.ts'

const refused = expect.objectContaining({ name: 'StorageError', code: 'InvalidArgument' })
const naming = (ArgumentName: string) => expect.objectContaining({ code: 'InvalidArgument', details: { ArgumentName } })
const fail = () => expect.fail('read')

describe('functions beside stores refuse what they cannot be called with', () => {
  it.each([undefined, null, 5, '', {}, Symbol('path')])('file: %s', (path) => {
    expect(() => file(path as never)).toThrow(naming('path'))
  })

  it('toFile, and it closes what it was given', async () => {
    let closes = 0
    const content = { body: new Blob(['x']).stream(), close: async () => void closes++ } as never
    await expect(toFile({} as never, 'x')).rejects.toThrow(naming('content'))
    await expect(toFile(content, 5 as never)).rejects.toThrow(naming('path'))
    await expect(toFile(content, 'x', null as never)).rejects.toThrow(naming('options'))
    await expect(toFile(content, 'x', { mode: '600' } as never)).rejects.toThrow(naming('options.mode'))
    await expect(toFile(content, 'x', { signal: {} } as never)).rejects.toThrow(naming('options.signal'))
    await expect(toFile(content, 'x', { flag: 'a' } as never)).rejects.toThrow(naming('options'))
    expect(closes).toBe(5)
  })

  it.each(['a\0b', '\0'])('paths with a null character: %j', async (path) => {
    const content = { body: new Blob(['x']).stream(), close: async () => undefined } as never
    await expect(toFile(content, path)).rejects.toThrow(naming('path'))
    await expect(openStore(path)).rejects.toThrow(naming('dir'))
    expect(() => file(path)).toThrow(naming('path'))
  })

  it('toReadable, and a close that is no promise, or fails, does no harm', async () => {
    for (const content of [undefined, {}, { close: () => undefined }, { body: 'text', close: () => undefined }]) {
      expect(() => toReadable(content as never)).toThrow(naming('content'))
    }
    for (const close of [() => undefined, () => expect.fail('a close of its own')]) {
      const stream = toReadable({ body: new Blob(['x']).stream(), close } as never)
      await expect(stream.toArray()).resolves.toHaveLength(1)
    }
  })

  it('names of events that there are not', async () => {
    const store = await memoryStore()
    for (const name of ['VersionAded', 'toString', '', 5, undefined]) {
      expect(() => store.events.on(name as never, (() => undefined) as never)).toThrow(naming('name'))
      expect(() => store.events.listenerCount(name as never)).toThrow(naming('name'))
    }
    store.events.on('VersionAdded', () => undefined).off('listenerError', () => undefined)
    await store.close()
  })

  it.each([
    ['nothing', undefined],
    ['a map', new Map()],
    ['what cannot be read', new Proxy({}, { ownKeys: fail })],
    [
      'a getter that throws',
      {
        get master() {
          return fail()
        },
      },
    ],
    ['an array with a constructor of its own', { master: Object.assign([5], { constructor: Map }) }],
  ])('createKeyring: %s', (_, material) => {
    expect(() => createKeyring(material as never)).toThrow(refused)
  })

  it.each([
    ['serve', serve],
    ['createHandler', createHandler],
    ['createFetchHandler', createFetchHandler],
  ])('%s', async (_, made: (options: never) => Promise<unknown>) => {
    for (const options of [
      undefined,
      null,
      'x',
      new Map(),
      {
        get hashing() {
          return fail()
        },
      },
    ]) {
      await expect(made(options as never)).rejects.toThrow(refused)
    }
    await expect(made({ hashing: {} } as never)).rejects.toThrow(naming('options.hashing'))
    await expect(made({ stor: {} } as never)).rejects.toThrow('has no option "stor"')
  })
})
