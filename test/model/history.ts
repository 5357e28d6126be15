/** Clients that use a few keys of one bucket at the same time, and what each of them saw, with the moments of it. */
import type { ModelAnswer, ModelCommand } from '@varve/core/model'
import { storedEtag } from './bindings.ts'
import type { Operation } from './linearizable.ts'

/** What a client uses of a store, behind whatever front end. */
export interface Api {
  run(command: ModelCommand): Promise<ModelAnswer>
  /** The bytes, or a code. */
  get(bucket: string, key: string): Promise<{ readonly body: string } | Refused>
  head(bucket: string, key: string): Promise<{ readonly etag: string } | Refused>
  /** The ETag of the copy, or a code. */
  copy(bucket: string, from: string, to: string): Promise<{ readonly etag: string } | Refused>
  /** One page of keys and ETags, or a code. */
  list(bucket: string, page: { readonly after: string; readonly limit: number }): Promise<Page>
  /** Keys, ids and ETags of the versions of keys that begin so, newest first; `marker` is the ETag of a delete marker. */
  versions(bucket: string, prefix: string): Promise<Page>
}

export interface Refused {
  readonly error: string
}

export type Page = { readonly shown: readonly Shown[] } | Refused

/** A row of a listing. Its key is the first. */
export type Shown = readonly [key: string, ...facts: string[]]

export interface SeenListing {
  readonly shown: readonly Shown[]
  /** A listing of the versions of this key, and not of the objects of the bucket. */
  readonly versionsOf?: string
  readonly called: number
  readonly returned: number
}

export interface History {
  readonly bucket: string
  readonly operations: readonly Operation[]
  readonly listings: readonly SeenListing[]
  /** How many calls were refused, to be sent again later: they have no effect, so a read of what they were to write is not explained. */
  readonly refusals: number
}

export interface HistoryOptions {
  /** @default `history` */
  readonly bucket?: string
  readonly clients: number
  readonly operations: number
  readonly keys: readonly string[]
  /** A number from 0 up to what is given. */
  readonly random: (below: number) => number
  /** Objects are copied too. Nothing explains a copy whose outcome is unknown, since nobody knows its value. @default false */
  readonly copies?: boolean
}

export const bucket = 'history'

/** The outcome of these is not known: the command may be in the log, or not. */
const unknown = new Set(['StoreFailed', 'StoreClosed', 'ServiceUnavailable', 'JournalClosed', 'InternalError'])

/** These have not changed anything. The second one: the key was written since the upload began, so its condition has no subject. */
const refusals = new Set(['SlowDown', 'ConditionalRequestConflict'])

/** @param apiOf The API that a client uses for an operation. */
export async function runHistory(apiOf: (client: number) => Api, options: HistoryOptions): Promise<History> {
  const run = new HistoryRun(options)
  await Promise.all(Array.from({ length: options.clients }, (_, client) => run.client(client, apiOf)))
  return run
}

class HistoryRun implements History {
  readonly bucket: string
  readonly operations: Operation[] = []
  readonly listings: SeenListing[] = []
  refusals = 0
  readonly #options: HistoryOptions
  /** The values of the ETags that objects can have. */
  readonly #values = new Map<string, string>()
  #step = 0
  #left: number

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#left = options.operations
    this.bucket = options.bucket ?? bucket
  }

  async client(client: number, apiOf: (client: number) => Api): Promise<void> {
    const { keys, random, copies = false } = this.#options
    // What it read last of each key: what it would replace.
    const read = new Map<string, string>()
    while (this.#left-- > 0) {
      const [api, key] = [apiOf(client), this.#pick(keys)]
      const dice = random(40)
      if (dice < 2) await this.#list(api, {})
      else if (dice < 4) await this.#list(api, { versionsOf: key })
      else if (copies && dice < 7) await this.#copy(api, { client, from: key, to: this.#pick(keys) })
      else {
        const answer = await this.#operate(() => apiOf(client), { client, key, read: read.get(key) })
        if (answer !== undefined) read.set(key, answer)
      }
    }
  }

  #pick(keys: readonly string[]): string {
    return keys[this.#options.random(keys.length)] as string
  }

  async #list(api: Api, what: Pick<SeenListing, 'versionsOf'>): Promise<void> {
    const called = ++this.#step
    const page = await (what.versionsOf === undefined
      ? api.list(this.bucket, { after: '', limit: 1000 })
      : api.versions(this.bucket, what.versionsOf))
    if ('shown' in page) this.listings.push({ ...what, shown: page.shown, called, returned: ++this.#step })
    else if (this.#isRefusal(page.error)) return
    // As with a read: one that failed saw nothing.
    else if (!unknown.has(page.error)) throw new Error(`A listing is refused with ${page.error}.`)
  }

  /** It takes effect at one moment on both keys. Each key is judged alone, so it counts as a read of one and a write of the other. */
  async #copy(api: Api, { client, from, to }: { client: number; from: string; to: string }): Promise<void> {
    if (from === to) return
    const called = ++this.#step
    const copied = await api.copy(this.bucket, from, to)
    const moments = { client, called, returned: ++this.#step }
    if ('error' in copied) {
      if (this.#isRefusal(copied.error)) return
      if (copied.error !== 'NoSuchKey') throw new Error(`A copy is refused with ${copied.error}.`)
      this.operations.push({ ...moments, key: from, kind: 'get', answer: copied.error })
      return
    }
    const value = this.#valueOf(copied.etag)
    this.operations.push({ ...moments, key: from, kind: 'get', answer: value })
    this.operations.push({ ...moments, key: to, kind: 'put', value, answer: 'ok', isCopy: true })
  }

  #isRefusal(code: string): boolean {
    const isOne = refusals.has(code)
    if (isOne) this.refusals++
    return isOne
  }

  #valueOf(etag: string): string {
    return this.#values.get(etag) ?? `unknown ${etag}`
  }

  /** @returns what a read has found */
  async #operate(
    apiOf: () => Api,
    { client, key, read }: { readonly client: number; readonly key: string; readonly read: string | undefined },
  ): Promise<string | undefined> {
    const { random } = this.#options
    const value = `v${++this.#step}`
    const choice = chooseKind(random, read, value)
    const place = { bucket: this.bucket, key }
    for (const etag of choice.value === undefined ? [] : etagsOf(value)) this.#values.set(etag, value)
    const isMultipart = (choice.kind === 'put' || choice.kind === 'create') && random(4) === 0
    if (isMultipart && !(await this.#beginUpload(apiOf, { ...place, value }))) return undefined
    const call = { client, key, called: ++this.#step, ...choice }
    const write = (): ModelCommand => (isMultipart ? completionOf(call, place) : commandOf(call, place))
    const answer = await (choice.kind === 'get' ? this.#read(apiOf(), place) : perform(apiOf(), write()))
    const isRead = call.kind === 'get'
    // A read that failed saw nothing, so there is nothing to explain.
    if (answer === undefined ? isRead : this.#isRefusal(answer)) return undefined
    this.operations.push({ ...call, ...(answer !== undefined && { answer }), returned: ++this.#step })
    return isRead ? answer : undefined
  }

  /** Whether the upload has its part. If not, no object was written. */
  async #beginUpload(apiOf: () => Api, { value, ...place }: Place & { readonly value: string }): Promise<boolean> {
    const upload = uploadOf(value)
    const commands: readonly ModelCommand[] = [
      { ...place, type: 'createUpload', name: upload },
      { ...place, type: 'uploadPart', name: partOf(value), upload, number: 1, body: bodyOf(value) },
    ]
    for (const command of commands) {
      const answer = await perform(apiOf(), command)
      if (answer === undefined || this.#isRefusal(answer)) return false
      if (answer !== 'ok') throw new Error(`${command.type} is refused with ${answer}.`)
    }
    return true
  }

  /** The value, or a code. `undefined`: the read failed. */
  async #read(api: Api, { bucket: name, key }: Place): Promise<string | undefined> {
    const got = await (this.#options.random(3) === 0 ? api.head(name, key) : api.get(name, key))
    if ('error' in got) return unknown.has(got.error) ? undefined : got.error
    return 'etag' in got ? this.#valueOf(got.etag) : got.body.split(' ', 1)[0]
  }
}

interface Place {
  readonly bucket: string
  readonly key: string
}

type Call = Omit<Operation, 'returned'>

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

/** Its first word is the value. Short ones ride in the journal, longer ones do if the store has no smaller limit, the longest never do. */
function bodyOf(value: string): string {
  const number = Number(value.slice(1))
  return `${value} `.repeat(number % 30 === 0 ? 10_000 : number % 3 === 0 ? 40 : 1)
}

/** Of an object that is written with a value, and of one that is made of a part. */
const etagsOf = (value: string): readonly [whole: string, ofPart: string] => [etagOf(value), partedEtagOf(value)]

export const etagOf = (value: string): string => storedEtag(JSON.stringify(bodyOf(value)))

export const partedEtagOf = (value: string): string => storedEtag(JSON.stringify([bodyOf(value)]))

const uploadOf = (value: string): string => `${value}-upload`
const partOf = (value: string): string => `${value}-part`

function completionOf({ kind, value = '' }: Call, place: Place): ModelCommand {
  return {
    ...place,
    type: 'completeUpload',
    name: value,
    upload: uploadOf(value),
    parts: [{ number: 1, part: partOf(value) }],
    ...(kind === 'create' && { ifNoneMatch: '*' }),
  }
}

function commandOf({ kind, value = '', expected = '', called }: Call, place: Place): ModelCommand {
  const put = { ...place, type: 'putObject', name: value, body: bodyOf(value) } as const
  switch (kind) {
    case 'create':
      return { ...put, ifNoneMatch: '*' }
    case 'replace':
      return { ...put, ifMatch: expected }
    case 'delete':
      return { ...place, type: 'deleteObject', name: `d${called}` }
    default:
      return put
  }
}

/** `ok`, or a code. `undefined`: the outcome is unknown. */
async function perform(api: Api, command: ModelCommand): Promise<string | undefined> {
  const answer = await api.run(command)
  if ('ok' in answer) return 'ok'
  return unknown.has(answer.error) ? undefined : answer.error
}
