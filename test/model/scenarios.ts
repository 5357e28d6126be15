/** Things that clients, the sweep and the operator do at the same time, and that could go wrong between two steps. */
import type { ModelCommand } from '@varve/core/model'
import type { Look } from './serial.ts'

/** What the store's owner does meanwhile. */
export type Deed = 'sweep' | 'orphans' | 'rebuild' | 'close' | 'verify'

export interface Scenario {
  readonly title: string
  /** Done before, in order. */
  readonly given: readonly Unnamed[]
  /** Done at the same time; a list is done in order, by one client. */
  readonly meanwhile: readonly (Act | readonly Act[])[]
  /** Every engine shows between two steps of a client that it works, as a timer lets it do. */
  readonly beats?: true
}

export type Act = Unnamed | Look | Deed

/** Commands get their names from their place: `given0`, `given1`, …, `client0.0`, … */
export type Unnamed = ModelCommand extends infer C ? (C extends ModelCommand ? Omit<C, 'name'> : never) : never

const bucket = 'box'
const at = { bucket, key: 'k' }
/** Too long to ride in the journal. */
const large = (text: string) => text.repeat(100)

const box: Unnamed = { type: 'createBucket', bucket }
const versioned: Unnamed = { type: 'setVersioning', bucket, status: 'Enabled' }
const put = (body: string, more = {}): Unnamed => ({ type: 'putObject', ...at, body, ...more })
const remove: Unnamed = { type: 'deleteObject', ...at }
const get: Look = { look: 'get', ...at }
const list: Look = { look: 'versions', bucket }
const upload = 'given1'
const start: Unnamed = { type: 'createUpload', ...at }
const part = (number: number, body: string): Unnamed => ({ type: 'uploadPart', ...at, upload, number, body })
const complete = (...parts: [number, string][]): Unnamed => ({
  type: 'completeUpload',
  ...at,
  upload,
  parts: parts.map(([number, name]) => ({ number, part: name })),
  partSizeMin: 1,
})
const abort: Unnamed = { type: 'abortUpload', ...at, upload }
const parts: Look = { look: 'parts', ...at, upload }

export const scenarios: readonly Scenario[] = [
  {
    title: 'two updates of what both have read',
    given: [box, put(large('a'))],
    meanwhile: [put(large('b'), { ifMatch: 'given1' }), put('c', { ifMatch: 'given1' }), get],
  },
  {
    title: 'two creations of one key',
    given: [box],
    meanwhile: [put(large('a'), { ifNoneMatch: '*' }), put('b', { ifNoneMatch: '*' }), list],
  },
  {
    title: 'a deletion under a read',
    given: [box, put(large('a'))],
    meanwhile: [get, [remove, 'sweep'], get],
  },
  {
    title: 'an overwrite under a read',
    given: [box, put(large('a'))],
    meanwhile: [get, [put(large('b')), 'sweep'], [get, get]],
  },
  {
    title: 'a version removed under a copy of it',
    given: [box, versioned, put(large('a'))],
    meanwhile: [
      { type: 'copyObject', bucket, key: 'copy', from: { ...at, version: 'given2' } },
      [{ type: 'deleteVersion', ...at, version: 'given2' }, 'sweep'],
      { look: 'get', bucket, key: 'copy' },
    ],
  },
  {
    title: 'an overwrite under a copy',
    given: [box, put(large('a')), { type: 'putObject', bucket, key: 'copy', body: 'x' }],
    meanwhile: [
      { type: 'copyObject', bucket, key: 'copy', from: at, ifMatch: 'given2' },
      [put(large('b')), put('c')],
      { look: 'get', bucket, key: 'copy' },
    ],
  },
  {
    title: 'a copy swept under a read of its source',
    given: [box, put(large('a')), { type: 'copyObject', bucket, key: 'copy', from: at }],
    meanwhile: [get, { type: 'deleteObject', bucket, key: 'copy' }, [remove, 'sweep']],
  },
  {
    title: 'a completion under an abort',
    given: [box, start, part(1, large('a')), part(2, large('b'))],
    meanwhile: [complete([1, 'given2'], [2, 'given3']), abort, get],
  },
  {
    title: 'a part that comes again under a completion',
    given: [box, start, part(1, large('a')), part(2, large('b'))],
    meanwhile: [complete([1, 'given2'], [2, 'given3']), part(1, large('c')), get],
  },
  {
    title: 'a listing of parts under a completion, an abort and a sweep',
    given: [box, start, part(1, large('a')), part(2, large('b')), part(3, large('c'))],
    meanwhile: [parts, complete([1, 'given2']), [abort, 'sweep'], parts],
  },
  {
    title: 'the same completion twice',
    given: [box, start, part(1, large('a'))],
    meanwhile: [{ ...complete([1, 'given2']), repeatable: true } as Unnamed, complete([1, 'given2']), put('b')],
  },
  {
    title: 'a put into a bucket that is deleted',
    given: [box],
    meanwhile: [put(large('a')), { type: 'deleteBucket', bucket }, list],
  },
  {
    title: 'an upload in a bucket that is deleted and made again',
    given: [box, start],
    meanwhile: [part(1, large('a')), [{ type: 'deleteBucket', bucket }, box], parts],
  },
  {
    title: 'listings under puts',
    given: [box, versioned, put('a')],
    meanwhile: [[put('b'), remove], { type: 'putObject', bucket, key: 'a', body: 'x' }, list, [list, get]],
  },
  {
    title: 'versioning that is switched under writes',
    given: [box, put('a')],
    meanwhile: [versioned, put(large('b')), remove, list],
  },
  {
    title: 'a close under a put and a read',
    given: [box, put(large('a'))],
    meanwhile: [put(large('b')), get, 'close'],
  },
  {
    title: 'a close under a sweep',
    given: [box, put(large('a'))],
    // The listings let the sweep begin first.
    meanwhile: [
      [remove, 'sweep'],
      [list, list, list, 'close'],
    ],
  },
  {
    title: 'a rebuild under reads and a put',
    given: [box, versioned, put(large('a'))],
    meanwhile: ['rebuild', get, list, put('b')],
  },
  {
    title: 'a rebuild under an upload and a verification',
    given: [box, start, part(1, large('a')), part(2, large('b')), complete([1, 'given2'], [2, 'given3'])],
    meanwhile: [
      'rebuild',
      [get, get],
      'verify',
      { ...complete([1, 'given2'], [2, 'given3']), repeatable: true } as Unnamed,
    ],
  },
  {
    title: 'a verification under puts and deletions',
    given: [box, put(large('a'))],
    meanwhile: ['verify', [put(large('b')), remove], put('c')],
  },
  {
    title: 'a sweep of orphans under puts',
    given: [box],
    meanwhile: [
      [put(large('a')), get],
      ['orphans', 'orphans'],
      [put(large('b')), get],
    ],
  },
  {
    title: 'reads of what others write',
    given: [box, put('a')],
    meanwhile: [
      [get, get, get, get],
      [put('b'), get, put('c'), get],
      [get, { type: 'putObject', bucket, key: 'other', body: 'x' }, get],
    ],
  },
  {
    title: 'sweeps of engines that see each other work',
    given: [box, put(large('a')), { type: 'putObject', bucket, key: 'b', body: large('b') }],
    meanwhile: [
      [remove, list, list, list, 'sweep', list, 'sweep'],
      [{ type: 'deleteObject', bucket, key: 'b' }, list, list, 'sweep', list, 'sweep'],
    ],
    beats: true,
  },
  {
    title: 'reads under sweeps of an engine that sees the readers work',
    // A client that takes its time opens the bytes of the second part long after it found the object.
    given: [box, start, part(1, large('a')), part(2, large('b')), complete([1, 'given2'], [2, 'given3'])],
    meanwhile: [{ ...get, pauses: 12 }, [remove, 'sweep', list, 'sweep'], { ...get, pauses: 12 }],
    beats: true,
  },
  {
    title: 'a sweep under puts of both engines',
    given: [box, put(large('a'))],
    meanwhile: [
      [remove, 'sweep'],
      ['b', 'c', 'd'].map((key) => ({ type: 'putObject', bucket, key, body: key })),
      ['e', 'f', 'g'].map((key) => ({ type: 'putObject', bucket, key, body: key })),
    ],
  },
  {
    // The clock passes with each listing, so the other engine shows no sign of life for longer than its membership lasts.
    title: 'puts of an engine that another one removes',
    given: [box, put(large('a'))],
    meanwhile: [
      [put(large('b')), get, put(large('c')), get],
      [...Array.from({ length: 14 }, () => list), 'orphans', 'orphans', get, 'orphans', get],
    ],
  },
  {
    title: 'two sweeps under deletions',
    given: [box, put(large('a')), { type: 'putObject', bucket, key: 'b', body: large('b') }],
    meanwhile: [
      [remove, 'sweep'],
      [{ type: 'deleteObject', bucket, key: 'b' }, 'sweep'],
    ],
  },
]
