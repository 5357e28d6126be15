/** Plans what undoes the chosen events of one key. */
import type { CommandShapes } from '../commands/command.ts'
import { versionId } from '../naming/version-id.ts'
import type { Seq } from '../ports/index.ts'
import { annotationsAt, annotationsIn } from '../reads/annotations.ts'
import { isSameJson } from '../schema/same-json.ts'
import { type Annotation, annotationEventType, type AnnotationKind, type Annotations } from '../settings/annotation.ts'
import { strongerLocks } from '../settings/restored-locks.ts'
import { isRemovable } from '../settings/retention-rules.ts'
import { hasBytes } from '../views/contents.ts'
import type { BucketRow } from '../views/rows.ts'
import { pastVersionTable, versionTable } from '../views/tables.ts'
import type { ObjectVersionRow, VersionRow } from '../views/version-row.ts'
import { netEffect } from './net-effect.ts'
import { isNeutral } from './neutral-steps.ts'
import type { Planning } from './planning.ts'
import type { KeyStep, TouchedKey } from './touched-places.ts'

type UndoKey = CommandShapes['UndoKey']

interface Place {
  readonly bucket: string
  readonly key: string
  readonly row: BucketRow
}

/** What undoes the steps of a key. */
interface KeyChange {
  readonly remove: VersionRow[]
  readonly restore: VersionRow[]
  readonly erased: VersionRow[]
  readonly annotate: UndoKey['annotate'][number][]
}

export async function planKey(planning: Planning, touched: TouchedKey): Promise<void> {
  const { bucket, key } = touched
  const steps = await planning.usable(touched, { bucket, key }, () => isNeutral(planning, touched))
  const last = steps.at(-1)
  if (last === undefined) return
  const row = await planning.bucketNow(bucket)
  if (row === undefined || !(await wasThere(planning, { bucket, row }, last.seq))) {
    planning.conflicts.push({ bucket, key, reason: 'bucket' })
    return
  }
  const place = { bucket, key, row }
  const change = await changeOf(planning, place, steps)
  if (change.erased.length > 0) {
    planning.erased.push({ bucket, key, versionIds: change.erased.map(versionId) })
    // Removing what took their place would leave the key without an object that it has now.
    if (!planning.options.force) return
  }
  if (await isAnyLocked(planning, place, change.remove)) planning.conflicts.push({ bucket, key, reason: 'locked' })
  else await addChange(planning, place, change)
}

/** Whether the bucket was this one before an event. */
async function wasThere(
  planning: Planning,
  { bucket, row }: Pick<Place, 'bucket' | 'row'>,
  seq: Seq,
): Promise<boolean> {
  if (row.since < seq) return true
  return (await planning.before(seq).bucket(bucket))?.incarnation === row.incarnation
}

async function changeOf(planning: Planning, place: Place, steps: readonly KeyStep[]): Promise<KeyChange> {
  const change: KeyChange = { remove: [], restore: [], erased: [], annotate: [] }
  for (const [version, isWanted] of wantedVersions(steps)) {
    const { live, past } = await versionOf(planning, place, version)
    if (live !== undefined && !isWanted) change.remove.push(live)
    if (past === undefined || !isWanted) continue
    if (await hasBytes(planning.rows, past)) change.restore.push(past)
    else change.erased.push(past)
  }
  for (const step of firstAnnotations(steps)) await addAnnotation(planning, place, { step, change })
  return change
}

async function addAnnotation(
  planning: Planning,
  place: Place,
  { step, change }: { readonly step: AnnotateStep; readonly change: KeyChange },
): Promise<void> {
  const { version } = step
  const { live, past } = await versionOf(planning, place, version)
  const isBack = change.restore.some(({ seq }) => seq === version)
  const isGone = change.remove.some(({ seq }) => seq === version)
  const row = isGone ? undefined : (live ?? (isBack ? past : undefined))
  if (row === undefined || row.deleteMarker) return
  const annotation = await annotationBefore(planning, place, { step, row, isLive: live !== undefined })
  if (annotation !== undefined) change.annotate.push({ version, annotation })
}

/** Whether each version existed before the first step that concerns it. */
function wantedVersions(steps: readonly KeyStep[]): ReadonlyMap<Seq, boolean> {
  const wanted = new Map<Seq, boolean>()
  for (const step of steps.toReversed()) {
    if (step.did === 'annotate') continue
    wanted.set(step.version, step.did === 'remove')
    if (step.did === 'add' && step.replaces !== undefined) wanted.set(step.replaces, true)
  }
  return wanted
}

type AnnotateStep = Extract<KeyStep, { readonly did: 'annotate' }>

/** The first step for each kind of annotation of each version. */
function firstAnnotations(steps: readonly KeyStep[]): Iterable<AnnotateStep> {
  const first = new Map<string, AnnotateStep>()
  for (const step of steps) {
    if (step.did !== 'annotate') continue
    const name = `${step.version} ${step.kind}`
    if (!first.has(name)) first.set(name, step)
  }
  return first.values()
}

async function versionOf({ rows }: Planning, { bucket, key }: Place, version: Seq) {
  const live = await rows.get(versionTable.key(bucket, key, version))
  return { live, past: live === undefined ? await rows.get(pastVersionTable.key(bucket, key, version)) : undefined }
}

/** `undefined` if it needs no change, or must not be changed. */
async function annotationBefore(
  planning: Planning,
  { bucket, key, row: place }: Place,
  { step, row, isLive }: { readonly step: AnnotateStep; readonly row: ObjectVersionRow; readonly isLive: boolean },
): Promise<Annotation | undefined> {
  const { kind, seq } = step
  const version = { bucket, key, row }
  const at = (position: Seq) => annotationsAt(planning.rows, { annotated: true }, { ...version, at: position - 1 })
  const value = (await at(seq))[kind]
  const present: Annotations = isLive ? await annotationsIn(planning.rows, place, version) : await at(row.until ?? 0)
  if (isSameJson(present[kind], value)) return undefined
  if (isLock(kind) && strongerLocks(present, { [kind]: value }, planning.options.at)[kind] === undefined) {
    planning.leave(annotationEventType(kind))
    return undefined
  }
  return { kind, ...(value !== undefined && { value }) } as Annotation
}

const isLock = (kind: AnnotationKind): kind is 'retention' | 'legalHold' => kind === 'retention' || kind === 'legalHold'

async function isAnyLocked(
  { rows, options }: Planning,
  { bucket, key, row: place }: Place,
  versions: readonly VersionRow[],
): Promise<boolean> {
  if (place.settings?.ObjectLock === undefined) return false
  for (const row of versions) {
    if (row.deleteMarker) continue
    const annotations = await annotationsIn(rows, place, { bucket, key, row })
    if (!isRemovable(annotations, { bypassGovernance: false, locks: options.locks })) return true
  }
  return false
}

async function addChange(planning: Planning, { bucket, key, row }: Place, change: KeyChange): Promise<void> {
  const { remove, restore, annotate } = change
  if (remove.length + restore.length + annotate.length === 0) return
  const data = {
    bucket,
    key,
    incarnation: row.incarnation,
    remove: remove.map(({ seq }) => seq),
    restore: restore.map(({ seq, until = 0 }) => ({ version: seq, removed: until })),
    annotate,
  }
  const entry = {
    kind: 'key',
    bucket,
    key,
    effect: await netEffect(planning.now, { bucket, key, remove, restore }),
    removes: remove.map(versionId),
    restores: restore.map(versionId),
    annotates: annotate.map(({ annotation }) => annotation.kind),
  } as const
  planning.changes.push({ command: { type: 'UndoKey', data }, entry })
}
