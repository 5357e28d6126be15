/** A command that cannot be carried out is refused by itself: its group, its store and its log know nothing of it. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Command } from '../commands/command.ts'
import { isStorageError } from '../base/errors.ts'
import { codeOf, list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
  await store.objects.put('box', 'there', 'before')
})

const meta = { by: { id: 'a', name: 'a' }, requestId: 'r' }
const circular: Record<string, unknown> = {}
circular['self'] = circular
const deep = () => {
  let value: unknown = 0
  for (let i = 0; i < 100_000; i++) value = [value]
  return value
}
const facts = { size: 0, etag: 'e', content: { kind: 'empty' }, metadata: { user: [] } }
const put = (changed: object, by: unknown = meta.by) => ({
  type: 'PutObject',
  data: { bucket: 'box', key: 'k', facts: { ...facts, ...changed }, conditions: {} },
  meta: { by, requestId: 'r' },
})
const onBox = (type: string, data: object) => ({ type, data: Object.setPrototypeOf(data, { bucket: 'box' }), meta })

/** As the owner of the log could be given them, by a program that checks nothing. */
const mistakes: Readonly<Record<string, unknown>> = {
  'a key that is a number': onBox('DeleteObject', { key: 5 }),
  'a BigInt': put({ metadata: { user: [], contentType: 5n } }),
  'a circular setting': onBox('PutBucketSetting', { setting: { kind: 'Logging', value: circular } }),
  'a setting of a kind there is not': onBox('PutBucketSetting', { setting: { kind: 'Colour', value: 'red' } }),
  'a value too deep for the stack': onBox('PutBucketSetting', { setting: { kind: 'Logging', value: deep() } }),
  'an annotation of a kind there is not': onBox('AnnotateObject', {
    key: 'there',
    annotation: { kind: 'Tags', value: [] },
  }),
  'a date for a number': put({ size: new Date() }),
  'not a number': put({ size: Number.NaN }),
  'minus zero': put({ size: -0 }),
  'an actor without a name': put({}, { id: 'a' }),
  'an actor that is nothing': put({}, null),
  'no command': { type: 'Nonsense', data: {}, meta },
  'no data': { type: 'PutObject', meta },
  'a getter that throws': onBox('PutBucketSetting', {
    get setting(): string {
      throw new RangeError('no')
    },
  }),
  'a value with its own JSON form': put({ etag: { toJSON: () => 'other' } }),
  'a function': put({ etag: () => 'e' }),
  'a symbol': put({ etag: Symbol('e') }),
  'content of a kind there is not': put({ content: { kind: 'other' } }),
}

describe('a command that no rule expected', () => {
  it.each(Object.keys(mistakes))('with %s is refused with a code, and it alone', async (name) => {
    const before = store.seq
    const outcomes = await Promise.all([
      codeOf(store.objects.put('box', 'first', 'x')),
      codeOf(store.owner.submit(mistakes[name] as Command)),
      codeOf(store.objects.put('box', 'second', 'x')),
    ])
    expect(outcomes).toEqual(['no error', expect.stringMatching(/^\w+$/), 'no error'])
    expect(outcomes[1]).not.toBe('no error')
    expect([store.state, store.seq]).toEqual(['open', before + 2])
    expect(await list(store.log())).toHaveLength(before + 2)
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
    const again = await openEngine(ports, { inlineMax: 64 })
    expect(await (await again.objects.get('box', 'there')).text()).toBe('before')
  })

  it('with rows that are no bytes is refused too', async () => {
    const refused = store.owner.submit(put({}) as Command, [{ key: 'k' as never, value: null }])
    expect(await codeOf(refused)).toBe('InvalidArgument')
    expect(store.state).toBe('open')
  })

  it('leaves none of its rows behind when it fails half way', async () => {
    // The first event of two is projected before the second is found to be wrong.
    const command = onBox('CreateBucket', {
      bucket: 'half',
      region: 'eu',
      settings: [{ kind: 'Logging', value: { targetBucket: 'b', targetPrefix: 5n } }],
    })
    expect(await codeOf(store.owner.submit(command as unknown as Command))).not.toBe('no error')
    expect(await codeOf(store.buckets.head('half'))).toBe('NoSuchBucket')
    await store.buckets.create('half')
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
  })
})

describe('a journal that cannot be read', () => {
  it('stops the store, since what rests on it is unknown', async () => {
    const { get } = ports.journal
    ports.journal.get = () => Promise.reject(new RangeError('The medium.'))
    const refusal = await store.objects.delete('box', 'there').catch((error: unknown) => error)
    expect(isStorageError(refusal, 'StoreFailed')).toBe(true)
    ports.journal.get = get
    expect(store.state).toBe('failed')
  })
})
