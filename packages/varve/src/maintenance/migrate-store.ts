/**
 * Moves a store to another layout, in its own directory. The new store is built
 * beside the old one, verified against the log, and replaces it at the end. Until then the old store is unchanged and
 * can be used. The next call continues an interrupted migration.
 */
import {
  type LayoutName,
  layoutOf,
  migrationDirectory,
  nodeHashing,
  openStoreDirectory,
  type StoreDirectory,
} from '@varve/adapters'
import {
  copyBlob,
  examine,
  isBlobThere,
  isLeftover,
  isStorageError,
  type NamedBytes,
  openForMaintenance,
  StorageError,
  transplant,
  type VerifyReport,
} from '@varve/core'
import type { MigrateStoreOptions } from './directory-arguments.ts'
import { pathOf } from '../files/paths.ts'
import { readFillingNote } from '../replicas/filling-note.ts'
import { portsOf } from '../store/ports-of.ts'
import { rm } from '../files/patient-files.ts'

/** What `migrateStore` did. */
export interface MigrationReport {
  readonly from: LayoutName
  readonly to: LayoutName
  readonly events: number
  /** How many blobs were copied. Small bytes are copied with the log. */
  readonly blobs: number
  readonly bytes: number
}

/** As `migrateStore`, for checked options. @throws as `migrateStore` does */
export async function migrateDirectory(
  path: string,
  layout: LayoutName | undefined,
  options: MigrateStoreOptions,
): Promise<MigrationReport> {
  if (layout !== undefined) layoutOf(pathOf('to', layout))
  await assertFilled(path)
  const source = await openStoreDirectory(path, { create: false })
  try {
    const { layout: from } = source
    const to = layout ?? from
    const report = { from, to, events: await settledEnd(path, source), blobs: 0, bytes: 0 }
    if (from === to) {
      // Removes an unfinished migration to another layout.
      await rm(migrationDirectory(path), { recursive: true, force: true })
      return report
    }
    const copied = await migrate(path, source, report, options)
    return { ...report, ...copied }
  } finally {
    await source.close()
  }
}

/** The new layout would lack the blobs that are still elsewhere. */
async function assertFilled(path: string): Promise<void> {
  if ((await readFillingNote(path)) === undefined) return
  const hint = 'Open the store until all of them have been brought, then run `varve migrate`.'
  throw new StorageError('InvalidRequest', 'The blobs of the store are still in its replica.', {
    details: { kind: 'filling' },
    hint,
  })
}

/** The position of the last event, after the log was checked and the witness was written for its end. */
async function settledEnd(path: string, source: StoreDirectory): Promise<number> {
  const { sealed, replayedFrom } = source
  const store = await openForMaintenance(await portsOf(path, source, { hashingThreads: 0 }), { sealed, replayedFrom })
  await store.close()
  return source.journal.head()
}

type Copied = Pick<MigrationReport, 'blobs' | 'bytes'>

async function migrate(
  path: string,
  source: StoreDirectory,
  { to, events }: MigrationReport,
  options: MigrateStoreOptions,
): Promise<Copied> {
  const made = migrationDirectory(path)
  const target = await openTarget(made, to, source.storeId)
  const move = { source, target, to: events, movesBlobs: layoutOf(to).blobs !== layoutOf(source.layout).blobs }
  let copied: Copied
  try {
    copied = await fill(move, options)
    await target.markReady()
    await check(move, options)
  } finally {
    await target.close()
  }
  if (!move.movesBlobs) {
    for (const part of ['blobs', 'segments', 'tmp']) await rm(`${made}/${part}`, { recursive: true, force: true })
  }
  await source.switchTo(to)
  return copied
}

/**
 * Errors that show that the target of an earlier call is not a complete store. `StoreNotFound` occurs if that call
 * ended while it removed its empty directories.
 */
const useless = ['InvalidArgument', 'UnsupportedFormat', 'LogCorrupt', 'BlobFailed', 'StoreNotFound'] as const

/** Opens the target of an earlier call if it belongs to this store; otherwise creates a new one. */
async function openTarget(made: string, layout: LayoutName, storeId: string): Promise<StoreDirectory> {
  const open = () => openStoreDirectory(made, { layout, ids: { next: () => storeId }, check: 'none' })
  try {
    const target = await open()
    if (target.storeId === storeId) return target
    await target.close()
  } catch (error) {
    if (!isStorageError(error, ...useless)) throw error
  }
  await rm(made, { recursive: true, force: true })
  return open()
}

interface Move {
  readonly source: StoreDirectory
  readonly target: StoreDirectory
  readonly to: number
  readonly movesBlobs: boolean
}

async function fill({ source, target, to, movesBlobs }: Move, options: MigrateStoreOptions): Promise<Copied> {
  const { signal, onProgress } = options
  const hashing = await nodeHashing()
  const done = new Set<string>()
  const copied = { blobs: 0, bytes: 0 }
  const copy = { from: source.blobs, into: target.blobs, rows: source.journal, hashing, signal }
  const onBlob = async ({ blob, mayBeErased }: NamedBytes): Promise<void> => {
    if (!movesBlobs || blob.inline || done.has(blob.id)) return
    done.add(blob.id)
    if (await isBlobThere(target.blobs, blob)) return
    const fault = await copyBlob(copy, blob)
    if (fault !== undefined && !(mayBeErased && fault.code === 'BlobMissing')) throw fault
    if (fault !== undefined) return
    copied.blobs++
    copied.bytes += blob.size
  }
  const watching = { ...(signal && { signal }), ...(onProgress && { onProgress }) }
  await target.blobs.discardUnfinished()
  const moved = await transplant({ from: source.journal, into: target.journal, hashing, to, onBlob, ...watching })
  assertNoneLeftOut(moved.keyspacesLeftOut)
  return copied
}

function assertNoneLeftOut([name]: readonly string[]): void {
  if (name === undefined) return
  const message = `The keyspace ${name} is damaged: drop it, or repair the store, before you change its layout.`
  throw new StorageError('RowCorrupt', message, { details: { kind: 'keyspace', keyspace: name } })
}

/** Reads the new store and compares it with the end of the old log. */
async function check({ source, target, movesBlobs }: Move, { signal, onProgress }: MigrateStoreOptions): Promise<void> {
  const { journal, witness } = target
  const tip = await source.witness.read()
  if (tip !== undefined) await witness.write(tip)
  const ports = { journal, witness, blobs: movesBlobs ? target.blobs : source.blobs, hashing: await nodeHashing() }
  const { report } = await examine(ports, {
    views: 'check',
    blobs: movesBlobs ? 'read' : 'present',
    ...(tip && { tip }),
    ...(signal && { signal }),
    ...(onProgress && { onProgress: (progress) => onProgress({ ...progress, stage: 'check' }) }),
  })
  assertSound(report)
}

function assertSound({ ok, divergences }: VerifyReport): void {
  const first = divergences.find((divergence) => !isLeftover(divergence))
  if (ok || first === undefined) return
  const message = `What was made does not agree with the log, and the store stays as it was: ${first.message}`
  throw new StorageError('LogCorrupt', message, { details: { kind: 'migration', found: first.kind } })
}
