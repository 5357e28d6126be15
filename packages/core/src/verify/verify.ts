/**
 * Checks that everything agrees. It walks the log from its first event, computes the views again, compares them with
 * the stored ones byte for byte, and reads every blob that a row names. It only reports and changes nothing, and it
 * continues after damage.
 */
import { isStorageError } from '../base/errors.ts'
import type { Hashing, RowReader, Seq, Witness } from '../ports/index.ts'
import type { Engine } from '../engine/engine.ts'
import type { VersionedReducer } from '../keyspaces/reducer.ts'
import { committedRows } from '../views/row-reader.ts'
import { headKey } from '../views/tables.ts'
import { readableEpochs } from './readable-epochs.ts'
import { Findings } from './findings.ts'
import type { Divergence, VerifyOptions, VerifyReport } from './report.ts'
import type { Subject } from './subject.ts'
import { verifyBytes } from './verify-bytes.ts'
import { verifyKeyspaces } from './verify-keyspaces.ts'
import { verifyLog } from './verify-log.ts'
import { type MadeRows, MadeViews } from './made-views.ts'
import { verifyRows, verifyViews } from './verify-views.ts'

/** Verifies an open store while it is in use. */
export async function verify(
  engine: Engine,
  options: VerifyOptions = {},
  reducers: ReadonlyMap<string, VersionedReducer> = new Map(),
): Promise<VerifyReport> {
  engine.assertOpen()
  const { ports, writer, inFlight } = engine
  // Read the witness before the snapshot: a later witness may be ahead of the snapshot.
  const witness = await witnessedNow(ports.witness)
  engine.assertOpen()
  // Register a read, so that the sweep does not erase bytes while they are checked.
  const release = engine.beginRead(0)
  try {
    await engine.erased(0)
    return await engine.withSnapshot(async (rows) => {
      // The snapshot may contain a commit that is not yet acknowledged. On a shared journal it was taken before, and this
      // engine may know later events.
      const known = engine.sharing.isShared ? 0 : writer.committed
      const end = Math.max(known, await headOf(rows, ports.hashing))
      const subject = {
        ports: { ...ports, ...(witness && { witness }) },
        end,
        rows,
        reducers,
        isInFlight: (id: string) => inFlight.has(id),
        heal: engine.healer?.heal,
      }
      return (await examineSubject(subject, options)).report
    })
  } finally {
    release()
  }
}

/** A witness that always returns its current value, or throws its current error. */
async function witnessedNow(witness: Witness | undefined): Promise<Pick<Witness, 'read'> | undefined> {
  const tip = witness?.read()
  await tip?.catch(() => undefined)
  return tip && { read: () => tip }
}

/** The report, and the last position up to which the log is whole. */
export interface Examination {
  readonly report: VerifyReport
  readonly soundTo: Seq
}

export async function examineSubject(
  subject: Subject,
  options: VerifyOptions,
  known: readonly Divergence[] = [],
): Promise<Examination> {
  const findings = new Findings(options)
  findings.epochs = await readableEpochs(subject.rows, subject.ports.hashing)
  for (const divergence of known) findings.note(divergence)
  const { views: how = 'compare' } = options
  const making = viewsToMake(subject, options)
  const soundTo = await verifyLog(subject, options, findings, making)
  const made = soundTo === subject.end ? await making?.finish() : undefined
  if (how !== 'skip') await verifyAllRows(subject, made, options, findings)
  // Rows computed from the log are trusted more than stored rows.
  const views = made?.rows ?? subject.rows
  if (options.blobs !== 'skip') await verifyBytes(subject, views, options, findings)
  return { report: findings.report(), soundTo }
}

async function verifyAllRows(
  subject: Subject,
  made: MadeRows | undefined,
  options: VerifyOptions,
  findings: Findings,
): Promise<void> {
  if (made !== undefined) await verifyViews(subject, made, options, findings)
  else await verifyRows(subject, options, findings)
  await verifyKeyspaces(subject, made && options.scratch, options, findings)
}

function viewsToMake({ ports }: Subject, { scratch, views }: VerifyOptions): MadeViews | undefined {
  const compared = views === undefined || views === 'compare'
  return compared && scratch !== undefined ? new MadeViews(scratch, ports.hashing) : undefined
}

async function headOf(rows: RowReader, hashing: Hashing): Promise<Seq> {
  try {
    return (await committedRows(rows, hashing).get(headKey))?.seq ?? 0
  } catch (error) {
    // The verification will report this row.
    if (isStorageError(error, 'RowCorrupt')) return 0
    throw error
  }
}
