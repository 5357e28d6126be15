import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { isWellFormed } from '../bytes/utf8.ts'
import { isStorageError } from '../base/errors.ts'
import type { Body } from '../content/body.ts'
import { codeOf, list } from './answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store

const smile = '\u{1f600}'
const [high, low] = [smile.charAt(0), smile.charAt(1)]
const keys = ['', 'a', 'a/b', smile, `${smile}/${smile}`, '\uffff', '\ufffd', `b${smile}`].map((end) => `k${end}`)

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64, hotBytes: 0 })
  await store.buckets.create('box')
  for (const key of keys) await store.objects.put('box', key, key)
})

/** UTF-16 units that make and break pairs, with what else keys are made of. */
const units = fc.constantFrom('k', 'a', '/', 'b', '\uffff', '\ufffd', '\0', high, low, '\ud800', '\udfff')
const text = fc.oneof(
  fc.string({ unit: units, maxLength: 6 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 4 }).map((codes) => String.fromCharCode(...codes)),
  fc.constantFrom(...keys),
)
const number = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.double(), fc.constantFrom(Number.NaN, 2 ** 53, -0))

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

interface Page {
  readonly prefix: string
  readonly delimiter: string
  readonly after: string
}

/** What is listed, by the definition: a page after a rolled-up prefix goes on behind all of it. */
function listed({ prefix, delimiter, after }: Page): string[] {
  const rolled = (key: string): string => {
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    return at < 0 ? key : key.slice(0, at + delimiter.length)
  }
  const over = after.startsWith(prefix) && rolled(after) !== after ? rolled(after) : after
  const isAfter = (key: string) => byBytes(key, after) > 0 && (rolled(after) !== over || rolled(key) !== over)
  const found = keys.filter((key) => key.startsWith(prefix) && (after === '' || isAfter(key)))
  return [...new Set(found.sort(byBytes).map(rolled))].filter((name) => delimiter === '' || name !== over)
}

const nameOf = (entry: { readonly kind: string }): string =>
  'prefix' in entry ? String(entry.prefix) : String((entry as { readonly key?: unknown }).key)

/** All entries, read a few at a time; more than there can be is an endless listing. */
async function pagesOf(listing: AsyncIterable<{ readonly kind: string }>): Promise<string[]> {
  const names: string[] = []
  for await (const entry of listing) {
    names.push(nameOf(entry))
    if (names.length > keys.length) throw new Error('The listing does not end.')
  }
  return names
}

async function coded<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    if (isStorageError(error)) return undefined
    throw error
  }
}

describe('text of any UTF-16 units', () => {
  it('lists what it should, or is refused with a code, in every listing', async () => {
    const page = fc.record({ prefix: text, delimiter: text, after: text })
    await fc.assert(
      fc.asyncProperty(page, async ({ prefix, delimiter, after }) => {
        const right = [prefix, delimiter, after].every(isWellFormed)
        const expected = right ? listed({ prefix, delimiter, after }) : undefined
        const paging = { prefix, delimiter, limit: 2 } as const
        const placed = { ...paging, after }
        expect(await coded(() => pagesOf(store.objects.list('box', placed)))).toEqual(expected)
        const marked = { ...paging, ...(after !== '' && { keyMarker: after }) }
        expect(await coded(() => pagesOf(store.versions.list('box', marked)))).toEqual(expected)
        expect(await coded(() => pagesOf(store.uploads.list('box', marked)))).toEqual(right ? [] : undefined)
        const buckets = await coded(() => list(store.buckets.list({ prefix })))
        expect(buckets?.length).toBe(isWellFormed(prefix) ? Number('box'.startsWith(prefix)) : undefined)
      }),
      { numRuns: 300 },
    )
  })

  it('names what there is, or is refused with a code, in every read', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (key, other) => {
        const content = await coded(async () => (await store.objects.get('box', key)).text())
        expect(content).toBe(keys.includes(key) ? key : undefined)
        expect((await coded(() => store.objects.head('box', key)))?.key).toBe(content)
        const reads = [
          () => store.objects.get(key, other),
          () => store.objects.get('box', key, { versionId: other }),
          () => store.objects.head('box', key, { ifMatch: [other] }),
          () => store.objects.attributes('box', key),
          () => store.objects.annotations('box', key, { versionId: other }),
          () => store.objects.listPage(key, { prefix: other }),
          () => store.versions.get('box', key, other),
          () => store.versions.listPage('box', { keyMarker: key, versionIdMarker: other }),
          () => store.uploads.listPage('box', { keyMarker: key, uploadIdMarker: other }),
          () => store.uploads.listPartsPage({ bucket: key, key: other, uploadId: key }),
          () => store.uploads.listPartsPage(other as never),
          () => list(store.history(key, other)),
          () => store.buckets.settings.all(key),
          () => store.as({ by: { id: key, name: other } }).buckets.head('box'),
        ]
        for (const read of reads) await coded<unknown>(async () => read())
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['a metadata name', { metadata: { [high]: 'a' } }],
    ['a metadata value', { metadata: { a: low } }],
    ['a content type', { contentType: `text/${high}` }],
    ['a tag', { tags: [{ key: 'a', value: low }] }],
    ['a storage class', { storageClass: high }],
  ])('is refused in %s when it has half a pair', async (_what, options) => {
    expect(await codeOf(store.objects.put('box', 'new', 'body', options))).toBe('InvalidArgument')
    expect(await codeOf(store.objects.head('box', 'new'))).toBe('NoSuchKey')
  })

  it('is refused in actors, request ids and settings when it has half a surrogate pair', async () => {
    const as = (context: object) => codeOf((async () => store.as(context as never).buckets.head('box'))())
    expect(await as({ by: { id: high, name: 'a' } })).toBe('InvalidArgument')
    expect(await as({ by: { id: 'a', name: low } })).toBe('InvalidArgument')
    expect(await as({ by: { id: 'a', name: 'a' }, requestId: low })).toBe('InvalidArgument')
    const logging = { targetBucket: 'box', targetPrefix: high }
    expect(await codeOf(store.buckets.settings.put('box', 'Logging' as never, logging as never))).toBe(
      'InvalidArgument',
    )
    expect(await codeOf(store.buckets.settings.put('box', 'Tags', [{ key: 'a', value: high }]))).toBe('InvalidArgument')
    expect(await codeOf(store.buckets.create('other', { region: high }))).toBe('InvalidArgument')
  })
})

describe('a body of text', () => {
  async function* pieces(of: readonly (string | Uint8Array)[]) {
    yield* of
  }
  const bytesOf = (content: string): string => Buffer.from(content).toString('hex')
  const streamOf = (of: readonly string[]) =>
    new ReadableStream<string>({
      start(controller) {
        for (const piece of of) controller.enqueue(piece)
        controller.close()
      },
    }) as unknown as Body

  it('keeps surrogate pairs that its pieces split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (whole) => {
        const halves = whole.split('')
        for (const body of [pieces(halves), streamOf(halves), halves, whole]) {
          await store.objects.put('box', 'text', body)
          const stored = await (await store.objects.get('box', 'text')).bytes()
          expect(Buffer.from(stored).toString('hex')).toBe(bytesOf(whole))
        }
      }),
      { numRuns: 50 },
    )
  })

  it('is refused, and nothing stored, when half of a pair stands alone', async () => {
    const before = { seq: store.seq, blobs: ports.blobs.bytes.size }
    const long = 'x'.repeat(100_000)
    const alone: (string | Uint8Array)[][] = [
      [high],
      [low],
      [`a${low}b`],
      [`${long}${high}`, `${long}`],
      [long, high],
      ['', high, '', 'a'],
      [high, high, low],
      [high, new Uint8Array([0x61]), low],
      [long, `${low}${high}`],
    ]
    for (const body of alone) {
      expect(await codeOf(store.objects.put('box', 'new', pieces(body)))).toBe('InvalidArgument')
      const texts = body.filter((piece) => typeof piece === 'string')
      expect(await codeOf(store.objects.put('box', 'new', streamOf([...texts, high])))).toBe('InvalidArgument')
    }
    expect(await codeOf(store.objects.put('box', 'new', `a${high}b`))).toBe('InvalidArgument')
    const upload = await store.uploads.create('box', 'assembled')
    expect(await codeOf(store.uploads.uploadPart(upload, 1, pieces([high])))).toBe('InvalidArgument')
    expect((await list(store.uploads.listParts(upload))).length).toBe(0)
    expect({ seq: store.seq - 1, blobs: ports.blobs.bytes.size }).toEqual(before)
  })
})

describe('a range of any numbers', () => {
  const content = 'abcdefgh'
  const whole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)

  it('gives the bytes it names, or a code', async () => {
    await store.objects.put('box', 'letters', content)
    const range = fc.oneof(
      fc.record({ suffix: number }),
      fc.record({ first: number, last: number }),
      fc.record({ first: number }),
    )
    await fc.assert(
      fc.asyncProperty(range, async (requested) => {
        const isWhole = Object.values(requested).every(whole)
        const code = await codeOf(store.objects.get('box', 'letters', { range: requested }))
        const right =
          'suffix' in requested
            ? content.slice(Math.max(content.length - requested.suffix, 0))
            : content.slice(requested.first, 'last' in requested ? requested.last + 1 : undefined)
        if (!isWhole) expect(code).toBe('InvalidArgument')
        else if (right === '') expect(code).toBe('InvalidRange')
        else expect(await (await store.objects.get('box', 'letters', { range: requested })).text()).toBe(right)
      }),
      { numRuns: 500 },
    )
  })

  it('is refused where a part is copied, and where parts are paged', async () => {
    const upload = await store.uploads.create('box', 'assembled')
    for (const bad of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      const source = { bucket: 'box', key: 'ka' }
      const copies = [
        { ...source, range: { start: bad, end: 2 } },
        { ...source, range: { start: 0, end: bad } },
      ]
      for (const copy of copies) expect(await codeOf(store.uploads.copyPart(upload, 1, copy))).toBe('InvalidArgument')
      const pages = codeOf(store.uploads.listPartsPage(upload, { after: bad }))
      expect(await pages).toBe(bad === -1 ? 'no error' : 'InvalidArgument')
      const parts = { after: bad }
      expect(await codeOf(store.objects.attributes('box', 'ka', { parts }))).toBe('InvalidArgument')
      expect(await codeOf(store.objects.listPage('box', { limit: bad }))).toBe('InvalidArgument')
    }
    expect(
      await codeOf(store.uploads.copyPart(upload, 1, { bucket: 'box', key: 'ka', range: { start: 1, end: 1 } })),
    ).toBe('InvalidRange')
  })
})
