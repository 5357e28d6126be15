/** What happens in a run: what the store held before, and what a few clients then do at once. */
import type { VersioningStatus } from '@varve/core'
import type { ModelCommand } from '@varve/core/model'
import { type Random, randomFrom } from '../support/random.ts'

export type ReadStep =
  | { readonly type: 'get'; readonly name: string; readonly bucket: string; readonly key: string }
  | { readonly type: 'list' | 'listVersions'; readonly name: string; readonly bucket: string }

/** Work that may take several commits. */
interface Parted {
  /** One change a commit. @default one commit */
  readonly parted?: true
}

export interface RestoreStep extends Parted {
  readonly type: 'restore'
  readonly name: string
  readonly bucket: string
  readonly to: number
}

export interface EraseStep {
  readonly type: 'erase'
  readonly name: string
  readonly bucket: string
  readonly key: string
}

export interface UndoStep extends Parted {
  readonly type: 'undo'
  readonly name: string
  /** The name of the step that is undone. */
  readonly of: string
}

export type Step =
  | ModelCommand
  | ReadStep
  /** Erases what is due and looks for orphans. */
  | { readonly type: 'sweep'; readonly name: string }
  /** Erases the bytes of all removed versions of a key. */
  | EraseStep
  /** Restores the bucket to a position, but for keys that others change meanwhile. */
  | RestoreStep
  /** Undoes another step, unless others changed the same key since. */
  | UndoStep
  /** Closes the store, whatever else goes on, and opens it again. */
  | { readonly type: 'reopen'; readonly name: string }

export interface Scenario {
  readonly name: string
  readonly setup: readonly ModelCommand[]
  /** Each client does its steps in order; the clients know nothing of each other. */
  readonly clients: readonly (readonly Step[])[]
  /** Clients take a while between one step and the next. @default false */
  readonly thinking?: boolean
  /** Buckets encrypt what is put into them. @default false */
  readonly sealed?: boolean
  /** Look at one moment in so many. @default 1 */
  readonly every?: number
}

type Unnamed<T> = T extends unknown ? Omit<T, 'name'> : never
type Draft = Unnamed<Step>

const bucket = 'box'
const [a, b, c] = ['a', 'b', 'c']
/** Bodies differ, so that a version is known by its bytes. Up to eight bytes ride in the log, more are a blob. */
const small = (text: string) => text.slice(0, 8)
const large = (text: string) => `${text} ${'·'.repeat(12)}`

const create = { type: 'createBucket', bucket } as const
const versioning = (status: VersioningStatus) => ({ type: 'setVersioning', bucket, status }) as const
const put = (key: string, body: string) => ({ type: 'putObject', bucket, key, body }) as const
const remove = (key: string) => ({ type: 'deleteObject', bucket, key }) as const
const get = (key: string) => ({ type: 'get', bucket, key }) as const
const list = { type: 'list', bucket } as const
const listVersions = { type: 'listVersions', bucket } as const
const copy = (from: string, key: string) => ({ type: 'copyObject', bucket, key, from: { bucket, key: from } }) as const
const begin = (key: string) => ({ type: 'createUpload', bucket, key }) as const
const part = (upload: string, key: string, number: number, body: string) =>
  ({ type: 'uploadPart', bucket, key, upload, number, body }) as const
const complete = (upload: string, key: string, parts: readonly (readonly [number, string])[]) => {
  const listed = parts.map(([number, name]) => ({ number, part: name }))
  return { type: 'completeUpload', bucket, key, upload, parts: listed, partSizeMin: 4 } as const
}
/** In a setup: the upload `s.1` of two parts. */
const assembled = complete('s.1', a, [
  [1, 's.2'],
  [2, 's.3'],
])
const abort = (upload: string, key: string) => ({ type: 'abortUpload', bucket, key, upload }) as const
const restore = (to: number) => ({ type: 'restore', bucket, to }) as const
const undo = (of: string) => ({ type: 'undo', of }) as const
const inParts = <S extends object>(step: S) => ({ ...step, parted: true }) as const
const snapshot = (name: string) => ({ type: 'createSnapshot', snapshot: name }) as const
const dropSnapshot = (name: string) => ({ type: 'deleteSnapshot', snapshot: name }) as const
const fork = (from: string, name: string) => ({ type: 'forkBucket', bucket: name, from }) as const
const drop = (name: string) => ({ type: 'dropFork', bucket: name }) as const
/** The same step in another bucket. */
const inBucket = <S extends { readonly bucket: string }>(name: string, step: S): S => ({ ...step, bucket: name })
const erase = (key: string) => ({ type: 'erase', bucket, key }) as const
const sweep = { type: 'sweep' } as const
const reopen = { type: 'reopen' } as const

/** Names identify the client: `s` for the setup, then `c0`, `c1`, ... with the number of the step. */
const named = (who: string, drafts: readonly Draft[]): readonly Step[] =>
  drafts.map((draft, i) => ({ ...draft, name: `${who}.${i}` }) as Step)

const scenario = (name: string, setup: readonly Draft[], ...clients: readonly (readonly Draft[])[]): Scenario => ({
  name,
  setup: named('s', setup) as readonly ModelCommand[],
  clients: clients.map((drafts, i) => named(`c${i}`, drafts)),
})

/** Short, so that every crash point of every one is tried. */
export const scenarios: readonly Scenario[] = [
  // Making a store is a thousand effects, most of them directories for blobs.
  { ...scenario('create', [], [create, put(a, small('one'))], [create, put(b, large('two'))]), every: 20 },
  scenario('put', [create], [put(a, large('one')), get(a)], [put(b, small('two')), put(b, large('three'))], [sweep]),
  scenario(
    'overwrite',
    [create, put(a, large('old'))],
    [put(a, large('one')), put(a, large('two'))],
    [get(a), put(a, large('three')), get(a)],
    [sweep, sweep],
  ),
  scenario(
    'conditional',
    [create],
    [{ ...put(a, large('one')), ifNoneMatch: '*' }, get(a)],
    [{ ...put(a, large('two')), ifNoneMatch: '*' }, get(a)],
  ),
  scenario(
    'delete',
    [create, put(a, large('old')), put(b, small('b'))],
    [remove(a), put(a, large('new'))],
    [get(a), get(a), list],
    [sweep, remove(b), sweep],
  ),
  scenario(
    'marker',
    [create, put(b, large('null')), versioning('Enabled'), put(a, large('old'))],
    [remove(a), { type: 'deleteVersion', bucket, key: a, version: 's.3' }],
    [get(a), { type: 'deleteVersion', bucket, key: a, version: 'c0.0' }, get(a)],
    [listVersions, sweep],
  ),
  scenario(
    'suspended',
    [create, versioning('Enabled'), put(a, large('old')), versioning('Suspended')],
    [put(a, large('one')), put(a, large('two'))],
    [remove(a), listVersions],
    [sweep, sweep],
  ),
  scenario(
    'complete',
    [create, put(a, large('old')), begin(a), part('s.2', a, 1, large('p1'))],
    [
      part('s.2', a, 2, large('p2')),
      complete('s.2', a, [
        [1, 's.3'],
        [2, 'c0.0'],
      ]),
      get(a),
    ],
    [get(a), part('s.2', a, 3, large('p3')), get(a)],
    [sweep, sweep],
  ),
  scenario(
    'abort',
    [create, begin(a), part('s.1', a, 1, large('p1'))],
    [abort('s.1', a), sweep],
    [part('s.1', a, 1, large('p2')), complete('s.1', a, [[1, 'c1.0']]), get(a)],
  ),
  scenario(
    'copy',
    [create, put(a, large('old')), copy(a, b)],
    [remove(a), sweep, get(b)],
    [copy(b, a), get(a)],
    [put(b, large('new')), sweep],
  ),
  scenario(
    'restore',
    [create, put(a, large('old')), put(b, large('b'))],
    [remove(a), restore(3), get(a)],
    [sweep, restore(3), sweep],
    [put(b, large('two')), restore(2), get(b)],
  ),
  scenario(
    'snapshot',
    [create, put(a, large('old')), snapshot('one'), put(b, large('b'))],
    [snapshot('two'), remove(b), dropSnapshot('two')],
    [remove(a), sweep, put(a, large('new'))],
    [sweep, put(b, large('two')), sweep, dropSnapshot('one'), sweep],
  ),
  scenario(
    'snapshots',
    [create, put(a, large('old')), snapshot('one'), put(b, large('b')), snapshot('two'), remove(a), remove(b)],
    [dropSnapshot('two'), sweep, snapshot('three')],
    [put(a, large('new')), sweep, remove(a)],
  ),
  {
    ...scenario(
      'fork',
      [create, put(a, large('old')), put(b, large('b')), fork(bucket, 'try')],
      [inBucket('try', put(a, large('mine'))), inBucket('try', get(b)), inBucket('try', remove(b)), sweep],
      [remove(a), put(b, large('new')), sweep, fork(bucket, 'again')],
      [sweep, inBucket('try', get(a)), inBucket('try', list)],
    ),
    every: 2,
  },
  {
    ...scenario(
      'fork-drop',
      [
        create,
        versioning('Enabled'),
        put(a, large('old')),
        put(a, large('new')),
        fork(bucket, 'try'),
        fork('try', 'again'),
      ],
      [drop('try'), sweep, inBucket('again', get(a)), inBucket('again', listVersions)],
      [
        inBucket('try', put(b, large('own'))),
        { type: 'deleteVersion', bucket, key: a, version: 's.2' },
        { type: 'deleteVersion', bucket: 'again', key: a, version: 's.3' },
        inBucket('again', get(a)),
      ],
      [{ type: 'deleteVersion', bucket, key: a, version: 's.3' }, sweep, drop('again'), sweep],
    ),
    every: 3,
  },
  scenario(
    'erase',
    [create, put(a, large('old')), copy(a, b), put(a, large('new'))],
    [remove(b), erase(a), get(a)],
    [snapshot('one'), put(a, large('three')), erase(a), dropSnapshot('one')],
    [restore(3), sweep, erase(b), get(b)],
  ),
  scenario(
    'restore-versions',
    [create, versioning('Enabled'), put(a, large('old')), put(b, small('b'))],
    [remove(a), restore(4), { type: 'deleteVersion', bucket, key: a, version: 's.2' }, get(a)],
    [put(b, large('new')), { type: 'deleteVersion', bucket, key: b, version: 's.3' }, restore(4), sweep],
    [sweep, remove(b), listVersions],
  ),
  {
    ...scenario(
      'sealed',
      [create, put(a, large('old')), put(b, small('b'))],
      [put(a, large('one')), get(a), put(b, small('two'))],
      [copy(a, b), remove(a), get(b)],
      [sweep, sweep],
    ),
    sealed: true,
  },
  {
    ...scenario(
      'sealed-parts',
      [create, begin(a), part('s.1', a, 1, large('p1')), begin(b), part('s.3', b, 1, small('q1'))],
      [part('s.1', a, 1, small('p2')), part('s.1', a, 2, large('p3')), complete('s.1', a, [[1, 'c0.0']]), get(a)],
      [abort('s.3', b), sweep],
      [sweep, remove(a), sweep],
    ),
    sealed: true,
  },
  scenario(
    'read',
    [create, begin(a), part('s.1', a, 1, large('p1')), part('s.1', a, 2, large('p2')), assembled, put(b, large('old'))],
    [get(a), get(a)],
    [get(b), get(a)],
    [remove(a), put(b, large('new')), sweep],
  ),
  scenario(
    'bucket',
    [create, begin(a), part('s.1', a, 1, large('p1'))],
    [{ type: 'deleteBucket', bucket }, create],
    [put(b, large('one')), list],
    [part('s.1', a, 2, large('p2')), sweep],
  ),
  scenario(
    'fail',
    [create],
    [put(a, large('one')), put(b, small('two'))],
    [put(b, large('three')), get(b)],
    [sweep, sweep, sweep, sweep, sweep, sweep],
  ),
  {
    ...scenario(
      'undo',
      [create, put(a, large('old')), put(b, small('b'))],
      [remove(a), undo('c0.0'), get(a), put(a, large('new')), undo('c0.3')],
      [sweep, put(b, large('two')), undo('c1.1'), undo('c1.2'), sweep],
      [sweep, get(a), get(b)],
    ),
    every: 3,
  },
  {
    ...scenario(
      'undo-versions',
      [create, put(a, large('null')), versioning('Enabled'), put(a, large('old')), versioning('Suspended')],
      [remove(a), undo('c0.0'), { type: 'deleteVersion', bucket, key: a, version: 's.3' }, undo('c0.2'), get(a)],
      [sweep, snapshot('one'), copy(a, b), undo('c1.2'), sweep],
      [listVersions, sweep, dropSnapshot('one'), sweep],
    ),
    every: 3,
  },
  // The null version is not the oldest one, so a row points at it. A snapshot keeps its bytes, so that it can come back.
  scenario(
    'undo-null',
    [
      create,
      versioning('Enabled'),
      put(a, small('old')),
      versioning('Suspended'),
      put(a, large('null')),
      snapshot('one'),
    ],
    [remove(a), undo('c0.0'), put(a, small('new')), listVersions],
  ),
  // A snapshot keeps the bytes, so that there is something to restore.
  {
    ...scenario(
      'parts',
      [create, put(a, large('a')), put(b, small('b')), put(c, large('c')), snapshot('one'), ...[a, b, c].map(remove)],
      [inParts(restore(4)), inParts(undo('c0.0')), get(a)],
      [put(b, large('two')), get(c), sweep],
    ),
    every: 3,
  },
  {
    ...scenario(
      'parts-others',
      [
        create,
        versioning('Enabled'),
        put(a, small('a')),
        put(b, small('b')),
        put(c, small('c')),
        ...[a, b, c].map(remove),
      ],
      [inParts(restore(5)), inParts(undo('c0.0'))],
      [put(c, small('new')), get(b), reopen, list],
    ),
    every: 3,
  },
  scenario(
    'close',
    [create],
    [put(a, small('nine')), reopen, put(a, small('ten')), reopen],
    [put(a, small('one')), put(a, small('two')), put(a, small('three')), put(a, small('four'))],
    [put(b, small('five')), put(b, small('six')), put(b, small('seven')), put(b, small('eight'))],
  ),
  scenario(
    'reopen',
    [create, put(a, large('old'))],
    [put(a, large('one')), reopen, put(a, large('two')), get(a)],
    [put(b, large('three')), get(a), put(b, small('four'))],
  ),
]

/** A longer one by chance: two or three clients, two keys, so that they meet. */
export function randomScenario(seed: number): Scenario {
  const random = randomFrom(seed)
  const before: Draft[] = [create]
  if (random.chance(0.6)) before.push(versioning(random.pick(['Enabled', 'Suspended'])))
  for (let i = random.below(3); i > 0; i--) before.push(put(random.pick([a, b]), body(random, `s${i}`)))
  before.push(begin(a))
  const upload = `s.${before.length - 1}`
  before.push(part(upload, a, 1, body(random, 'p')))
  const clients = Array.from({ length: 2 + random.below(2) }, (_, who) =>
    Array.from({ length: 2 + random.below(4) }, (_, i) => randomStep(random, { upload, text: `${who}-${i}` })),
  )
  return scenario(`random:${seed}`, before, ...clients)
}

/** One life of a machine that has had others: four clients at steady work on what they find. */
export function lifeScenario(random: Random, life: number): Scenario {
  const past = Array.from({ length: 8 }, () => `${random.below(life + 1)}.c${random.below(4)}.${random.below(30)}`)
  const clients = Array.from({ length: 4 }, (_, who) => {
    const upload = `${life}.c${who}.1`
    const steps = Array.from({ length: 28 }, (_, i) =>
      randomStep(random, { upload, text: `${life}-${who}-${i}`, past }),
    )
    return named(`${life}.c${who}`, [create, begin(a), part(upload, a, 1, body(random, `${life}-${who}`)), ...steps])
  })
  return { name: `life:${life}`, setup: [], clients, thinking: true }
}

const body = (random: Random, text: string): string => (random.chance(0.5) ? small(text) : large(text))

interface Chances {
  readonly upload: string
  readonly text: string
  /** Commands that may have made a version. */
  readonly past?: readonly string[]
}

function randomStep(random: Random, { upload, text, past = ['s.1', 's.2', 'c0.0', 'c1.0'] }: Chances): Draft {
  const key = random.pick([a, b])
  const version = random.pick(['null', ...past])
  const steps: readonly (readonly [number, () => Draft])[] = [
    [6, () => put(key, body(random, text))],
    [1, () => ({ ...put(key, body(random, text)), ifNoneMatch: '*' })],
    [1, () => ({ ...put(key, body(random, text)), ifMatch: random.pick(past) })],
    [3, () => remove(key)],
    [2, () => ({ type: 'deleteVersion', bucket, key, version })],
    [2, () => copy(key, random.pick([a, b]))],
    [2, () => part(upload, a, 1 + random.below(2), body(random, text))],
    [1, () => complete(upload, a, [[1, nextName(upload)]])],
    [1, () => abort(upload, a)],
    [1, () => versioning(random.pick(['Enabled', 'Suspended']))],
    [1, () => ({ type: 'deleteBucket', bucket })],
    [1, () => create],
    [4, () => get(key)],
    [1, () => list],
    [1, () => listVersions],
    [2, () => sweep],
    [1, () => erase(key)],
    [1.5, () => undo(random.pick(past))],
    [0.5, () => inParts(undo(random.pick(past)))],
    [0.5, () => inParts(restore(1 + random.below(3)))],
    [1, () => snapshot(random.pick(['one', 'two']))],
    [1, () => dropSnapshot(random.pick(['one', 'two']))],
    [1, () => fork(bucket, 'try')],
    [1, () => inBucket('try', random.pick([put(key, body(random, text)), remove(key), get(key)]))],
    [0.5, () => drop('try')],
    [0.3, () => reopen],
  ]
  let chance = random.next() * steps.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, make] of steps) {
    chance -= weight
    if (chance <= 0) return make()
  }
  return list
}

/** The step after `upload` of the same client is the one that uploads part 1. */
const nextName = (name: string): string => name.replace(/\d+$/, (number) => String(Number(number) + 1))
