/**
 * A journal in one sorted array. A commit makes a new array, so a snapshot is the old one; nothing is shared, nothing is
 * clever, and every effect passes by `step`, where a test may hold it back to choose what happens first.
 */
import {
  type Commit,
  type HeldHead,
  type Journal,
  type Row,
  type RowCursor,
  type RowRange,
  StorageError,
} from '@varve/core'

/** What outlives a closed journal: give it to `plainJournal` again to reopen. */
export interface PlainMedium {
  log: readonly Uint8Array[]
  rows: readonly PlainEntry[]
  /** Who has the turn at the end of the log. Whoever comes next takes it, as from a holder that was stopped for long. */
  holder?: { readonly seq: number } | undefined
}

/** Byte order of keys is the order of their names. */
export interface PlainEntry {
  readonly name: string
  readonly row: Row
}

export const plainMedium = (): PlainMedium => ({ log: [], rows: [] })

/** Waits until the effect may happen. */
export type Step = (effect: string) => Promise<void>

export const atOnce: Step = () => Promise.resolve()

/** `exclusive`: no other engine uses the medium. `turns`: it gives turns at the end of the log, which others can take away. */
export function plainJournal(
  medium: PlainMedium,
  step: Step = atOnce,
  { exclusive = true, turns = false } = {},
): Journal {
  let closed = false
  let turn: Promise<unknown> = Promise.resolve()
  const assertOpen = () => {
    if (closed) throw new StorageError('JournalClosed', 'The journal is closed.')
  }
  const read = async <T>(effect: string, look: () => T): Promise<T> => {
    assertOpen()
    await step(effect)
    assertOpen()
    return look()
  }
  const reader = (rows: () => readonly PlainEntry[]) => ({
    get: (key: Uint8Array) => read('get', () => find(rows(), key)),
    getMany: (keys: readonly Uint8Array[]) => read('getMany', () => keys.map((key) => find(rows(), key))),
    cursor(range: RowRange): RowCursor {
      assertOpen()
      return walk(rows(), range, read)
    },
  })
  function commitAs(commit: Commit, held?: object): Promise<void> {
    const apply = async () => {
      await read(commit.outsideLog === true ? 'coordinate' : 'commit', () => {
        if (held !== undefined && medium.holder !== held) throw conflict({ kind: 'turn' })
        assertExpected(commit, medium)
        if (commit.events.length > 0) medium.holder = undefined
        medium.log = [...medium.log, ...commit.events.map((bytes) => Uint8Array.from(bytes))]
        medium.rows = changed(medium.rows, commit)
      })
      // Readers see the commit before the writer learns whether it succeeded.
      await step(commit.outsideLog === true ? 'coordinated' : 'committed')
    }
    const outcome = turn.then(apply)
    turn = outcome.catch(() => undefined)
    return outcome
  }
  async function hold(): Promise<HeldHead> {
    const held = await read('turn', () => (medium.holder = { seq: medium.log.length }))
    return {
      seq: held.seq,
      commit: (commit) => commitAs(commit, held),
      release: async () => {
        if (medium.holder === held) medium.holder = undefined
      },
    }
  }
  return {
    ...reader(() => medium.rows),
    exclusive,
    head: async () => read('head', () => medium.log.length),
    commit: (commit) => commitAs(commit),
    ...(turns && { hold }),
    async *events({ from = 1, to = Number.POSITIVE_INFINITY } = {}) {
      const { log } = medium
      for (let seq = Math.max(from, 1); seq <= to; seq++) {
        const bytes = await read('event', () => log[seq - 1])
        if (bytes === undefined) return
        yield { seq, bytes }
      }
    },
    snapshot() {
      assertOpen()
      const { rows } = medium
      return { ...reader(() => rows), close: async () => undefined }
    },
    async close() {
      await turn
      closed = true
    },
  }
}

function assertExpected(commit: Commit, { log, rows }: PlainMedium): void {
  const { expectedHead, expectedRows = [], events, outsideLog } = commit
  if (events.length > 0 && (expectedHead === undefined || outsideLog === true)) throw new TypeError('Not such events.')
  if (expectedHead !== undefined && expectedHead !== log.length)
    throw conflict({ expected: expectedHead, head: log.length })
  for (const { key, value } of expectedRows) {
    const found = find(rows, key)
    const isSame = value === null || found === undefined ? value === (found ?? null) : nameOf(value) === nameOf(found)
    if (!isSame) throw conflict({ key: Buffer.from(key).toString('hex') })
  }
}

const conflict = (details: Readonly<Record<string, string | number>>): StorageError =>
  new StorageError('JournalConflict', 'Another commit was first.', { details })

const nameOf = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')

/** The index of the first row at or after a name. */
function place(rows: readonly PlainEntry[], name: string): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle] as PlainEntry).name < name) low = middle + 1
    else high = middle
  }
  return low
}

function find(rows: readonly PlainEntry[], key: Uint8Array): Uint8Array | undefined {
  const name = nameOf(key)
  const entry = rows[place(rows, name)]
  return entry?.name === name ? entry.row[1] : undefined
}

function changed(rows: readonly PlainEntry[], { rows: changes }: Commit): readonly PlainEntry[] {
  const copy = [...rows]
  for (const { key, value } of changes) {
    const name = nameOf(key)
    const at = place(copy, name)
    const there = copy[at]?.name === name ? 1 : 0
    if (value === null) copy.splice(at, there)
    else copy.splice(at, there, { name, row: [Uint8Array.from(key), Uint8Array.from(value)] })
  }
  return copy
}

function walk(
  rows: readonly PlainEntry[],
  { gte, lt, reverse = false }: RowRange,
  read: <T>(effect: string, look: () => T) => Promise<T>,
): RowCursor {
  const [first, end] = [place(rows, nameOf(gte)), place(rows, nameOf(lt))]
  const range = rows.slice(first, Math.max(first, end))
  if (reverse) range.reverse()
  let at = 0
  return {
    next: (count) =>
      read('next', () => {
        const page = range.slice(at, at + count)
        at += page.length
        return page.map(({ row }) => row)
      }),
    seek(key) {
      const name = nameOf(key)
      const found = range.findIndex((entry) => (reverse ? entry.name <= name : entry.name >= name))
      at = found < 0 ? range.length : found
    },
    close: async () => undefined,
  }
}
