/**
 * Checks the keyspaces: headers, cursors and the checksums of rows. A keyspace with a registered reducer is computed
 * again and compared row by row.
 */
import { isStorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import { isSealed } from '../bytes/frame.ts'
import { toHex } from '../bytes/hex.ts'
import { decodeHeader, type KeyspaceHeader } from '../keyspaces/header.ts'
import {
  epochRange,
  headerKey,
  keyspaceRange,
  type KeyspacePlace,
  placeOf,
  prefixOf,
} from '../keyspaces/keyspace-keys.ts'
import { committedValues, storedChanges } from '../keyspaces/keyspace-rows.ts'
import { reduceLog, type VersionedReducer } from '../keyspaces/reducer.ts'
import type { Hashing, Journal, Row } from '../ports/index.ts'
import { describeKey } from '../views/describe-key.ts'
import { compareRows } from './compare-rows.ts'
import type { Findings } from './findings.ts'
import type { Divergence, DivergenceKind, VerifyOptions } from './report.ts'
import { pageRows } from './rows-in-order.ts'
import type { Subject } from './subject.ts'
import { corruptRow, readable } from './verify-views.ts'

/** `scratch` is a journal without keyspaces, and present only if the log is whole. */
export async function verifyKeyspaces(
  subject: Subject,
  scratch: Journal | undefined,
  options: VerifyOptions,
  findings: Findings,
): Promise<void> {
  const recomputed = scratch === undefined ? undefined : subject.reducers
  const walk = new KeyspaceWalk(subject, findings, recomputed)
  await readable(findings, async () => {
    const cursor = subject.rows.cursor(keyspaceRange)
    try {
      for (let page = await cursor.next(pageRows); page.length > 0; page = await cursor.next(pageRows)) {
        options.signal?.throwIfAborted()
        for (const row of page) walk.take(row)
      }
    } finally {
      await cursor.close()
    }
    for (const { name, header, reducer } of walk.toCompare) {
      await compareKeyspace({ subject, scratch: scratch as Journal, name, header, reducer }, options, findings)
    }
  })
}

interface ToCompare extends Pick<VersionedReducer, 'reducer'> {
  readonly name: string
  readonly header: KeyspaceHeader
}

class KeyspaceWalk {
  /** The keyspaces that can be computed again. */
  readonly toCompare: ToCompare[] = []
  readonly #subject: Subject
  readonly #hashing: Hashing
  readonly #findings: Findings
  readonly #reducers: ReadonlyMap<string, VersionedReducer> | undefined
  #name: string | undefined
  /** `undefined` if it is missing or damaged. */
  #header: KeyspaceHeader | undefined
  #isCompared = false

  constructor(subject: Subject, findings: Findings, reducers: ReadonlyMap<string, VersionedReducer> | undefined) {
    this.#subject = subject
    this.#hashing = subject.ports.hashing
    this.#findings = findings
    this.#reducers = reducers
  }

  take(row: Row): void {
    const [key, frame] = row
    const place = placeOf(key)
    if (place === undefined) {
      this.#count()
      this.#note('RowUnexpected', 'A row that belongs to no keyspace.', key)
      return
    }
    if (place.name !== this.#name) this.#enter(place, key)
    if (place.epoch === 0) this.#takeHeader(place.name, key, frame)
    else this.#takeRow(place, row)
  }

  #enter({ name, epoch }: KeyspacePlace, key: Uint8Array): void {
    this.#name = name
    this.#header = undefined
    this.#isCompared = false
    if (epoch !== 0) this.#note('KeyspaceDamaged', 'A keyspace has rows, but no header.', key)
  }

  #takeHeader(name: string, key: Uint8Array, frame: Uint8Array): void {
    this.#count()
    try {
      this.#header = decodeHeader(this.#hashing, name, frame)
    } catch (error) {
      if (!isStorageError(error, 'RowCorrupt')) throw error
      this.#note('KeyspaceDamaged', error.message, key)
      return
    }
    const { version, cursor, state } = this.#header
    const { end } = this.#subject
    if (cursor > end) {
      this.#note('KeyspaceAhead', `The log ends at ${end}; the keyspace follows it up to ${cursor}.`, key)
      return
    }
    const known = this.#reducers?.get(name)
    if (known?.version !== version || state === 'dropped') return
    this.#isCompared = true
    this.toCompare.push({ name, header: this.#header, reducer: known.reducer })
  }

  #takeRow({ name, epoch }: KeyspacePlace, [key, frame]: Row): void {
    if (this.#header !== undefined && epoch < this.#header.epoch) return this.#noteLeftovers(name)
    // The comparison reports it otherwise.
    if (this.#isCompared && epoch === this.#header?.epoch) return
    this.#count()
    if (!isSealed(this.#hashing, key, frame)) this.#findings.note(corruptRow(key))
    else if (this.#header !== undefined && epoch > this.#header.epoch) {
      this.#note('RowUnexpected', 'A row of a keyspace from after its header.', key)
    }
  }

  /** Once for each keyspace, because the same finding counts once. */
  #noteLeftovers(name: string): void {
    const message = 'Rows of a keyspace from before it was cleared; the next opening of the keyspace removes them.'
    this.#note('Leftover', message, headerKey(name))
  }

  #count(): void {
    this.#findings.rows++
  }

  #note(kind: DivergenceKind, message: string, key: Uint8Array): void {
    this.#findings.note(divergence(kind, message, key))
  }
}

interface Compared extends ToCompare {
  readonly subject: Subject
  readonly scratch: Journal
}

/** Computes the rows into the scratch journal, under the same keys. */
async function compareKeyspace(compared: Compared, { signal }: VerifyOptions, findings: Findings): Promise<void> {
  const { subject, scratch, name, header } = compared
  const { hashing } = subject.ports
  try {
    await reduceInto(compared, signal)
  } catch (error) {
    if (!isStorageError(error, 'KeyspaceFailed')) throw error
    findings.note({
      ...divergence('KeyspaceFailed', error.message, headerKey(name)),
      seq: Number(error.details['seq']),
    })
    return
  }
  const range = epochRange(name, header.epoch)
  await compareRows({
    stored: subject.rows.cursor(range),
    made: scratch.cursor(range),
    judge: (stored, made) => judge(hashing, stored, made),
    findings,
    onPage: () => signal?.throwIfAborted(),
  })
}

function reduceInto({ subject, scratch, name, header, reducer }: Compared, signal?: AbortSignal): Promise<void> {
  const { hashing } = subject.ports
  const prefix = prefixOf(name, header.epoch)
  return reduceLog({
    name,
    reducer,
    log: subject.ports,
    from: 1,
    to: header.cursor,
    signal,
    committed: committedValues(scratch, hashing, prefix),
    commit: (_, changes) => scratch.commit({ events: [], rows: storedChanges(hashing, prefix, changes) }),
  })
}

function judge(hashing: Hashing, stored: Row | undefined, made: Row | undefined): Divergence | undefined {
  if (stored === undefined) return divergence('RowMissing', 'A row of a keyspace is missing.', (made as Row)[0])
  const [key, frame] = stored
  if (made !== undefined && sameBytes(frame, made[1])) return undefined
  if (!isSealed(hashing, key, frame)) return corruptRow(key)
  if (made === undefined) return divergence('RowUnexpected', 'A row of a keyspace that its reducer does not make.', key)
  return divergence('RowDiffers', 'A row of a keyspace is not what its reducer makes of the log.', key)
}

const divergence = (kind: DivergenceKind, message: string, key: Uint8Array): Divergence => ({
  kind,
  message,
  key: toHex(key),
  ...describeKey(key),
})
