/**
 * Checks every blob that a part or a version, past or present, names, with its data key, and finds blobs and keys that
 * no row needs.
 */
import { fromHex, toHex } from '../bytes/hex.ts'
import { type BlobFault, checkContent } from '../content/check-content.ts'
import { RunBuffers } from '../content/run-buffers.ts'
import { isUnrestored } from '../content/unrestored.ts'
import { isStorageError } from '../base/errors.ts'
import type { DecodedEvent } from '../events/event-codec.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { readEvent } from '../events/log.ts'
import { blobTable } from '../views/content-tables.ts'
import { dataKeyTable, inlineTable } from '../views/tables.ts'
import type { Findings } from './findings.ts'
import { type NamedBlob, namingRows } from './naming-rows.ts'
import type { Divergence, VerifyOptions } from './report.ts'
import { pageRows } from './rows-in-order.ts'
import type { Subject } from './subject.ts'
import { wasHealed } from './was-healed.ts'
import { corruptRow } from './verify-views.ts'

/** `views` are the trusted rows: those computed from the log, if the log is whole. */
export async function verifyBytes(
  subject: Subject,
  views: RowReader,
  options: VerifyOptions,
  findings: Findings,
): Promise<void> {
  const { blobs, hashing } = subject.ports
  const inline = new Set<string>()
  const sealed = new Set<string>()
  const check = {
    blobs,
    hashing,
    buffers: new RunBuffers(),
    rows: subject.rows,
    presentOnly: options.blobs === 'present',
    signal: options.signal,
    onBytes: (count: number) => void (findings.bytes += count),
  }
  try {
    const damaged = (key: string) => findings.note(corruptRow(fromHex(key)))
    for await (const named of namingRows(views, hashing, damaged)) {
      options.signal?.throwIfAborted()
      if (named.blob.inline) inline.add(named.blob.id)
      if (named.sealed !== undefined) sealed.add(named.blob.id)
      const faults = await checkContent(check, named)
      options.onProgress?.({ stage: 'blobs', done: Math.min(named.seq, subject.end), total: subject.end })
      if (faults.length === 0) findings.blobs++
      for (const fault of faults) await settleFault(subject, findings, named, fault)
    }
    await noteOrphanRows(subject, inlineTable, inline, (key) =>
      findings.note({ kind: 'InlineOrphan', message: 'Inline bytes that nothing names.', key }),
    )
    await noteOrphanRows(subject, dataKeyTable, sealed, (key) =>
      findings.note({ kind: 'DataKeyOrphan', message: 'A data key that no bytes need.', key }),
    )
  } catch (error) {
    if (!isStorageError(error, 'JournalFailed')) throw error
    findings.note({ kind: 'JournalUnreadable', message: error.message, key: 'rows' })
  }
  await noteOrphans(subject, views, findings)
}

async function settleFault(subject: Subject, findings: Findings, named: NamedBlob, fault: BlobFault): Promise<void> {
  const { rows, ports, heal } = subject
  if (isErasure(named, fault) || (await isUnrestoredFault(rows, ports.hashing, named, fault))) return
  if (await wasHealed(heal, named, fault)) findings.healed++
  else findings.note(await nameFault((seq) => readEvent(ports, seq), named, fault))
}

/** Whether this is no damage: the sweep erases bytes before it commits that. Keys are dropped by that commit. */
export const isErasure = ({ mayBeErased }: NamedBlob, { kind }: BlobFault): boolean =>
  mayBeErased && (kind === 'BlobMissing' || kind === 'InlineMissing')

/** Whether this is no damage: a restore did not find the bytes, because they were erased in the replica. */
export async function isUnrestoredFault(
  rows: RowReader,
  hashing: Hashing,
  { blob }: NamedBlob,
  { kind }: BlobFault,
): Promise<boolean> {
  const isAbsence = kind === 'BlobMissing' || kind === 'InlineMissing' || kind === 'DataKeyMissing'
  return isAbsence && isUnrestored(rows, hashing, blob.id)
}

/** A row of a part does not name its object, so the name comes from the event that added the part. */
export async function nameFault(
  eventAt: (seq: Seq) => Promise<DecodedEvent>,
  { blob, seq, described }: NamedBlob,
  { kind, message, runs }: BlobFault,
): Promise<Divergence> {
  const found = { kind, message, ...(runs && { runs }), seq, key: blob.id }
  if (described.of?.bucket !== undefined) return { ...found, of: described.of }
  try {
    const { data } = (await eventAt(seq)).event
    const of = { ...('bucket' in data && { bucket: data.bucket }), ...('key' in data && { key: data.key }) }
    return { ...found, of: { ...of, ...described.of } }
  } catch {
    return { ...found, ...(described.of && { of: described.of }) }
  }
}

async function noteOrphanRows(
  { rows }: Subject,
  table: typeof inlineTable,
  needed: ReadonlySet<string>,
  note: (key: string) => void,
): Promise<void> {
  const cursor = rows.cursor(table.range)
  try {
    for (let page = await cursor.next(pageRows); page.length > 0; page = await cursor.next(pageRows)) {
      for (const [key] of page) {
        const id = table.id(key) ?? toHex(key)
        if (!needed.has(id)) note(id)
      }
    }
  } finally {
    await cursor.close()
  }
}

async function noteOrphans(subject: Subject, views: RowReader, findings: Findings): Promise<void> {
  const { blobs, journal } = subject.ports
  try {
    for await (const id of blobs.list()) {
      const { bytes } = blobTable.key(id)
      // Also check the newest rows: a commit may have added it since the snapshot.
      if ((await subject.isInFlight(id)) || (await views.get(bytes)) !== undefined) continue
      if ((await journal.get(bytes)) !== undefined) continue
      findings.note({ kind: 'BlobOrphan', message: 'A blob that nothing names; the sweep removes it.', key: id })
    }
  } catch (error) {
    if (!isStorageError(error, 'BlobFailed', 'JournalFailed')) throw error
    findings.note({ kind: 'BlobUnreadable', message: error.message, key: 'blobs' })
  }
}
