/**
 * Copies keyspaces to a journal with the same log, as they are. One with damage in it is left out: its owner can
 * compute it again, and damaged rows must not be copied. Rows from before a clear are left out too.
 */
import { isStorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import { isSealed } from '../bytes/frame.ts'
import { decodeHeader, type KeyspaceHeader } from '../keyspaces/header.ts'
import { epochRange, headerKey, keyspaceRange, placeOf } from '../keyspaces/keyspace-keys.ts'
import { type FoundKeyspace, walkHeaders } from '../keyspaces/walk-headers.ts'
import type { Hashing, Journal, Row, RowChange, RowRange, Seq } from '../ports/index.ts'
import type { Cancelable } from '../api/types/index.ts'

const rowsPerCommit = 256

interface KeyspaceCopy extends Cancelable {
  readonly from: Journal
  readonly into: Journal
  readonly hashing: Hashing
  /** The last event of the new log. */
  readonly to: Seq
}

/** Resolves with the names of the keyspaces that were left out because of damage. */
export async function copyKeyspaces(copy: KeyspaceCopy): Promise<readonly string[]> {
  const { from, into, signal } = copy
  const found = await keyspacesIn(from)
  const copied = await copiedNames(into, found)
  // An interrupted copy may have left rows that the source no longer has. Headers go before the rows of their keyspaces.
  for await (const rows of pagesOf(into, keyspaceRange, signal)) {
    const old = rows.filter(([key]) => !copied.has(placeOf(key)?.name ?? ''))
    if (old.length > 0)
      await put(
        into,
        old.map(([key]) => ({ key, value: null })),
      )
  }
  const leftOut: string[] = []
  for (const keyspace of found) {
    if (copied.has(keyspace.name)) continue
    const header = await soundHeader(copy, keyspace)
    if (header === undefined) leftOut.push(keyspace.name)
    else if (header.state !== 'dropped') await copyOne(copy, keyspace, header)
  }
  return leftOut
}

/** Those that an earlier copy brought and that have not changed: every commit to a keyspace changes its header. */
async function copiedNames(into: Journal, found: readonly FoundKeyspace[]): Promise<ReadonlySet<string>> {
  const headers = await into.getMany(found.map(({ name }) => headerKey(name)))
  const isCopied = ({ frame }: FoundKeyspace, i: number): boolean => {
    const there = headers[i]
    return frame !== undefined && there !== undefined && sameBytes(frame, there)
  }
  return new Set(found.filter(isCopied).map(({ name }) => name))
}

async function keyspacesIn(from: Journal): Promise<readonly FoundKeyspace[]> {
  const found: FoundKeyspace[] = []
  for await (const keyspace of walkHeaders(from)) found.push(keyspace)
  return found
}

/** The header, if it and all rows of its epoch are whole and the new log reaches its cursor. */
async function soundHeader(
  { from, hashing, to, signal }: KeyspaceCopy,
  { name, frame }: FoundKeyspace,
): Promise<KeyspaceHeader | undefined> {
  if (frame === undefined) return undefined
  try {
    const header = decodeHeader(hashing, name, frame)
    if (header.cursor > to) return undefined
    for await (const rows of pagesOf(from, epochRange(name, header.epoch), signal)) {
      if (!rows.every(([key, value]) => isSealed(hashing, key, value))) return undefined
    }
    return header
  } catch (error) {
    if (isStorageError(error, 'RowCorrupt', 'JournalFailed')) return undefined
    throw error
  }
}

/** The header comes last: without it, the rows are not a keyspace. */
async function copyOne(
  { from, into, signal }: KeyspaceCopy,
  { name, frame }: FoundKeyspace,
  { epoch }: KeyspaceHeader,
) {
  for await (const rows of pagesOf(from, epochRange(name, epoch), signal)) {
    await put(
      into,
      rows.map(([key, value]) => ({ key, value })),
    )
  }
  await put(into, [{ key: headerKey(name), value: frame as Uint8Array }])
}

const put = (into: Journal, rows: readonly RowChange[]): Promise<void> =>
  into.commit({ events: [], rows, outsideLog: true })

async function* pagesOf(journal: Journal, range: RowRange, signal?: AbortSignal): AsyncGenerator<readonly Row[]> {
  const cursor = journal.cursor(range)
  try {
    for (let rows = await cursor.next(rowsPerCommit); rows.length > 0; rows = await cursor.next(rowsPerCommit)) {
      signal?.throwIfAborted()
      yield rows
    }
  } finally {
    await cursor.close()
  }
}
