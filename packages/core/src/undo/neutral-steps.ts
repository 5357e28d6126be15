/** Whether steps changed nothing in the end, such as a change and its undo. */
import type { Seq } from '../ports/index.ts'
import { annotationsAt } from '../reads/annotations.ts'
import { isSameJson } from '../schema/same-json.ts'
import { versionTable } from '../views/tables.ts'
import type { Planning } from './planning.ts'
import type { KeyStep, TouchedKey } from './touched-places.ts'

/** What others did to a key after a chosen event. */
export async function isNeutral(planning: Planning, { bucket, key, otherSteps }: TouchedKey): Promise<boolean> {
  const gone = changedVersions(otherSteps)
  if (gone === undefined) return false
  for (const { version, kind, first, last } of annotated(otherSteps)) {
    if (gone.has(version)) continue
    const row = await planning.rows.get(versionTable.key(bucket, key, version))
    if (row === undefined || row.deleteMarker) return false
    const at = (position: Seq) => annotationsAt(planning.rows, { annotated: true }, { bucket, key, row, at: position })
    if (!isSameJson((await at(first - 1))[kind], (await at(last))[kind])) return false
  }
  return true
}

/** The versions that the steps added and removed again; `undefined` if other versions exist now than before. */
function changedVersions(steps: readonly KeyStep[]): ReadonlySet<Seq> | undefined {
  const existed = new Map<Seq, boolean>()
  const exists = new Map<Seq, boolean>()
  const note = (version: Seq, now: boolean) => {
    if (!existed.has(version)) existed.set(version, !now)
    exists.set(version, now)
  }
  for (const step of steps) {
    if (step.did === 'annotate') continue
    note(step.version, step.did !== 'remove')
    if (step.did === 'add' && step.replaces !== undefined) note(step.replaces, false)
  }
  const gone = new Set<Seq>()
  for (const [version, now] of exists) {
    if (existed.get(version) !== now) return undefined
    if (!now) gone.add(version)
  }
  return gone
}

interface AnnotatedVersion {
  readonly version: Seq
  readonly kind: Extract<KeyStep, { readonly did: 'annotate' }>['kind']
  readonly first: Seq
  readonly last: Seq
}

function annotated(steps: readonly KeyStep[]): Iterable<AnnotatedVersion> {
  const found = new Map<string, AnnotatedVersion>()
  for (const step of steps) {
    if (step.did !== 'annotate') continue
    const { seq, version, kind } = step
    const name = `${version} ${kind}`
    found.set(name, { version, kind, first: found.get(name)?.first ?? seq, last: seq })
  }
  return found.values()
}
