/** Undoes what chosen events did to one key. What others have changed since is no part of the command. */
import type { Soon } from '../base/soon.ts'
import type { CommandShapes } from '../commands/command.ts'
import type { Event } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { annotationsIn } from '../reads/annotations.ts'
import { findNewest, findOlder, findReplaced } from '../views/find-version.ts'
import { isSameJson } from '../schema/same-json.ts'
import { annotationEventType, type Annotations } from '../settings/annotation.ts'
import { strongerLocks } from '../settings/restored-locks.ts'
import { isRemovable } from '../settings/retention-rules.ts'
import { hasBytes } from '../views/contents.ts'
import type { RowTransaction } from '../views/row-transaction.ts'
import type { BucketRow } from '../views/rows.ts'
import { annotationTable, bucketTable, pastVersionTable, versionTable } from '../views/tables.ts'
import type { VersionRow } from '../views/version-row.ts'
import type { DecisionTime, Rule } from './rule.ts'
import { conflictOf } from './conflict-of.ts'

type UndoKey = CommandShapes['UndoKey']

/** A version that exists, with its annotations. */
interface LiveVersion {
  readonly row: VersionRow
  readonly annotations: Annotations
  /** The event that last changed its annotations, or 0. */
  readonly annotatedBy: Seq
  /** The version before it. */
  readonly older: VersionRow | undefined
}

interface State {
  readonly bucket: BucketRow | undefined
  readonly newest: VersionRow | undefined
  /** The version that a null version would replace. */
  readonly nullVersion: VersionRow | undefined
  /** By position: those that are removed or annotated. */
  readonly live: ReadonlyMap<Seq, LiveVersion>
  /** By position: those that come back, and whether their bytes are there. */
  readonly past: ReadonlyMap<Seq, { readonly row: VersionRow; readonly isKept: boolean }>
}

/** Reads a fixed number of rows for each version. @throws `UndoConflict`, unless conflicts are skipped */
export const undoKey: Rule<'UndoKey', State> = {
  async load(rows, command) {
    const { bucket: name, key, remove, restore, annotate } = command
    const bucket = await rows.get(bucketTable.key(name))
    const live = new Map<Seq, LiveVersion>()
    const past = new Map<Seq, { readonly row: VersionRow; readonly isKept: boolean }>()
    if (bucket === undefined) return { bucket, newest: undefined, nullVersion: undefined, live, past }
    for (const version of [...remove, ...annotate.map((one) => one.version)]) {
      const found = await loadLive(rows, bucket, { name, key, version })
      if (found !== undefined) live.set(version, found)
    }
    for (const { version } of restore) {
      const row = await rows.get(pastVersionTable.key(name, key, version))
      if (row !== undefined) past.set(version, { row, isKept: await hasBytes(rows, row) })
    }
    const hasNull = [...past.values()].some(({ row }) => row.nullVersion)
    const nullVersion = hasNull ? await findNullVersion(rows, bucket, { name, key }) : undefined
    return { bucket, newest: await findNewest(rows, name, key), nullVersion, live, past }
  },

  decide(state, command, _meta, time) {
    const problem = problemOf(state, command, time)
    if (problem === undefined)
      return [...removals(state, command), ...returns(state, command), ...annotated(state, command, time)]
    if (command.skips) return []
    throw conflictOf(command.cause, problem, { BucketName: command.bucket, Key: command.key })
  },
}

function findNullVersion(
  rows: RowTransaction,
  bucket: BucketRow,
  { name, key }: { readonly name: string; readonly key: string },
): Soon<VersionRow | undefined> {
  const place = bucket.versioning === 'Enabled' ? { ...bucket, versioning: 'Suspended' as const } : bucket
  return findReplaced(rows, place, name, key)
}

async function loadLive(
  rows: RowTransaction,
  bucket: BucketRow,
  { name, key, version }: { readonly name: string; readonly key: string; readonly version: Seq },
): Promise<LiveVersion | undefined> {
  const row = await rows.get(versionTable.key(name, key, version))
  if (row === undefined) return undefined
  const older = await findOlder(rows, name, key, version)
  if (row.deleteMarker) return { row, annotations: {}, annotatedBy: 0, older }
  const annotation = bucket.annotated && (await rows.get(annotationTable.key(name, key, version)))
  const annotations = await annotationsIn(rows, bucket, { bucket: name, key, row })
  return { row, annotations, annotatedBy: annotation?.since ?? 0, older }
}

/** Why the command cannot be carried out; `undefined` if it can. */
function problemOf(state: State, command: UndoKey, time: DecisionTime): string | undefined {
  const { bucket, newest } = state
  const { incarnation, planned } = command
  if (bucket?.incarnation !== incarnation) return 'The bucket is gone.'
  if (newest !== undefined && newest.seq > planned) return 'The object was changed since the undo was planned.'
  return removalProblem(state, command, time) ?? returnProblem(state, command) ?? annotationProblem(state, command)
}

function removalProblem({ bucket, live }: State, { remove }: UndoKey, { locks }: DecisionTime): string | undefined {
  for (const version of remove) {
    const found = live.get(version)
    if (found === undefined) return 'A version is gone that the undo removes.'
    if (bucket?.settings?.ObjectLock !== undefined && isLocked(found, locks)) return 'A version is locked.'
  }
  return undefined
}

const isLocked = ({ annotations }: LiveVersion, locks: number): boolean =>
  !isRemovable(annotations, { bypassGovernance: false, locks })

function returnProblem({ past, nullVersion }: State, { remove, restore }: UndoKey): string | undefined {
  let nulls = nullVersion === undefined || remove.includes(nullVersion.seq) ? 0 : 1
  for (const { version, removed } of restore) {
    const found = past.get(version)
    if (found?.row.until !== removed) return 'A version that comes back was changed since the undo was planned.'
    if (!found.isKept) return 'The bytes of a version were erased.'
    if (found.row.nullVersion && ++nulls > 1) return 'The key has another null version now.'
  }
  return undefined
}

function annotationProblem({ live, past }: State, { annotate, planned }: UndoKey): string | undefined {
  for (const { version } of annotate) {
    const found = live.get(version)
    if (found === undefined && !past.has(version)) return 'A version is gone whose annotations the undo sets.'
    if (found !== undefined && found.annotatedBy > planned)
      return 'Annotations were changed since the undo was planned.'
  }
  return undefined
}

/** The newest first, so that each of them is the newest when it is removed, or none of them is. */
function removals({ newest, live }: State, command: UndoKey): readonly Event[] {
  const { bucket, key } = command
  let top = newest?.seq
  return command.remove
    .toSorted((a, b) => b - a)
    .map((version): Event => {
      const { row, older } = live.get(version) as LiveVersion
      const promotes = version === top ? older?.seq : undefined
      if (version === top) top = older?.seq
      const { deleteMarker } = row
      const data = {
        bucket,
        key,
        version,
        deleteMarker,
        ...(promotes !== undefined && { promotes }),
        cause: command.cause,
      }
      return { type: 'VersionRemoved', data }
    })
}

function returns({ past }: State, command: UndoKey): readonly Event[] {
  const { bucket, key } = command
  return command.restore
    .toSorted((a, b) => a.version - b.version)
    .map(({ version, removed }): Event => {
      const deleteMarker = past.get(version)?.row.deleteMarker === true
      return { type: 'VersionRestored', data: { bucket, key, version, deleteMarker, removed, cause: command.cause } }
    })
}

/** Locks are set only if they get stronger. */
function annotated({ bucket, live }: State, command: UndoKey, { at }: DecisionTime): readonly Event[] {
  return command.annotate.flatMap(({ version, annotation: { kind, value } }): readonly Event[] => {
    const present = live.get(version)?.annotations
    if (present !== undefined && isSameJson(present[kind], value)) return []
    if (kind === 'retention' || kind === 'legalHold') {
      const locks = strongerLocks(present ?? {}, { [kind]: value }, at)
      if (bucket?.settings?.ObjectLock === undefined || locks[kind] === undefined) return []
    }
    const data = { bucket: command.bucket, key: command.key, version, ...(value !== undefined && { value }) }
    return [{ type: annotationEventType(kind), data: { ...data, cause: command.cause } } as Event]
  })
}
