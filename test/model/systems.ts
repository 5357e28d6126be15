/** What the commands are run on: a store behind the library or behind the S3 server, in memory or on a disk. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MemoryBlobMedium, memoryBlobs, nodeHashing, randomIds } from '@varve/adapters'
import { type Clock, isStorageError, openEngine, type Store, type StoreOptions } from '@varve/core'
import { apply, type ModelAnswer, type ModelCommand, type ModelState, type Outcome } from '@varve/core/model'
import { createFetchHandler, createIdentity, signRequest } from 'varve/http'
import { answerOf, sha256, targetOf } from '../acceptance/support/call.ts'
import { openGiven } from '../layouts/layout-parts.ts'
import type { Bindings } from './bindings.ts'
import { differences } from './compare.ts'
import { type Ask, askCommand, asHttpCan, asHttpAnswers, isOfS3 } from './http-command.ts'
import { httpDifferences, pastHttpDifferences, type PastOptions } from './http-differences.ts'
import { atOnce, type PlainEntry, plainJournal, plainMedium } from './plain-journal.ts'
import { runCommand } from './run-command.ts'

export interface System {
  /** The one that is open now. */
  readonly store: Store
  /** All stores that are open on the same log. Absent: the one. */
  readonly stores?: readonly Store[]
  /** The command as this system can express it. */
  wording(command: ModelCommand): ModelCommand
  /** The model's outcome, in the form in which this system answers. */
  expect(state: ModelState, command: ModelCommand): Outcome
  run(command: ModelCommand, bindings: Bindings): Promise<ModelAnswer>
  differences(state: ModelState, bindings: Bindings): Promise<readonly string[]>
  /** As `differences`, for the state after a position. Absent: `store.at` is compared, which is enough. */
  pastDifferences?(state: ModelState, bindings: Bindings, past: PastOptions): Promise<readonly string[]>
  /** Where the rows, byte for byte, are not those that the whole log makes. */
  replayDifferences(): Promise<readonly string[]>
  /** Call it before a sweep that shall leave nothing behind. */
  settle?(): Promise<void>
  /** Bytes of contents it holds, needed or not. Absent where they cannot be counted. */
  bytesHeld?(): number
  /** Closes the store in good order and opens it again. */
  reopen(): Promise<void>
  end(): Promise<void>
}

/** Objects of more than 64 bytes are blobs of their own. */
const inlineMax = 64
const hashing = await nodeHashing()
/** Kept when a store is opened again. */
const secret = { read: async () => new Uint8Array(32) }

const library = (store: () => Store) => ({
  wording: (command: ModelCommand) => command,
  expect: apply,
  run: (command: ModelCommand, bindings: Bindings) => runCommand(store(), command, bindings),
  differences: (state: ModelState, bindings: Bindings) => differences(store(), state, bindings),
})

export const memorySystem = (options: StoreOptions): Promise<System> => systemInMemory(options, 1)

/** Two engines on one journal, which run the commands in turn. */
export const sharedSystem = (options: StoreOptions): Promise<System> => systemInMemory(options, 2)

async function systemInMemory(options: StoreOptions, engines: number): Promise<System> {
  const rows = plainMedium()
  const blobMedium: MemoryBlobMedium = new Map()
  const clock = steadyClock()
  const openOne = async () => {
    const [journal, blobs] = [plainJournal(rows, atOnce, { exclusive: engines === 1 }), memoryBlobs(blobMedium)]
    const store = await openEngine(
      { journal, blobs, hashing, clock, ids: randomIds, secret },
      { inlineMax, ...options },
    )
    return { journal, blobs, store }
  }
  const openAll = async () => {
    const opened = []
    for (let engine = 0; engine < engines; engine++) opened.push(await openOne())
    return opened
  }
  let now = await openAll()
  let turn = 0
  const current = () => (now[turn % engines] as (typeof now)[number]).store
  const end = async () => {
    for (const { store, journal, blobs } of now) {
      await store.close()
      await journal.close()
      await blobs.close()
    }
  }
  const own = library(current)
  return {
    ...own,
    run(command, bindings) {
      turn++
      return own.run(command, bindings)
    },
    get store() {
      return current()
    },
    get stores() {
      return now.map(({ store }) => store)
    },
    async settle() {
      // Each engine shows that it works, and that none of its reads needs removed bytes.
      for (let round = 0; engines > 1 && round < 2; round++) {
        clock.pass(10_000)
        for (const { store } of now) await store.owner.withSnapshot(async () => undefined)
      }
    },
    bytesHeld() {
      const inline = rows.rows.flatMap(({ row: [key, value] }) => (key[0] === inlineTable ? value.length - frame : []))
      const blobs = [...blobMedium.values()].map(({ length }) => length)
      return [...inline, ...blobs].reduce((total, length) => total + length, 0)
    },
    async replayDifferences() {
      // What an earlier command freed would otherwise go between the two looks.
      await sweepAlone(current())
      const again = plainMedium()
      await current().replay(plainJournal(again))
      return differingRows(rows.rows.filter(isView), again.rows)
    },
    async reopen() {
      await end()
      now = await openAll()
    },
    end,
  }
}

/** Sweeps when no other engine does. */
export const sweepAlone = (store: Store, options: { readonly orphans?: boolean } = {}): Promise<void> =>
  alone(() => store.sweep(options))

/** Does the work of a job when no other engine does. */
export async function alone(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (!isStorageError(error, 'LeaseHeld')) throw error
    }
    await new Promise(setImmediate)
  }
}

/** As docs/format.md has them: the table of inline bytes, and what stands before the payload of every row. */
const inlineTable = 0x80
const frame = 5

const isView = ({ row: [key] }: PlainEntry): boolean => (key[0] ?? 0) < inlineTable

function differingRows(stored: readonly PlainEntry[], made: readonly PlainEntry[]): readonly string[] {
  const hex = ({ row }: PlainEntry): string => row.map((bytes) => Buffer.from(bytes).toString('hex')).join(' ')
  const [mine, theirs] = [new Set(stored.map(hex)), new Set(made.map(hex))]
  return [
    ...[...mine].filter((row) => !theirs.has(row)).map((row) => `the view has ${row}, the log does not make it`),
    ...[...theirs].filter((row) => !mine.has(row)).map((row) => `the log makes ${row}, the view does not have it`),
  ]
}

export async function diskSystem(options: StoreOptions): Promise<System> {
  const scratch = await mkdtemp(join(tmpdir(), 'varve-model-'))
  const open = () => openGiven(join(scratch, 'store'), { inlineMax, sweepEveryMs: 0, ...options })
  let store = await open()
  return {
    ...library(() => store),
    get store() {
      return store
    },
    async replayDifferences() {
      await store.sweep()
      const { divergences } = await store.verify({ blobs: 'skip' })
      return divergences.map((divergence) => JSON.stringify(divergence))
    },
    async reopen() {
      await store.close()
      store = await open()
    },
    async end() {
      await store.close()
      await rm(scratch, { recursive: true, force: true })
    },
  }
}

/** A store in memory behind the S3 server, in this process: everything of HTTP but the sockets. */
export async function httpSystem(options: StoreOptions): Promise<System> {
  const memory = await memorySystem(options)
  const ask = async (...request: Parameters<Ask>) => serviceFor(memory.store)(...request)
  return {
    ...memory,
    get store() {
      return memory.store
    },
    get stores() {
      return memory.stores ?? [memory.store]
    },
    wording: asHttpCan,
    expect(state, command) {
      const { state: next, answer } = apply(state, command)
      return { state: next, answer: asHttpAnswers(state, command, answer) }
    },
    run: (command, bindings) => (isOfS3(command) ? askCommand(ask, command, bindings) : memory.run(command, bindings)),
    differences: async (state, bindings) => [
      ...(await memory.differences(state, bindings)),
      ...(await httpDifferences(ask, state, bindings)),
    ],
    pastDifferences: (state, bindings, past) => pastHttpDifferences(ask, state, bindings, past),
  }
}

const keys = { accessKeyId: 'AK-root', secretAccessKey: 'the-secret-of-root' }
const services = new WeakMap<Store, Ask>()

function serviceFor(store: Store): Ask {
  const known = services.get(store)
  if (known !== undefined) return known
  const handle = Promise.resolve(
    // What buckets begin with is no part of the model, which has one event for each.
    createFetchHandler({
      store,
      identities: [createIdentity({ name: 'root', ...keys, root: true })],
      bucketDefaults: 'open',
    }),
  )
  const service: Ask = async (line, { headers = {}, body = '' } = {}) => {
    const target = targetOf(line)
    const bytes = Buffer.from(body)
    const given = { host: 'localhost', ...headers, 'content-length': String(bytes.length) }
    const signing = { ...keys, region: 'eu', now: Date.now(), payloadHash: sha256(bytes) }
    const signed = signRequest({ ...target, headers: Object.entries(given) }, signing)
    const url = `http://localhost${line.slice(line.indexOf(' ') + 1)}`
    const hasBody = target.method !== 'GET' && bytes.length > 0
    const request = new Request(url, {
      method: target.method,
      headers: signed.headers.map(([name, value]): [string, string] => [name, value]),
      ...(hasBody && { body: bytes }),
    })
    const response = await (await handle)(request)
    return answerOf(response.status, Object.fromEntries(response.headers), Buffer.from(await response.arrayBuffer()))
  }
  services.set(store, service)
  return service
}

/** A second passes at each reading. */
function steadyClock(): Clock & { pass(ms: number): void } {
  let time = 1_700_000_000_000
  return { now: () => (time += 1000), monotonic: () => time, pass: (ms) => void (time += ms) }
}
