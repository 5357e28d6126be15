/** Proofs of the log: its signed head, and what it has. docs/proofs.md says what they prove. */
import { isStorageError } from '../base/errors.ts'
import { toBase64 } from '../bytes/base64.ts'
import type { Engine } from '../engine/engine.ts'
import { readEvent, readLog } from '../events/log.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { parseVersionId } from '../naming/version-id.ts'
import type { Seq } from '../ports/index.ts'
import { eventProof } from '../proofs/event-proof.ts'
import type { LogKey, LogSigning, SignedCheckpoint } from '../proofs/log-signing.ts'
import type { LogTree } from '../proofs/log-tree.ts'
import { consistencyPath } from '../proofs/merkle-tree.ts'
import { afterTree, beforeEvent, receiptFailed } from '../proofs/proof-errors.ts'
import { formatConsistency } from '../proofs/proof-file.ts'
import { type ErasureReceipt, proveErasure } from '../proofs/prove-erasure.ts'
import { entryBundle, parseTilePath, tileWidth, widthAt } from '../proofs/tile.ts'
import { entryOf } from '../proofs/tree-keyspace.ts'
import { checked } from '../schema/schema.ts'
import { text } from '../schema/scalars.ts'
import { cancelable, optionsOf } from './arguments/common.ts'
import {
  erasureRequests,
  eventProofOptions,
  eventSeq,
  keyText,
  logSize,
  newLogKey,
  proofRequest,
} from './arguments/proof-options.ts'
import type {
  Cancelable,
  Checkpoint,
  CosignedCheckpoint,
  EventProofOptions,
  LogConsistency,
  NewLogKey,
  ProofRequest,
  VersionProof,
} from './types/index.ts'

/**
 * Proofs that others can check without the store. The tree is made from the log when it is first needed, and follows the log
 * with each call: the first one takes time.
 * @throws StorageError (all calls) `NotImplemented` in a store without a key for its log; `ReadOnly`; `NoSpace`
 */
export interface Proofs {
  /** The name of the log and the public key that its checkpoints are checked with. Makes the key if there is none. */
  key(): Promise<LogKey>
  /**
   * Signs the number of events and the root of their tree. If there is no new event, the result is the last checkpoint. The next
   * one is always of a log that begins with this one.
   * @throws StorageError `CheckpointConflict` if the log does not begin with what was signed last, such as after it lost its end
   */
  checkpoint(options?: Cancelable): Promise<Checkpoint>
  /**
   * Proves that the log has the event that added a version, by a signed checkpoint and the hashes that lead to it.
   * @throws StorageError as `checkpoint` does; `ProofInvalid` for a checkpoint that the key did not sign; `MomentOutOfRange` for one from
   * before the event; `NoSuchBucket`, `NoSuchKey`, `NoSuchVersion`, and as `objects.head` does
   */
  prove(request: ProofRequest): Promise<VersionProof>
  /**
   * Proves that the log has the event at a position, as the receipt of a write does.
   * @throws StorageError as `checkpoint` does; `ProofInvalid` for a checkpoint that the key did not sign; `MomentOutOfRange` for a
   * position after the end of the log, or after the checkpoint
   */
  proveEvent(seq: Seq, options?: EventProofOptions): Promise<VersionProof>
  /**
   * Makes the receipt of an erasure: its request, what added the versions, and what says that their bytes are gone, by a new checkpoint.
   * @param requests The positions of up to 16 `ErasureRequested`, as `store.erase` names them.
   * @throws StorageError as `checkpoint` does; `InvalidArgument` for another event; `MomentOutOfRange`; `InvalidRequest` if it would be
   * longer than 64 MiB
   */
  erasure(requests: readonly Seq[], options?: Cancelable): Promise<ErasureReceipt>
  /**
   * Proves that the log began with the same events when it had fewer.
   * @param earlier The number of events then, which a checkpoint of that time names.
   * @throws StorageError as `checkpoint` does; `MomentOutOfRange` if the log has fewer events
   */
  consistency(earlier: number, options?: Cancelable): Promise<LogConsistency>
  /**
   * The bytes at a path of the C2SP tlog-tiles API, such as `tile/0/000.p/17` or `tile/entries/000`. The entry of an event is
   * its SHA-256. `undefined` if the tree does not have them yet: `checkpoint` brings it up to date.
   * @throws StorageError `InvalidArgument` for another path
   */
  tile(path: string, options?: Cancelable): Promise<Uint8Array | undefined>
  /**
   * Adds the signature of a witness to the last checkpoint.
   * @param line The line that the witness returned, without its newline.
   * @param witness The public key of the witness.
   * @throws StorageError `ProofInvalid` unless the witness has signed the last checkpoint
   */
  cosign(line: string, witness: string): Promise<CosignedCheckpoint>
  /**
   * Makes another key and another name for the log. What was signed before stays valid for the earlier key, and nothing connects the
   * two: do this when the log is no longer what was signed, or when the key is known to others.
   */
  renewKey(options?: NewLogKey): Promise<LogKey>
}

interface ProvenStore {
  readonly engine: Engine
  readonly jobs: Jobs
  readonly tree: LogTree
  readonly signing: LogSigning
}

interface FindVersion {
  head(bucket: string, key: string, options?: { readonly versionId?: string }): Promise<{ readonly seq: Seq }>
}

export function storeProofs({ engine, jobs, tree, signing }: ProvenStore, objects: FindVersion): Proofs {
  const use = <R>(options: Cancelable, work: (signal: AbortSignal) => Promise<R>): Promise<R> => {
    engine.assertOpen()
    return jobs.during(work(jobs.signalWith(options.signal)))
  }
  const proven = async (seq: Seq, given: string | undefined, signal: AbortSignal): Promise<VersionProof> => {
    const signed = await (given === undefined ? signing.sign(tree, signal) : signing.earlier(tree, given, signal))
    if (seq > signed.size) throw beforeEvent(seq, signed.size)
    return { seq, text: await eventProof(engine.ports, tree.hashes(signal), signed, seq) }
  }
  return {
    key: async () => use({}, () => signing.key()),
    checkpoint: async (options) =>
      use(optionsOf(cancelable, options), async (signal) => shown(await signing.sign(tree, signal))),
    async prove(wanted) {
      const request = checked('request', proofRequest, wanted)
      return use(request, async (signal) =>
        proven(await findVersion(engine, objects, request), request.checkpoint, signal),
      )
    },
    async proveEvent(given, options) {
      const seq = checked('seq', eventSeq, given)
      const { checkpoint, ...cancel } = optionsOf(eventProofOptions, options)
      return use(cancel, async (signal) => proven(seq, checkpoint, signal))
    },
    async erasure(given, options) {
      const requests = checked('requests', erasureRequests, given)
      return use(optionsOf(cancelable, options), (signal) => madeErasure({ engine, tree, signing }, requests, signal))
    },
    async consistency(given, options) {
      const earlier = checked('earlier', logSize, given)
      return use(optionsOf(cancelable, options), async (signal) => {
        const { size, text: checkpoint } = await signing.sign(tree, signal)
        if (earlier > size) throw afterTree(size, 'earlier')
        const path = earlier === 0 ? [] : await consistencyPath(tree.hashes(signal), earlier, size)
        return { earlier, size, text: formatConsistency({ earlier, path, checkpoint }) }
      })
    },
    async tile(given, options) {
      const path = parseTilePath(checked('path', text(), given))
      return use(optionsOf(cancelable, options), async (signal) => {
        const { level, index, width } = path
        const place = { level: level === 'entries' ? 0 : level, index }
        if (widthAt(await tree.size(signal), place) < width) return undefined
        return level === 'entries' ? entriesAt(engine, index, width) : tree.tile(place, width, signal)
      })
    },
    async cosign(line, witness) {
      const given = [checked('line', keyText, line), checked('witness', keyText, witness)] as const
      return use({}, async () => {
        const { cosignature, ...head } = await signing.cosign(...given)
        return { ...shown(head), cosignature }
      })
    },
    async renewKey(options) {
      const { origin } = optionsOf(newLogKey, options)
      engine.assertWritable()
      return use({}, () => signing.renew(origin))
    },
  }
}

type SignedLog = Pick<ProvenStore, 'engine' | 'tree' | 'signing'>

/** @throws StorageError `ReceiptFailed` */
export async function provenErasure(store: ProvenStore, requests: readonly Seq[]): Promise<ErasureReceipt> {
  const { jobs } = store
  try {
    return await jobs.during(madeErasure(store, requests, jobs.signalWith(undefined)))
  } catch (error) {
    throw receiptFailed(requests[0] ?? 0, error)
  }
}

async function madeErasure(
  { engine, tree, signing }: SignedLog,
  requests: readonly Seq[],
  signal: AbortSignal,
): Promise<ErasureReceipt> {
  const checkpoint = await signing.sign(tree, signal)
  return proveErasure({ log: engine.pacedLog, checkpoint, hashes: tree.hashes(signal), signal }, requests)
}

const shown = ({ origin, size, root, text: note }: SignedCheckpoint): Checkpoint => ({
  origin,
  size,
  root: toBase64(root),
  text: note,
})

async function entriesAt({ pacedLog }: Engine, index: number, width: number): Promise<Uint8Array> {
  const entries: Uint8Array[] = []
  const from = index * tileWidth + 1
  for await (const { hash } of readLog(pacedLog, { from, to: from + width - 1 })) entries.push(entryOf(hash))
  return entryBundle(entries)
}

/** The position of the event that added the version, which may have been removed since. */
async function findVersion(
  engine: Engine,
  objects: FindVersion,
  { bucket, key, versionId }: ProofRequest,
): Promise<Seq> {
  if (versionId === undefined) return (await objects.head(bucket, key)).seq
  try {
    return (await objects.head(bucket, key, { versionId })).seq
  } catch (error) {
    if (!isStorageError(error, 'NoSuchVersion', 'NoSuchKey', 'NoSuchBucket', 'MethodNotAllowed')) throw error
    const place = parseVersionId(versionId)
    await engine.fresh()
    if (place === null || place.seq > engine.writer.committed) throw error
    const { event } = await readEvent(engine.pacedLog, place.seq)
    if (event.epoch === place.epoch && addsVersion(event, bucket, key)) return place.seq
    throw error
  }
}

function addsVersion({ type, data }: RecordedEvent, bucket: string, key: string): boolean {
  if (type !== 'VersionAdded' && type !== 'UploadCompleted' && type !== 'DeleteMarkerAdded') return false
  return data.bucket === bucket && data.key === key && !data.nullVersion
}
