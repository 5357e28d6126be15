/** Copies the undamaged events of a damaged log, before and after the damage, to a new store; lists the lost ones. */
import { resolve } from 'node:path'
import { type LayoutName, nodeHashing, openStoreDirectory, randomIds, type StoreDirectory } from '@varve/adapters'
import {
  checkDataKey,
  copyBlob,
  type Divergence,
  type DivergenceKind,
  isStorageError,
  type Journal,
  type LostEvent,
  type NamedBytes,
  newEpoch,
  salvage,
  type Salvaged,
  type Seq,
  StorageError,
  type VerifyReport,
} from '@varve/core'
import { bringOwnKeys, findOwnKeys } from '../keyring/own-keyring.ts'
import type { SalvageStoreOptions } from './directory-arguments.ts'
import { bringKeySecrets } from '../files/key-secrets.ts'
import { bringSecret } from '../files/store-secret.ts'
import { type Inspection, inspecting } from './verify-store.ts'

/** What `salvageStore` saved and what is lost. */
export interface SalvageReport {
  /** The findings in the damaged store. */
  readonly before: VerifyReport
  /** How many events of the old log the new store has, each at its position. */
  readonly events: number
  /** How many events of the old log the new store does not have. Their positions hold events that record the loss. */
  readonly eventsLost: number
  /** The lost events: damaged, missing, or undamaged but dependent on a lost event. */
  readonly lost: readonly LostEvent[]
  /** Bytes, or keys of encrypted bytes, that the new store names but does not have. */
  readonly bytesLost: readonly Divergence[]
}

/** As `salvageStore`, for checked arguments. @throws as `salvageStore` does */
export async function salvageDirectory(
  dir: string,
  into: string,
  options: SalvageStoreOptions,
): Promise<SalvageReport> {
  return inspecting(dir, { ...options, blobs: 'skip', views: 'skip', repairCopy: true }, async (inspection) => {
    const { journal } = inspection.directory
    if (journal === undefined) throw nothingToSave('LevelDB can read nothing of the log.')
    const head = await journal.head()
    const to = lastReadable(inspection.report, head)
    // An empty store would look like a salvage, and the next opening would begin a log of its own in it.
    if (to === 0) throw nothingToSave('The log has no event that this release can read.')
    // Without these keys, the saved objects could not be read.
    const keys = await findOwnKeys(dir)
    const target = await newStore(into, inspection.directory.layout)
    try {
      const { bytesLost, lost } = await fill(target, journal, inspection, { ...options, to, head })
      if (keys !== undefined) await bringOwnKeys(into, keys)
      await bringSecret(dir, into)
      await bringKeySecrets(dir, into)
      await target.markReady()
      const { report } = inspection
      const eventsLost = lastPosition(report, to) - to + lost.length
      return { before: report, events: to - lost.length, eventsLost, lost, bytesLost }
    } finally {
      await target.close()
    }
  })
}

const nothingToSave = (message: string): StorageError =>
  new StorageError('LogCorrupt', message, { details: { kind: 'beyond-repair' } })

async function newStore(into: string, layout: LayoutName): Promise<StoreDirectory> {
  const target = await openStoreDirectory(resolve(into), { layout })
  if (target.created) return target
  await target.close()
  throw new StorageError('InvalidArgument', `${into} holds a store already.`, { details: { ArgumentName: 'into' } })
}

async function fill(
  target: StoreDirectory,
  journal: Journal,
  { directory, soundTo, report }: Inspection,
  { signal, to, head }: SalvageStoreOptions & { readonly to: Seq; readonly head: Seq },
): Promise<Salvaged & { readonly bytesLost: readonly Divergence[] }> {
  const hashing = await nodeHashing()
  const bytesLost: Divergence[] = []
  const done = new Set<string>()
  const checkedKeys = new Set<string>()
  const copy = { from: directory.blobs, into: target.blobs, rows: journal, hashing, signal }
  const watching = signal === undefined ? {} : { signal }
  const { lost } = await salvage({
    from: journal,
    into: target.journal,
    hashing,
    soundTo,
    doubted: doubtedIn(report),
    to,
    ...((to < head || isEndInDoubt(report)) && { epoch: newEpoch(randomIds) }),
    ...watching,
    async onBlob(named) {
      const { blob, sealed } = named
      const { id, inline } = blob
      if (!done.has(id)) {
        done.add(id)
        const fault = inline ? await inlineFault(journal, named) : await copyBlob(copy, blob)
        if (fault !== undefined && !(named.mayBeErased && fault.code === 'BlobMissing')) {
          bytesLost.push(asDivergence(named, bytesFault(fault)))
          // Lost bytes count once, even if their key is lost too.
          checkedKeys.add(id)
        }
      }
      if (sealed === undefined || checkedKeys.has(id)) return
      checkedKeys.add(id)
      const fault = await dataKeyFault(journal, { blob, sealed })
      if (fault !== undefined) bytesLost.push(asDivergence(named, fault))
    },
  })
  return { lost, bytesLost }
}

async function inlineFault(journal: Journal, { blob }: NamedBytes): Promise<StorageError | undefined> {
  const hashing = await nodeHashing()
  const into = { write: async (_id: string, source: AsyncIterable<Uint8Array>) => drain(source) }
  return copyBlob({ from: noBlobs, into, rows: journal, hashing }, blob)
}

const noBlobs = { open: () => Promise.reject(new StorageError('BlobMissing', 'Inline bytes are no blobs.')) }

async function drain(source: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0
  for await (const chunk of source) size += chunk.length
  return size
}

type Fault = Pick<Divergence, 'kind' | 'message'>

const bytesFault = (error: StorageError): Fault => ({
  kind: isStorageError(error, 'BlobMissing') ? 'BlobMissing' : 'BlobCorrupt',
  message: error.message,
})

/** Without its data key, nothing can decrypt the saved bytes. */
async function dataKeyFault(rows: Journal, content: Parameters<typeof checkDataKey>[1]): Promise<Fault | undefined> {
  try {
    return await checkDataKey({ rows, hashing: await nodeHashing() }, content)
  } catch (error) {
    if (!isStorageError(error, 'JournalFailed')) throw error
    return { kind: 'DataKeyCorrupt', message: error.message }
  }
}

const asDivergence = ({ blob, seq, of }: NamedBytes, { kind, message }: Fault): Divergence => ({
  kind,
  message,
  seq,
  key: blob.id,
  ...(of && { of }),
})

/** Readable events that the hashes of later events, or a remembered tip, do not match. */
const doubtedIn = ({ divergences }: VerifyReport): ReadonlySet<number> =>
  new Set(
    divergences.flatMap(({ kind, seq = 0 }) =>
      kind === 'EventChanged' || kind === 'EventUnlinked' || kind === 'TipDiffers' ? [seq] : [],
    ),
  )

/** Salvage ends before an event of a newer release; that release can save more. */
const lastReadable = ({ divergences }: VerifyReport, head: number): number =>
  Math.min(head, ...divergences.flatMap(({ kind, seq = 0 }) => (kind === 'EventUnknown' ? [seq - 1] : [])))

const doubts: ReadonlySet<DivergenceKind> = new Set([
  'LogShort',
  'WitnessDamaged',
  'JournalUnreadable',
  'KeyspaceAhead',
])

/** Whether the log may have had more events than can be found, whose ids must not be given out again. */
const isEndInDoubt = ({ divergences }: VerifyReport): boolean => divergences.some(({ kind }) => doubts.has(kind))

/** Remembered tips show positions that the log itself has lost. */
const lastPosition = ({ divergences }: VerifyReport, head: number): number =>
  Math.max(head, ...divergences.flatMap(({ kind, seq = 0 }) => (kind === 'LogShort' ? [seq] : [])))
