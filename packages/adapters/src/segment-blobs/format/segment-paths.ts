/**
 * Names in `segments/`: `<id>.segment` and, once the segment is complete, `<id>.index`. Ids are random and never
 * reused, so a name that a crash restores or removes can never mean another file.
 */
import { join } from 'node:path'
import { temporaryOf } from '../../files/durable-files.ts'

/** 32 hex digits. */
export type SegmentId = string

export interface SegmentPaths {
  readonly directory: string
  segmentOf(id: SegmentId): string
  indexOf(id: SegmentId): string
}

const segmentForm = /^([0-9a-f]{32})\.segment$/
const indexForm = /^([0-9a-f]{32})\.index$/
const temporaryForm = new RegExp(`^[0-9a-f]{32}\\.(segment|index)${temporaryOf('').replace('.', '\\.')}$`)

export function segmentPaths(directory: string): SegmentPaths {
  const segments = join(directory, 'segments')
  return {
    directory: segments,
    segmentOf: (id) => join(segments, `${id}.segment`),
    indexOf: (id) => join(segments, `${id}.index`),
  }
}

export interface SegmentNames {
  /** In a fixed order, so that they are opened in the same order each time. */
  readonly segments: readonly SegmentId[]
  readonly indexes: ReadonlySet<SegmentId>
  /** Unfinished files, and indexes of removed segments. */
  readonly leftovers: readonly string[]
  /** Names that the store did not create. */
  readonly strangers: readonly string[]
}

export function sortNames(names: readonly string[]): SegmentNames {
  const idsOf = (form: RegExp) => names.flatMap((name) => form.exec(name)?.[1] ?? [])
  const segments = idsOf(segmentForm).sort()
  const known = new Set(segments)
  const indexes = new Set(idsOf(indexForm))
  const lone = [...indexes].filter((id) => !known.has(id)).map((id) => `${id}.index`)
  const ours = [segmentForm, indexForm, temporaryForm]
  return {
    segments,
    indexes,
    leftovers: [...names.filter((name) => temporaryForm.test(name)), ...lone],
    strangers: names.filter((name) => !ours.some((form) => form.test(name))),
  }
}
