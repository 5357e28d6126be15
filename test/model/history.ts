/** Clients that use a few keys of one bucket at the same time, and what each of them saw, with the moments of it. */
import type { Store } from '@varve/core'
import type { ModelAnswer, ModelCommand } from '@varve/core/model'
import { storedEtag } from './bindings.ts'
import type { Operation } from './linearizable.ts'

/** What a client uses of a store, behind whatever front end. */
export interface Api {
  run(command: ModelCommand): Promise<ModelAnswer>
  /** The bytes, or a code. */
  get(bucket: string, key: string): Promise<{ readonly body: string } | { readonly error: string }>
  /** One page, or a code. */
  list(bucket: string, page: { readonly after: string; readonly limit: number }): Promise<Page>
}

/** Keys and ETags. */
export type Page = { readonly shown: readonly Shown[] } | { readonly error: string }

export type Shown = readonly [key: string, etag: string]

export interface SeenListing {
  readonly shown: readonly Shown[]
  readonly called: number
  readonly returned: number
}

export interface History {
  readonly operations: readonly Operation[]
  readonly listings: readonly SeenListing[]
}

export interface HistoryOptions {
  readonly clients: number
  readonly operations: number
  readonly keys: readonly string[]
  /** A number from 0 up to what is given. */
  readonly random: (below: number) => number
}

export const bucket = 'history'

/** The outcome of these is not known: the command may be in the log, or not. */
const unknown = new Set(['StoreFailed', 'StoreClosed', 'ServiceUnavailable', 'JournalClosed', 'InternalError'])

/** @param apiOf The API that a client uses. */
export async function runHistory(
  apiOf: (client: number) => Api,
  { clients, operations: count, keys, random }: HistoryOptions,
): Promise<History> {
  const operations: Operation[] = []
  const listings: SeenListing[] = []
  let step = 0
  let left = count
  const client = async (number: number): Promise<void> => {
    const api = apiOf(number)
    // What it read last of each key: what it would replace.
    const read = new Map<string, string>()
    while (left-- > 0) {
      const key = keys[random(keys.length)] as string
      const called = ++step
      if (random(20) === 0) {
        const page = await api.list(bucket, { after: '', limit: 1000 })
        if ('shown' in page) listings.push({ shown: page.shown, called, returned: ++step })
        // As with a read: one that failed saw nothing.
        else if (!unknown.has(page.error)) throw new Error(`A listing is refused with ${page.error}.`)
        continue
      }
      const call = { client: number, key, called, ...chooseKind(random, read.get(key), `v${called}`) }
      const answer = await perform(api, call)
      if (call.kind === 'get' && answer !== undefined) read.set(key, answer)
      // A read that failed saw nothing, so there is nothing to explain.
      if (call.kind === 'get' && answer === undefined) continue
      operations.push({ ...call, ...(answer !== undefined && { answer }), returned: ++step })
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return { operations, listings }
}

function chooseKind(
  random: HistoryOptions['random'],
  read: string | undefined,
  value: string,
): Pick<Operation, 'kind' | 'value' | 'expected'> {
  const dice = random(10)
  if (dice < 4) return { kind: 'get' }
  if (dice < 6) return { kind: 'put', value }
  if (dice < 7) return { kind: 'create', value }
  if (dice < 8) return { kind: 'delete' }
  return read === undefined || read === 'NoSuchKey'
    ? { kind: 'put', value }
    : { kind: 'replace', value, expected: read }
}

/** Its first word is the value. Long ones are blobs, short ones ride in the journal. */
const bodyOf = (value: string): string => `${value} `.repeat(Number(value.slice(1)) % 3 === 0 ? 40 : 1)

export const etagOf = (value: string): string => storedEtag(JSON.stringify(bodyOf(value)))

async function perform(
  api: Api,
  { key, kind, value = '', expected = '', called }: Omit<Operation, 'returned'>,
): Promise<string | undefined> {
  if (kind === 'get') {
    const got = await api.get(bucket, key)
    const answer = 'body' in got ? got.body.split(' ', 1)[0] : got.error
    return answer !== undefined && unknown.has(answer) ? undefined : answer
  }
  const place = { name: value === '' ? `d${called}` : value, bucket, key }
  const put = { ...place, type: 'putObject', body: bodyOf(value) } as const
  const command: Record<Exclude<Operation['kind'], 'get'>, ModelCommand> = {
    put,
    create: { ...put, ifNoneMatch: '*' },
    replace: { ...put, ifMatch: expected },
    delete: { ...place, type: 'deleteObject' },
  }
  const answer = await api.run(command[kind])
  if ('ok' in answer) return 'ok'
  return unknown.has(answer.error) ? undefined : answer.error
}

/** What the bucket showed after each event: the log is the order in which everything happened. */
interface Steps {
  /** By position. */
  readonly views: readonly string[]
  /** Where the version with an ETag was added. */
  readonly positions: ReadonlyMap<string, number>
}

async function stepsOf(store: Pick<Store, 'log'>): Promise<Steps> {
  const current = new Map<string, string>()
  const positions = new Map<string, number>()
  const views = ['[]']
  for await (const { seq, type, data } of store.log()) {
    if (type === 'VersionAdded') {
      current.set(data.key, data.etag)
      positions.set(data.etag, seq)
    } else if (type === 'VersionRemoved' || type === 'DeleteMarkerAdded') current.delete(data.key)
    views.push(viewOf([...current]))
  }
  return { views, positions }
}

const viewOf = (shown: readonly Shown[]): string => JSON.stringify([...shown].sort(([a], [b]) => (a < b ? -1 : 1)))

/**
 * The first torn listing: it does not show the bucket as it was after any one event. The possible events are those from
 * the last write that had returned when the listing was requested to the first write that was not yet called when it
 * returned.
 */
export async function tornListing(
  store: Pick<Store, 'log'>,
  { operations, listings }: History,
): Promise<SeenListing | undefined> {
  const { views, positions } = await stepsOf(store)
  const writes = operations.flatMap(({ value, called, returned, answer }) => {
    const position = value === undefined ? undefined : positions.get(etagOf(value))
    return position === undefined ? [] : [{ called, returned: answer === undefined ? Infinity : returned, position }]
  })
  return listings.find(({ shown, called, returned }) => {
    const before = writes.filter((write) => write.returned < called).map(({ position }) => position)
    const after = writes.filter((write) => write.called > returned).map(({ position }) => position)
    return !views.slice(Math.max(0, ...before), Math.min(views.length, ...after)).includes(viewOf(shown))
  })
}
